/** Projection of runs, as the registry knows it. */

import type { components } from '../generated/api.ts';
import { defineView } from '../registry/definition.ts';
import { allParameters } from '../registry/options.ts';
import { choice, numeric, text } from '../registry/settings.ts';
import { MEASURES } from '../similarity/definition.ts';

const settings = {
  by: choice(
    [
      ['behaviour', 'what they do'],
      ['parameters', 'parameters'],
    ],
    'Distance between runs',
  ),
  measure: choice(MEASURES, 'alike in', 'list'),
  clusters: numeric(0, [0, 20], 'clusters (0: chosen)'),
  colour: text('colour by', 'cluster', allParameters),
  subsets: text(),
};

export type Answers = { readonly projection: components['schemas']['Projection'] };
export type Settings = {
  readonly by: 'behaviour' | 'parameters';
  readonly measure: (typeof MEASURES)[number][0];
  readonly clusters: number;
  readonly colour: string;
  /** Sub-ensembles with names; see `logic/subsets.ts`. */
  readonly subsets: string;
};

export const projection = defineView<Answers, typeof settings>({
  id: 'projection',
  title: 'Projection',
  about: 'Which runs behave alike or have alike parameters; a lasso makes a sub-ensemble',
  place: 'main',
  settings,
  query: (selection, { measure, clusters }) => ({
    requests: {
      projection: {
        route: 'projection',
        query: { lens: selection.shape, measure, clusters: clusters > 0 ? clusters : '' },
        what: 'Projecting runs to a plane',
      },
    },
  }),
  quantity: () => 'distances between runs',
  load: () => import('./module.ts').then(({ module }) => module),
});
