/** Aggregated grain graph: nested groups of grains of one run, as the registry knows it. */

import type { GrainDiff, Groups, Paths, Problems, SimilarGroups, Stats, Tree } from '../api.ts';
import { defineView } from '../registry/definition.ts';
import { NO_RUN, treeOf } from '../registry/one-run.ts';
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
    /** To the worst grain, or of two runs to the largest difference. */
    ['worst', 'way to the worst'],
  ]),
  depth: numeric(3, [0, 64]),
  /** Groups opened and closed by hand: numbers, with `-` before closed ones; of two runs those of both joined. */
  hand: text(),
  /** Group that the picture is of. */
  root: numeric(0, [0, 2e10]),
  /** Group whose local critical path is drawn; 0 for the one that the picture is of. */
  local: numeric(0, [0, 2e10]),
  /** Group that others are looked for that look like it; 0 for none. */
  similar: numeric(0, [0, 4e9]),
  /** Run in which they are looked for; empty for the same. */
  in: text(),
  /** Groups of which all children are shown. */
  whole: text(),
  second: choice(
    [
      ['shown', 'shown'],
      ['hidden', 'hidden'],
    ],
    'second run',
    'list',
  ),
  separate: flag('separate', false, 'Put what has no problem into one group'),
};

/**
 * `tree` is the whole run without marks; parts are `definitions`, local `paths`, `similar` groups,
 * `problems`, `marked` and pages of children; of the second run pages that begin with `other`, and `renames`.
 */
export interface Answers {
  readonly tree: Tree;
  readonly other: Tree | undefined;
  readonly [part: string]:
    Tree | Problems | Groups | Stats | Paths | SimilarGroups | GrainDiff | undefined;
}

export interface Settings {
  readonly problem: string;
  readonly opened: '' | 'depth' | 'critical' | 'problems' | 'worst';
  readonly depth: number;
  readonly hand: string;
  readonly root: number;
  readonly local: number;
  readonly similar: number;
  readonly in: string;
  readonly whole: string;
  readonly second: 'shown' | 'hidden';
  readonly separate: boolean;
}

export const groups = defineView<Answers, typeof settings>({
  id: 'groups',
  title: 'Groups',
  key: 'Shift+G',
  about: 'Which part of a run has a problem: its grains in nested groups, opened one by one',
  place: 'either',
  settings,
  query({ run, otherRun }, { second }) {
    if (run === '') return NO_RUN;
    // The marks follow as a part: the names of metrics depend on the unit of the run.
    const isTwo = otherRun !== '' && second === 'shown';
    return { requests: { tree: treeOf(run), other: isTwo ? treeOf(otherRun) : undefined } };
  },
  quantity: ({ otherRun }, { problem, second }) =>
    otherRun !== '' && second === 'shown'
      ? 'work in the second run by that in the first'
      : problem === '' || problem === '-'
        ? ''
        : problem,
  load: () => import('./module.ts').then(({ module }) => module),
});
