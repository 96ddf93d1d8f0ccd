import { expect, test } from 'vitest';
import type { Run, Runs } from '../api.ts';
import { serialRunOf } from '../logic/run-sets.ts';
import {
  canBeAsked,
  curveOf,
  prioritiesOf,
  readFaster,
  recordedOf,
  type WhatFirst,
  type WhatIf,
  workersOf,
  writeFaster,
} from './model.ts';

const row = (workers: number | undefined, run = 'r') => ({ run, workers, predicted: 1 });
const answer = (own: number, unit = 'ns'): WhatIf =>
  ({
    unit,
    runs: [{ run: 'r', workers: own }],
    rows: [row(8), row(undefined), row(2), row(4, 'other')],
  }) as unknown as WhatIf;
/** Runs from `workers elapsed name=value…`; the first is `r`. */
const table = (...texts: readonly string[]): Runs =>
  ({
    parameters: [{ name: 'jobid', role: 'incidental' }, { name: 'build' }],
    runs: texts.map((text, index) => {
      const [workers, elapsed, ...params] = text.split(' ');
      return {
        run: index === 0 ? 'r' : `r${index}`,
        program: 'sort',
        workers: Number(workers),
        elapsed_ns: Number(elapsed),
        is_complete: true,
        ranks: 1,
        params: Object.fromEntries(params.map((one) => one.split('='))),
      };
    }),
  }) as unknown as Runs;

test('the curve has the rows of the first run, by number of workers', () => {
  const { points, unlimited, recorded } = curveOf(answer(1), table('1 100', '2 60'));
  expect(points.map(({ workers }) => workers)).toEqual([2, 8]);
  expect(unlimited?.workers).toBeUndefined();
  expect(recorded.map(({ workers }) => workers)).toEqual([1, 2]);
  expect(curveOf(answer(1, 'ticks'), table('1 100')).recorded).toEqual([]);
});

test('recorded times are those of runs that differ in workers and launches alone', () => {
  const runs = table(
    '1 100 build=a repeat=1 threads=1 jobid=7 cores=2',
    '1 120 build=a repeat=2 threads=1 jobid=8 cores=2',
    '1 900 build=b repeat=1 threads=1 jobid=9 cores=2',
    '4 60 build=a repeat=1 threads=4 jobid=5 cores=2',
    '8 0 build=a threads=8 cores=2',
  );
  expect(recordedOf(runs, 'r')).toEqual([
    { workers: 1, runs: 2, median: 110, min: 100, max: 120, isOversubscribed: false },
    { workers: 4, runs: 1, median: 60, min: 60, max: 60, isOversubscribed: true },
  ]);
  expect(recordedOf(runs, 'gone')).toEqual([]);
});

test.each([
  [0, 1, ['1 9'], 2],
  [0, 1, ['1 9', '8 9'], 8],
  [0, 6, ['6 9', '2 9'], 6],
  [4, 1, ['1 9', '8 9'], 4],
])('asked for %i, recorded with %i, others with %j: gains on %i workers', (at, own, all, found) => {
  expect(workersOf(answer(own), table(...all), at)).toBe(found);
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
