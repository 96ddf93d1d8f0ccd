/** Distribution of one group over runs, call sites, ranks or workers, as the registry knows it. */

import type { Distribution } from '../api.ts';
import { distributionLens } from '../logic/lens.ts';
import { defineView } from '../registry/definition.ts';
import { choice, flag } from '../registry/settings.ts';

const settings = {
  mode: choice(
    [
      ['runs', 'runs'],
      ['call_sites', 'call sites'],
      ['ranks', 'ranks'],
      ['workers', 'workers'],
    ],
    'What is counted',
  ),
  log: flag('log y', false, 'Logarithmic scale of the counts'),
};

/** The part `binned` has the bins of the rule. */
export type Answers = {
  readonly distribution: Distribution;
  readonly binned?: Distribution | undefined;
};
export type Settings = {
  readonly mode: Distribution['mode'];
  readonly log: boolean;
};

export const distribution = defineView<Answers, typeof settings>({
  id: 'distribution',
  title: 'Distribution',
  key: 'Shift+D',
  about: 'How the values of one group spread over runs, call sites, ranks or workers',
  place: 'either',
  settings,
  clauses: ['bins'],
  query(selection, { mode }) {
    if (!selection.group)
      return {
        empty: {
          title: 'Select a node in the picture',
          text: 'Click one, or press Tab and the arrow keys.',
          steps: [{ label: 'Search by name', action: { command: 'search' } }],
        },
      };
    return {
      requests: {
        distribution: {
          route: 'distribution',
          query: { lens: distributionLens(selection, mode), group: selection.group, mode },
          what: `Counting ${mode.replace('_', ' ')} of ${selection.groupName}`,
        },
      },
    };
  },
  quantity: ({ comparison, metric, scope }) =>
    comparison?.quantity ?? [scope, metric?.label].filter(Boolean).join(' '),
  load: () => import('./module.ts').then(({ module }) => module),
});
