import { expect, test } from 'vitest';
import { suggestedBins } from './rule.ts';

const of = (count: number, q1: number, q3: number, low: number, high: number): number | undefined =>
  suggestedBins({
    count,
    quantiles: [low, q1, (q1 + q3) / 2, q3, high],
    bins: [{ lo: low, hi: high, count, target_count: 0, baseline_count: 0, members: [], runs: [] }],
  });

test.each([
  // Width 2 * 10 / 4 = 5 over a range of 42.
  ['a hand-computed width', of(64, 10, 20, 0, 42), 9],
  ['an extreme range', of(1e6, 10, 11, 0, 1e6), 200],
  ['values with no spread between the quartiles', of(64, 10, 10, 0, 42), undefined],
  ['no quartiles', suggestedBins({ count: 3, bins: [] }), undefined],
])('bins of %s', (_, bins, expected) => {
  expect(bins).toBe(expected);
});
