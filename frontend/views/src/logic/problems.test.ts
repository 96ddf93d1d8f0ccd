import { expect, test } from 'vitest';
import { conditionText, problemCount, unitOf } from './problems.ts';

test.each([
  ['sibling_chain_balance > 1', 'ratio', 'load balance of siblings > 1'],
  ['waiting_ns > 1500000', 'ns', /> 1\.5 ms$/],
  ['waiting_ticks > 1500000', 'ticks', /> 1\.5 M ticks$/],
] as const)('the limit of %s has the unit %s', (condition, unit, expected) => {
  const text = conditionText(condition, unit);
  if (typeof expected === 'string') expect(text).toBe(expected);
  else expect(text).toMatch(expected);
});

test('a limit without a known unit is as it is written', () => {
  expect(conditionText('parallel_benefit < 1', undefined)).toBe('parallel_benefit < 1');
  expect(unitOf({ metrics: [] }, 'parallel_benefit')).toBeUndefined();
});

test.each([
  [0, 0, 'not checked'],
  [638, 0, '0'],
  [638, 12, '12'],
])('of %d checked grains %d with a problem are %j', (checked, grains, expected) => {
  expect(problemCount({ checked, grains })).toBe(expected);
});

test('the two parallel benefits have different names', () => {
  expect(conditionText('parallel_benefit_of_creation < 1', 'ratio')).toBe(
    'parallel benefit of creation < 1',
  );
  expect(conditionText('parallel_benefit_of_execution < 1', 'ratio')).toBe(
    'parallel benefit of execution < 1',
  );
});
