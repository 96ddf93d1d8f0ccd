import { expect, test } from 'vitest';
import type { Group, Tree } from '../api.ts';
import type { Columns } from '../data/columns.ts';
import { groupTree } from '../logic/group-tree.ts';
import type { Settings } from './definition.ts';
import { isCut } from './model.ts';
import { timesOf } from './times.ts';
import { sharesOf } from './workers.ts';

/** Grain 0 creates 1 and 2, waits, then creates 3, which creates 4; rows are not in the order of creation. */
const page: Columns = {
  schema: 'columns/1',
  rows: 5,
  columns: {
    grain: Float64Array.from([0, 1, 2, 3, 4]),
    parent: Float64Array.from([NaN, 0, 0, 0, 3]),
    created: Float64Array.from([0, 3, 1, 9, 10]),
    rank: new Float64Array(5),
    thread: Float64Array.from([0, 1, 2, 1, 3]),
    work_ns: Float64Array.from([10, 30, 10, 20, 20]),
  },
};

const forks = [2, 1].map((children, at) => ({
  group: 2 + at,
  parent: 1,
  kind: 'fork_join',
  children,
}));
const top = { group: 1, parent: 0, kind: 'linear', grain: 0, children: 3 };
const root = { group: 0, kind: 'fork_join', children: 1 };
const tree = { groups: [root, top, ...forks] } as unknown as Tree;
const known = groupTree(tree, []);
const times = timesOf([page], 'work_ns');

function shares(group: unknown, of = known): readonly (readonly [number, string])[] {
  if (!times) throw new Error('no times');
  return sharesOf(of, times, group as Group).map(([worker, share]) => [worker, share.toFixed(2)]);
}

test('a group of a grain has the workers of all that the grain created', () => {
  expect(shares(top)).toEqual([
    [1, '0.56'],
    [3, '0.22'],
    [0, '0.11'],
  ]);
  expect(shares(root)).toEqual(shares(top));
});

test('a fork has the workers of its children, in the order of creation', () => {
  expect(shares(forks[0])).toEqual([
    [1, '0.75'],
    [2, '0.25'],
  ]);
  expect(shares(forks[1])).toEqual([
    [1, '0.50'],
    [3, '0.50'],
  ]);
});

test('workers of a fork that waits for other grains than the children are not guessed', () => {
  const other = { ...forks[1], children: 2 };
  const groups = [root, top, forks[0], other] as unknown as Tree['groups'];
  expect(shares(forks[0], groupTree({ ...tree, groups }, []))).toEqual([]);
});

test('a picture of times has a note if not all grains are read', () => {
  const settings = { height: 'linear', colour: 'definition' } as Settings;
  const large = { grains: 1_000_001 } as Tree;
  expect(isCut(large, settings)).toBe(true);
  expect(isCut({ grains: 1_000_000 } as Tree, settings)).toBe(false);
  expect(isCut(large, { ...settings, height: 'same' })).toBe(false);
  expect(isCut(large, { ...settings, height: 'same', colour: 'worker' })).toBe(true);
});
