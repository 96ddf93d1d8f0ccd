import { expect, test } from 'vitest';
import type { Answers } from './definition.ts';
import { nearestRun, runValues } from './model.ts';

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
