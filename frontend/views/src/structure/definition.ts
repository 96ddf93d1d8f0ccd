/** The structure page, as the registry knows it. */

import type { Diff } from '../api.ts';
import type { components } from '../generated/api.ts';
import { defineView } from '../registry/definition.ts';
import { text } from '../registry/settings.ts';

const settings = { sort: text() };

export type Answers = {
  readonly diff: Diff;
  readonly mapping?: components['schemas']['Mapping'] | undefined;
};
export type Settings = { readonly sort: string };

export const structure = defineView<Answers, typeof settings>({
  id: 'structure',
  title: 'Structure',
  about: 'Which definitions were renamed, wrapped, moved, added or removed, and how sure that is',
  place: 'main',
  settings,
  query: (selection) =>
    selection.isDiff
      ? {
          requests: {
            diff: {
              route: 'diff',
              query: { lens: selection.lens },
              what: 'Matching definitions of both sides',
            },
            mapping: { route: 'mapping', query: {}, what: 'Reading the mapping of the store' },
          },
        }
      : {
          empty: {
            title: 'Structure is compared between two sides',
            text: 'Choose A and B in the list of runs.',
            steps: [{ label: 'Compare first and last', action: { command: 'diff' } }],
          },
        },
  quantity: () => 'shares of exclusive work of both sides',
  load: () => import('./module.ts').then(({ module }) => module),
});
