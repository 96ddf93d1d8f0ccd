import { expect, test } from 'vitest';
import { conditionOf, conditionsOf, largestOf, partAt, profileOf } from './model.ts';

const zeros = Float64Array.of(0, 0, 0, 0);
const PROFILE = profileOf({
  schema: 'columns/1',
  rows: 4,
  columns: {
    start: Float64Array.of(0, 10, 20, 30),
    end: Float64Array.of(10, 20, 30, 40),
    running_mean: Float64Array.of(2, 1, 1, 0.4),
    running_min: zeros,
    running_max: Float64Array.of(2, 2, 1, 1),
    ready_creation_mean: Float64Array.of(3, 2, 0.2, 0),
    ready_creation_min: zeros,
    ready_creation_max: Float64Array.of(4, 2, 1, 0),
    ready_dependence_mean: zeros,
    ready_dependence_min: zeros,
    ready_dependence_max: zeros,
  },
});

test('layers without a value are left out', () => {
  expect(PROFILE.layers.map(({ name }) => name)).toEqual(['running', 'ready_creation']);
  expect([...(PROFILE.ready ?? [])]).toEqual([3, 2, 0.2, 0]);
});

test('idle workers lack work, or work waits for them', () => {
  expect([0, 1, 2, 3].map((at) => conditionOf(PROFILE, at, 2))).toEqual([
    undefined,
    'waits',
    'lacks',
    'lacks',
  ]);
  expect(conditionsOf(PROFILE, 2, [5, 25])).toEqual({ waits: 10, lacks: 5 });
});

test('without dependences there is no condition, and nothing is ready', () => {
  const { start, end, running_mean, running_min, running_max } = {
    start: Float64Array.of(0),
    end: Float64Array.of(1),
    running_mean: Float64Array.of(0),
    running_min: Float64Array.of(0),
    running_max: Float64Array.of(0),
  };
  const columns = { start, end, running_mean, running_min, running_max };
  const only = profileOf({ schema: 'columns/1', rows: 1, columns });
  expect(only.ready).toBeUndefined();
  expect(conditionOf(only, 0, 8)).toBeUndefined();
});

test('a time is in its part', () => {
  expect([-1, 0, 9.9, 10, 39, 40, 41].map((time) => partAt(PROFILE, time))).toEqual([
    -1, 0, 0, 1, 3, 3, -1,
  ]);
});

test('scales follow the visible range and the shown layers', () => {
  expect(largestOf(PROFILE, () => true, [0, 40])).toEqual({ running: 2, ready: 3 });
  expect(largestOf(PROFILE, () => true, [21, 40])).toEqual({ running: 1, ready: 0.2 });
  expect(largestOf(PROFILE, () => false, [0, 40])).toEqual({ running: 2, ready: 0 });
});
