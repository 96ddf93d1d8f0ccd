/**
 * Places series-parallel graphs: a sequence stands along one direction, the children of a fork lie across it between a
 * fork and a join. Linear in the number of nodes, except that strips are sorted; no recursion.
 */

export const LEAF = 0;
/** Children in sequence. */
export const SERIES = 1;
/** Children between a fork and a join. */
export const FORK = 2;
/** Many leaves between a fork and a join, as bars sorted by length, in rows. */
export const STRIP = 3;

/** Nodes in pre-order, so that parents precede their children. The root is node 0. */
export interface SpTree {
  /** `LEAF`, `SERIES`, `FORK` or `STRIP`; the children of a strip are leaves. */
  readonly kind: Uint8Array;
  readonly parent: Int32Array;
  /** Sizes of leaves; those of other nodes follow from their children. */
  readonly along: Float64Array;
  readonly across: Float64Array;
  /** Whether a frame with a title is around the children. */
  readonly framed: Uint8Array;
}

/** Room between nodes, in the unit of the sizes. */
export interface Spacing {
  /** Between the members of a sequence. */
  readonly along: number;
  /** Between the children of a fork. */
  readonly across: number;
  /** Between a fork or join and the children. */
  readonly band: number;
  /** Between a frame and its content. */
  readonly pad: number;
  /** Title of a frame, on the side where `across` is lowest. */
  readonly title: number;
  /** Between the bars of a strip. */
  readonly bar: number;
  /** Bars in a row of a strip. */
  readonly row: number;
}

/** Rectangles of all nodes, parallel to the tree. */
export interface Placed {
  readonly x: Float64Array;
  readonly y: Float64Array;
  readonly along: Float64Array;
  readonly across: Float64Array;
  /** Where edges enter and leave, as a place on the axis across. */
  readonly port: Float64Array;
  /** Rows of strips, as pairs of places along: where a row begins and ends. By node of the strip. */
  readonly rows: ReadonlyMap<number, Float64Array>;
}

/** Places all nodes; equal parts get equal relative places. */
export function place(tree: SpTree, spacing: Spacing): Placed {
  const count = tree.kind.length;
  const along = Float64Array.from(tree.along);
  const up = new Float64Array(count);
  const down = new Float64Array(count);
  measure(tree, spacing, along, up, down);
  const x = new Float64Array(count);
  const y = new Float64Array(count);
  const port = new Float64Array(count);
  const across = new Float64Array(count);
  const rows = new Map<number, Float64Array>();
  /** Where the next child goes: along in a sequence, across in a fork. */
  const next = new Float64Array(count);
  for (let node = 0; node < count; node += 1) {
    const parent = tree.parent[node] ?? -1;
    const kind = parent < 0 ? SERIES : (tree.kind[parent] ?? LEAF);
    const size = (up[node] ?? 0) + (down[node] ?? 0);
    across[node] = size;
    if (parent < 0) port[node] = up[node] ?? 0;
    else if (kind === SERIES) {
      x[node] = next[parent] ?? 0;
      port[node] = port[parent] ?? 0;
      next[parent] = (next[parent] ?? 0) + (along[node] ?? 0) + spacing.along;
    } else if (kind === FORK) {
      x[node] = (x[parent] ?? 0) + pad(tree, spacing, parent) + spacing.band;
      port[node] = (next[parent] ?? 0) + (up[node] ?? 0);
      next[parent] = (next[parent] ?? 0) + size + spacing.across;
    } else continue;
    y[node] = (port[node] ?? 0) - (up[node] ?? 0);
    const inner = pad(tree, spacing, node);
    next[node] =
      tree.kind[node] === FORK
        ? (y[node] ?? 0) + (inner > 0 ? inner + spacing.title : 0)
        : (x[node] ?? 0) + inner;
    if (tree.kind[node] === STRIP) {
      const order = barsOf(tree, node);
      rows.set(node, placeBars(tree, spacing, node, order, { x, y, port, across }));
    }
  }
  return { x, y, along, across, port, rows };
}

function pad(tree: SpTree, spacing: Spacing, node: number): number {
  return tree.framed[node] ? spacing.pad : 0;
}

/** Sizes of all nodes, from the last to the first, so that children are measured before their parents. */
function measure(
  tree: SpTree,
  spacing: Spacing,
  along: Float64Array,
  up: Float64Array,
  down: Float64Array,
): void {
  const count = tree.kind.length;
  const total = new Float64Array(count);
  const firstUp = new Float64Array(count);
  const lastDown = new Float64Array(count);
  const children = new Int32Array(count);
  for (let node = count - 1; node >= 0; node -= 1) {
    switch (tree.kind[node]) {
      case LEAF:
        up[node] = down[node] = (tree.across[node] ?? 0) / 2;
        break;
      case FORK: {
        // Edges enter in the middle between the first and the last child.
        const whole = total[node] ?? 0;
        const middle = ((firstUp[node] ?? 0) + whole - (lastDown[node] ?? 0)) / 2;
        up[node] = middle;
        down[node] = whole - middle;
        along[node] = (along[node] ?? 0) + 2 * spacing.band;
        break;
      }
      case STRIP:
        measureStrip(tree, spacing, node, along, up, down);
        break;
      default:
        break;
    }
    if (tree.framed[node]) {
      along[node] = (along[node] ?? 0) + 2 * spacing.pad;
      up[node] = (up[node] ?? 0) + spacing.pad + spacing.title;
      down[node] = (down[node] ?? 0) + spacing.pad;
    }
    const parent = tree.parent[node] ?? -1;
    if (parent < 0) continue;
    const isLast = children[parent] === 0;
    children[parent] = (children[parent] ?? 0) + 1;
    if (tree.kind[parent] === SERIES) {
      const gap = isLast ? 0 : spacing.along;
      along[parent] = (isLast ? 0 : (along[parent] ?? 0)) + (along[node] ?? 0) + gap;
      up[parent] = Math.max(up[parent] ?? 0, up[node] ?? 0);
      down[parent] = Math.max(down[parent] ?? 0, down[node] ?? 0);
    } else if (tree.kind[parent] === FORK) {
      const gap = isLast ? 0 : spacing.across;
      along[parent] = isLast ? (along[node] ?? 0) : Math.max(along[parent] ?? 0, along[node] ?? 0);
      total[parent] = (total[parent] ?? 0) + (up[node] ?? 0) + (down[node] ?? 0) + gap;
      firstUp[parent] = up[node] ?? 0;
      if (isLast) lastDown[parent] = down[node] ?? 0;
    }
  }
}

/** The leaves of a strip, longest first; equal ones keep their order. */
function barsOf(tree: SpTree, strip: number): Int32Array {
  let end = strip + 1;
  while (end < tree.kind.length && tree.parent[end] === strip) end += 1;
  const bars = Int32Array.from({ length: end - strip - 1 }, (_, at) => strip + 1 + at);
  return bars.sort((a, b) => (tree.along[b] ?? 0) - (tree.along[a] ?? 0) || a - b);
}

function measureStrip(
  tree: SpTree,
  spacing: Spacing,
  strip: number,
  along: Float64Array,
  up: Float64Array,
  down: Float64Array,
): void {
  const bars = barsOf(tree, strip);
  let length = 0;
  let widest = 0;
  for (let from = 0; from < bars.length; from += spacing.row) {
    // The first bar of a row is its longest.
    length += (tree.along[bars[from] ?? 0] ?? 0) + (from > 0 ? spacing.along : 0);
    let width = -spacing.bar;
    for (let at = from; at < Math.min(from + spacing.row, bars.length); at += 1)
      width += (tree.across[bars[at] ?? 0] ?? 0) + spacing.bar;
    widest = Math.max(widest, width);
  }
  along[strip] = length;
  up[strip] = down[strip] = widest / 2;
}

function placeBars(
  tree: SpTree,
  spacing: Spacing,
  strip: number,
  bars: Int32Array,
  into: Pick<Placed, 'x' | 'y' | 'port' | 'across'>,
): Float64Array {
  const rows: number[] = [];
  const inner = pad(tree, spacing, strip);
  let start = (into.x[strip] ?? 0) + inner;
  const top = (into.y[strip] ?? 0) + (inner > 0 ? inner + spacing.title : 0);
  for (let from = 0; from < bars.length; from += spacing.row) {
    let side = top;
    for (let at = from; at < Math.min(from + spacing.row, bars.length); at += 1) {
      const bar = bars[at] ?? 0;
      const width = tree.across[bar] ?? 0;
      into.x[bar] = start;
      into.y[bar] = side;
      into.across[bar] = width;
      into.port[bar] = side + width / 2;
      side += width + spacing.bar;
    }
    const end = start + (tree.along[bars[from] ?? 0] ?? 0);
    rows.push(start, end);
    start = end + spacing.along;
  }
  return Float64Array.from(rows);
}
