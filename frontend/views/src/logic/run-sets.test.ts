import { expect, test } from 'vitest';
import type { Cohort, Run } from '../api.ts';
import { resolveSelector } from './run-sets.ts';

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
