import { expect, test } from 'vitest';
import { canonical, pickedOf, stateOf } from './model.ts';

test('a selection keeps what is understood', () => {
  const given = {
    group: 'a',
    site: '',
    runs: ['x'],
    run: 5,
    grain: 7,
    time: [0, 9],
    other_run: 'y',
    more: true,
  };
  expect(pickedOf(given)).toEqual({
    group: 'a',
    other_run: 'y',
    runs: ['x'],
    grain: 7,
    time: [0, 9],
  });
  expect(pickedOf({ grain: -1, time: [1], runs: [1] })).toEqual({});
  expect(pickedOf(undefined)).toEqual({});
});

test('traits without values are the default state', () => {
  expect(stateOf({ get: () => undefined })).toEqual({
    view: 'sankey',
    lens: '',
    selection: {},
    settings: {},
  });
});

test('the order of fields does not make a difference', () => {
  expect(canonical({ a: 1, b: { d: 1, c: 2 } })).toBe(canonical({ b: { c: 2, d: 1 }, a: 1 }));
  expect(canonical([1, 2])).not.toBe(canonical([2, 1]));
});
