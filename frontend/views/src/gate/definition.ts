/** The gate page, as the registry knows it. */

import type { components } from '../generated/api.ts';
import { defineView } from '../registry/definition.ts';
import { choice, flag, numeric, text } from '../registry/settings.ts';

const settings = {
  regression: numeric(5, [0, 99], 'regression above, %', 0.5),
  share: numeric(1, [0, 100], 'and of the total, %', 0.1),
  alpha: numeric(5, [0.1, 50], 'false alarms, %', 0.1),
  causes: choice(
    [
      ['slower', 'slower'],
      ['structure', 'structure'],
      ['slower,structure', 'either'],
    ],
    'fails on',
    'list',
  ),
  strict: flag('strict', false, 'What is inconclusive does not pass'),
  sort: text(),
};

export type Answers = { readonly gate: components['schemas']['Gate'] };
export type Settings = {
  readonly regression: number;
  readonly share: number;
  readonly alpha: number;
  readonly causes: 'slower' | 'structure' | 'slower,structure';
  readonly strict: boolean;
  readonly sort: string;
};

export const gate = defineView<Answers, typeof settings>({
  id: 'gate',
  title: 'Gate',
  about: 'Whether the candidate may pass, which groups fail, and what would decide the rest',
  place: 'main',
  settings,
  query(selection, { regression, share, alpha, causes, strict }) {
    if (!selection.isDiff)
      return {
        empty: {
          title: 'A gate needs a baseline and a candidate',
          text: 'Choose A and B in the list of runs.',
          steps: [{ label: 'Compare first and last', action: { command: 'diff' } }],
        },
      };
    return {
      requests: {
        gate: {
          route: 'gate',
          query: {
            lens: selection.lens,
            max_regression: round(regression / 100),
            min_share: round(share / 100),
            alpha: round(alpha / 100),
            fail_on: causes,
            strict: String(strict),
          },
          what: 'Judging the candidate group by group',
        },
      },
    };
  },
  quantity: (selection) =>
    [selection.scope, selection.metric?.label, 'B over A'].filter(Boolean).join(' '),
  load: () => import('./module.ts').then(({ module }) => module),
});

/** Without the noise of binary fractions. */
function round(value: number): number {
  return Math.round(value * 1e6) / 1e6;
}
