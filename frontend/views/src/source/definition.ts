/** Source pane, as the registry knows it. */

import type { components } from '../generated/api.ts';
import { defineView } from '../registry/definition.ts';

const settings = {};

export type Answers = { readonly source: components['schemas']['Source'] };
export type Settings = Readonly<Record<never, never>>;

export const source = defineView<Answers, typeof settings>({
  id: 'source',
  title: 'Source',
  about: 'The source file of the selected group, with the values of its lines',
  place: 'either',
  settings,
  query({ lens, shape, isDiff, group, groupName }) {
    if (group === '')
      return {
        empty: {
          title: 'Select a group to see its source',
          text: 'The source file is shown with the values of its definitions.',
        },
      };
    return {
      requests: {
        source: {
          route: 'source',
          query: { lens: isDiff ? lens : shape, group },
          what: `Reading the source of ${groupName || 'the group'}`,
        },
      },
    };
  },
  quantity: (selection) =>
    ['exclusive', selection.metric?.label, 'of each definition, mean over runs']
      .filter(Boolean)
      .join(' '),
  load: () => import('./module.ts').then(({ module }) => module),
});
