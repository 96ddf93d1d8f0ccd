import { expect, test } from 'vitest';
import { isCompared, linesOf, type Source } from './model.ts';

const SOURCE = {
  line: 11,
  first_line: 10,
  lines: ['int f()', '{', '}'],
  values: [
    { line: 11, group: 'f', name: 'f', value: 2, a: 1, b: 3 },
    { line: 11, group: 'g', name: 'g', value: 5, b: 5 },
    { line: 90, group: 'h', name: 'h' },
  ],
} as unknown as Source;

test('lines have the sums of their definitions', () => {
  const lines = linesOf(SOURCE);
  expect(lines.map(({ number, total, a, b }) => [number, total, a, b])).toEqual([
    [10, undefined, undefined, undefined],
    [11, 7, 1, 8],
    [12, undefined, undefined, undefined],
  ]);
  expect(lines.map(({ isOwn }) => isOwn)).toEqual([false, true, false]);
  expect(isCompared(SOURCE)).toBe(true);
});

test('without text, the lines with values are listed', () => {
  const lines = linesOf({ ...SOURCE, lines: [] });
  expect(lines.map(({ number, text }) => [number, text])).toEqual([
    [11, undefined],
    [90, undefined],
  ]);
});
