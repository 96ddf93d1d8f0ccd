import { expect, test } from 'vitest';
import type { Answers } from './definition.ts';
import { contextTree, functionRows, icicleOf, invertedOf, type StatsRow } from './model.ts';

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

const stats = (
  ...named: readonly (readonly [group: string, mean: number])[]
): Answers['exclusive'] =>
  ({
    rows: named.map(([group, mean]) => ({ group, path: [group], mean })),
  }) as unknown as Answers['exclusive'];

test('both sides of a renamed function are one row with its difference', () => {
  const answers = {
    exclusive: stats(['old', 10], ['new', 25], ['same', 3]),
    inclusive: stats(['main', 0], ['old', 10], ['new', 25], ['same', 3]),
    contexts: stats(),
    a: stats(['old', 10], ['same', 2]),
    b: stats(['new', 25], ['same', 4]),
    diff: {
      rows: [
        { group: 'new', group_a: 'old', path: ['old → new'], a: 10, b: 25, delta: 15 },
        { group: 'same', path: ['same'], a: 2, b: 4, delta: 2 },
      ],
    } as unknown as Answers['diff'],
  };
  const found = functionRows(answers, '').map((row) => [
    row.name,
    row.leaf,
    row.a?.mean,
    row.b?.mean,
    row.diff?.delta,
  ]);
  expect(found).toEqual([
    ['main', 'main', undefined, undefined, undefined],
    ['old → new', 'new', 10, 25, 15],
    ['same', 'same', 2, 4, 2],
  ]);
  expect(functionRows(answers, 'OLD').length).toBe(1);
  expect(functionRows({ ...answers, diff: undefined }, '').length).toBe(4);
});

test('the bottom-up tree has the own values of functions, and callers above', () => {
  const { cells, total } = invertedOf(contextTree(rows(PROGRAM)));
  expect(total).toBe(100);
  const printed = cells.map(({ name, depth, value }) => `${depth} ${name} ${value}`);
  expect(printed.slice(0, 4)).toEqual(['0  100', '1 merge 60', '1 sort 30', '1 main 10']);
  expect(printed).toContain('2 sort 50');
  const chosen = invertedOf(contextTree(rows(PROGRAM)), (name) => name === 'sort');
  expect(chosen.total).toBe(30);
});
