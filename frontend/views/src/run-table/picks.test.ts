import { expect, test } from 'vitest';
import { between, toggled } from './picks.ts';

test.each([
  [['a'], ['b'], ['a', 'b']],
  [['a', 'b'], ['b'], ['a']],
  [['a'], ['a', 'b'], ['a', 'b']],
  [['a', 'b', 'c'], ['a', 'b'], ['c']],
])('%j with %j toggled is %j', (picked, runs, expected) => {
  expect(toggled(picked, runs)).toEqual(expected);
});

test('a range has the runs of both ends and skips titles', () => {
  const lines = [undefined, 'a', 'b', undefined, 'c'];
  expect(between(lines, 1, 4)).toEqual(['a', 'b', 'c']);
  expect(between(lines, 4, 2)).toEqual(['b', 'c']);
  expect(between(lines, 0, 0)).toEqual([]);
});
