import { expect, test } from 'vitest';
import { timestrip } from '../timestrip/definition.ts';
import { scatter } from '../scatter/definition.ts';
import { scaling } from '../scaling/definition.ts';
import type { Facts } from './definition.ts';
import {
  choice,
  decodeSettings,
  encodeSettings,
  flag,
  isUnknown,
  numeric,
  text,
} from './settings.ts';

const SCHEMA = {
  mode: choice([
    ['runs', 'runs'],
    ['ranks', 'ranks'],
  ]),
  log: flag(),
  grid: flag('grid', true),
  bins: numeric(20, [1, 200]),
  filter: text(),
};

test('settings survive the address, and defaults stay out of it', () => {
  const values = { mode: 'ranks', log: true, grid: false, bins: 12, filter: 'a&b' } as const;
  const texts = encodeSettings(SCHEMA, values);
  expect(texts).toEqual({ mode: 'ranks', log: '1', grid: '0', bins: '12', filter: 'a&b' });
  expect(decodeSettings(SCHEMA, texts)).toEqual(values);
  expect(encodeSettings(SCHEMA, decodeSettings(SCHEMA, {}))).toEqual({});
});

test('what is unknown or out of range falls back', () => {
  const texts = { mode: 'x', log: 'yes', grid: '', bins: '1000', other: '1' };
  expect(decodeSettings(SCHEMA, texts)).toEqual({
    mode: 'runs',
    log: false,
    grid: true,
    bins: 20,
    filter: '',
  });
});

test('texts that name a metric or a parameter have options, and unknown ones fall back', () => {
  const facts = {
    runs: [
      { params: { threads: 1, app: 'sort', host: 'a' } },
      { params: { threads: 2, app: 'fib', host: 'a' } },
    ],
    metrics: [{ name: 'work_ns' }, { name: 'elapsed_ns' }],
  } as unknown as Facts;
  const { metric } = scatter.settings;
  expect(metric.options?.(facts)).toEqual([
    ['work_ns', 'work'],
    ['elapsed_ns', 'elapsed time'],
  ]);
  const namesOf = (found: readonly (readonly [string, string])[] = []): string[] =>
    found.map(([name]) => name);
  expect(namesOf(timestrip.settings.along.options?.(facts))).toEqual(['app', 'threads']);
  expect(namesOf(scaling.settings.by.options?.(facts))).toEqual(['ranks', 'threads', 'workers']);
  expect(decodeSettings(scatter.settings, { metric: 'work_ns' }, facts).metric).toBe('work_ns');
  expect(decodeSettings(scatter.settings, { metric: 'wrok' }, facts).metric).toBe('');
  expect(isUnknown(metric, 'wrok', facts)).toBe(true);
  // Nothing is known before the runs have arrived.
  const none = { runs: [] } as unknown as Facts;
  expect(decodeSettings(scatter.settings, { metric: 'work_ns' }, none).metric).toBe('work_ns');
  expect(isUnknown(metric, 'wrok', none)).toBe(false);
});
