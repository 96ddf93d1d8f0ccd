/** Layers of parallelism over time: sums, conditions, values at a time. Pure. */

import type { Columns } from '../data/columns.ts';
import type { Interval } from '../registry/selection.ts';

/** Names of layers for people, in the order in which they are stacked. */
export const LAYERS = [
  ['running', 'running'],
  ['ready_synchronisation', 'ready after a join'],
  ['ready_creation', 'ready since creation'],
  ['ready_creation_continuation', 'ready after creating'],
  ['ready_wait_continuation', 'ready after a wait'],
  ['ready_other_continuation', 'ready after another part'],
  ['ready_dependence', 'ready after a dependence'],
] as const;
export type LayerName = (typeof LAYERS)[number][0];

export interface Layer {
  readonly name: LayerName;
  readonly label: string;
  readonly mean: ArrayLike<number>;
  readonly min: ArrayLike<number>;
  readonly max: ArrayLike<number>;
}

/** Layers over equal parts of a window. */
export interface Profile {
  readonly count: number;
  readonly start: ArrayLike<number>;
  readonly end: ArrayLike<number>;
  readonly layers: readonly Layer[];
  /** Sum of the means of all ready layers; nothing if the run has none. */
  readonly ready: Float64Array | undefined;
}

/** Reads the columns of an answer; a layer that is zero in all parts is left out, except `running`. */
export function profileOf({ rows, columns }: Columns): Profile {
  const numbers = (name: string): ArrayLike<number> =>
    (columns[name] as ArrayLike<number> | undefined) ?? [];
  const all = LAYERS.filter(([name]) => columns[`${name}_mean`] !== undefined).map(
    ([name, label]): Layer => ({
      name,
      label,
      mean: numbers(`${name}_mean`),
      min: numbers(`${name}_min`),
      max: numbers(`${name}_max`),
    }),
  );
  const waits = all.filter(({ name }) => name !== 'running');
  const ready = waits.length > 0 ? new Float64Array(rows) : undefined;
  if (ready)
    for (const { mean } of waits)
      for (let at = 0; at < rows; at += 1) ready[at] = (ready[at] ?? 0) + (mean[at] ?? 0);
  const hasValues = ({ max }: Layer): boolean => Array.prototype.some.call(max, (one) => one > 0);
  return {
    count: rows,
    start: numbers('start'),
    end: numbers('end'),
    layers: all.filter((layer) => layer.name === 'running' || hasValues(layer)),
    ready,
  };
}

/** Workers that must be idle, and fragments that must be ready, for a condition to hold. */
const ENOUGH = 0.5;

/** Why workers were idle in a part: work waited for them, or there was too little of it. */
export type Condition = 'waits' | 'lacks' | undefined;

export function conditionOf(profile: Profile, at: number, workers: number): Condition {
  const running = profile.layers[0]?.mean[at] ?? 0;
  if (!profile.ready || workers - running < ENOUGH) return undefined;
  return (profile.ready[at] ?? 0) >= ENOUGH ? 'waits' : 'lacks';
}

/** Time in each condition, in a range. */
export function conditionsOf(
  profile: Profile,
  workers: number,
  [from, to]: Interval,
): { readonly waits: number; readonly lacks: number } {
  const sums = { waits: 0, lacks: 0 };
  for (let at = 0; at < profile.count; at += 1) {
    const condition = conditionOf(profile, at, workers);
    const length = Math.min(to, profile.end[at] ?? 0) - Math.max(from, profile.start[at] ?? 0);
    if (condition && length > 0) sums[condition] += length;
  }
  return sums;
}

/** Part of a time; -1 outside of the window. Parts are equally long. */
export function partAt({ count, start, end }: Profile, time: number): number {
  const from = start[0] ?? 0;
  const to = end[count - 1] ?? 0;
  if (count === 0 || time < from || time > to) return -1;
  let at = Math.min(count - 1, Math.floor(((time - from) / (to - from)) * count));
  while (at > 0 && (start[at] ?? 0) > time) at -= 1;
  while (at < count - 1 && (end[at] ?? 0) <= time) at += 1;
  return at;
}

/** Largest value of a range: of the number that runs, and of the sum of the shown ready layers. */
export function largestOf(
  profile: Profile,
  isShown: (name: LayerName) => boolean,
  [from, to]: Interval,
): { readonly running: number; readonly ready: number } {
  let [running, ready] = [0, 0];
  for (let at = 0; at < profile.count; at += 1) {
    if ((profile.end[at] ?? 0) < from || (profile.start[at] ?? 0) > to) continue;
    let sum = 0;
    for (const { name, mean } of profile.layers) {
      if (name === 'running') running = Math.max(running, mean[at] ?? 0);
      else if (isShown(name)) sum += mean[at] ?? 0;
    }
    ready = Math.max(ready, sum);
  }
  return { running, ready };
}
