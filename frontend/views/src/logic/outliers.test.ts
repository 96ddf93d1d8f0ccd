import { expect, test } from 'vitest';
import { outliersOf, rangesFrom, stepped } from './outliers.ts';

test('values beyond the fences are outliers', () => {
  // Quartiles 2 and 4: the fences are -1 and 7.
  expect(outliersOf([1, 2, 3, 4, 30])).toEqual([{ at: 4, ranges: 13 }]);
  expect(outliersOf([1, 2, 3, 4, 7])).toEqual([]);
  expect(outliersOf([1, 100])).toEqual([]);
});

test('without a spread any other value is infinitely far', () => {
  expect(rangesFrom(3, 2, 2)).toBe(Infinity);
  expect(rangesFrom(2, 2, 2)).toBe(0);
});

test('steps lead around', () => {
  expect([stepped(-1, 1, 3), stepped(-1, -1, 3), stepped(2, 1, 3), stepped(0, -1, 3)]).toEqual([
    0, 2, 0, 2,
  ]);
});
