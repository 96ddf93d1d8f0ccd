import { expect, test } from 'vitest';
import type { Answers, Settings } from './definition.ts';
import { patchOf, pointsOf, rankCorrelation } from './model.ts';

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

test.each([
  ['definition', { definition: 'main' }],
  ['context', { definition: 'main', site: '7f' }],
  ['module', {}],
])('a dot of a %s opens its run with %j selected', (kind, patch) => {
  const values = { inclusive_by_run: [2], exclusive_by_run: [1] };
  const nodes = [{ id: '7f', name: 'main', kind, ...values }];
  const answers = { x: { runs: ['r'], nodes, unit: 'ns' } } as unknown as Answers;
  const settings: Settings = { x: 'inclusive', y: 'exclusive', metric: '', log: true };
  expect(patchOf(pointsOf(answers, settings), 0)).toEqual(patch);
});
