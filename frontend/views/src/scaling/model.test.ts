import { expect, test } from 'vitest';
import {
  measuredOf,
  type ScaleLoss,
  type ScaleModel,
  type ScalePoint,
  readReductions,
  slicesOf,
  timeOf,
  writeReductions,
} from './model.ts';

const point = (p: number, value: number, extra: Partial<ScalePoint> = {}): ScalePoint => ({
  series: 0,
  p,
  value,
  run: `r${p}`,
  runs: [`r${p}`],
  oversubscribed: false,
  ...extra,
});

const model = (law: string, parameters: Record<string, number>): ScaleModel =>
  ({
    series: 0,
    law,
    path: [],
    points: 6,
    flags: [],
    parameters: Object.entries(parameters).map(([name, value]) => ({ name, value })),
  }) as unknown as ScaleModel;

// Reference values of the statistics guide: P1 has a serial part of 5 %, P3 follows the USL.
test.each<[string, Record<string, number>, number, number]>([
  ['amdahl', { serial_time: 5, parallel_time: 95 }, 32, 100 / 12.54902],
  ['usl', { lambda: 1, sigma: 0.03, kappa: 0.0008 }, 64, 1000 / 10.46504],
  ['log2', { constant: 9.94, slope: 0.546667 }, 512, 14.86],
  ['power', { coefficient: 10, exponent: 0.064161 }, 512, 14.922],
  ['pmnf', { constant: 5, factor: 95, exponent: -1, log_exponent: 0 }, 32, 7.96875],
  [
    'pmnf',
    { constant: 18.989286, factor: 0.985714, exponent: 1 / 3, log_exponent: 0 },
    512,
    26.875,
  ],
])('time of %s', (law, parameters, p, expected) => {
  const first = point(1, law === 'usl' ? 1000 : 100);
  expect(timeOf(model(law, parameters), first)?.(p)).toBeCloseTo(expected, 2);
});

test('a law without its parameters is not drawn', () => {
  expect(timeOf(model('amdahl', { serial_time: 1 }), point(1, 1))).toBeUndefined();
});

test('intervals of a speedup become those of the efficiency', () => {
  const first = point(1, 100);
  const at = point(4, 50, { speedup_interval: [1.8, 2.2] });
  expect(measuredOf('efficiency', 'strong', at, first)).toEqual({
    value: 0.5,
    interval: [0.45, 0.55],
  });
  expect(measuredOf('speedup', 'weak', at, first).value).toBe(8);
});

test('slices add up to the whole, gains lie below zero', () => {
  const loss = { area: 100, ideal: 60, inflation: -10, overhead: 30, idle: 20 } as ScaleLoss;
  const slices = slicesOf(loss);
  expect(slices.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1, 12);
  expect(slices.find(({ part }) => part === 'inflation')).toMatchObject({ from: 0, to: -0.1 });
});

test('reductions survive the address', () => {
  const given = new Map([
    ['a:b', 0.6],
    ['c', 1],
  ]);
  expect(readReductions(writeReductions(given))).toEqual(given);
  expect(readReductions('x:7,:,y')).toEqual(new Map());
});
