import { expect, test } from 'vitest';
import {
  formatBytes,
  formatChange,
  formatChangeFrom,
  formatCount,
  formatDelta,
  formatNumber,
  formatProbability,
  formatRatio,
  formatShare,
  formatValue,
  columnUnit,
  formatFactor,
  formatTick,
} from './format.ts';

/** Thin spaces as plain ones, so that expectations can be read. */
const plain = (text: string): string => text.replaceAll('\u202f', ' ');

test.each([
  [0, 'ns', '0 s'],
  [1, 'ns', '1.00 ns'],
  [999.4, 'ns', '999 ns'],
  [999.6, 'ns', '1.00 µs'],
  [1_234, 'ns', '1.23 µs'],
  [45_600_000, 'ns', '45.6 ms'],
  [2_000_000_000, 'ns', '2.00 s'],
  [7_200_000_000_000, 'ns', '7 200 s'],
  [0.25, 'ns', '0.250 ns'],
  [1_500, 'us', '1.50 ms'],
  [0.0123, 's', '12.3 ms'],
  [-45_600_000, 'ns', '−45.6 ms'],
  [1_023, 'bytes', '1 023 B'],
  [1_536, 'bytes', '1.50 KiB'],
  [9_999, 'count', '9 999'],
  [1_234_567, 'count', '1.23 M'],
  [1_234_567, 'cycles', '1.23 M cycles'],
  [0.123456, 'ratio', '0.12'],
  [12.3, 'ticks', '12.3 ticks'],
  [53_800_000, 'unknown', '53.8 M'],
  [0.125, 'unknown', '0.125'],
  [null, 'ns', '–'],
  [undefined, 'count', '–'],
  [Number.NaN, 'ns', '–'],
])('%s %s prints as %s', (value, unit, text) => {
  expect(plain(formatValue(value, unit))).toBe(text);
});

test('signs, shares and probabilities', () => {
  expect(plain(formatDelta(1500, 'ns'))).toBe('+1.50 µs');
  expect(plain(formatDelta(-1500, 'ns'))).toBe('−1.50 µs');
  expect(plain(formatDelta(0, 'ns'))).toBe('0 s');
  expect(plain(formatShare(0.0456))).toBe('4.6 %');
  expect(plain(formatShare(0.00001))).toBe('< 0.01 %');
  expect(plain(formatShare(1))).toBe('100 %');
  expect(plain(formatChange(-0.23))).toBe('−23 %');
  expect(plain(formatChange(4.4))).toBe('+440 %');
  expect(plain(formatChangeFrom(2, 0.5))).toBe('+25 %');
  for (const [before, delta] of [
    [null, 1],
    [0, 1],
    [2, null],
    [2, undefined],
  ] as const)
    expect(formatChangeFrom(before, delta)).toBe('');
  expect(formatRatio(1)).toBe('1.00');
  expect(plain(formatProbability(0.0004))).toBe('< 0.001');
  expect(formatProbability(0.0316)).toBe('0.032');
  expect(formatCount(-0.2)).toBe('0');
  expect(plain(formatCount(412331))).toBe('412 331');
  expect(formatNumber(1e-9)).toBe('1.00·10⁻⁹');
});

test.each([
  [0, '0 B'],
  [1, '1 B'],
  [1023, '1 023 B'],
  [1024, '1.00 KiB'],
  [5 * 2 ** 30, '5.00 GiB'],
])('%d bytes are %s', (bytes, text) => expect(plain(formatBytes(bytes))).toBe(text));

test.each<[number, string, string, number, string]>([
  [3.2e8, 'ns', 'ms', 1.5e6, '1.50'],
  [2e9, 'ns', 's', 1e6, '0.00100'],
  [999.7e3, 'ns', 'ms', 5e5, '0.500'],
  [12, 'ns', 'ns', 3, '3.00'],
  [5e6, 'count', 'M', 1e6, '1.00'],
  [5e6, 'cycles', 'M cycles', 1e6, '1.00'],
  [40, 'cycles', 'cycles', 4, '4.00'],
  [2048, 'bytes', 'KiB', 512, '0.500'],
  [0.5, 'ratio', '', 0.25, '0.250'],
])('a column up to %d %s has unit %s, in which %d is %s', (most, unit, head, value, text) => {
  const column = columnUnit(most, unit);
  expect(column.unit).toBe(head);
  expect(column.format(value)).toBe(text);
  expect(column.format(null)).toBe('–');
});

test.each<[number, string, string]>([
  [10e6, 'count', '10\u202fM'],
  [2.5e6, 'ns', '2.5\u202fms'],
  [100e6, 'ns', '100\u202fms'],
  [0, 'ns', '0\u202fs'],
  [1000, 'count', '1\u202f000'],
])('a tick at %d %s is %s', (value, unit, text) => {
  expect(formatTick(value, unit)).toBe(text);
});

test('factors', () => {
  expect(formatFactor(1.8282)).toBe('×1.83');
  expect(formatFactor(undefined)).toBe('–');
});
