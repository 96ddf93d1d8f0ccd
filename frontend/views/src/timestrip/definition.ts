/** Runs in the order in which they were made, as the registry knows it. */

import { defineView } from '../registry/definition.ts';
import { varyingParameters } from '../registry/options.ts';
import { text } from '../registry/settings.ts';

const settings = { along: text('along', 'time', varyingParameters) };

/** The runs are known to the page: nothing is asked. */
export type Answers = Record<string, never>;
export type Settings = { readonly along: string };

export const timestrip = defineView<Answers, typeof settings>({
  id: 'time-strip',
  title: 'Time strip',
  about: 'Runs in the order in which they were made; drag to choose A, B, or the runs to keep',
  place: 'second',
  settings,
  query: () => ({ requests: {} }),
  quantity: (selection) => ['total', selection.metric?.label].filter(Boolean).join(' '),
  load: () => import('./module.ts').then(({ module }) => module),
});
