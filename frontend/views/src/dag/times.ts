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
}

/** Times of an answer's pages, kept as long as they are: a picture is drawn often. */
const kept = new WeakMap<Columns, readonly [pages: number, times: Times]>();

export function timesOf(pages: readonly Columns[]): Times | undefined {
  const [page] = pages;
  if (!page) return undefined;
  const before = kept.get(page);
  if (before?.[0] === pages.length) return before[1];
  const times = read(pages);
  kept.set(page, [pages.length, times]);
  return times;
}

function read(pages: readonly Columns[]): Times {
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
  };
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
