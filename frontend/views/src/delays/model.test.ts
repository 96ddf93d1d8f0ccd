import { expect, test } from 'vitest';
import { namedBy } from '../logic/definition-names.ts';
import { binsOf, byDefinition, delaysOf, largestDelay } from './model.ts';

const DELAYS = delaysOf(
  {
    schema: 'columns/1',
    rows: 5,
    columns: {
      grain: Float64Array.of(0, 1, 2, 3, 4),
      parent: Float64Array.of(NaN, 0, 0, 1, 9),
      rank: Float64Array.of(0, 0, 0, 0, 0),
      thread: Float64Array.of(0, 0, 1, NaN, 1),
      delay_ns: Float64Array.of(NaN, 0, 10, 1000, 25),
      definition: ['main', 'a', 'a', 'b', 'b'],
    },
  },
  'ns',
);

test('a grain moved if another worker finished it than its creator', () => {
  expect([...DELAYS.moved]).toEqual([0, 0, 1, 0, 0]);
});

test('delays are counted on a log axis; absent is not zero', () => {
  const { zero, bins, total, absent } = binsOf(DELAYS, false, namedBy('b'), largestDelay(DELAYS));
  expect([zero.count, total, absent]).toEqual([1, 4, 1]);
  const filled = bins.filter(({ count }) => count > 0);
  expect(filled.map(({ from, count, selected }) => [Math.round(from), count, selected])).toEqual([
    [10, 1, 0],
    [18, 1, 1],
    [1000, 1, 1],
  ]);
  expect(binsOf(DELAYS, true, namedBy(''), 1000).total).toBe(1);
});

test('definitions are sorted by the sum of their delays', () => {
  expect(byDefinition(DELAYS, false)).toEqual([
    { definition: 'b', grains: 2, moved: 0, median: 512.5, sum: 1025 },
    { definition: 'a', grains: 2, moved: 1, median: 5, sum: 10 },
  ]);
  expect(byDefinition(DELAYS, true).map(({ grains }) => grains)).toEqual([1]);
});
