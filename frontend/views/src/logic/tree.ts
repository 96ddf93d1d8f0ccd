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
  /** Cells that were narrower than `least` and are not drawn, by index of their parent. */
  readonly merged: Map<number, number>;
}

/**
 * Widths in pixels. `inclusive` gives children their share of the parent, never more than it;
 * `uniform` gives each the same. Sites stand after their parents.
 */
export function layoutIcicle(
  sites: readonly TreeSite[],
  root: number,
  total: number,
  mode: 'inclusive' | 'uniform',
  least = 1,
): Icicle {
  const count = sites.length;
  const x = new Float64Array(count);
  const width = new Float64Array(count);
  const row = new Int32Array(count).fill(-1);
  const children = childrenOf(sites);
  const merged = new Map<number, number>();
  if (root >= count) return { x, width, row, rows: 0, merged };
  width[root] = total;
  row[root] = 0;
  let rows = 1;
  for (let parent = root; parent < count; parent += 1) {
    const below = children[parent] ?? [];
    const room = width[parent] ?? 0;
    if (row[parent] === -1 || room <= 0 || below.length === 0) continue;
    const weightOf = (index: number): number => Math.max(0, sites[index]?.max_inclusive ?? 0);
    const sum = below.reduce((all, index) => all + weightOf(index), 0);
    const whole = Math.max(weightOf(parent), sum);
    let at = x[parent] ?? 0;
    for (const index of below) {
      const share = mode === 'uniform' ? 1 / below.length : whole > 0 ? weightOf(index) / whole : 0;
      const cell = share * room;
      if (cell < least) {
        merged.set(parent, (merged.get(parent) ?? 0) + 1);
        continue;
      }
      x[index] = at;
      width[index] = cell;
      row[index] = (row[parent] ?? 0) + 1;
      rows = Math.max(rows, (row[index] ?? 0) + 1);
      at += cell;
    }
  }
  return { x, width, row, rows, merged };
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
