import { expect, test } from 'vitest';
import { decodeState, encodeState, INITIAL, type PageState } from './url.ts';

const FULL: PageState = {
  store: 'a b&c',
  lens: 'where x == "1|2" | target "é"',
  layout: 'compare',
  group: 'abc',
  site: 'def',
  tab: 'runs',
  panes: '(sankey/62/tree)',
  order: 'name',
  diffOrder: 'relative',
  diffMode: 'normalised',
  hotShare: '30',
  at: '2_0.5_0.25',
  legend: 'border-2',
  depth: '4',
  runOrder: 'name',
  widths: '200-400',
  isRanks: true,
  groupBy: 'threads',
  isUnfolded: true,
  moved: ['abc:0.25'],
  run: '0123',
  otherRun: '4567',
  definition: 'sort_range (task)',
  grain: 'g',
  runs: ['r1', 'r2'],
  time: '0-1500',
  views: { 'box-plots.axis': 'row', 'distribution.mode': 'call_sites' },
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

test('former names of settings still lead to them', () => {
  expect(decodeState('?v=1&mode=workers&log=1').views).toEqual({
    'distribution.mode': 'workers',
    'distribution.log': '1',
  });
});

test('what is unknown falls back', () => {
  expect(decodeState('?v=1&layout=nonsense&mode=')).toEqual(INITIAL);
  expect(decodeState('?v=99&lens=bins+5&tab=runs')).toEqual({ ...INITIAL, lens: 'bins 5' });
  expect(decodeState('')).toEqual(INITIAL);
});
