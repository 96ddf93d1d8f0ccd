/** The noise page, as the registry knows it. */

import type { components } from '../generated/api.ts';
import { defineView } from '../registry/definition.ts';
import { numeric, text } from '../registry/settings.ts';

const settings = {
  alpha: numeric(5, [0.1, 50], 'false alarms, %', 0.1),
  cohort: numeric(0, [0, 10_000]),
  sort: text(),
};

export type Answers = { readonly noise: components['schemas']['Noise'] };
export type Settings = { readonly alpha: number; readonly cohort: number; readonly sort: string };

export const noise = defineView<Answers, typeof settings>({
  id: 'noise',
  title: 'Noise',
  about:
    'How much repeats scatter, which changes they can show, and whether gates between equal runs keep quiet',
  place: 'main',
  settings,
  query: (selection, { alpha }) => ({
    requests: {
      noise: {
        route: 'noise',
        query: { lens: selection.shape, alpha: Math.round(alpha * 1e4) / 1e6 },
        what: 'Dividing repeats into halves and comparing these',
      },
    },
  }),
  quantity: (selection) =>
    ['exclusive', selection.metric?.label, 'of repeats'].filter(Boolean).join(' '),
  load: () => import('./module.ts').then(({ module }) => module),
});
