/** Causes of a difference, as the registry knows them. */

import type { components } from '../generated/api.ts';
import { defineView } from '../registry/definition.ts';
import { choice, text } from '../registry/settings.ts';

const settings = {
  by: choice(
    [
      ['first', 'first view'],
      ['workers', 'workers'],
      ['path', 'path'],
      ['ranks', 'ranks'],
    ],
    'divided by',
    'list',
  ),
  /** Key of the chosen cause; empty for the largest. */
  cause: text(),
};

export type Answers = { readonly explain: components['schemas']['Explanation'] };
export type Settings = {
  readonly by: 'first' | 'workers' | 'path' | 'ranks';
  readonly cause: string;
};

export const explain = defineView<Answers, typeof settings>({
  id: 'explain',
  title: 'Causes',
  about: 'Why the candidate takes longer than the baseline: causes that add up to the difference',
  place: 'main',
  settings,
  query(selection) {
    if (!selection.isDiff)
      return {
        empty: {
          title: 'Causes need a baseline and a candidate',
          text: 'Choose A and B in the list of runs.',
          steps: [{ label: 'Compare first and last', action: { command: 'diff' } }],
        },
      };
    return {
      requests: {
        explain: {
          route: 'explain',
          query: { lens: selection.lens },
          what: 'Dividing the elapsed time of each run into its parts',
        },
      },
    };
  },
  quantity: () => 'parts of the difference of the elapsed times, B − A',
  load: () => import('./module.ts').then(({ module }) => module),
});
