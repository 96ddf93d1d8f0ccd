/** Box plots of groups, as the registry knows them. */

import type { components } from '../generated/api.ts';
import { withClause } from '../logic/lens.ts';
import { runsExpression } from '../logic/selectors.ts';
import { defineView } from '../registry/definition.ts';
import { choice, flag, text } from '../registry/settings.ts';

const settings = {
  sort: text(),
  filter: text('filter', 'part of a name'),
  axis: choice(
    [
      ['common', 'one axis'],
      ['own', 'an axis per row'],
    ],
    'Axis',
  ),
  log: flag('log', false, 'Logarithmic axis'),
};

type Stats = components['schemas']['Stats'];
export type Answers = { readonly stats: Stats; readonly target?: Stats | undefined };
export type Settings = {
  readonly sort: string;
  readonly filter: string;
  readonly axis: 'common' | 'own';
  readonly log: boolean;
};

export const boxes = defineView<Answers, typeof settings>({
  id: 'boxes',
  title: 'Box plots',
  about: 'How much each group varies over runs, cohort by cohort, and how balanced it is',
  place: 'either',
  settings,
  query(selection) {
    const [run, ...others] = selection.target?.runs ?? [];
    return {
      requests: {
        stats: {
          route: 'stats',
          query: { lens: selection.shape },
          what: 'Computing distributions of all groups',
        },
        target:
          run !== undefined && others.length === 0
            ? {
                route: 'stats',
                query: { lens: withClause(selection.shape, `where ${runsExpression([run])}`) },
                what: 'Reading the values of the target',
              }
            : undefined,
      },
    };
  },
  quantity: (selection) =>
    [selection.scope, selection.metric?.label, 'over runs'].filter(Boolean).join(' '),
  load: () => import('./module.ts').then(({ module }) => module),
});
