import { expect, test } from 'vitest';
import { codeOf } from './code.ts';
import type { State } from './model.ts';

const EMPTY: State = { view: 'sankey', lens: '', selection: {}, settings: {} };

function lines(state: Partial<State>, source = 'study'): string[] {
  return codeOf({ ...EMPTY, ...state }, source)
    .split('\n')
    .slice(2, -1);
}

test('each clause is a call', () => {
  const lens =
    'where threads >= 4 | by threads, version | level context | metric `work_ns` | over ranks=max | below 2% | split "msort" callees | reveal "a | b" | hide "x\\"y" | target "run 1"';
  expect(lines({ lens })).toEqual([
    'ensemble = gs.open("study").where("threads >= 4").by("threads", "version").level("context")' +
      '.metric("work_ns").over(ranks="max").below(0.02).split("msort", into="callees")' +
      '.reveal("a | b").hide("x\\"y").target("run 1")',
    'gs.Widget(ensemble, "sankey")',
  ]);
});

test('selection, settings and a comparison are arguments', () => {
  const state = {
    view: 'explain',
    lens: 'by version | diff "version == 1" to "version == 2"',
    selection: { grain: 5, runs: ['a'] },
    settings: { 'explain.by': 'path' },
  };
  expect(lines(state)).toEqual([
    'ensemble = gs.open("study").by("version")',
    'gs.Widget(ensemble, "explain", diff=["version == 1", "version == 2"], ' +
      'selection={"grain": 5, "runs": ["a"]}, settings={"explain.by": "path"})',
  ]);
});

test('a clause without a call keeps the lens as text', () => {
  expect(lines({ lens: 'by threads | bins 40' })).toEqual([
    'ensemble = gs.open("study").with_lens("by threads | bins 40")',
    'gs.Widget(ensemble, "sankey")',
  ]);
});

test('hostile names stay inside of their quotes', () => {
  const lens = 'hide "\u202e\\"); import os #"';
  expect(lines({ lens })[0]).toBe('ensemble = gs.open("study").hide("\\u202e\\"); import os #")');
});
