import { expect, test } from 'vitest';
import type { GrainRow, Problems } from '../api.ts';
import { isPerhapsBalanced, medianOf, problemsOf } from './grain-facts.ts';

const answer = {
  problems: [
    { condition: 'inst_par < cores', limit: 2, definitions: [{ definition: 'sort' }] },
    {
      condition: 'sibling_chain_balance > 1',
      limit: 1,
      balanced_chunks: 3,
      definitions: [{ definition: 'sort' }],
    },
    { condition: 'work_deviation > 2', limit: 2, definitions: [] },
  ],
} as unknown as Problems;

const row = (values: Readonly<Record<string, unknown>>): GrainRow =>
  ({ kind: 'task', definition: 'sort', ...values }) as unknown as GrainRow;

test('a grain has the problems whose limits its values exceed', () => {
  const conditions = (grain: GrainRow): string[] =>
    problemsOf(grain, answer).map(({ condition }) => condition);
  expect(conditions(row({ inst_par: 1, sibling_chain_balance: 1 }))).toEqual(['inst_par < cores']);
  expect(conditions(row({ inst_par: 2, sibling_chain_balance: 1.5 }))).toEqual([
    'sibling_chain_balance > 1',
  ]);
  expect(conditions(row({}))).toEqual([]);
  expect(conditions(row({ kind: 'implicit', inst_par: 1 }))).toEqual([]);
});

test('chunks of balanced loops have no problem', () => {
  const chunk = row({ kind: 'chunk', definition: 'balanced loop', sibling_chain_balance: 9 });
  expect(problemsOf(chunk, answer)).toEqual([]);
  const mixed = row({ kind: 'chunk', sibling_chain_balance: 9 });
  const [found] = problemsOf(mixed, answer);
  expect(found && isPerhapsBalanced(mixed, found)).toBe(true);
  expect(found && isPerhapsBalanced(row({ sibling_chain_balance: 9 }), found)).toBe(false);
});

test('the median leaves out absent values', () => {
  expect(medianOf([row({ work_ns: 4 }), row({}), row({ work_ns: 1 })], 'work_ns')).toBe(2.5);
  expect(medianOf([row({ work_ns: 4 }), row({ work_ns: 9 }), row({ work_ns: 1 })], 'work_ns')).toBe(
    4,
  );
  expect(medianOf([row({})], 'work_ns')).toBeUndefined();
});
