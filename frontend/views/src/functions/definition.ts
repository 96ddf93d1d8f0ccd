/** The table of functions, as the registry knows it. */

import type { components } from '../generated/api.ts';
import type { Diff } from '../api.ts';
import { withClause, without } from '../logic/lens.ts';
import { restricted } from '../logic/restrict.ts';
import { runsExpression } from '../logic/selectors.ts';
import { defineView, type Request } from '../registry/definition.ts';
import { flag, text } from '../registry/settings.ts';
import type { Target } from '../ui/view.ts';

const settings = {
  filter: text('filter', 'part of a name'),
  inverted: flag('bottom-up', false, 'Own values of all functions, with their callers above them'),
  sort: text(),
};

type Stats = components['schemas']['Stats'];
export type Answers = {
  readonly exclusive: Stats;
  readonly inclusive: Stats;
  /** Every call path: callers and callees are made of these. */
  readonly contexts: Stats;
  readonly diff?: Diff | undefined;
  /** Exclusive values of each side of a comparison. */
  readonly a?: Stats | undefined;
  readonly b?: Stats | undefined;
};
export type Settings = {
  readonly filter: string;
  readonly inverted: boolean;
  readonly sort: string;
};

export const functions = defineView<Answers, typeof settings>({
  id: 'functions',
  title: 'Functions',
  about: 'Which functions take the time, who calls them and what they call',
  place: 'either',
  settings,
  query(selection) {
    const lens = without(selection.shape, 'by', 'scope');
    const exclusive = withClause(lens, 'scope exclusive');
    const { a, b, isDiff } = selection;
    const sideOf = (side: Target | undefined, name: string): Request | undefined =>
      isDiff && side
        ? {
            route: 'stats',
            query: { lens: restricted(exclusive, runsExpression(side.runs)) },
            what: `Adding up functions of ${name}`,
          }
        : undefined;
    return {
      requests: {
        exclusive: { route: 'stats', query: { lens: exclusive }, what: 'Adding up functions' },
        inclusive: {
          route: 'stats',
          query: { lens: withClause(lens, 'scope inclusive') },
          what: 'Adding up functions with what they call',
        },
        contexts: {
          route: 'stats',
          query: { lens: withClause(exclusive, 'level context') },
          what: 'Reading call paths',
        },
        diff: isDiff
          ? {
              route: 'diff',
              query: { lens: without(selection.lens, 'by', 'scope') },
              what: 'Comparing functions',
            }
          : undefined,
        a: sideOf(a, 'A'),
        b: sideOf(b, 'B'),
      },
    };
  },
  quantity: ({ metric, isDiff }) =>
    [metric?.label, isDiff ? 'means over the runs of each side' : 'mean over runs']
      .filter(Boolean)
      .join(', '),
  load: () => import('./module.ts').then(({ module }) => module),
});
