import { expect, test } from 'vitest';
import { contextTree, icicleOf, type StatsRow } from './model.ts';

const rows = (text: string): StatsRow[] =>
  text
    .trim()
    .split('\n')
    .map((line) => {
      const [path = '', mean] = line.trim().split(' ');
      return { path: path.split('/'), mean: Number(mean) } as StatsRow;
    });

const print = (name: string, way: 'callers' | 'callees', text: string): string[] =>
  icicleOf(contextTree(rows(text)), name, way).cells.map(
    ({ name: cell, depth, from, size }) => `${depth} ${cell} ${from.toFixed(2)}+${size.toFixed(2)}`,
  );

const PROGRAM = `
  main 10
  main/sort 20
  main/sort/merge 30
  main/sort/sort 10
  main/sort/sort/merge 20
  main/merge 10
`;

test('callees are merged by name, recursion counts once', () => {
  expect(print('sort', 'callees', PROGRAM)).toEqual([
    '0 sort 0.00+1.00',
    '1 merge 0.00+0.38',
    '1 sort 0.38+0.38',
    '2 merge 0.38+0.25',
  ]);
});

test('callers of a function, from itself upwards', () => {
  expect(print('merge', 'callers', PROGRAM)).toEqual([
    '0 merge 0.00+1.00',
    '1 sort 0.00+0.83',
    '1 main 0.83+0.17',
    '2 main 0.00+0.50',
    '2 sort 0.50+0.33',
    '3 main 0.50+0.33',
  ]);
});

test('a long chain of calls needs no stack', () => {
  const chain = Array.from({ length: 2000 }, (_, depth) => ({
    path: Array.from({ length: depth + 1 }, (__, at) => `f${at}`),
    mean: 1,
  })) as StatsRow[];
  expect(icicleOf(contextTree(chain), 'f0', 'callees').total).toBe(2000);
  expect(icicleOf(contextTree(chain), 'nothing', 'callers').cells).toEqual([]);
});
