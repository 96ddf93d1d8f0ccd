import { expect, test } from 'vitest';
import { rankCorrelation } from './model.ts';

test.each<[number[], number[], number | undefined]>([
  [[1, 2, 3, 4], [10, 20, 30, 40], 1],
  [[1, 2, 3, 4], [4, 3, 2, 1], -1],
  // Hand-computed with mean ranks: x 1.5 1.5 3 4, y 1 2 3 4.
  [[1, 1, 2, 3], [1, 2, 3, 4], 4.5 / Math.sqrt(4.5 * 5)],
  [[1, 1, 1], [1, 2, 3], undefined],
  [[1, 2], [1, 2], undefined],
])('rank correlation of %j and %j', (x, y, expected) => {
  const value = rankCorrelation(x, y);
  if (expected === undefined) expect(value).toBeUndefined();
  else expect(value).toBeCloseTo(expected, 12);
});
