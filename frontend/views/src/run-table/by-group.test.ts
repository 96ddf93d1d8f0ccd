import { expect, test } from 'vitest';
import type { Sankey } from '../api.ts';
import { byGroupOf, textOf } from './by-group.ts';

function node(id: string, kind: string, values: readonly (number | null)[]): object {
  return { id, name: id, kind, exclusive_by_run: values };
}

/** Two runs: 10 = 6 + 1 + 3 and 8 = 8 + 0, where the second has no `b`. */
const SANKEY = {
  runs: ['one', 'two'],
  unit: 's',
  nodes: [
    node('b', 'definition', [1, null]),
    node('a', 'definition', [6, 8]),
    node('others:0', 'others', [3, 0]),
    node('idle', 'definition', [0, 0]),
  ],
} as unknown as Sankey;

test('groups come in the order of their sums, and totals hold what is collected', () => {
  const data = byGroupOf(SANKEY);
  expect(data?.groups.map(({ id, most }) => [id, most])).toEqual([
    ['a', 8],
    ['b', 1],
  ]);
  expect(data?.totals).toEqual([10, 8]);
  expect(data?.most).toBe(10);
  expect(data?.left).toBe(2);
});

test('the tooltip has values and shares, and an absent group is not zero', () => {
  const data = byGroupOf(SANKEY);
  const texts = data && [textOf(data, 'one'), textOf(data, 'two'), textOf(data, 'three')];
  expect(texts).toEqual(['a: 6.00 s, 60 %\nb: 1.00 s, 10 %', 'a: 8.00 s, 100 %\nb: –', '–']);
});

test('without all values there is nothing to draw', () => {
  expect(byGroupOf({ ...SANKEY, isPartial: true })).toBeUndefined();
  expect(byGroupOf({ ...SANKEY, nodes: [] })).toBeUndefined();
  expect(byGroupOf(undefined)).toBeUndefined();
});
