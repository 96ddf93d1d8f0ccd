import { expect, test } from 'vitest';
import type { DiffRow } from '../api.ts';
import type { Verdict } from '../logic/verdicts.ts';
import { medianRun, sidesOf } from './details.ts';
import {
  type DiffBarsData,
  lengthOf,
  nextChange,
  scaleOf,
  shownDifferences,
  whiskerOf,
} from './model.ts';

function row(name: string, verdict: Verdict, a?: number, b?: number, ci?: number[]): DiffRow {
  const delta = (b ?? 0) - (a ?? 0);
  return { path: [name], group: name, verdict, a, b, delta, shift_ci: ci } as unknown as DiffRow;
}

const ROWS = [
  row('sort', 'slower', 100, 160, [40, 90]),
  row('merge', 'inconclusive', 50, 60, [-70, 30]),
  row('Swap', 'appeared', undefined, 5),
  row('main', 'unchanged', 3, 3, [0, 0]),
];
const data = (mode: DiffBarsData['mode'] = 'absolute'): DiffBarsData => ({
  diff: { rows: ROWS, unit: 'ns', totals: { a: 200, b: 400 } } as unknown as DiffBarsData['diff'],
  mode,
  quantity: '',
});
const namesOf = (rows: readonly DiffRow[]): string[] => rows.map(({ group }) => group);

test('rows are filtered by verdict and by text in any case', () => {
  const all = { group: '', sort: 'absolute' } as const;
  expect(namesOf(shownDifferences(data(), all))).toEqual(['sort', 'merge', 'Swap', 'main']);
  expect(namesOf(shownDifferences(data(), { ...all, verdict: 'slower' }))).toEqual(['sort']);
  expect(namesOf(shownDifferences(data(), { ...all, find: ' SwA' }))).toEqual(['Swap']);
  expect(shownDifferences(data(), { ...all, verdict: 'faster' })).toEqual([]);
});

test('steps go from change to change, and to every row if none has changed', () => {
  expect(nextChange(ROWS, '', 1)).toBe('sort');
  expect(nextChange(ROWS, 'sort', 1)).toBe('Swap');
  expect(nextChange(ROWS, 'Swap', 1)).toBe('sort');
  expect(nextChange(ROWS, '', -1)).toBe('Swap');
  expect(nextChange(ROWS, 'main', -1)).toBe('Swap');
  const unchanged = ROWS.filter(({ verdict }) => verdict === 'inconclusive');
  expect(nextChange(unchanged, '', 1)).toBe('merge');
  expect(nextChange([], '', 1)).toBeUndefined();
});

test('both sides and the interval share one scale; shares have no interval', () => {
  expect(scaleOf(data()).end).toBe(190);
  expect(whiskerOf(ROWS[0] as DiffRow, data())).toEqual([140, 190]);
  expect(whiskerOf(ROWS[1] as DiffRow, data())).toEqual([0, 80]);
  expect(whiskerOf(ROWS[2] as DiffRow, data())).toBeUndefined();
  expect(lengthOf(ROWS[0] as DiffRow, 'b', data('normalised'))).toBe(0.4);
  expect(whiskerOf(ROWS[0] as DiffRow, data('normalised'))).toBeUndefined();
});

test('runs of a row come in the order of their values, each on its side', () => {
  const [sort] = ROWS;
  const nodes = [{ id: 'sort', exclusive_by_run: Float32Array.of(3, 1, NaN, 7, 9) }];
  const values = { runs: ['a', 'b', 'c', 'd', 'e'], nodes } as unknown as DiffBarsData['values'];
  const diff = { scope: 'exclusive', a: { runs: ['a', 'b', 'c'] }, b: { runs: ['d', 'e'] } };
  const given = { ...data(), diff, values } as unknown as DiffBarsData;
  const sides = sort && sidesOf(sort, given);
  expect(sides?.a.map(({ run }) => run)).toEqual(['b', 'a']);
  expect([medianRun(sides?.a ?? [])?.run, medianRun(sides?.b ?? [])?.run]).toEqual(['b', 'd']);
  const [, merge] = ROWS;
  expect(merge && sidesOf(merge, given)).toBeUndefined();
});
