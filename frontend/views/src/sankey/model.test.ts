import { expect, test } from 'vitest';
import type { Diff, Sankey } from '../api.ts';
import { comparisonOf, differenceBound, differencesOf, type SankeyData } from './model.ts';

const node = (id: string, inclusive: (number | null)[]): unknown => ({
  id,
  name: id,
  inclusive_by_run: inclusive,
  exclusive_by_run: inclusive,
});
const row = (group: string, rest: object): unknown => ({ group, path: [group], ...rest });
const data = (diffMode: SankeyData['diffMode']): SankeyData => ({
  sankey: {
    runs: ['a1', 'a2', 'b1'],
    nodes: [
      node('slower', [1, 3, 4]),
      node('new', [null, null, 5]),
      node('old name', [6, 6, null]),
      node('new name', [null, null, 9]),
      node('others', [null, 4, null]),
    ],
    edges: [],
  } as unknown as Sankey,
  scope: 'inclusive',
  runNames: new Map(),
  diffMode,
  diff: {
    scope: 'exclusive',
    unit: 'count',
    a: { runs: ['a1', 'a2'] },
    b: { runs: ['b1'] },
    totals: { a: 10, b: 20, delta: 10 },
    rows: [
      row('slower', { a: 2, b: 4, delta: 2, verdict: 'slower' }),
      row('new', { a: null, b: 5, delta: 5, verdict: 'appeared' }),
      row('new name', { group_a: 'old name', path_b: ['new name'], a: 6, b: 9, delta: 3 }),
    ],
  } as unknown as Diff,
});

test('nodes state their difference in the mode; an absent side has none', () => {
  const texts = (mode: SankeyData['diffMode']): string[] =>
    [...differencesOf(data(mode)).values()].map(({ text }) => text);
  expect(texts('absolute')).toEqual(['+2', 'only in B, 5', 'in B: new name', '+3', 'only in A, 2']);
  expect(texts('relative').slice(0, 4)).toEqual([
    '+100 %',
    'only in B, 5',
    'in B: new name',
    '+50 %',
  ]);
  expect(texts('normalised')[0]).toBe('0 points');
  const found = differencesOf(data('absolute'));
  expect(['new', 'old name', 'others'].map((id) => found.get(id)?.value)).toEqual([
    null,
    null,
    null,
  ]);
  expect(['new', 'old name', 'others'].map((id) => found.get(id)?.absent)).toEqual(['a', 'b', 'b']);
});

test('the scale of colours spans what has a difference', () => {
  expect(differenceBound(data('absolute'))).toBe(3);
  expect(differenceBound(data('relative'))).toBe(1);
  expect(comparisonOf(data('normalised'))).toMatchObject({ mode: 'normalised', unit: 'count' });
});
