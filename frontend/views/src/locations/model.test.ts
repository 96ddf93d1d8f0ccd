import { expect, test } from 'vitest';
import type { Answers, Settings } from './definition.ts';
import { matrixOf, placeOf, sidesOf } from './model.ts';

function expectEqual(actual: unknown, expected: unknown): void {
  expect(actual).toEqual(expected);
}

const SETTINGS: Settings = {
  by: 'ranks',
  order: 'imbalance',
  scope: 'exclusive',
  columns: 'number',
  run: '',
};

const spread = (mean: number, max: number) => ({ locations: 2, mean, max });
const values = (run: number, all: (number | null)[], mean: number, max: number) => ({
  run,
  absent: 0,
  spread: spread(mean, max),
  excess: max - mean,
  imbalance: 1 - mean / max,
  max_at: { rank: 1 },
  min_at: { rank: 0 },
  values: all,
});

const ANSWER = {
  by: 'ranks',
  unit: 'ns',
  num_groups: 3,
  runs: [
    { run: 'x', name: 'a', locations: 2, columns: [{ rank: 0 }, { rank: 1 }] },
    { run: 'y', name: 'b', locations: 3, columns: [{ rank: 0 }, { rank: 1 }, { rank: 2 }] },
  ],
  groups: [
    { group: 'f', path: ['f'], runs: [values(0, [1, 3], 2, 3), values(1, [2, 2, 5], 3, 5)] },
    { group: 'g', path: ['g'], runs: [values(1, [null, 4, null], 4 / 3, 4)] },
  ],
} as unknown as Answers['locations'];

const NOTHING = { isDiff: false, a: undefined, b: undefined, target: undefined };

test('without a target, the run with the most ranks is shown', () => {
  const sides = sidesOf(ANSWER, NOTHING, '');
  expectEqual(sides, { a: undefined, b: [1] });
  const { rows, columns, omitted, runs } = matrixOf(ANSWER, sides, SETTINGS);
  expectEqual(runs, ['b']);
  expectEqual(omitted, 1);
  expectEqual(
    columns.map(({ text, total }) => [text, total]),
    [
      ['0', 2],
      ['1', 6],
      ['2', 5],
    ],
  );
  expectEqual(rows[1]?.values, [undefined, 4, undefined]);
  expectEqual(rows[0]?.excess, 2);
  const [first] = rows;
  expectEqual(first && placeOf(first, 5, 'relative'), 5 / 3 - 1);
});

test('columns are sorted by total', () => {
  const matrix = matrixOf(ANSWER, { a: undefined, b: [1] }, { ...SETTINGS, columns: 'total' });
  expectEqual(
    matrix.columns.map(({ text }) => text),
    ['1', '2', '0'],
  );
  expectEqual(matrix.rows[0]?.values, [2, 5, 2]);
});

test('a difference has a value where both sides have one', () => {
  const side = (run: string) => ({ name: run, runs: [run] });
  const sides = sidesOf(ANSWER, { ...NOTHING, isDiff: true, a: side('x'), b: side('y') }, '');
  const { kind, rows, bound } = matrixOf(ANSWER, sides, SETTINGS);
  expectEqual(kind, 'difference');
  expectEqual(rows[0]?.values, [1, -1, undefined]);
  expectEqual(bound, 1);
});
