/** Begin, end and worker of grains by their row. No DOM here. */

import type { Columns } from '../data/columns.ts';

export interface Times {
  /** Time from the first begin to the last end. */
  readonly elapsed: number | undefined;
  /** Workers of the grains as texts, in order of rank and thread. */
  readonly workers: readonly string[];
  /** Time from the begin to the end of a grain; nothing if the source has no times. */
  lifetime(grain: number | null | undefined): number | undefined;
  /** Place of a grain's worker in `workers`. */
  worker(grain: number | null | undefined): number | undefined;
  /** Grains that a grain created, in order; those that none created for -1. */
  created(grain: number): readonly number[];
  /** Work of a grain with all that it created, by worker. */
  workBelow(grain: number): ReadonlyMap<number, number>;
}

/** Times of an answer's pages, kept as long as they are: a picture is drawn often. */
const kept = new WeakMap<Columns, readonly [pages: number, times: Times]>();

/** Times of grains; `work` is the name of the column of their work. */
export function timesOf(pages: readonly Columns[], work: string): Times | undefined {
  const [page] = pages;
  if (!page) return undefined;
  const before = kept.get(page);
  if (before?.[0] === pages.length) return before[1];
  const times = read(pages, work);
  kept.set(page, [pages.length, times]);
  return times;
}

function read(pages: readonly Columns[], work: string): Times {
  const grains = joined(pages, 'grain');
  const count = grains.reduce((most, grain) => Math.max(most, grain), -1) + 1;
  const by = (name: string): Float64Array => {
    const values = joined(pages, name);
    const all = new Float64Array(count).fill(NaN);
    grains.forEach((grain, at) => (all[grain] = values[at] ?? NaN));
    return all;
  };
  const [start, end, rank, thread] = [by('start'), by('end'), by('rank'), by('thread')];
  const bounds = [Infinity, -Infinity];
  const known = new Set<number>();
  /** Rank and thread as one number that sorts as they do. */
  const place = (grain: number): number => (rank[grain] || 0) * 1e6 + (thread[grain] ?? NaN);
  for (let grain = 0; grain < count; grain += 1) {
    if (!Number.isNaN(place(grain))) known.add(place(grain));
    if (Number.isNaN(start[grain] ?? NaN) || Number.isNaN(end[grain] ?? NaN)) continue;
    bounds[0] = Math.min(bounds[0] ?? 0, start[grain] ?? 0);
    bounds[1] = Math.max(bounds[1] ?? 0, end[grain] ?? 0);
  }
  const order = [...known].sort((a, b) => a - b);
  const places = new Map(order.map((one, at) => [one, at]));
  const hasRanks = order.some((one) => one >= 1e6);
  const length = (bounds[1] ?? 0) - (bounds[0] ?? 0);
  return {
    elapsed: length > 0 ? length : undefined,
    workers: order.map((one) =>
      hasRanks ? `${Math.floor(one / 1e6)}.${one % 1e6}` : String(one % 1e6),
    ),
    lifetime(grain) {
      const value = (end[grain ?? -1] ?? NaN) - (start[grain ?? -1] ?? NaN);
      return Number.isNaN(value) ? undefined : value;
    },
    worker: (grain) => places.get(place(grain ?? -1)),
    ...creation(work, by, grains, (grain) => places.get(place(grain))),
  };
}

/** Who created whom, read when it is asked for. */
function creation(
  work: string,
  by: (name: string) => Float64Array,
  grains: Float64Array,
  workerOf: (grain: number) => number | undefined,
): Pick<Times, 'created' | 'workBelow'> {
  let children: Map<number, number[]> | undefined;
  const created = (grain: number): readonly number[] => {
    children ??= childrenOf(grains, by('parent'), by('created'));
    return children.get(grain) ?? [];
  };
  let works: Float64Array | undefined;
  const below = new Map<number, ReadonlyMap<number, number>>();
  const workBelow = (top: number): ReadonlyMap<number, number> => {
    const before = below.get(top);
    if (before) return before;
    works ??= by(work);
    const sums = new Map<number, number>();
    const waiting = [top];
    for (let grain = waiting.pop(); grain !== undefined; grain = waiting.pop()) {
      for (const child of created(grain)) waiting.push(child);
      const worker = workerOf(grain);
      if (worker !== undefined) sums.set(worker, (sums.get(worker) ?? 0) + (works[grain] || 0));
    }
    below.set(top, sums);
    return sums;
  };
  return { created, workBelow };
}

/** Grains by their creator, in the order of creation. */
function childrenOf(
  grains: Float64Array,
  parent: Float64Array,
  at: Float64Array,
): Map<number, number[]> {
  const children = new Map<number, number[]>();
  for (const grain of grains) {
    const creator = Number.isNaN(parent[grain] ?? NaN) ? -1 : (parent[grain] ?? -1);
    const known = children.get(creator);
    if (known) known.push(grain);
    else children.set(creator, [grain]);
  }
  for (const list of children.values()) list.sort((a, b) => (at[a] || 0) - (at[b] || 0) || a - b);
  return children;
}

function joined(pages: readonly Columns[], name: string): Float64Array {
  const all = new Float64Array(pages.reduce((sum, page) => sum + page.rows, 0)).fill(NaN);
  let at = 0;
  for (const page of pages) {
    const column = page.columns[name];
    // A column in which everything is absent is a list.
    if (column instanceof Float64Array) all.set(column, at);
    at += page.rows;
  }
  return all;
}
