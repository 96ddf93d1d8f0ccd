import { expect, test } from 'vitest';
import file from '../../../../crates/model/src/lens/cases.json';
import {
  CHOICES,
  CLAUSES,
  cohortExpression,
  comparedLens,
  diffOf,
  geometryLens,
  joinClauses,
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

interface Case {
  readonly text: string;
  readonly clauses: readonly string[];
  readonly canonical?: readonly string[] | undefined;
  readonly target?: string | undefined;
  readonly diff?: readonly string[] | undefined;
}

/** The cases that the service's parser is tested with. */
interface Cases {
  readonly keywords: readonly string[];
  readonly choices: Readonly<Record<string, readonly string[]>>;
  readonly defaults: readonly string[];
  readonly lenses: readonly Case[];
  readonly errors: readonly Case[];
}

const cases: Cases = file;
const OPERATIONS = ['split', 'reveal', 'focus', 'hide'];

test.each([...cases.lenses, ...cases.errors])('the lens $text is cut as by the service', (lens) => {
  expect(splitClauses(lens.text).map((clause) => clause.text)).toEqual(lens.clauses);
  expect(targetOf(lens.text)).toBe(lens.target);
  expect(diffOf(lens.text)).toEqual(lens.canonical && lens.diff);
});

test.each(cases.lenses)('the clauses of $text are put in canonical order', (lens) => {
  const canonical = (lens.canonical ?? []).join(' | ');
  const clauses = splitClauses(canonical);
  expect(joinClauses(clauses)).toBe(canonical);
  const isOperation = (keyword: string) => OPERATIONS.includes(keyword);
  const others = clauses.filter((clause) => !isOperation(clause.keyword)).reverse();
  const operations = clauses.filter((clause) => isOperation(clause.keyword));
  const added = [...operations, ...others].reduce((text, one) => withClause(text, one.text), '');
  expect(added).toBe(canonical);
});

test('keywords, choices and defaults are those of the service', () => {
  expect(CLAUSES.map((clause) => clause.keyword)).toEqual(cases.keywords);
  for (const [keyword, choices] of Object.entries(cases.choices)) {
    expect(new Set(CHOICES[keyword])).toEqual(new Set(choices));
  }
  const defaults = CLAUSES.filter((clause) => clause.fallback !== undefined);
  const texts = defaults.map((clause) => `${clause.keyword} ${clause.fallback ?? ''}`);
  expect(texts).toEqual(cases.defaults);
});

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

test('a diff compares exclusive values unless the lens names a scope', () => {
  expect(comparedLens('diff "a" to "b"')).toContain('scope exclusive');
  expect(comparedLens('scope inclusive | diff "a" to "b"')).toBe(
    'scope inclusive | diff "a" to "b"',
  );
});
