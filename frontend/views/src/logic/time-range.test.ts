import { expect, test } from 'vitest';
import {
  clampRange,
  panRange,
  placeOf,
  selectedRange,
  timeAt,
  windowOf,
  zoomRange,
} from './time-range.ts';

const END = 1_000_000;

test('a zoom keeps the time under the pointer in its place', () => {
  for (const at of [0, 250_000, 400_000, 999_999]) {
    const range = zoomRange([0, END], 2, at, END);
    expect(range[1] - range[0]).toBeCloseTo(END / 2);
    expect(placeOf(at, range, 0, 800)).toBeCloseTo(placeOf(at, [0, END], 0, 800));
  }
  expect(zoomRange([400, 800], 0.000_1, 500, END)).toEqual([0, END]);
  const deep = zoomRange([400, 800], 1e9, 500, END);
  expect(deep[1] - deep[0]).toBe(20);
});

test('a pan stops at the ends of the run', () => {
  expect(panRange([100, 300], -500, END)).toEqual([0, 200]);
  expect(panRange([100, 300], END, END)).toEqual([END - 200, END]);
  expect(clampRange([-5, 2 * END], END)).toEqual([0, END]);
});

test('all of the run is no range', () => {
  expect(selectedRange([0, END], END)).toBeUndefined();
  expect(selectedRange([0.4, 17.2], END)).toEqual([0, 18]);
});

test('a window contains its range and is at most three times as long', () => {
  expect(windowOf(undefined)).toEqual({ pixels: 1200 });
  let at = 1;
  for (let step = 0; step < 500; step += 1) {
    at = (at * 48_271) % 2_147_483_647;
    const from = at % END;
    const length = 20 + (at % 7_919) * (1 + (step % 40));
    const window = windowOf([from, from + length]);
    const [start = 0, end = 0] = [window['start'], window['end']];
    expect(start).toBeLessThanOrEqual(from);
    expect(end).toBeGreaterThanOrEqual(from + length);
    expect(end - start).toBeLessThanOrEqual(3 * Math.max(32, length));
    expect(Number.isInteger(start) && Number.isInteger(end)).toBe(true);
  }
});

test('a small pan asks nothing new', () => {
  expect(windowOf([1000, 1900])).toEqual(windowOf([1010, 1910]));
});

test('places and times are inverse', () => {
  expect(timeAt(placeOf(1234, [1000, 2000], 60, 900), [1000, 2000], 60, 900)).toBeCloseTo(1234);
});
