import { expect, test } from 'vitest';
import { subsetsOf, withSubset } from './subsets.ts';

const RUNS = ['aaaaaaaa11', 'bbbbbbbb22', 'cccccccc33'].map((run) => ({ run }));

test('subsets are read as they were named', () => {
  const name = 'slow: a;b,c & ünïcode';
  const text = withSubset(withSubset('', name, ['aaaaaaaa11', 'cccccccc33']), 'x', ['bbbbbbbb22']);
  expect(subsetsOf(text, RUNS)).toEqual([
    { name, runs: ['aaaaaaaa11', 'cccccccc33'], values: {} },
    { name: 'x', runs: ['bbbbbbbb22'], values: {} },
  ]);
});

test('a name is used once, and a subset without runs is removed', () => {
  const text = withSubset('', 'x', ['aaaaaaaa11']);
  expect(withSubset(text, 'x', ['bbbbbbbb22'])).toBe('x:bbbbbbbb');
  expect(withSubset(text, 'x', [])).toBe('');
});

test.each(['', ';;', 'x', 'x:dddddddd', '%:aaaaaaaa'])('%j names no run', (text) => {
  expect(subsetsOf(text, RUNS)).toEqual([]);
});
