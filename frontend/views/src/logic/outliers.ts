/** Values far from the others, by Tukey's fences, and the order in which people look at them. */

import { quantile } from './values.ts';

/** Interquartile ranges beyond the quartiles from which a value is an outlier. */
export const FENCE = 1.5;

/** Places of values beyond the fences, with their distance from the nearest quartile in interquartile ranges. */
export function outliersOf(values: readonly number[]): { at: number; ranges: number }[] {
  if (values.length < 4) return [];
  const sorted = [...values].sort((a, b) => a - b);
  const [q1, q3] = [quantile(sorted, 0.25) ?? NaN, quantile(sorted, 0.75) ?? NaN];
  return values.flatMap((value, at) => {
    const ranges = rangesFrom(value, q1, q3);
    return ranges > FENCE ? [{ at, ranges }] : [];
  });
}

/** Distance of a value from the nearest quartile in interquartile ranges; 0 between the quartiles. */
export function rangesFrom(value: number, q1: number, q3: number): number {
  const distance = Math.max(q1 - value, value - q3, 0);
  return distance === 0 ? 0 : distance / (q3 - q1);
}

/** The place of the next of `count` outliers, around the end; the first step forward leads to the worst. */
export function stepped(now: number, by: number, count: number): number {
  if (now < 0) return by > 0 ? 0 : count - 1;
  return (now + by + count) % count;
}
