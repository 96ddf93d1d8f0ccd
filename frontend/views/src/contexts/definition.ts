/** Calling-context tree with pruned subtrees, as the registry knows it. */

import type { Hierarchy, Sankey } from '../api.ts';
import { lensInside } from '../logic/lens.ts';
import { defineView } from '../registry/definition.ts';
import { metrics } from '../registry/options.ts';
import { choice, text } from '../registry/settings.ts';

const settings = {
  size: choice(
    [
      ['inclusive', 'inclusive'],
      ['exclusive', 'exclusive'],
    ],
    'size',
    'list',
  ),
  colour: choice(
    [
      ['exclusive', 'exclusive'],
      ['inclusive', 'inclusive'],
    ],
    'colour',
    'list',
  ),
  metric: text('of metric', 'the same', metrics),
  /** Group at the root of the tree; the one with the largest value if it is empty. */
  root: text(),
  prune: choice(
    [
      ['outliers', 'outliers'],
      ['range', 'range'],
      ['all', 'all'],
    ],
    'Contexts that are shown',
  ),
  /** Range of the colour's values, for `range`. */
  from: text(),
  to: text(),
  /** Contexts whose children are all shown, and contexts that are closed, by id. */
  open: text(),
  shut: text(),
  /** Class of the legend that stands out. */
  stand: text(),
};

/** `sankey` names the roots; parts are `tree` and, for another metric, `other`. */
export interface Answers {
  readonly sankey: Sankey;
  readonly [part: string]: Sankey | Hierarchy | undefined;
}

export interface Settings {
  readonly size: 'inclusive' | 'exclusive';
  readonly colour: 'inclusive' | 'exclusive';
  readonly metric: string;
  readonly root: string;
  readonly prune: 'outliers' | 'range' | 'all';
  readonly from: string;
  readonly to: string;
  readonly open: string;
  readonly shut: string;
  readonly stand: string;
}

export const contexts = defineView<Answers, typeof settings>({
  id: 'contexts',
  title: 'Calling contexts',
  about: 'Which call paths stand out: the tree of contexts without those that are ordinary',
  place: 'either',
  settings,
  query: (selection) => ({
    requests: {
      sankey: {
        route: 'sankey',
        query: { lens: lensInside(selection) },
        what: 'Finding the roots of the call tree',
      },
    },
  }),
  quantity: ({ metric, run, otherRun, isDiff }, { size, colour, metric: other }) =>
    `size: ${size} ${metric?.label ?? ''}; colour: ${colour} ${other || (metric?.label ?? '')}${(run ? otherRun : isDiff) ? ', B − A' : ''}`,
  load: () => import('./module.ts').then(({ module }) => module),
});
