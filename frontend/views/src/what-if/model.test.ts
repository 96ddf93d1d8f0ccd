import { expect, test } from 'vitest';
import type { Run } from '../api.ts';
import { serialRunOf } from '../logic/run-sets.ts';
import {
  canBeAsked,
  curveOf,
  prioritiesOf,
  readFaster,
  type WhatFirst,
  type WhatIf,
  workersOf,
  writeFaster,
} from './model.ts';

const row = (workers: number | undefined, run = 'r') => ({ run, workers, predicted: 1 });
const answer = (own: number, recorded: readonly number[] = [1]): WhatIf =>
  ({
    unit: 'ns',
    runs: [{ run: 'r', workers: own }],
    rows: [row(8), row(undefined), row(2), row(4, 'other')],
    recorded: [
      { run: 'other', workers: 16 },
      ...recorded.map((workers) => ({ run: 'r', workers })),
    ],
  }) as unknown as WhatIf;

test('the curve has the rows and times of the first run, by number of workers', () => {
  const { points, unlimited, recorded } = curveOf(answer(1, [1, 2]));
  expect(points.map(({ workers }) => workers)).toEqual([2, 8]);
  expect(unlimited?.workers).toBeUndefined();
  expect(recorded.map(({ workers }) => workers)).toEqual([1, 2]);
  expect(curveOf({ ...answer(1), recorded: [] }).recorded).toEqual([]);
});

test.each([
  [0, 1, [1], 2],
  [0, 1, [1, 8], 8],
  [0, 6, [6, 2], 6],
  [4, 1, [1, 8], 4],
])('asked for %i, recorded with %i, others with %j: gains on %i workers', (at, own, all, found) => {
  expect(workersOf(answer(own, all), at)).toBe(found);
});

test.each([
  ['sort_range (task)=20%', [['sort_range (task)', 20]]],
  [
    'a=20%;b=50%',
    [
      ['a', 20],
      ['b', 50],
    ],
  ],
  ['x == y=5%', [['x == y', 5]]],
  ['line\nbreak=10%', [['line\nbreak', 10]]],
  ['a=0%;b=101%;c=x%;=5%;', []],
  ['', []],
] as const)('changes of %j', (text, found) => {
  expect([...readFaster(text)]).toEqual(found);
});

test.each([
  ['operator=(int)', true],
  ['a;b', false],
  [' a', false],
  ['a ', false],
  ['', false],
])('whether a question can name %j: %s', (name, can) => {
  expect(canBeAsked(name)).toBe(can);
  expect([...readFaster(writeFaster(new Map([[name, 25]])))]).toEqual(can ? [[name, 25]] : []);
});

test('changed definitions come first, then the largest gain', () => {
  const rows = ['a', 'b', 'c'].map((definition) => ({ definition, workers: 2 }));
  const first = { rows: [...rows, { definition: 'a', workers: 4 }] } as unknown as WhatFirst;
  const found = prioritiesOf(first, 2, new Map([['c', 10]]));
  expect(found.map(({ definition }) => definition)).toEqual(['c', 'a', 'b']);
});

test.each([
  [[], ''],
  [['t2 2 9', 't1b 1 9', 't1a 1 9'], 't1a'],
  [['profile 1 0', 't4 4 9'], 't4'],
  [['cut 1 9 cut', 'mpi 1 9 mpi', 't4 4 9'], 't4'],
])('of the runs %j predictions start from %j', (texts, found) => {
  const runs = texts.map((text) => {
    const [name, workers, grains, kind] = text.split(' ');
    return {
      run: name,
      name,
      workers: Number(workers),
      grains: Number(grains),
      is_complete: kind !== 'cut',
      ranks: kind === 'mpi' ? 2 : 1,
    } as unknown as Run;
  });
  expect(serialRunOf(runs)).toBe(found);
});

test('a prediction in a comparison starts from the candidate, if it has as few workers', () => {
  const run = (name: string, workers: number): Run =>
    ({ run: name, name, workers, grains: 1, is_complete: true, ranks: 1 }) as unknown as Run;
  const runs = [run('a1', 4), run('b1', 4), run('b2', 8)];
  expect(serialRunOf(runs, ['b1', 'b2'])).toBe('b1');
  expect(serialRunOf(runs, ['b2'])).toBe('a1');
});
