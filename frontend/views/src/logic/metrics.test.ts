import { expect, test } from 'vitest';
import { metricLabel, unitLabel } from './metrics.ts';

test('metrics have names for people', () => {
  expect(metricLabel({ name: 'work_ns' })).toBe('work');
  expect(metricLabel({ name: 'resident_bytes' })).toBe('resident');
  expect(metricLabel({ name: 'sum#time.duration', source: 'Avg time/rank' })).toBe('Avg time/rank');
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
  const cases = [
    ['sum#sum#time.duration.ns', 'time (sum over ranks)'],
    ['inclusive#sum#time.duration.ns', 'time, inclusive'],
    ['sum#inclusive#sum#time.duration', 'time, inclusive (sum over ranks)'],
    ['avg#inclusive#sum#time.duration', 'time, inclusive (mean over ranks)'],
    ['max#sum#time.duration', 'time (maximum over ranks)'],
    ['sum#time.duration', 'time'],
    ['avg#time.duration.ns', 'time (mean)'],
    ['max#max#mem.highwatermark', 'mem highwatermark (maximum over ranks of maximum)'],
    ['any#topdown.retiring', 'topdown retiring'],
    ['any#Bytes/Rep', 'Bytes/Rep'],
    ['min#percent_total#count', 'count (minimum over ranks of percent total)'],
    ['##', '##'],
  ] as const;
  for (const [source, label] of cases) expect(metricLabel({ name: '##', source })).toBe(label);
  expect(metricLabel({ name: 'sum_sum_time_duration_ns' })).toBe('time (sum over ranks)');
  expect(metricLabel({ name: 'sum_time_duration' })).toBe('time');
});
