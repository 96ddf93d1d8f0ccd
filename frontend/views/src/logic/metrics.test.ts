import { expect, test } from 'vitest';
import cases from '../../../../tests/metric-names.json';
import { metricLabel, unitLabel } from './metrics.ts';

test('metrics have names for people', () => {
  expect(metricLabel({ name: 'work_ns' })).toBe('work');
  expect(metricLabel({ name: 'resident_bytes' })).toBe('resident');
  expect(metricLabel({ name: 'sum#time.duration', source: 'Avg time/rank' })).toBe('Avg time/rank');
  const labelled = { name: 'sum_sum_time_duration_ns', source: 'sum#sum#time.duration.ns' };
  expect(metricLabel({ ...labelled, label: 'time (exc)' })).toBe('time (exc)');
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

test('operations of Caliper are stated after the quantity', () => {
  for (const [source, label] of cases) {
    // Other names stay as they are.
    expect(metricLabel({ name: source ?? '', source })).toBe(label ?? source);
  }
  expect(metricLabel({ name: 'sum_sum_time_duration_ns' })).toBe('time (sum over ranks)');
  expect(metricLabel({ name: 'sum_time_duration' })).toBe('time');
});
