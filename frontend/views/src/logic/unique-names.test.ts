import { expect, test } from 'vitest';
import { commonPrefix, uniqueNames } from './unique-names.ts';

test.each<[string[], number, string[]]>([
  [['main', 'sort'], 10, ['main', 'sort']],
  [['merge_quarters:108', 'merge_quarters:110'], 12, ['mer…s:108', 'mer…s:110']],
])('%j in %d characters are %j', (names, length, expected) => {
  const texts = uniqueNames(names, length);
  expect(new Set(texts).size).toBe(new Set(names).size);
  for (const [index, text] of texts.entries())
    expect(text.replace(/.*…/, '')).toBe(expected[index]?.replace(/.*…/, ''));
});

test('texts are as unique as names, however alike these are', () => {
  const names = [
    'CalcForceForNodes',
    'CalcFBHourglassForceForElems',
    'CalcHourglassControlForElems',
    'CalcLagrangeElements',
    'CalcLagrangeNodal',
    'EvalEOSForElems',
    `${'x'.repeat(10_000)}a`,
    `${'x'.repeat(10_000)}b`,
    `a${'y'.repeat(10_000)}`,
    `b${'y'.repeat(10_000)}`,
    '',
    '…',
  ];
  for (const length of [3, 6, 8, 12, 20, 40]) {
    const texts = uniqueNames(names, length);
    expect(new Set(texts).size).toBe(names.length);
    for (const text of texts) expect(text.length).toBeLessThan(3 * length + 12);
  }
});

test('the same name has the same text', () => {
  expect(uniqueNames(['a'.repeat(30), 'a'.repeat(30)], 8)).toEqual(['aaaa…aaa', 'aaaa…aaa']);
});

test.each<[string[], string]>([
  [['lulesh-annotation-1', 'lulesh-annotation-27'], 'lulesh-annotation-'],
  [['threads=1', 'threads=8'], 'threads='],
  [['one'], ''],
  [['sort_t1', 'sort_t16'], 'sort_'],
])('common beginning of %j is %j', (names, expected) => {
  expect(commonPrefix(names)).toBe(expected);
});
