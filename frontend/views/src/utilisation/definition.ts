/** Utilisation of programs and runtimes, as the registry knows it. */

import type { components } from '../generated/api.ts';
import { clauseValue, words } from '../logic/lens.ts';
import { defineView } from '../registry/definition.ts';
import { allParameters, numericParameters } from '../registry/options.ts';
import { text } from '../registry/settings.ts';

const settings = {
  by: text('by', 'threads', numericParameters),
  split: text('a picture per', 'app', allParameters),
};

export type Answers = { readonly scale: components['schemas']['Scale'] };
export type Settings = { readonly by: string; readonly split: string };

export const utilisation = defineView<Answers, typeof settings>({
  id: 'utilisation',
  title: 'Utilisation',
  about: 'How well each program uses its workers under each runtime, and which are worth a look',
  place: 'main',
  settings,
  query(selection, settings) {
    const by =
      settings.by.trim() || words(clauseValue(selection.shape, 'by') ?? '')[0] || 'threads';
    return {
      requests: {
        scale: {
          route: 'scale',
          query: { lens: selection.shape, by },
          what: `Comparing times over ${by}`,
        },
      },
    };
  },
  quantity: () => 'best time of the fewest workers over workers × time',
  load: () => import('./module.ts').then(({ module }) => module),
});
