import { expect, test } from 'vitest';
import { choice, decodeSettings, encodeSettings, flag, numeric, text } from './settings.ts';

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
