import { expect, test } from 'vitest';
import type { Answers, Settings } from './definition.ts';
import { fitOf, groupDots, patchOf, pointsOf, type Points, rankCorrelation } from './model.ts';

const SETTINGS: Settings = {
  x: 'inclusive',
  y: 'exclusive',
  metric: '',
  log: '1',
  swap: false,
  fit: false,
};

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
  expect(patchOf(pointsOf(answers, SETTINGS), 0)).toEqual(patch);
});

test('swapped axes swap values, units and names', () => {
  const nodes = [{ id: 'a', name: 'a', inclusive_by_run: [2, 8], exclusive_by_run: [1, 3] }];
  const answers = { x: { runs: ['r', 's'], nodes, unit: 'ns' } } as unknown as Answers;
  const points = pointsOf(answers, { ...SETTINGS, swap: true });
  expect([[...points.x], [...points.y]]).toEqual([
    [1, 3],
    [2, 8],
  ]);
  expect([points.xName, points.yName]).toEqual(['exclusive', 'inclusive']);
});

const dotsAt = (x: number[], y: number[]): Points =>
  ({ x: Float64Array.from(x), y: Float64Array.from(y), group: new Uint32Array(x.length) }) as never;

test('least squares of hand-computed values', () => {
  // Means 2 and 2; xx 2, xy 1, yy 2: slope 0.5, R² 1 - 1.5/2.
  const fit = fitOf(dotsAt([1, 2, 3], [1, 3, 2]), [0, 1, 2], false);
  expect(fit?.slope).toBeCloseTo(0.5, 12);
  expect(fit?.r2).toBeCloseTo(0.25, 12);
  expect([fit?.n, fit?.at(2), fit?.from, fit?.to]).toEqual([3, 2, 1, 3]);
});

test('a power law is a line in log space, without its zeros', () => {
  const fit = fitOf(dotsAt([0, 1, 10, 100], [5, 2, 2e3, 2e6]), [0, 1, 2, 3], true);
  expect(fit?.slope).toBeCloseTo(3, 12);
  expect(fit?.r2).toBeCloseTo(1, 12);
  expect(fit?.at(10)).toBeCloseTo(2e3, 6);
  expect([fit?.n, fit?.zeros]).toEqual([3, 1]);
});

test.each([
  [
    [1, 2],
    [1, 2],
  ],
  [
    [7, 7, 7],
    [1, 2, 3],
  ],
])('no line through %j and %j', (x, y) => {
  expect(fitOf(dotsAt(x, y), [...x.keys()], false)).toBeUndefined();
});

test('groups come by their largest value', () => {
  const points = { ...dotsAt([1, 1, 1], [2, 9, 3]), group: Uint32Array.from([4, 1, 4]) };
  expect(groupDots(points)).toEqual([
    { group: 1, dots: [1], most: 9 },
    { group: 4, dots: [0, 2], most: 3 },
  ]);
});
