/** Aggregated grain graph: nested groups of grains of one run, as the registry knows it. */

import type { Groups, Paths, Problems, Stats, Tree } from '../api.ts';
import { defineView } from '../registry/definition.ts';
import { NO_RUN, routeOf } from '../registry/one-run.ts';
import { choice, flag, numeric, text } from '../registry/settings.ts';

const settings = {
  /** Condition that marks groups; empty for the problem with most to win, `-` for none. */
  problem: text(),
  /** Groups that are open without having been opened one by one. */
  opened: choice([
    ['', 'one by one'],
    ['depth', 'to a depth'],
    ['critical', 'critical path'],
    ['problems', 'problems'],
    ['worst', 'way to the worst'],
  ]),
  depth: numeric(3, [0, 64]),
  /** Groups opened and closed by hand: numbers, with `-` before closed ones. */
  hand: text(),
  /** Group that the picture is of. */
  root: numeric(0, [0, 4e9]),
  /** Groups of which all children are shown. */
  whole: text(),
  separate: flag('separate', false, 'Put what has no problem into one group'),
};

/** `tree` is the whole run without marks; parts are `definitions`, `paths` of the group shown, `problems`, `marked` and pages of children. */
export interface Answers {
  readonly tree: Tree;
  readonly [part: string]: Tree | Problems | Groups | Stats | Paths | undefined;
}

export interface Settings {
  readonly problem: string;
  readonly opened: '' | 'depth' | 'critical' | 'problems' | 'worst';
  readonly depth: number;
  readonly hand: string;
  readonly root: number;
  readonly whole: string;
  readonly separate: boolean;
}

export const groups = defineView<Answers, typeof settings>({
  id: 'groups',
  title: 'Groups',
  key: 'Shift+G',
  about: 'Which part of a run has a problem: its grains in nested groups, opened one by one',
  place: 'either',
  settings,
  query(selection) {
    if (selection.run === '') return NO_RUN;
    // The marks follow as a part: the names of metrics depend on the unit of the run.
    const route = routeOf(selection.run, 'tree');
    return { requests: { tree: { route, query: {}, what: 'Grouping the grains' } } };
  },
  quantity: (_, { problem }) => (problem === '' || problem === '-' ? '' : problem),
  load: () => import('./module.ts').then(({ module }) => module),
});
