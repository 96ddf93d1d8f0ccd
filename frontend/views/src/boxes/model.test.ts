import { expect, test } from 'vitest';
import type { Answers } from './definition.ts';
import {
  type BoxRow,
  boxRows,
  farValues,
  keepsWhiskers,
  nearestRun,
  ratioOf,
  runValues,
  withWhiskers,
} from './model.ts';

const COHORTS = [
  { name: 'threads=1', runs: ['a', 'b'], values: { threads: 1 } },
  { name: 'threads=2', runs: ['c', 'd'], values: { threads: 2 } },
];

const OVER_RUNS = {
  stats: { rows: [{ group: 'g', scope: 'exclusive' }] },
  values: {
    runs: ['a', 'b', 'c', 'd'],
    nodes: [
      {
        id: 'g',
        inclusive_by_run: [9, 9, 9, 9],
        exclusive_by_run: Float32Array.of(1, 4, 2, NaN),
      },
    ],
  },
} as unknown as Answers;

const OVER_RANKS = {
  locations: {
    runs: [
      { run: 'a', name: 'A' },
      { run: 'b', name: 'B' },
    ],
    groups: [
      {
        group: 'g',
        runs: [
          { run: 0, spread: { max: 5 } },
          { run: 1, spread: { max: 7 } },
        ],
      },
    ],
  },
} as unknown as Answers;

const cohort = (values: Record<string, unknown>): never => ({ cohort: values }) as never;

test.each<
  [string, Answers, Record<string, unknown> | undefined, number | undefined, string | undefined]
>([
  ['the largest of all runs', OVER_RUNS, undefined, undefined, 'b'],
  ['the nearest to the pointer', OVER_RUNS, undefined, 1.4, 'a'],
  ['the nearest of a cohort, without absent values', OVER_RUNS, { threads: 2 }, 9, 'c'],
  ['the run with the largest rank', OVER_RANKS, {}, undefined, 'b'],
  ['the run of a side', OVER_RANKS, { run: 'A' }, 100, 'a'],
  ['nothing before the values are known', { ...OVER_RUNS, values: undefined }, {}, 1, undefined],
])('a row opens %s', (_, answers, values, value, expected) => {
  const runs = runValues(answers, { group: 'g' }, values && cohort(values), COHORTS as never);
  expect(nearestRun(runs, value)?.run).toBe(expected);
});

const STATS = {
  cohort: {},
  runs: 9,
  absent: 0,
  min: 0,
  q1: 10,
  median: 11,
  q3: 12,
  max: 30,
  box_plot: {
    whiskers: [8, 14],
    outlier_count: 4,
    outliers: [
      { owner: 'a', value: 30 },
      { owner: 'b', value: 0 },
      { owner: 'c', value: 17 },
      { owner: 'd', value: 6 },
    ],
  },
} as never;

test.each([
  ['1.5', [8, 14], 'abcd'],
  ['2', [6, 14], 'abc'],
  ['3', [6, 17], 'ab'],
  ['range', [0, 30], ''],
] as const)('whiskers of %s heights of the box end at %j', (whiskers, ends, owners) => {
  const { box_plot: box } = withWhiskers(STATS, whiskers);
  expect(box?.whiskers).toEqual(ends);
  expect(box?.outliers.map(({ owner }) => owner).join('')).toBe(owners);
  expect(box?.outlier_count).toBe(owners.length);
});

test('whiskers stay where the answer does not list all values beyond them', () => {
  const { box_plot: box } = STATS as { box_plot: object };
  const cut = { ...(STATS as object), box_plot: { ...box, outlier_count: 5 } } as never;
  expect(withWhiskers(cut, '3')).toBe(cut);
  expect(withWhiskers(cut, 'range')).not.toBe(cut);
  const row = { cohorts: [cut] } as never;
  expect(keepsWhiskers(row, '3')).toBe(true);
  expect(keepsWhiskers(row, 'range')).toBe(false);
});

const SIDES = {
  stats: {
    rows: [
      { group: 'g', path: ['g'], unit: 'ns', median: 5, cohort: { version: 1 } },
      { group: 'g', path: ['g'], unit: 'ns', median: 9, cohort: { version: 2 } },
      { group: 'h', path: ['h'], unit: 'ns', median: 100, cohort: { version: 1 } },
      { group: 'h', path: ['h'], unit: 'ns', median: 101, cohort: { version: 2 } },
    ],
  },
} as unknown as Answers;
const NO_SIDES = { target: undefined, a: undefined, b: undefined, isDiff: false };

test.each([
  ['-median', 'hg'],
  ['-difference', 'gh'],
  ['difference', 'hg'],
  ['name', 'gh'],
  ['-ratio', 'gh'],
  ['-lowest', 'hg'],
])('rows are sorted by %s', (sort, expected) => {
  const settings = { over: 'runs', filter: '', whiskers: '1.5', sort } as const;
  const rows = boxRows(SIDES, settings, NO_SIDES);
  expect(rows.map(({ group }) => group).join('')).toBe(expected);
});

test.each<[string, (number | null)[], (number | undefined)[]]>([
  ['the lowest median', [5, 9, 5], [1, 1.8, 1]],
  ['what is known', [null, 4, 2], [undefined, 2, 1]],
  ['nothing of zero', [0, 4], [undefined, undefined]],
  ['nothing of one cohort', [5], [undefined]],
])('ratios of cohorts are to %s', (_, medians, expected) => {
  const row = { cohorts: medians.map((median) => ({ median })) } as unknown as BoxRow;
  expect(row.cohorts.map((cohort) => ratioOf(row, cohort))).toEqual(expected);
});

test('the value farthest from its box comes first', () => {
  const row = { group: 'g', path: ['g'], cohorts: [STATS], target: undefined, unit: 'ns' };
  const far = farValues([row]);
  expect(far.map(({ owner, ranges }) => [owner, ranges])).toEqual([
    ['a', 9],
    ['b', 5],
    ['c', 2.5],
    ['d', 2],
  ]);
});
