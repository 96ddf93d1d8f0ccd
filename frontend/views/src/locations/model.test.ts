import { expect, test } from 'vitest';
import type { Run } from '../api.ts';
import type { Answers, Settings } from './definition.ts';
import {
  chosenRow,
  countLeftOut,
  differenceName,
  highest,
  matrixOf,
  oneLocation,
  placeOf,
  sidesOf,
} from './model.ts';

function expectEqual(actual: unknown, expected: unknown): void {
  expect(actual).toEqual(expected);
}

const SETTINGS: Settings = {
  by: 'ranks',
  order: 'imbalance',
  scope: 'exclusive',
  columns: 'number',
  against: 'nothing',
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

test('calls of MPI, in which ranks wait for others, come after functions that compute', () => {
  const group = (name: string, max: number) => ({
    group: name,
    path: [name],
    runs: [values(0, [1, max], (1 + max) / 2, max)],
  });
  const groups = [group('MPI_Waitall', 9), group('solve', 3), group('mpi_bcast_', 2.5)];
  const answer = { ...ANSWER, groups: [...groups, group('MPIX', 2)] } as typeof ANSWER;
  const namesBy = (order: Settings['order']) =>
    matrixOf(answer, { a: undefined, b: [0] }, { ...SETTINGS, order }).rows.map((row) => row.group);
  expectEqual(namesBy('imbalance'), ['solve', 'MPIX', 'MPI_Waitall', 'mpi_bcast_']);
  expectEqual(namesBy('value'), ['MPI_Waitall', 'solve', 'mpi_bcast_', 'MPIX']);
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

test('a target is compared with the mean of the other runs', () => {
  const target = { name: 'b', runs: ['y'] };
  const own = { ...ANSWER, runs: [ANSWER.runs[1]], groups: ANSWER.groups } as typeof ANSWER;
  const ofTarget = {
    ...own,
    groups: ANSWER.groups.map((group) => ({
      ...group,
      runs: group.runs.filter(({ run }) => run === 1).map((one) => ({ ...one, run: 0 })),
    })),
  } as typeof ANSWER;
  const sides = sidesOf(ofTarget, { ...NOTHING, target }, '', ANSWER);
  const matrix = matrixOf(ofTarget, sides, { ...SETTINGS, against: 'ensemble' });
  expectEqual([matrix.kind, differenceName(matrix)], ['difference', 'target − the other runs']);
  expectEqual(
    matrix.rows.map(({ group, values }) => [group, values]),
    [
      ['f', [1, -1, undefined]],
      ['g', [undefined, undefined, undefined]],
    ],
  );
});

test('columns are in the order of their nodes', () => {
  const nodes = [1, 0, undefined];
  const runs = ANSWER.runs.map((run) => ({
    ...run,
    columns: run.columns.map((column, at) => ({ ...column, node: nodes[at] })),
  }));
  const answer = { ...ANSWER, runs } as typeof ANSWER;
  const byNode = { ...SETTINGS, columns: 'node' as const };
  const matrix = matrixOf(answer, { a: undefined, b: [1] }, byNode);
  expectEqual(matrix.isByNode, true);
  expectEqual(
    matrix.columns.map(({ text, node }) => [text, node]),
    [
      ['1', 0],
      ['0', 1],
      ['2', undefined],
    ],
  );
  expectEqual(matrixOf(ANSWER, { a: undefined, b: [1] }, byNode).isByNode, false);
});

test.each([
  ['without a target', NOTHING, '', 3],
  ['of a chosen run', NOTHING, 'x', 0],
  ['of a diff', { ...NOTHING, isDiff: true }, '', 0],
  ['of the target alone', { ...NOTHING, target: { name: 'a', runs: ['x'] } }, '', 0],
])('runs that are left out, %s', (_, selection, run, expected) => {
  const runs = ['x', 'y', 'z', 'u', 'v'].map((id) => ({ run: id }));
  const sides = sidesOf(ANSWER, selection, run);
  expectEqual(countLeftOut(ANSWER, sides, selection, run, runs), expected);
});

test('the target is not left out if it is not among the other runs that were read', () => {
  const runs = ['x', 'y', 'z', 'u'].map((id) => ({ run: id }));
  const selection = { ...NOTHING, target: { name: 'z', runs: ['z'] } };
  const own = { ...ANSWER, runs: [{ ...ANSWER.runs[0], run: 'z', name: 'z' }] } as typeof ANSWER;
  const sides = sidesOf(own, selection, '', ANSWER);
  expectEqual(sides.b, [0]);
  expectEqual(countLeftOut(own, sides, selection, '', runs), 1);
});

test.each([
  ['ranks', 1, 'Each run has one rank'],
  ['ranks', 64, 'The runs have no values by rank'],
  ['workers', 64, 'Each run has one worker'],
] as const)('one value by %s of a run of %d ranks: %s', (by, ranks, expected) => {
  const located = { runs: [{ run: 'a' }] } as unknown as Answers['locations'];
  expect(oneLocation(located, by, [{ run: 'a', ranks } as unknown as Run]).title).toBe(expected);
});

test('columns in the order of the selected group, and its highest ranks', () => {
  const sides = sidesOf(ANSWER, NOTHING, '');
  const texts = (selected: string): string[] =>
    matrixOf(ANSWER, sides, { ...SETTINGS, columns: 'group' }, selected).columns.map(
      ({ text }) => text,
    );
  expectEqual(texts('f'), ['2', '0', '1']);
  // Absent values are last.
  expectEqual(texts('g'), ['1', '0', '2']);
  const matrix = matrixOf(ANSWER, sides, SETTINGS);
  const row = chosenRow(matrix.rows, 'f');
  expectEqual(row && highest(row, matrix, 8).map(({ text, place }) => [text, place.toFixed(2)]), [
    ['2', '0.67'],
  ]);
});
