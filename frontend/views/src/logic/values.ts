/** Values of runs: absent ones are `null` or not a number, and never count as zero in a distribution. */

export type Value = number | null;

/** One value per run, as a list or as a column of an Arrow stream, in which NaN is absent. */
export interface Series {
  readonly length: number;
  readonly [index: number]: Value;
}

/** The value at an index; `null` if it is absent. */
export function valueAt(values: Series, index: number): Value {
  const value = values[index];
  return value === undefined || value === null || Number.isNaN(value) ? null : value;
}

/** The values that are present, in their order. */
export function presentOf(values: Series): number[] {
  const present: number[] = [];
  for (let index = 0; index < values.length; index += 1) {
    const value = valueAt(values, index);
    if (value !== null) present.push(value);
  }
  return present;
}

/** Five numbers of a distribution over runs. Quartiles are of type 7. */
export interface Summary {
  readonly count: number;
  readonly absent: number;
  readonly min: number | null;
  readonly q1: number | null;
  readonly median: number | null;
  readonly q3: number | null;
  readonly max: number | null;
  readonly mean: number | null;
}

/** Summary of the values that are present. */
export function summarise(values: Series): Summary {
  const present = presentOf(values).sort((a, b) => a - b);
  const mean =
    present.length > 0 ? present.reduce((sum, value) => sum + value, 0) / present.length : null;
  return {
    count: present.length,
    absent: values.length - present.length,
    min: present[0] ?? null,
    q1: quantile(present, 0.25),
    median: quantile(present, 0.5),
    q3: quantile(present, 0.75),
    max: present[present.length - 1] ?? null,
    mean,
  };
}

/** Quantile of type 7 of ascending values. */
export function quantile(ascending: readonly number[], share: number): number | null {
  if (ascending.length === 0) return null;
  const place = share * (ascending.length - 1);
  const below = ascending[Math.floor(place)] ?? 0;
  const above = ascending[Math.ceil(place)] ?? below;
  return below + (above - below) * (place - Math.floor(place));
}

/** Mean over the runs at `indices` that have a value; `null` when none has. */
export function meanOf(values: Series, indices: readonly number[]): number | null {
  let sum = 0;
  let count = 0;
  for (const index of indices) {
    const value = valueAt(values, index);
    if (value === null) continue;
    sum += value;
    count += 1;
  }
  return count > 0 ? sum / count : null;
}

/**
 * Mean of a side of a diff, as the service computes it: a run without the group counts as zero if another run of the
 * side has it; `null` if none has.
 */
export function meanOfSide(values: Series, indices: readonly number[]): number | null {
  let sum = 0;
  let count = 0;
  for (const index of indices) {
    const value = valueAt(values, index);
    if (value === null) continue;
    sum += value;
    count += 1;
  }
  return count > 0 ? sum / indices.length : null;
}

/** Place of a value between least and greatest, 0..1; the middle when they are equal. */
export function placeOf(value: number, min: number, max: number): number {
  if (!(max > min)) return 0.5;
  return Math.min(1, Math.max(0, (value - min) / (max - min)));
}

/** How many of the values are below, as a rank from 1, and of how many. */
export function rankOf(value: number, values: Series): [rank: number, count: number] {
  const present = presentOf(values);
  return [present.filter((other) => other < value).length + 1, present.length];
}
