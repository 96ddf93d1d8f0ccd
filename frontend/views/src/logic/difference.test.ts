import { expect, test } from 'vitest';
import {
  absentSide,
  boundOf,
  type Comparison,
  comparedQuantity,
  DIFF_MODES,
  differenceIn,
  differenceText,
  formatSide,
} from './difference.ts';

const totals = { a: 200e6, b: 400e6 };
const of = (mode: Comparison['mode']): Comparison => ({ mode, unit: 'ns', totals });
const pair = { a: 100e6, b: 150e6 };

test('one difference in three modes', () => {
  expect(DIFF_MODES.map((mode) => differenceText(pair, of(mode)))).toEqual([
    '+50.0 ms',
    '+50 %',
    '−12.5 points',
  ]);
  expect(differenceText({ ...pair, delta: 49e6 }, of('absolute'))).toBe('+49.0 ms');
});

test('an absent side is not zero in any mode', () => {
  for (const mode of DIFF_MODES) {
    expect(differenceIn({ a: null, b: 3 }, of(mode))).toBeNull();
    expect(differenceIn({ a: 3, b: null }, of(mode))).toBeNull();
  }
  expect(differenceText({ a: null, b: 2e6, delta: 2e6 }, of('absolute'))).toBe(
    'only in B, 2.00 ms',
  );
  expect(differenceText({ a: 2e6, b: null }, of('normalised'))).toBe(
    'only in A, 2.00 ms · 1 % of A',
  );
  expect(absentSide({ a: null, b: null })).toBe('both');
  expect(absentSide(pair)).toBeUndefined();
});

test('what cannot be divided has a reason instead of a number', () => {
  expect(differenceText({ a: 0, b: 5 }, of('relative'))).toBe('A is 0');
  expect(differenceText(pair, { mode: 'normalised', unit: 'ns' })).toBe('no total');
});

test('small groups do not take the whole scale of relative changes', () => {
  expect(boundOf([40, -0.2, null], 'relative')).toBe(1);
  expect(boundOf([0.3, -0.2], 'relative')).toBe(0.3);
  expect(boundOf([40, -50], 'absolute')).toBe(50);
});

test('the quantity is one sentence', () => {
  expect(comparedQuantity('exclusive work', 'absolute')).toBe(
    'exclusive work, B − A, mean over runs',
  );
  expect(comparedQuantity('exclusive work', 'relative', 'mean over ranks')).toBe(
    'exclusive work, (B − A) ∕ A, mean over runs, mean over ranks',
  );
  expect(formatSide(100e6, 'a', of('normalised'))).toBe('100 ms · 50 % of A');
});
