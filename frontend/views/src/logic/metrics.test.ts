import { expect, test } from 'vitest';
import { metricLabel, unitLabel } from './metrics.ts';

test('metrics have names for people', () => {
  expect(metricLabel({ name: 'work_ns' })).toBe('work');
  expect(metricLabel({ name: 'resident_bytes' })).toBe('resident');
  expect(metricLabel({ name: 'sum#time.duration', source: 'Avg time/rank' })).toBe('Avg time/rank');
  expect(metricLabel({ name: 'avg#inclusive#sum#time', source: 'avg#inclusive#sum#time' })).toBe(
    'avg inclusive sum time',
  );
  expect(metricLabel({ name: '_ns' })).toBe('_ns');
  expect(metricLabel({ name: 'cputime_exclusive_us', source: 'CPUTIME (usec) (E)' })).toBe(
    'processor time',
  );
});

test('an unknown unit is stated, not left out', () => {
  expect([unitLabel('ns'), unitLabel('unknown'), unitLabel('count'), unitLabel(undefined)]).toEqual(
    ['ns', 'unit unknown', '', ''],
  );
});
