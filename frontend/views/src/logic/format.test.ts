import { expect, test } from 'vitest';
import cases from '../../../../tests/number-formats.json';
import {
  formatApart,
  formatChange,
  formatChangeFrom,
  formatCount,
  formatDelta,
  formatNumber,
  formatShare,
  formatValue,
  columnUnit,
  formatFactor,
  formatTick,
} from './format.ts';

/** Narrow spaces as plain ones, so that expectations can be read. */
const plain = (text: string): string => text.replaceAll('\u202f', ' ');

/** Cases that a Rust test reads as well: the page and the terminal print the same. */
const lists: Record<string, (string | number)[][]> = cases;

const printers: Record<string, (value: number, unit: string) => string> = {
  quantities: formatValue,
  differences: formatDelta,
  numbers: formatNumber,
  shares: formatShare,
  changes: formatChange,
  counts: formatCount,
};

test.each(Object.entries(printers))('%s print as in the terminal', (list, print) => {
  expect(lists[list]?.length).toBeGreaterThan(0);
  for (const [value, ...words] of lists[list] ?? [])
    expect(plain(print(Number(value), String(words[0]))), `${value} ${words.join(' ')}`).toBe(
      words.at(-1),
    );
});

test('what is absent prints as a dash, and has no change', () => {
  for (const value of [null, undefined, Number.NaN])
    for (const print of Object.values(printers)) expect(print(value as number, 'ns')).toBe('–');
  expect(formatChangeFrom(2, 0.5)).toBe('+25 %');
  for (const [before, delta] of [
    [null, 1],
    [0, 1],
    [2, null],
    [2, undefined],
  ] as const)
    expect(formatChangeFrom(before, delta)).toBe('');
});

test.each<[number, string, string, number, string]>([
  [3.2e8, 'ns', 'ms', 1.5e6, '1.50'],
  [2e9, 'ns', 's', 1e6, '0.0010'],
  [999.7e3, 'ns', 'ms', 5e5, '0.500'],
  [12, 'ns', 'ns', 3, '3.00'],
  [5e6, 'count', '', 1e6, '1\u202f000\u202f000'],
  [5e6, 'unknown', '', 1e6, '1\u202f000\u202f000'],
  [5e6, 'cycles', 'cycles', 1e6, '1\u202f000\u202f000'],
  [40, 'cycles', 'cycles', 4, '4'],
  [2048, 'bytes', 'kB', 512, '0.512'],
  [0.5, 'ratio', '', 0.25, '0.250'],
])('a column up to %d %s has unit %s, in which %d is %s', (most, unit, head, value, text) => {
  const column = columnUnit(most, unit);
  expect(column.unit).toBe(head);
  expect(column.format(value)).toBe(text);
  expect(column.format(null)).toBe('–');
});

test.each<[number, string, string]>([
  [10e6, 'count', '10 M'],
  [2.5e6, 'ns', '2.5 ms'],
  [100e6, 'ns', '100 ms'],
  [0, 'ns', '0 ns'],
  [1000, 'count', '1\u202f000'],
])('a tick at %d %s is %s', (value, unit, text) => {
  expect(formatTick(value, unit)).toBe(text);
});

test('two values that print alike have more digits', () => {
  expect(formatApart(1, 1.000_002_3, 'ratio')).toEqual(['1.000000', '1.000002']);
  expect(formatApart(1_000_000, 1_000_400, 'ns')).toEqual(['1.0000 ms', '1.0004 ms']);
  expect(formatApart(-1, -1.0004, 'ratio')).toEqual(['−1.0000', '−1.0004']);
  expect(formatApart(1, 2, 'ratio')).toEqual(['1.00', '2.00']);
  expect(formatApart(1, 1, 'ratio')).toEqual(['1.00', '1.00']);
});

test('factors', () => {
  expect(formatFactor(1.8282)).toBe('×1.83');
  expect(formatFactor(undefined)).toBe('–');
});

test('thousands are kept on one line', () => {
  expect(formatCount(-0.2)).toBe('0');
  expect(formatCount(412_331)).toBe('412\u202f331');
});
