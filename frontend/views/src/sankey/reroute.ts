/** Moves whole edges: all places at which a long edge crosses columns at once, to where they cross least. */

import type { Columns } from './columns.ts';

/** An edge of others between two neighbouring columns, by places. */
type Segment = readonly [from: number, to: number];

/** Changes the order in place. The places of an edge are chosen together, column by column (dynamic programming). */
export function reroute(columns: Columns, order: number[][]): void {
  const steps: (readonly [number, number])[][] = order.map(() => []);
  for (const { from, to } of columns.steps)
    steps[columns.units[from]?.column ?? 0]?.push([from, to]);
  for (const route of columns.routes) {
    if (route.length < 3) continue;
    const first = columns.units[route[0] ?? 0]?.column ?? 0;
    const inner = new Set(route.slice(1, -1));
    const before = route.map((unit, at) => (order[first + at] ?? []).indexOf(unit));
    const others = route.map((_, at) =>
      (order[first + at] ?? []).filter((unit) => !inner.has(unit)),
    );
    const places = others.map((column) => new Map(column.map((unit, index) => [unit, index])));
    const segments = route.slice(1).map((_, at) =>
      (steps[first + at] ?? []).flatMap(([from, to]): Segment[] => {
        const [one, other] = [places[at]?.get(from), places[at + 1]?.get(to)];
        return one === undefined || other === undefined ? [] : [[one, other]];
      }),
    );
    const chosen = cheapest(route, others, segments, before);
    chosen.forEach((place, at) => {
      const column = others[at];
      if (!column || at === 0 || at === route.length - 1) return;
      column.splice(place, 0, route[at] ?? 0);
      order[first + at] = column;
    });
  }
}

/** Places of the edge in each column it passes: of its ends as they are, in between before the unit at that place. */
function cheapest(
  route: readonly number[],
  others: readonly (readonly number[])[],
  segments: readonly (readonly Segment[])[],
  before: readonly number[],
): number[] {
  const last = route.length - 1;
  const options = route.map((unit, at) => {
    if (at === 0 || at === last) return [(others[at] ?? []).indexOf(unit)];
    const count = (others[at] ?? []).length + 1;
    // The present place first, so that it stays if none is better.
    const now = before[at] ?? 0;
    const all = Array.from({ length: count }, (_, place) => place);
    return all.sort((a, b) => Math.abs(a - now) - Math.abs(b - now) || a - b);
  });
  let costs = new Map<number, number>([[options[0]?.[0] ?? 0, 0]]);
  const came: Map<number, number>[] = [];
  for (let at = 1; at <= last; at += 1) {
    const next = new Map<number, number>();
    const from = new Map<number, number>();
    for (const place of options[at] ?? []) {
      for (const [start, cost] of costs) {
        const total =
          cost + crossings(segments[at - 1] ?? [], [start, at === 1], [place, at === last]);
        if (total >= (next.get(place) ?? Infinity)) continue;
        next.set(place, total);
        from.set(place, start);
      }
    }
    costs = next;
    came.push(from);
  }
  const places = [options[last]?.[0] ?? 0];
  for (let at = last; at > 0; at -= 1) places.unshift(came[at - 1]?.get(places[0] ?? 0) ?? 0);
  return places;
}

type End = readonly [place: number, isUnit: boolean];

function crossings(segments: readonly Segment[], from: End, to: End): number {
  let count = 0;
  for (const [one, other] of segments) if (sideOf(one, from) * sideOf(other, to) < 0) count += 1;
  return count;
}

/** Above (-1) or below (1) the edge; 0 at the unit at which it ends. */
function sideOf(place: number, [own, isUnit]: End): number {
  if (place < own) return -1;
  return isUnit && place === own ? 0 : 1;
}
