import { expect, test } from 'vitest';
import { compactNumbers, fitMembers } from './names.ts';

test('ranks are ranges', () => {
  expect(compactNumbers(['2', '0', '1', '7', '9', '10'])).toEqual(['0–2', '7', '9, 10']);
  expect(compactNumbers(['a', '1'])).toEqual(['a', '1']);
  expect(compactNumbers([])).toEqual([]);
});

test('no name is cut: what does not fit is counted', () => {
  const ranks = ['1', '13', '27', '57', '171'];
  expect(fitMembers(ranks, 40)).toBe('1, 13, 27, 57, 171');
  expect(fitMembers(ranks, 9)).toBe('1, 13 +3');
  expect(fitMembers(ranks, 3)).toBe('(5)');
  expect(fitMembers(ranks, 2)).toBe('');
});
