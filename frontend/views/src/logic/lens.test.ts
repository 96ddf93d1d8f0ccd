import { expect, test } from 'vitest';
import {
  cohortExpression,
  diffOf,
  geometryLens,
  moveClause,
  quote,
  splitClauses,
  targetOf,
  withClause,
  withDiff,
  without,
  withoutClause,
  withTarget,
  words,
} from './lens.ts';

test('clauses are cut at bars outside of quotations', () => {
  const text = `where a == 'x|y' | hide "a \\" | b" |  | level module`;
  expect(splitClauses(text).map((clause) => clause.text)).toEqual([
    "where a == 'x|y'",
    'hide "a \\" | b"',
    'level module',
  ]);
});

test('one clause replaces another of its kind, operations add up in order', () => {
  expect(withClause('level module | bins 5', 'level context')).toBe('level context | bins 5');
  expect(withClause('hide "b"', 'hide "a"')).toBe('hide "b" | hide "a"');
  expect(withClause('hide "b"', 'hide "b"')).toBe('hide "b"');
  expect(withClause('target "t"', 'where x == 1')).toBe('where x == 1 | target "t"');
  expect(withoutClause('hide "b" | hide "a"', 0)).toBe('hide "a"');
  expect(moveClause('hide "b" | hide "a"', 1, 0)).toBe('hide "a" | hide "b"');
  expect(without('level module | bins 5', 'bins')).toBe('level module');
});

test.each(['sort-1', 'a "b" c', 'back\\slash', `it's`, 'a | b', 'threads == 8'])(
  'target %s survives',
  (name) => {
    const text = withTarget('diff "a" to "b" | level module', name);
    expect(targetOf(text)).toBe(name);
    expect(diffOf(text)).toBeUndefined();
    expect(geometryLens(text)).toBe('level module');
    const diff = withDiff(text, [name, 'other']);
    expect(diffOf(diff)).toEqual([name, 'other']);
    expect(targetOf(diff)).toBeUndefined();
  },
);

test('words and expressions', () => {
  expect(words('by threads, compiler')).toEqual(['by', 'threads', 'compiler']);
  expect(words(`split ${quote('a "b"')} entries`)).toEqual(['split', 'a "b"', 'entries']);
  expect(cohortExpression({ threads: 8, compiler: "o'c" }, ['threads', 'compiler', 'host'])).toBe(
    "threads == 8 and compiler == 'o\\'c' and not exists host",
  );
  expect(cohortExpression({ 'a b': true }, [])).toBe('`a b` == true');
});
