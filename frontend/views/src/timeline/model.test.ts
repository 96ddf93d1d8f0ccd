import { expect, test } from 'vitest';
import type { Timeline } from '../api.ts';
import {
  definitionsOf,
  firstAfter,
  intervalAt,
  intervalsOf,
  measureOf,
  rangeOfGrain,
  placeNote,
  workerName,
  workerOrder,
} from './model.ts';

const COLUMNS = {
  schema: 'columns/1',
  rows: 4,
  columns: {
    worker: Float64Array.of(0, 0, 1, 2),
    start: Float64Array.of(0, 60, 20, 0),
    end: Float64Array.of(40, 100, 30, 100),
    busy: Float64Array.of(1, 0.5, 1, 0.25),
    grain: Float64Array.of(0, 7, NaN, 7),
    intervals: Float64Array.of(1, 2, 1, 9),
    definition: ['main', 'fib', null, 'fib'],
  },
} as const;
const ALL = intervalsOf(COLUMNS, 4);
const HEAD = {
  workers: [
    { rank: 0, thread: 0, busy: 60 },
    { rank: 0, thread: 1, busy: 10 },
    { rank: 1, thread: 0, busy: 25 },
    { rank: 1, thread: 1, busy: 60 },
  ],
  rows: [
    { worker: 0, start: 0, end: 100, busy: 0.6, intervals: 2, definition: 'main' },
    { worker: 2, start: 0, end: 100, busy: 0.7, intervals: 9, definition: 'fib' },
    { worker: 3, start: 0, end: 10, busy: 1, intervals: 1 },
  ],
} as unknown as Timeline;

test('columns become intervals of workers; absent is not zero', () => {
  expect([...ALL.first]).toEqual([0, 2, 3, 4, 4]);
  expect([...ALL.grain]).toEqual([0, 7, -1, 7]);
  expect([...ALL.definition]).toEqual([0, 1, -1, 1]);
  expect(ALL.names).toEqual(['main', 'fib']);
});

test('the interval at a time is found, and one within reach', () => {
  expect(firstAfter(ALL, 0, 40)).toBe(1);
  expect([20, 50, 58, 99].map((time) => intervalAt(ALL, 0, time, 3))).toEqual([0, -1, 1, 1]);
  expect(intervalAt(ALL, 3, 50, 1000)).toBe(-1);
});

test('a measure counts the parts of intervals inside the range', () => {
  const { busy, parallelism } = measureOf(ALL, 4, [20, 80]);
  expect(busy).toEqual([30 / 60, 10 / 60, 0.25, 0]);
  expect(parallelism).toBeCloseTo(0.5 + 1 / 6 + 0.25);
});

test('workers are sorted by number or by busy time', () => {
  expect(workerOrder(HEAD, 'number')).toEqual([0, 1, 2, 3]);
  expect(workerOrder(HEAD, 'busy')).toEqual([0, 3, 2, 1]);
  expect(workerName(HEAD, 3)).toBe('1.1');
});

test('workers are sorted by NUMA node and processor as far as the source states them', () => {
  const placed = (places: readonly (readonly (number | undefined)[])[]): Timeline => ({
    ...HEAD,
    workers: HEAD.workers.map((worker, at) => {
      const [node, core] = places[at] ?? [];
      return {
        ...worker,
        ...(node === undefined ? {} : { node }),
        ...(core === undefined ? {} : { core }),
      };
    }),
  });
  const nodes = placed([[1, 4], [0, 2], [1, 3], []]);
  expect(workerOrder(nodes, 'place')).toEqual([1, 2, 0, 3]);
  expect(placeNote(nodes)).toBeUndefined();
  const cores = placed([[undefined, 7], [undefined, 3], [undefined, 5], []]);
  expect(workerOrder(cores, 'place')).toEqual([1, 2, 0, 3]);
  expect(placeNote(cores)).toMatch(/no NUMA nodes/);
  expect(workerOrder(HEAD, 'place')).toEqual([0, 1, 2, 3]);
  expect(placeNote(HEAD)).toMatch(/grainsheaf record/);
});

test('colours of definitions do not depend on the visible part', () => {
  expect(definitionsOf([HEAD])).toEqual(['fib', 'main']);
  expect(definitionsOf([HEAD, HEAD])).toEqual(['fib', 'main']);
});

test('a grain is where its intervals are', () => {
  expect(rangeOfGrain(ALL, 7)).toEqual([0, 100]);
  expect(rangeOfGrain(ALL, 8)).toBeUndefined();
});

test('pinned workers come first, in the order that the others have', () => {
  expect(workerOrder(HEAD, 'number', new Set(['1.0', '1.1']))).toEqual([2, 3, 0, 1]);
  expect(workerOrder(HEAD, 'busy', new Set(['1.0', '9.9']))).toEqual([2, 0, 3, 1]);
});
