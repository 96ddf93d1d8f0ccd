import { expect, test } from 'vitest';
import { binsOf, gradientOf, guidesOf } from './histogram.ts';

const names = ['a', 'b', 'c', 'd', 'e'];

test('a gradient has one stop in the middle of each bin', () => {
  const gradient = gradientOf({ min: 0, max: 4, counts: [1, 0, 2, 1], bin_of: [0, 2, 2, 3] });
  expect(gradient).toEqual({
    kind: 'stops',
    stops: [
      { at: 0.125, count: 1 },
      { at: 0.375, count: 0 },
      { at: 0.625, count: 2 },
      { at: 0.875, count: 1 },
    ],
  });
  expect(gradientOf({ min: 3, max: 3, counts: [4], bin_of: [0, 0, 0, 0] })).toEqual({
    kind: 'constant',
    count: 4,
  });
  expect(gradientOf({ min: 0, max: 0, counts: [], bin_of: [null] })).toEqual({ kind: 'empty' });
});

test('guides name up to three runs, then count, and mark the ends', () => {
  const histogram = { min: 10, max: 20, counts: [4, 0, 0, 1], bin_of: [0, 0, 0, 0, 3] };
  const rows = guidesOf(histogram, names, 0.1);
  expect(rows.map((row) => [row.who, row.mark, row.value])).toEqual([
    ['4 runs', 'Min.', 10],
    ['e', '', 17.5],
  ]);
  expect(rows[0]?.runs).toEqual([0, 1, 2, 3]);
});

test('bins are joined until each row has room, and none is lost', () => {
  const counts = Array.from({ length: 20 }, () => 1);
  const bins = counts.map((_, i) => i);
  const rows = guidesOf({ min: 0, max: 20, counts, bin_of: bins }, [], 0.12);
  expect(rows.every((row) => row.to - row.from >= 0.12)).toBe(true);
  expect(rows.flatMap((row) => row.runs).sort((a, b) => a - b)).toEqual(bins);
});

test('absent runs are in no row; a constant has one', () => {
  expect(guidesOf({ min: 5, max: 5, counts: [2], bin_of: [0, null, 0] }, names, 0.1)).toEqual([
    { from: 0.5, to: 0.5, who: 'a, c', runs: [0, 2], value: 5, mark: '' },
  ]);
  expect(guidesOf({ min: 0, max: 0, counts: [], bin_of: [null] }, names, 0.1)).toEqual([]);
});

test('bins of runs follow from their values', () => {
  const histogram = { min: 10, max: 20, counts: [2, 0, 1], bin_of: [] };
  expect(binsOf(histogram, Float32Array.of(20, NaN, 10, 11))).toEqual([2, null, 0, 0]);
  expect(binsOf({ ...histogram, bin_of: [1] }, [10])).toEqual([1]);
  expect(binsOf(histogram, [])).toEqual([]);
});
