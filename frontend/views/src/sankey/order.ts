/** Order of units in their columns: few crossings of edges, the same for the same data. */

import type { Columns } from './columns.ts';
import { reroute } from './reroute.ts';

export type Order = 'crossings' | 'inclusive' | 'exclusive' | 'name';

const SWEEPS = 16;
const ROUNDS = 12;

/** Units up to which more orders are tried, and how many. */
const FEW = 120;
const MORE = 8;
/** Orders of which whole edges are moved. */
const FINAL = 4;

/** Neighbours of each unit on both sides. */
interface Sides {
  readonly left: readonly (readonly number[])[];
  readonly right: readonly (readonly number[])[];
}

/** Units of each column from top to bottom. `rank` orders units if the order is not by crossings. */
export function orderOf(
  columns: Columns,
  order: Order,
  rank: (unit: number) => number | string,
): number[][] {
  const sides = sidesOf(columns);
  const heavy = columns.columns.map((column) =>
    [...column].sort((a, b) => weightOf(columns, b) - weightOf(columns, a) || a - b),
  );
  if (order !== 'crossings') {
    return columns.columns.map((column) =>
      [...column].sort((a, b) => {
        const [one, other] = [rank(a), rank(b)];
        if (typeof one === 'number' && typeof other === 'number') return other - one || a - b;
        return String(one).localeCompare(String(other), 'en', { numeric: true }) || a - b;
      }),
    );
  }
  const given = columns.columns.map((column) => [...column]);
  const isSmall = columns.units.length <= FEW;
  const starts = [depthFirst(columns, sides), heavy, given, ...shuffles(given, isSmall ? MORE : 0)];
  const found: Found[] = [];
  for (const start of starts) {
    if (found.some(({ crossings }) => crossings === 0)) break;
    found.push(improve(start, sides));
  }
  found.sort((a, b) => a.crossings - b.crossings);
  if (isSmall) {
    // Whole edges are costly to move: only where it may pay.
    for (const one of found.slice(0, FINAL)) finish(one, columns, sides);
    found.sort((a, b) => a.crossings - b.crossings);
  }
  return found[0]?.order ?? heavy;
}

interface Found {
  order: number[][];
  crossings: number;
}

/** Moves whole edges, then single units again, while that helps. */
function finish(found: Found, columns: Columns, sides: Sides): void {
  for (const order = copy(found.order); found.crossings > 0;) {
    reroute(columns, order);
    sift(order, sides);
    const crossings = crossingsIn(order, sides);
    if (crossings >= found.crossings) return;
    found.order = copy(order);
    found.crossings = crossings;
  }
}

/** Other orders to start from, the same each time. */
function shuffles(columns: readonly (readonly number[])[], count: number): number[][][] {
  let state = 1;
  const next = (): number => (state = (state * 48_271) % 2_147_483_647);
  return Array.from({ length: count }, () =>
    columns.map((column) => {
      const shuffled = [...column];
      for (let i = shuffled.length - 1; i > 0; i -= 1) {
        const j = next() % (i + 1);
        [shuffled[i], shuffled[j]] = [shuffled[j] ?? 0, shuffled[i] ?? 0];
      }
      return shuffled;
    }),
  );
}

function weightOf(columns: Columns, unit: number): number {
  return columns.units[unit]?.weight ?? 0;
}

function sidesOf({ units, steps }: Columns): Sides {
  const left = units.map((): number[] => []);
  const right = units.map((): number[] => []);
  for (const { from, to } of steps) {
    right[from]?.push(to);
    left[to]?.push(from);
  }
  return { left, right };
}

/** Columns in the order in which a walk meets their units, heaviest callee first. */
function depthFirst(columns: Columns, { left, right }: Sides): number[][] {
  const seen = new Set<number>();
  const order = columns.columns.map((): number[] => []);
  const byWeight = (a: number, b: number): number =>
    weightOf(columns, b) - weightOf(columns, a) || a - b;
  const roots = columns.units.flatMap((_, unit) => ((left[unit] ?? []).length === 0 ? [unit] : []));
  const stack = roots.sort(byWeight).reverse();
  while (stack.length > 0) {
    const unit = stack.pop() ?? 0;
    if (seen.has(unit)) continue;
    seen.add(unit);
    order[columns.units[unit]?.column ?? 0]?.push(unit);
    stack.push(...[...(right[unit] ?? [])].sort(byWeight).reverse());
  }
  return order;
}

/** Sweeps by the mean place of neighbours, then moves of single units, as long as either helps. */
function improve(start: readonly (readonly number[])[], sides: Sides): Found {
  let order = start.map((column) => [...column]);
  sift(order, sides);
  let best = { order: copy(order), crossings: crossingsIn(order, sides) };
  for (let sweep = 0; sweep < SWEEPS && best.crossings > 0; sweep += 1) {
    const isForward = sweep % 2 === 0;
    for (let step = 1; step < order.length; step += 1) {
      const at = isForward ? step : order.length - 1 - step;
      sortByNeighbours(order, at, isForward ? sides.left : sides.right, isForward ? -1 : 1);
    }
    sift(order, sides);
    const crossings = crossingsIn(order, sides);
    if (crossings < best.crossings) best = { order: copy(order), crossings };
    else if (sweep % 4 === 3) order = copy(best.order);
  }
  return best;
}

function copy(order: readonly (readonly number[])[]): number[][] {
  return order.map((column) => [...column]);
}

function sortByNeighbours(
  order: number[][],
  at: number,
  neighbours: readonly (readonly number[])[],
  side: number,
): void {
  const places = placesOf(order[at + side] ?? []);
  const column = order[at] ?? [];
  const means = new Map(
    column.map((unit, index) => {
      const known = (neighbours[unit] ?? []).map((other) => places.get(other) ?? 0);
      const mean = known.reduce((sum, place) => sum + place, 0) / Math.max(1, known.length);
      return [unit, known.length > 0 ? mean : index] as const;
    }),
  );
  const before = placesOf(column);
  order[at] = [...column].sort(
    (a, b) =>
      (means.get(a) ?? 0) - (means.get(b) ?? 0) || (before.get(a) ?? 0) - (before.get(b) ?? 0),
  );
}

function placesOf(column: readonly number[]): Map<number, number> {
  return new Map(column.map((unit, index) => [unit, index]));
}

/**
 * Moves each unit to the place of its column with the fewest crossings, as long as that removes any. Swaps of
 * neighbours are the shortest of these moves; longer ones pass over places that are no better.
 */
function sift(order: number[][], { left, right }: Sides): void {
  for (let round = 0; round < ROUNDS; round += 1) {
    let hasChanged = false;
    for (let at = 0; at < order.length; at += 1) {
      const column = order[at] ?? [];
      const before = placesOf(order[at - 1] ?? []);
      const after = placesOf(order[at + 1] ?? []);
      const sorted = new Map(
        column.map((unit) => [
          unit,
          [placesIn(left[unit] ?? [], before), placesIn(right[unit] ?? [], after)] as const,
        ]),
      );
      /** Crossings that are gone once `b` is above `a`. */
      const gainOf = (a: number, b: number): number => {
        const [one, other] = [sorted.get(a), sorted.get(b)];
        if (!one || !other) return 0;
        return (
          inversions(one[0], other[0]) +
          inversions(one[1], other[1]) -
          inversions(other[0], one[0]) -
          inversions(other[1], one[1])
        );
      };
      for (const unit of [...column]) {
        const from = column.indexOf(unit);
        let [best, bestAt] = [0, from];
        for (const step of [-1, 1]) {
          let gain = 0;
          for (let i = from + step; i >= 0 && i < column.length; i += step) {
            const other = column[i] ?? 0;
            gain += step < 0 ? gainOf(other, unit) : gainOf(unit, other);
            if (gain > best) [best, bestAt] = [gain, i];
          }
        }
        if (bestAt === from) continue;
        column.splice(from, 1);
        column.splice(bestAt, 0, unit);
        hasChanged = true;
      }
    }
    if (!hasChanged) return;
  }
}

function placesIn(units: readonly number[], places: ReadonlyMap<number, number>): number[] {
  return units.map((unit) => places.get(unit) ?? 0).sort((a, b) => a - b);
}

/** Pairs of an upper and a lower place in which the upper unit's neighbour is below the lower one's. */
function inversions(upper: readonly number[], lower: readonly number[]): number {
  let count = 0;
  let at = 0;
  for (const place of upper) {
    while (at < lower.length && (lower[at] ?? 0) < place) at += 1;
    count += at;
  }
  return count;
}

/** Crossings of edges between all neighbouring columns. */
export function countCrossings(columns: Columns, order: readonly (readonly number[])[]): number {
  return crossingsIn(order, sidesOf(columns));
}

function crossingsIn(order: readonly (readonly number[])[], { right }: Sides): number {
  let total = 0;
  for (let at = 0; at + 1 < order.length; at += 1) {
    const places = placesOf(order[at + 1] ?? []);
    const ends = (order[at] ?? []).flatMap((unit) => placesIn(right[unit] ?? [], places));
    // Counts inversions with a tree of prefix sums.
    const size = places.size + 1;
    const tree = new Uint32Array(size + 1);
    let seen = 0;
    for (const end of ends) {
      let below = 0;
      for (let i = end + 1; i > 0; i -= i & -i) below += tree[i] ?? 0;
      total += seen - below;
      for (let i = end + 1; i <= size; i += i & -i) tree[i] = (tree[i] ?? 0) + 1;
      seen += 1;
    }
  }
  return total;
}
