import { expect, it } from 'vitest';
import { typicalRun } from './typical-run.ts';

const RUNS = [
  { run: 'v', total: 9 },
  { run: 'w', total: 1 },
  { run: 'x', total: 5 },
  { run: 'y', total: 7 },
  { run: 'z', total: null },
];

it.each([
  [['v', 'w', 'x'], 'x', 'median of 3 runs of A'],
  [['v', 'w', 'x', 'y'], 'x', 'median of 4 runs of A'],
  // A run without a total has no place in the order.
  [['z', 'v', 'w', 'x'], 'x', 'median of 4 runs of A'],
  [['v'], 'v', 'the run of A'],
  [['z', 'unknown'], 'z', 'first of 2 runs of A'],
])('chooses the run with the median total of %j', (runs, run, why) => {
  expect(typicalRun({ runs }, 'A', RUNS)).toEqual({ run, why });
});

it('chooses none of a side without runs', () => {
  expect(typicalRun({ runs: [] }, 'A', RUNS)).toBeUndefined();
  expect(typicalRun(undefined, 'A', RUNS)).toBeUndefined();
});
