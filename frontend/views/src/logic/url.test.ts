import { expect, test } from 'vitest';
import { decodeState, encodeState, INITIAL, type PageState } from './url.ts';

const FULL: PageState = {
  store: 'a b&c',
  lens: 'where x == "1|2" | target "é"',
  layout: 'compare',
  group: 'abc',
  site: 'def',
  tab: 'runs',
  mode: 'call_sites',
  isLogY: true,
  isUniform: true,
  zoom: 'z',
  guides: ['one', 'two'],
  isHotPath: true,
  isBackEdges: true,
  a: 'A',
  b: 'B',
  sort: '-total',
  search: '<b>',
};

test('a state survives the address', () => {
  expect(decodeState(encodeState(FULL))).toEqual(FULL);
  expect(decodeState(encodeState(INITIAL))).toEqual(INITIAL);
  expect(encodeState(INITIAL)).toBe('v=1');
});

test('what is unknown falls back', () => {
  expect(decodeState('?v=1&tab=nonsense&layout=run&mode=')).toEqual(INITIAL);
  expect(decodeState('?v=99&lens=bins+5&tab=runs')).toEqual({ ...INITIAL, lens: 'bins 5' });
  expect(decodeState('')).toEqual(INITIAL);
});
