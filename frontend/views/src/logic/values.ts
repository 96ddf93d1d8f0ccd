/** Values of runs: absent ones are `null` and never count as zero in a distribution. */

export type Value = number | null;

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
export function summarise(values: readonly Value[]): Summary {
  const present = values.filter((value): value is number => value !== null).sort((a, b) => a - b);
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
export function meanOf(values: readonly Value[], indices: readonly number[]): number | null {
  let sum = 0;
  let count = 0;
  for (const index of indices) {
    const value = values[index];
    if (value === null || value === undefined) continue;
    sum += value;
    count += 1;
  }
  return count > 0 ? sum / count : null;
}

/** Mean in which absent runs count as zero, as a diff of additive metrics does. */
export function meanWithZeros(values: readonly Value[], indices: readonly number[]): number {
  let sum = 0;
  for (const index of indices) sum += values[index] ?? 0;
  return indices.length > 0 ? sum / indices.length : 0;
}

/** Place of a value between least and greatest, 0..1; the middle when they are equal. */
export function placeOf(value: number, min: number, max: number): number {
  if (!(max > min)) return 0.5;
  return Math.min(1, Math.max(0, (value - min) / (max - min)));
}

/** How many of the values are below, as a rank from 1, and of how many. */
export function rankOf(value: number, values: readonly Value[]): [rank: number, count: number] {
  const present = values.filter((other): other is number => other !== null);
  return [present.filter((other) => other < value).length + 1, present.length];
}
