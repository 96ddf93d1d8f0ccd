/** Box plots of groups, as the registry knows them. */

import type { Sankey } from '../api.ts';
import type { components } from '../generated/api.ts';
import { withClause } from '../logic/lens.ts';
import { runsExpression } from '../logic/selectors.ts';
import { defineView } from '../registry/definition.ts';
import { choice, flag, text } from '../registry/settings.ts';

const settings = {
  over: choice(
    [
      ['runs', 'runs'],
      ['ranks', 'ranks'],
      ['workers', 'workers'],
    ],
    'values of',
    'list',
  ),
  sort: choice<string>(
    [
      ['median'],
      ['difference'],
      ['ratio', 'largest ratio'],
      ['lowest', 'lowest median'],
      ['mean'],
      ['max'],
      ['spread'],
      ['imbalance'],
      ['absent'],
      ['name'],
    ].flatMap(([key = '', label = key]) => [
      [`-${key}`, `${label} ▾`],
      [key, `${label} ▴`],
    ]) as [string, string][],
    'sort by',
    'list',
  ),
  filter: text('filter', 'part of a name'),
  axis: choice(
    [
      ['common', 'one axis'],
      ['own', 'an axis per row'],
    ],
    'axis',
    'list',
  ),
  numbers: choice(
    [
      ['spread', 'spread'],
      ['cohorts', 'medians of cohorts'],
    ],
    'numbers',
    'list',
  ),
  whiskers: choice(
    [
      ['1.5', '1.5 × the box'],
      ['2', '2 × the box'],
      ['3', '3 × the box'],
      ['range', 'all values'],
    ],
    'whiskers',
    'list',
  ),
  log: flag('log', false, 'Logarithmic axis'),
};

type Stats = components['schemas']['Stats'];
/**
 * Over runs, distributions of the service; over ranks and workers, those of `locations`. The part `values` has the
 * value of each run.
 */
export type Answers = {
  readonly stats?: Stats | undefined;
  readonly target?: Stats | undefined;
  readonly values?: Sankey | undefined;
  readonly locations?: components['schemas']['Locations'] | undefined;
};
export type Settings = {
  readonly over: 'runs' | 'ranks' | 'workers';
  readonly sort: string;
  readonly filter: string;
  readonly axis: 'common' | 'own';
  /** What the columns of numbers show: one column per cohort, or how values spread. */
  readonly numbers: 'spread' | 'cohorts';
  /** How far whiskers reach at most, in heights of the box. */
  readonly whiskers: '1.5' | '2' | '3' | 'range';
  readonly log: boolean;
};

export const boxes = defineView<Answers, typeof settings>({
  id: 'boxes',
  title: 'Box plots',
  about: 'How much each group varies over runs, ranks or workers, and how balanced it is',
  place: 'either',
  settings,
  query(selection, { over }) {
    if (over !== 'runs')
      return {
        requests: {
          stats: undefined,
          target: undefined,
          locations: {
            route: 'locations',
            // The picture shows distributions only.
            query: { lens: selection.shape, by: over, order: 'value', columns: 1 },
            what: `Computing distributions over ${over}`,
          },
        },
      };
    const [run, ...others] = selection.target?.runs ?? [];
    return {
      requests: {
        locations: undefined,
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
  quantity: (selection, { over }) =>
    [selection.scope, selection.metric?.label, `over ${over}`].filter(Boolean).join(' '),
  load: () => import('./module.ts').then(({ module }) => module),
});
