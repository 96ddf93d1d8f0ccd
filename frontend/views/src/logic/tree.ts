/** Layout of the call tree as an icicle. */

export interface TreeSite {
  readonly parent?: number | null | undefined;
  readonly max_inclusive: number;
  readonly depth: number;
}

/** Cells of an icicle, parallel to the sites; width 0 is not drawn. */
export interface Icicle {
  readonly x: Float64Array;
  readonly width: Float64Array;
  /** Rows below the root of the zoom. */
  readonly row: Int32Array;
  readonly rows: number;
  /** Cells that were narrower than `least`, and the place of all of them, by index of their parent. */
  readonly merged: Map<number, Merged>;
  /** Sites below the last row. */
  readonly deeper: number;
}

/** Cells that are too narrow to draw each. */
export interface Merged {
  readonly count: number;
  readonly x: number;
  readonly width: number;
}

/**
 * Widths in pixels. `inclusive` gives children their share of the parent, never more than it;
 * `uniform` gives each the same. Sites stand after their parents. There are `most` rows at most.
 */
export function layoutIcicle(
  sites: readonly TreeSite[],
  root: number,
  total: number,
  mode: 'inclusive' | 'uniform',
  least = 1,
  most = Infinity,
): Icicle {
  const count = sites.length;
  const x = new Float64Array(count);
  const width = new Float64Array(count);
  const row = new Int32Array(count).fill(-1);
  const children = childrenOf(sites);
  const merged = new Map<number, Merged>();
  if (root >= count) return { x, width, row, rows: 0, merged, deeper: 0 };
  width[root] = total;
  row[root] = 0;
  let rows = 1;
  let deeper = 0;
  // A site below the last row counts with all that is below it.
  const below = new Uint8Array(count);
  for (let parent = root; parent < count; parent += 1) {
    const own = children[parent] ?? [];
    const room = width[parent] ?? 0;
    if (below[parent] === 1 || ((row[parent] ?? -1) + 1 >= most && row[parent] !== -1)) {
      deeper += own.length;
      for (const index of own) below[index] = 1;
      continue;
    }
    if (row[parent] === -1 || room <= 0 || own.length === 0) continue;
    const weightOf = (index: number): number => Math.max(0, sites[index]?.max_inclusive ?? 0);
    const sum = own.reduce((all, index) => all + weightOf(index), 0);
    const whole = Math.max(weightOf(parent), sum);
    let at = x[parent] ?? 0;
    let [narrow, narrowWidth] = [0, 0];
    for (const index of own) {
      const share = mode === 'uniform' ? 1 / own.length : whole > 0 ? weightOf(index) / whole : 0;
      const cell = share * room;
      if (cell < least) {
        narrow += 1;
        narrowWidth += cell;
        continue;
      }
      x[index] = at;
      width[index] = cell;
      row[index] = (row[parent] ?? 0) + 1;
      rows = Math.max(rows, (row[index] ?? 0) + 1);
      at += cell;
    }
    if (narrow === 0) continue;
    merged.set(parent, { count: narrow, x: at, width: narrowWidth });
    rows = Math.max(rows, (row[parent] ?? 0) + 2);
  }
  return { x, width, row, rows, merged, deeper };
}

/** Children of every site, greatest first, then in the order of the answer. */
export function childrenOf(sites: readonly TreeSite[]): number[][] {
  const children: number[][] = sites.map(() => []);
  sites.forEach((site, index) => {
    if (site.parent !== undefined && site.parent !== null) children[site.parent]?.push(index);
  });
  for (const below of children) {
    below.sort((a, b) => (sites[b]?.max_inclusive ?? 0) - (sites[a]?.max_inclusive ?? 0) || a - b);
  }
  return children;
}

/** Rows from a site down to the deepest one below it. */
export function rowsBelow(sites: readonly TreeSite[], root: number): number {
  const row = new Int32Array(sites.length).fill(-1);
  row[root] = 0;
  let most = 0;
  for (let index = root + 1; index < sites.length; index += 1) {
    const parent = sites[index]?.parent ?? -1;
    if (parent < 0 || (row[parent] ?? -1) < 0) continue;
    row[index] = (row[parent] ?? 0) + 1;
    most = Math.max(most, row[index] ?? 0);
  }
  return most + 1;
}

/** Indices from the first site to `index`. */
export function pathTo(sites: readonly TreeSite[], index: number): number[] {
  const path: number[] = [];
  for (
    let at: number | null | undefined = index;
    at !== undefined && at !== null;
    at = sites[at]?.parent
  ) {
    path.unshift(at);
  }
  return path;
}
