/** Task graph of one run, or of two next to each other, as the registry knows it. */

import type { GrainDiff, Groups, Stats, Tree } from '../api.ts';
import type { Columns } from '../data/columns.ts';
import { defineView } from '../registry/definition.ts';
import { definitionsOf, NO_RUN, treeOf } from '../registry/one-run.ts';
import { choice, flag, numeric, text } from '../registry/settings.ts';

const settings = {
  colour: choice(
    [
      ['definition', 'definition'],
      ['worker', 'worker'],
    ],
    'colour',
    'list',
  ),
  height: choice(
    [
      ['same', 'all alike'],
      ['linear', 'by time'],
      ['power', 'by time, power 0.42'],
      ['log', 'by time, logarithm'],
    ],
    'height',
    'list',
  ),
  edges: choice(
    [
      ['angles', 'right angles'],
      ['straight', 'straight'],
      ['none', 'none'],
    ],
    'edges',
    'list',
  ),
  critical: flag('critical path', true),
  /** Levels that are open. */
  depth: numeric(5, [0, 64]),
  /** Groups opened and closed by hand: numbers, with `-` before closed ones. */
  hand: text(),
  /** The same of groups that only the second run has. */
  otherHand: text(),
};

/** Parts are pages of children, `times` of grains, and `renames`: those of the second run begin with `other`. */
export interface Answers {
  readonly tree: Tree;
  readonly definitions: Stats | undefined;
  readonly other: Tree | undefined;
  readonly [part: string]: Tree | Stats | Groups | GrainDiff | Columns | undefined;
}

export interface Settings {
  readonly colour: 'definition' | 'worker';
  readonly height: 'same' | 'linear' | 'power' | 'log';
  readonly edges: 'angles' | 'straight' | 'none';
  readonly critical: boolean;
  readonly depth: number;
  readonly hand: string;
  readonly otherHand: string;
}

export const dag = defineView<Answers, typeof settings>({
  id: 'dag',
  title: 'Task graph',
  about:
    'How tasks create and wait for each other, and how long each part took, from one node to all grains',
  place: 'either',
  settings,
  query({ run, otherRun }) {
    if (run === '') return NO_RUN;
    return {
      requests: {
        tree: treeOf(run),
        definitions: definitionsOf(run),
        other: otherRun === '' ? undefined : treeOf(otherRun),
      },
    };
  },
  quantity: (_, { height }) =>
    height === 'same' ? '' : 'height: work of a grain, begin to end of a closed group',
  load: () => import('./module.ts').then(({ module }) => module),
});
