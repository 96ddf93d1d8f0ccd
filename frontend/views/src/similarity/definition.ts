/** Similarity of runs, as the registry knows it. */

import type { components } from '../generated/api.ts';
import { defineView } from '../registry/definition.ts';
import { choice, text } from '../registry/settings.ts';

export const MEASURES = [
  ['metrics', 'metrics of groups'],
  ['structure', 'structure'],
  ['work', 'shares of work'],
  ['wl', 'structure (Weisfeiler–Lehman)'],
] as const;

const settings = {
  measure: choice(MEASURES, 'runs are alike in', 'list'),
  threshold: text('alike from', 'chosen, or 0.9'),
};

export type Answers = { readonly similar: components['schemas']['Similar'] };
export type Settings = {
  readonly measure: (typeof MEASURES)[number][0];
  readonly threshold: string;
};

export const similarity = defineView<Answers, typeof settings>({
  id: 'similarity',
  title: 'Similarity',
  about: 'How alike runs are, which belong together, and what distinguishes them',
  place: 'main',
  settings,
  query: (selection, { measure, threshold }) => ({
    requests: {
      similar: {
        route: 'similar',
        query: { lens: selection.shape, measure, threshold: thresholdOf(threshold) },
        what: 'Comparing each run with each',
      },
    },
  }),
  quantity: () => 'similarity of pairs, 0 to 1',
  load: () => import('./module.ts').then(({ module }) => module),
});

/** A share in the form that the service reads; anything else lets it choose. */
function thresholdOf(text: string): string {
  const value = Number(text);
  return text.trim() !== '' && value >= 0 && value <= 1 ? String(value) : '';
}
