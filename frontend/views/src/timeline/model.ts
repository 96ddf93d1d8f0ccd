/** Intervals of workers: search, measures of a range, order of workers. Pure, on typed arrays. */

import type { Timeline } from '../api.ts';
import type { Columns } from '../data/columns.ts';
import type { Interval } from '../registry/selection.ts';
import type { Settings } from './definition.ts';

/** Intervals by worker, then time; of a worker with more intervals than pixels, equal parts of the window. */
export interface Intervals {
  readonly count: number;
  readonly start: Float64Array;
  readonly end: Float64Array;
  /** Share of the time in which the worker was busy. */
  readonly busy: Float64Array;
  /** Row of the grain of the interval, or of the longest one; -1 if none is known. */
  readonly grain: Int32Array;
  /** Intervals that one stands for. */
  readonly intervals: Int32Array;
  /** Index in `names`; -1 if none is known. */
  readonly definition: Int32Array;
  readonly names: readonly string[];
  /** First interval of each worker, and the end of the last. */
  readonly first: Int32Array;
}

/** Reads the columns of an answer for a number of workers. */
export function intervalsOf({ rows, columns }: Columns, workers: number): Intervals {
  const numbers = (name: string): ArrayLike<unknown> => columns[name] ?? [];
  const floats = (name: string): Float64Array =>
    Float64Array.from(numbers(name), (value) => (value === null ? NaN : Number(value)));
  const whole = (name: string): Int32Array =>
    Int32Array.from(numbers(name), (value) =>
      value === null || Number.isNaN(value) ? -1 : Number(value),
    );
  const worker = whole('worker');
  const first = new Int32Array(workers + 1);
  for (const one of worker)
    if (one >= 0 && one < workers) first[one + 1] = (first[one + 1] ?? 0) + 1;
  for (let at = 0; at < workers; at += 1) first[at + 1] = (first[at + 1] ?? 0) + (first[at] ?? 0);
  const names: string[] = [];
  const places = new Map<string, number>();
  const definition = Int32Array.from(numbers('definition'), (name) => {
    if (typeof name !== 'string') return -1;
    const known = places.get(name);
    if (known !== undefined) return known;
    places.set(name, names.length);
    return names.push(name) - 1;
  });
  return {
    count: rows,
    start: floats('start'),
    end: floats('end'),
    busy: floats('busy'),
    grain: whole('grain'),
    intervals: whole('intervals'),
    definition,
    names,
    first,
  };
}

/** First interval of a worker that ends after a time; the end of the worker's intervals if none does. */
export function firstAfter(all: Intervals, worker: number, time: number): number {
  let [low, high] = [all.first[worker] ?? 0, all.first[worker + 1] ?? 0];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((all.end[middle] ?? 0) <= time) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Interval of a worker at a time, or within a reach of it; -1 if there is none. */
export function intervalAt(all: Intervals, worker: number, time: number, reach: number): number {
  const at = firstAfter(all, worker, time - reach);
  if (at >= (all.first[worker + 1] ?? 0) || (all.start[at] ?? 0) > time + reach) return -1;
  const next = at + 1;
  const isNext =
    (all.end[at] ?? 0) < time &&
    next < (all.first[worker + 1] ?? 0) &&
    (all.start[next] ?? 0) <= time;
  return isNext ? next : at;
}

export interface Measure {
  readonly range: Interval;
  /** Busy share of each worker. */
  readonly busy: readonly number[];
  /** Mean number of workers that were busy. */
  readonly parallelism: number;
}

/** How busy the workers were in a range that the intervals cover. */
export function measureOf(all: Intervals, workers: number, range: Interval): Measure {
  const [from, to] = range;
  const length = Math.max(1e-9, to - from);
  const busy: number[] = [];
  for (let worker = 0; worker < workers; worker += 1) {
    let sum = 0;
    const end = all.first[worker + 1] ?? 0;
    for (let at = firstAfter(all, worker, from); at < end; at += 1) {
      const start = all.start[at] ?? 0;
      if (start >= to) break;
      sum += (Math.min(to, all.end[at] ?? 0) - Math.max(from, start)) * (all.busy[at] ?? 0);
    }
    busy.push(sum / length);
  }
  return { range, busy, parallelism: busy.reduce((sum, share) => sum + share, 0) };
}

/** Indices of workers in the order of their rows; those with a pinned name come first. */
export function workerOrder(
  head: Timeline,
  sort: Settings['sort'],
  pinned: ReadonlySet<string> = new Set(),
): readonly number[] {
  const { workers } = head;
  const order = workers.map((_, index) => index);
  if (sort === 'busy')
    order.sort((a, b) => (workers[b]?.busy ?? 0) - (workers[a]?.busy ?? 0) || a - b);
  // Workers without a place come last.
  const place = (index: number, of: 'node' | 'core'): number => workers[index]?.[of] ?? 1e9;
  if (sort === 'place')
    order.sort(
      (a, b) => place(a, 'node') - place(b, 'node') || place(a, 'core') - place(b, 'core') || a - b,
    );
  const isPinned = (index: number): boolean => pinned.has(workerName(head, index));
  return [...order.filter(isPinned), ...order.filter((index) => !isPinned(index))];
}

/** What is not known of the places of workers, if they are to be sorted by it. */
export function placeNote({ workers }: Timeline): string | undefined {
  const has = (of: 'node' | 'core'): boolean =>
    workers.some((worker) => typeof worker[of] === 'number');
  if (has('node')) return undefined;
  return has('core')
    ? 'The source names no NUMA nodes: rows are in the order of processors'
    : 'The source names neither NUMA nodes nor processors; traces of `grainsheaf record` have processors';
}

/** Names of a setting such as `0.3,1`. */
export function namesOf(text: string): ReadonlySet<string> {
  return new Set(text.split(',').filter((name) => name !== ''));
}

/** Name of a worker: its rank where there are several. */
export function workerName({ workers }: Timeline, index: number): string {
  const worker = workers[index];
  if (!worker) return '';
  const hasRanks = workers.some(({ rank }) => rank !== workers[0]?.rank);
  return hasRanks ? `${worker.rank}.${worker.thread}` : String(worker.thread);
}

/** Definitions of the runs with most busy time first: the places of their colours, whatever part is shown. */
export function definitionsOf(
  heads: readonly Timeline[],
  known: (lane: number, name: string) => string = (_, name) => name,
): readonly string[] {
  const sums = new Map<string, number>();
  heads.forEach(({ rows }, lane) => {
    for (const { definition, start, end, busy } of rows) {
      if (typeof definition !== 'string') continue;
      const name = known(lane, definition);
      sums.set(name, (sums.get(name) ?? 0) + (end - start) * busy);
    }
  });
  return [...sums.keys()].sort(
    (a, b) => (sums.get(b) ?? 0) - (sums.get(a) ?? 0) || (a < b ? -1 : 1),
  );
}

/** First begin and last end of a grain among intervals; nothing if it has none there. */
export function rangeOfGrain(all: Intervals, grain: number): Interval | undefined {
  let [from, to] = [Infinity, -Infinity];
  for (let at = 0; at < all.count; at += 1) {
    if (all.grain[at] !== grain) continue;
    from = Math.min(from, all.start[at] ?? 0);
    to = Math.max(to, all.end[at] ?? 0);
  }
  return to > from ? [from, to] : undefined;
}
