import { expect, test } from 'vitest';
import { bandPath, hotPath, placeLabels } from './geometry.ts';
import { charactersIn, listNames, shorten } from './names.ts';
import { compareCells, csvField, csvOf, sortRows, visibleRows } from './table.ts';
import { countShare, ticks } from './ticks.ts';
import { layoutIcicle, pathTo, rowsBelow } from './tree.ts';
import { meanOf, meanOfSide, placeOf, quantile, rankOf, summarise } from './values.ts';

test('a band is a closed curve with control points at 40 % and 60 %', () => {
  const band = [
    { x: 0, y: 0, height: 10 },
    { x: 100, y: 50, height: 20 },
  ];
  expect(bandPath(band)).toBe('M0,0C40,0 60,50 100,50L100,70C60,70 40,10 0,10Z');
  expect(bandPath(band, [0.5, 0.25])).toBe('M0,0C40,0 60,50 100,50L100,55C60,55 40,5 0,5Z');
  expect(bandPath([])).toBe('');
});

test('labels keep their order and distance and stay inside', () => {
  const places = placeLabels(
    [
      { id: 'b', y: 11 },
      { id: 'a', y: 10 },
      { id: 'c', y: 98 },
      { id: 'd', y: 99 },
    ],
    12,
    0,
    100,
  );
  const at = ['a', 'b', 'c', 'd'].map((id) => places.get(id) ?? Number.NaN);
  at.slice(1).forEach((y, i) => expect(y - (at[i] ?? 0)).toBeGreaterThanOrEqual(12));
  expect(at[3]).toBeLessThanOrEqual(100);
  expect(
    placeLabels(
      [
        { id: 'a', y: 1 },
        { id: 'b', y: 2 },
      ],
      12,
      0,
      5,
    ).size,
  ).toBe(1);
});

test('the hot path follows the heaviest callee while it holds half', () => {
  const edges = [
    { source: 0, target: 1, max_inclusive: 60 },
    { source: 0, target: 2, max_inclusive: 40 },
    { source: 1, target: 3, max_inclusive: 20 },
    { source: 1, target: 0, max_inclusive: 60 },
  ];
  expect(hotPath([100, 60, 40, 20], edges, 0)).toEqual([0, 1]);
  expect(hotPath([100, 60, 40, 20], edges, 0, 0.1)).toEqual([0, 1, 3]);
});

test('names are shortened in the middle', () => {
  expect(shorten('insertion_sort', 9)).toBe('inse…sort');
  expect(shorten('sort', 9)).toBe('sort');
  expect(shorten('abc', 1)).toBe('…');
  expect(shorten('𝔸𝔹ℂ𝔻𝔼', 3)).toBe('𝔸…𝔼');
  expect(listNames(['a', 'b', 'c'], 2, 9)).toBe('a, b + 7 more');
  expect(charactersIn(-4, 7)).toBe(0);
});

test('absent cells come last in either direction; numbers in texts count', () => {
  const rows = [{ v: 2 }, { v: null }, { v: 10 }];
  expect(sortRows(rows, (row) => row.v, false).map((row) => row.v)).toEqual([2, 10, null]);
  expect(sortRows(rows, (row) => row.v, true).map((row) => row.v)).toEqual([10, 2, null]);
  expect(compareCells('t2', 't10', false)).toBeLessThan(0);
});

test('only rows that are seen are drawn', () => {
  expect(visibleRows(10_000, 24, 2400, 240, 5)).toEqual([95, 115]);
  expect(visibleRows(3, 24, 0, 240)).toEqual([0, 3]);
  expect(visibleRows(0, 24, 0, 240)).toEqual([0, 0]);
});

test('CSV holds the lens, quotes, and disarms formulas', () => {
  expect(csvField('a "b", c')).toBe('"a ""b"", c"');
  expect(csvField('=1+1')).toBe("'=1+1");
  expect(csvField(-5)).toBe('-5');
  expect(csvField(null)).toBe('');
  expect(csvOf('bins 5', ['a'], [[1]])).toBe('# lens: bins 5\na\n1\n');
});

test('ticks are round', () => {
  expect(ticks(0, 10, 5)).toEqual([0, 2, 4, 6, 8, 10]);
  expect(ticks(5, 5, 3)).toEqual([5]);
  expect(countShare(0, 9, true)).toBe(0);
  expect(countShare(9, 9, true)).toBe(1);
  expect(countShare(3, 9, false)).toBeCloseTo(1 / 3);
});

test('an icicle gives children at most their parent', () => {
  const sites = [
    { max_inclusive: 100, depth: 0 },
    { parent: 0, max_inclusive: 60, depth: 1 },
    { parent: 0, max_inclusive: 20, depth: 1 },
    { parent: 1, max_inclusive: 0.1, depth: 2 },
  ];
  const inclusive = layoutIcicle(sites, 0, 100, 'inclusive');
  expect([...inclusive.width]).toEqual([100, 60, 20, 0]);
  expect([...inclusive.x]).toEqual([0, 0, 60, 0]);
  expect(inclusive.merged.get(1)).toMatchObject({ count: 1, x: 0 });
  expect(inclusive.rows).toBe(3);
  expect(layoutIcicle(sites, 0, 100, 'inclusive', 1, 2)).toMatchObject({ rows: 2, deeper: 1 });
  expect([rowsBelow(sites, 0), rowsBelow(sites, 2)]).toEqual([3, 1]);
  expect([...layoutIcicle(sites, 0, 100, 'uniform').width]).toEqual([100, 50, 50, 50]);
  expect([...layoutIcicle(sites, 1, 100, 'inclusive', 0).width]).toEqual([
    0,
    100,
    0,
    100 * (0.1 / 60),
  ]);
  expect(pathTo(sites, 3)).toEqual([0, 1, 3]);
  const deep = Array.from({ length: 100_000 }, (_, i) => ({
    parent: i === 0 ? undefined : i - 1,
    max_inclusive: 1,
    depth: i,
  }));
  expect(layoutIcicle(deep, 0, 100, 'inclusive').rows).toBe(100_000);
});

test('absent runs are no part of a distribution but zero in a difference', () => {
  const values = [4, null, 2, 6];
  expect(summarise(values)).toEqual({
    count: 3,
    absent: 1,
    min: 2,
    q1: 3,
    median: 4,
    q3: 5,
    max: 6,
    mean: 4,
  });
  expect(summarise([null]).median).toBeNull();
  expect(meanOf(values, [0, 1])).toBe(4);
  expect(meanOf(values, [1])).toBeNull();
  expect(meanOfSide(values, [0, 1])).toBe(2);
  expect(meanOfSide([null, null], [0, 1])).toBeNull();
  expect(quantile([1, 2, 3, 4], 0.25)).toBe(1.75);
  expect(placeOf(3, 2, 4)).toBe(0.5);
  expect(placeOf(3, 3, 3)).toBe(0.5);
  expect(rankOf(4, values)).toEqual([2, 3]);
});
