/** Edges of a placed series-parallel graph, as straight segments along or across. */

import {
  FORK,
  LEAF,
  type Placed,
  SERIES,
  type Spacing,
  type SpTree,
  STRIP,
} from './series-parallel.ts';

/** Within a sequence. */
export const CONTINUATION = 0;
/** From a fork to a child. */
export const CREATION = 1;
/** From a child to a join. */
export const SYNCHRONISATION = 2;

/** Segments: four numbers each, from (x, y) to (x, y), with `x` along. */
export interface Edges {
  readonly ends: Float64Array;
  readonly kind: Uint8Array;
  /** The node that a segment leads to or comes from: on the critical path if the node is. */
  readonly node: Int32Array;
  /** Nodes that fork, with the places of fork and join: three numbers each, `x` of both and `y`. */
  readonly forks: Int32Array;
  readonly dots: Float64Array;
}

/** Segments by how they are drawn: four numbers each, with `x` across, as graphs that run down have them. */
export interface Strokes {
  /** By kind: of continuation, creation and synchronisation. */
  readonly kinds: readonly (readonly number[])[];
  /** Segments on the critical path, whatever their kind. */
  readonly critical: readonly number[];
}

/** Sorts segments by kind. If straight, the segments of an edge become one from its begin to its end. */
export function strokesOf(
  edges: Edges,
  isShown: (node: number) => boolean,
  isCritical: (node: number) => boolean,
  isStraight = false,
): Strokes {
  const kinds: number[][] = [[], [], []];
  const critical: number[] = [];
  const { ends } = edges;
  for (let at = 0; at < edges.node.length; at += 1) {
    const node = edges.node[at] ?? 0;
    if (!isShown(node)) continue;
    const kind = edges.kind[at] ?? CONTINUATION;
    let last = at;
    while (isStraight && edges.node[last + 1] === node && edges.kind[last + 1] === kind) last += 1;
    const list = isCritical(node) ? critical : kinds[kind];
    list?.push(ends[4 * at + 1] ?? 0, ends[4 * at] ?? 0);
    list?.push(ends[4 * last + 3] ?? 0, ends[4 * last + 2] ?? 0);
    at = last;
  }
  return { kinds, critical };
}

class Builder {
  readonly ends: Float64Array;
  readonly kinds: Uint8Array;
  readonly nodes: Int32Array;
  count = 0;

  constructor(most: number) {
    this.ends = new Float64Array(4 * most);
    this.kinds = new Uint8Array(most);
    this.nodes = new Int32Array(most);
  }

  add(x1: number, y1: number, x2: number, y2: number, kind: number, node: number): void {
    if (x1 === x2 && y1 === y2) return;
    const at = 4 * this.count;
    this.ends[at] = x1;
    this.ends[at + 1] = y1;
    this.ends[at + 2] = x2;
    this.ends[at + 3] = y2;
    this.kinds[this.count] = kind;
    this.nodes[this.count] = node;
    this.count += 1;
  }
}

/** Segments of a node at most: two of a fork, four of its child, one after the last of a sequence. */
const MOST = 7;

/** All edges. Each child of a fork has its own way from the fork and to the join. */
export function edgesOf(tree: SpTree, placed: Placed, spacing: Spacing): Edges {
  let rows = 0;
  for (const pairs of placed.rows.values()) rows += pairs.length / 2;
  const build = new Builder(MOST * tree.kind.length + 3 * rows);
  const forks: number[] = [];
  const dots: number[] = [];
  const count = tree.kind.length;
  /** The member of a sequence that was met last. */
  const before = new Int32Array(count).fill(-1);
  const x = (node: number): number => placed.x[node] ?? 0;
  const end = (node: number): number => (placed.x[node] ?? 0) + (placed.along[node] ?? 0);
  const port = (node: number): number => placed.port[node] ?? 0;
  const forkAt = (node: number): number =>
    x(node) + (tree.framed[node] ? spacing.pad : 0) + spacing.band / 2;
  const joinAt = (node: number): number =>
    end(node) - (tree.framed[node] ? spacing.pad : 0) - spacing.band / 2;
  for (let node = 0; node < count; node += 1) {
    const kind = tree.kind[node];
    if (kind === FORK) {
      forks.push(node);
      dots.push(forkAt(node), joinAt(node), port(node));
      build.add(x(node), port(node), forkAt(node), port(node), CONTINUATION, node);
      build.add(joinAt(node), port(node), end(node), port(node), CONTINUATION, node);
    } else if (kind === STRIP) strip(build, tree, placed, node);
    const parent = tree.parent[node] ?? -1;
    if (parent < 0) continue;
    if (tree.kind[parent] === FORK) {
      const [from, to] = [forkAt(parent), joinAt(parent)];
      build.add(from, port(parent), from, port(node), CREATION, node);
      build.add(from, port(node), x(node), port(node), CREATION, node);
      build.add(end(node), port(node), to, port(node), SYNCHRONISATION, node);
      build.add(to, port(node), to, port(parent), SYNCHRONISATION, node);
    } else if (tree.kind[parent] === SERIES) {
      const last = before[parent] ?? -1;
      const from = last < 0 ? x(parent) : end(last);
      build.add(from, port(node), x(node), port(node), CONTINUATION, node);
      before[parent] = node;
    }
  }
  for (let node = 0; node < count; node += 1) {
    const last = before[node] ?? -1;
    if (last >= 0) build.add(end(last), port(node), end(node), port(node), CONTINUATION, last);
  }
  return {
    ends: build.ends.subarray(0, 4 * build.count),
    kind: build.kinds.subarray(0, build.count),
    node: build.nodes.subarray(0, build.count),
    forks: Int32Array.from(forks),
    dots: Float64Array.from(dots),
  };
}

/** A line before and after each row of a strip, and one that leads on to the next row. */
function strip(build: Builder, tree: SpTree, placed: Placed, node: number): void {
  const rows = placed.rows.get(node) ?? new Float64Array();
  let low = Infinity;
  let high = -Infinity;
  for (let bar = node + 1; bar < tree.kind.length && tree.parent[bar] === node; bar += 1) {
    if (tree.kind[bar] !== LEAF) continue;
    low = Math.min(low, placed.y[bar] ?? 0);
    high = Math.max(high, (placed.y[bar] ?? 0) + (placed.across[bar] ?? 0));
  }
  if (!(high > low)) return;
  const port = placed.port[node] ?? 0;
  for (let at = 0; at < rows.length; at += 2) {
    const [from, to] = [rows[at] ?? 0, rows[at + 1] ?? 0];
    build.add(from, low, from, high, CREATION, node);
    build.add(to, low, to, high, SYNCHRONISATION, node);
    const next = rows[at + 2];
    if (next !== undefined) build.add(to, port, next, port, CONTINUATION, node);
  }
}
