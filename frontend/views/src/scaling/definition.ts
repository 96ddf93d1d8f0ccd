/** The scaling page, as the registry knows it. */

import type { components } from '../generated/api.ts';
import { defineView } from '../registry/definition.ts';
import { numericParameters } from '../registry/options.ts';
import { choice, flag, numeric, text } from '../registry/settings.ts';

const settings = {
  quantity: choice(
    [
      ['speedup', 'speed-up'],
      ['efficiency', 'efficiency'],
      ['time', 'time'],
    ],
    'What the curve shows',
  ),
  by: text('by', 'what grows', numericParameters),
  series: numeric(-1, [-1, 10_000]),
  all: flag(),
  whatif: text(),
};

export type Answers = { readonly scale: components['schemas']['Scale'] };
export type Settings = {
  readonly quantity: 'speedup' | 'efficiency' | 'time';
  readonly by: string;
  readonly series: number;
  readonly all: boolean;
  readonly whatif: string;
};

export const scaling = defineView<Answers, typeof settings>({
  id: 'scaling',
  title: 'Scaling',
  about: 'How much faster more workers are, where their time goes, and which runs are out of order',
  place: 'main',
  settings,
  query(selection, settings) {
    const by = settings.by.trim() || selection.growing;
    if (!by)
      return {
        empty: {
          title: 'Which parameter grows?',
          text: 'Scaling needs a number in which runs differ. Choose one here or next to `by`.',
          steps: ['threads', 'ranks', 'workers'].map((name) => ({
            label: `by ${name}`,
            action: { set: { by: name } },
          })),
        },
      };
    return {
      requests: {
        scale: {
          route: 'scale',
          query: { lens: selection.shape, by },
          what: `Fitting laws to times over ${by}`,
        },
      },
    };
  },
  quantity: () => 'median over runs',
  load: () => import('./module.ts').then(({ module }) => module),
});
