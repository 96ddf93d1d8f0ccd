/** The table of functions, as the registry knows it. */

import type { components } from '../generated/api.ts';
import type { Diff } from '../api.ts';
import { withClause, without } from '../logic/lens.ts';
import { defineView } from '../registry/definition.ts';
import { text } from '../registry/settings.ts';

const settings = { filter: text('filter', 'part of a name'), sort: text() };

type Stats = components['schemas']['Stats'];
export type Answers = {
  readonly exclusive: Stats;
  readonly inclusive: Stats;
  /** Every call path: callers and callees are made of these. */
  readonly contexts: Stats;
  readonly diff?: Diff | undefined;
};
export type Settings = { readonly filter: string; readonly sort: string };

export const functions = defineView<Answers, typeof settings>({
  id: 'functions',
  title: 'Functions',
  about: 'Which functions take the time, who calls them and what they call',
  place: 'either',
  settings,
  query(selection) {
    const lens = without(selection.shape, 'by', 'scope');
    const exclusive = withClause(lens, 'scope exclusive');
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
        diff: selection.isDiff
          ? { route: 'diff', query: { lens: selection.lens }, what: 'Comparing functions' }
          : undefined,
      },
    };
  },
  quantity: (selection) => [selection.metric?.label, 'mean over runs'].filter(Boolean).join(', '),
  load: () => import('./module.ts').then(({ module }) => module),
});
