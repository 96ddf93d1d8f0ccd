import { expect, test } from 'vitest';
import type { Cohort, Run, Runs } from '../api.ts';
import {
  growingOf,
  hasValuesByRank,
  labelsOfCohorts,
  labelsOfRuns,
  labelsWithin,
  parallelRunOf,
  resolveSelector,
  varyingOf,
} from './run-sets.ts';

const RUNS = [{ run: 'aa00', name: 'sort-1' }] as unknown as readonly Run[];
const COHORTS: readonly Cohort[] = [
  { name: 'version=1', runs: ['a', 'b'], values: { version: 1 } },
  { name: 'version=2', runs: ['c'], values: { version: 2 } },
];

test.each([
  ['version == 1', ['a', 'b']],
  ['version = 2', ['c']],
  [' version=2 ', ['c']],
  ['version != 2', undefined],
  ['version >= 2', undefined],
  ['sort-1', ['aa00']],
  ['version = 3', undefined],
])('the selector %j names the runs %j', (selector, expected) => {
  expect(resolveSelector(selector, RUNS, COHORTS, ['version'])?.runs).toEqual(expected);
});

test.each([
  ['build', ['clang-intel', 'clang-llvm', 'gcc'], ['clang-intel', 'clang-llvm', 'gcc']],
  ['threads', ['1', '8'], ['threads=1', 'threads=8']],
  ['compiler_flags', ['-O0  ', ' -O3'], ['-O0', '-O3']],
])('cohorts by %s have labels that fit', (by, values, expected) => {
  const cohorts = values.map((value) => ({
    name: `${by}=${value}`,
    runs: [],
    values: { [by]: value },
  }));
  expect([...labelsOfCohorts(cohorts, [by]).values()]).toEqual(expected);
});

test('labels of the runs of a cohort leave out what its head states, if they are long', () => {
  const all = ['clang-intel-t2', 'gcc-llvm-t2'].flatMap((build) =>
    [1, 2].map((repeat) => ({ run: `${build}${repeat}`, name: `sort-${build}-r${repeat}` })),
  ) as unknown as readonly Run[];
  const labels = labelsOfRuns(all);
  const long = new Map([...labels].map(([run, label]) => [run, `${label} of a long name`]));
  expect(labelsWithin(all.slice(0, 2), labels)).toBe(labels);
  expect([...labelsWithin(all.slice(0, 2), long).values()]).toEqual([
    ...labelsOfRuns(all.slice(0, 2)).values(),
  ]);
});

test('parameters that group the runs are those that repeats share', () => {
  const parameter = (name: string, distinct: number) => ({ name, distinct, varies: distinct > 1 });
  const table = {
    runs: Array.from({ length: 8 }),
    parameters: [
      parameter('version', 2),
      parameter('host', 1),
      parameter('started', 8),
      parameter('repeat', 4),
    ],
  } as unknown as Runs;
  expect(varyingOf(table)).toEqual(['version']);
  expect(varyingOf(undefined)).toEqual([]);
});

const runOf = (run: string, workers: number, cores: number | undefined, rest = {}): Run =>
  ({
    run,
    name: run,
    workers,
    grains: 9,
    is_complete: true,
    params: { cores },
    ...rest,
  }) as unknown as Run;

test.each<readonly [string | undefined, readonly Run[]]>([
  [undefined, []],
  [undefined, [runOf('a', 2, 2, { is_complete: false }), runOf('b', 2, 2, { grains: undefined })]],
  ['b', [runOf('a', 1, 2), runOf('c', 2, 2), runOf('b', 2, 2), runOf('d', 8, 2)]],
  ['d', [runOf('d', 8, 2)]],
  ['b', [runOf('a', 4, undefined), runOf('b', 8, undefined)]],
])('the run %j shows problems of parallel execution best', (expected, runs) => {
  expect(parallelRunOf(runs)?.run).toBe(expected);
});

test.each<readonly [string, boolean, number, number | undefined]>([
  ['eight ranks with values', true, 8, 8],
  ['two ranks with two threads each', true, 2, 4],
  ['one rank', false, 1, undefined],
  ['threads of one rank', false, 1, 4],
  ['one value for all of eight ranks', false, 8, undefined],
])('%s: %j', (_, expected, ranks, workers) => {
  expect(hasValuesByRank({ ranks, workers } as Run)).toBe(expected);
});

test.each([
  ['', 'threads'],
  ['size', 'size'],
  ['compiler', 'threads'],
  ['ranks', 'ranks'],
  ['unknown', 'threads'],
])('what grows by %j is %s', (by, expected) => {
  const table = {
    parameters: [{ name: 'threads', varies: true }],
    runs: [1, 2].map((threads) => ({ params: { threads, size: 9, compiler: 'gcc' } })),
  } as unknown as Runs;
  expect(growingOf(table, by)).toBe(expected);
  expect(growingOf(undefined, by)).toBe(by);
});
