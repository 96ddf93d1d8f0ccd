/** Heat map of ranks or workers, as the registry knows it. */

import type { components } from '../generated/api.ts';
import { withClause } from '../logic/lens.ts';
import { runsExpression } from '../logic/selectors.ts';
import { defineView } from '../registry/definition.ts';
import { choice, text } from '../registry/settings.ts';

/** Columns that a picture has room for, and groups. */
const COLUMNS = 512;
const GROUPS = 200;
/** Runs to choose from, if the lens has no target and compares no sides. */
const RUNS = 8;
/** Runs that a target is compared with. */
const OTHERS = 32;

const settings = {
  by: choice(
    [
      ['ranks', 'ranks'],
      ['workers', 'workers'],
    ],
    'Locations',
  ),
  order: choice(
    [
      ['imbalance', 'imbalance'],
      ['value', 'value'],
    ],
    'Largest first',
  ),
  scope: choice(
    [
      ['exclusive', 'exclusive'],
      ['inclusive', 'inclusive'],
    ],
    'Scope',
  ),
  columns: choice(
    [
      ['number', 'by number'],
      ['total', 'by total'],
      ['group', 'by the group'],
      ['node', 'by NUMA node'],
    ],
    'columns',
    'list',
  ),
  against: choice(
    [
      ['nothing', 'alone'],
      ['ensemble', 'less the other runs'],
    ],
    'target',
    'list',
  ),
  run: text(),
};

export type Answers = {
  readonly locations: components['schemas']['Locations'];
  /** Runs that the target is compared with, if it is. */
  readonly others?: components['schemas']['Locations'] | undefined;
};
export type Settings = {
  readonly by: 'ranks' | 'workers';
  readonly order: 'imbalance' | 'value';
  readonly scope: 'exclusive' | 'inclusive';
  readonly columns: 'number' | 'total' | 'group' | 'node';
  readonly against: 'nothing' | 'ensemble';
  readonly run: string;
};

export const locations = defineView<Answers, typeof settings>({
  id: 'locations',
  title: 'Imbalance',
  about: 'Which ranks or workers need more than the others, and in which group',
  place: 'either',
  settings,
  query({ shape, isDiff, a, b, target }, { by, order, scope, run, against }) {
    const sides = isDiff ? [...(a?.runs ?? []), ...(b?.runs ?? [])] : (target?.runs ?? []);
    const runs = sides.length > 0 ? sides : run ? [run] : [];
    const lens = withClause(shape, `scope ${scope}`);
    const common = { by, order, columns: COLUMNS, limit: GROUPS };
    const isAgainst = !isDiff && target !== undefined && against === 'ensemble';
    return {
      requests: {
        locations: {
          route: 'locations',
          query: {
            lens: runs.length > 0 ? withClause(lens, `where ${runsExpression(runs)}`) : lens,
            ...common,
            ...(runs.length > 0 ? {} : { runs: RUNS }),
          },
          what: `Reading values of ${by}`,
        },
        others: isAgainst
          ? {
              route: 'locations',
              query: { lens, ...common, runs: OTHERS },
              what: `Reading values of ${by} of the other runs`,
            }
          : undefined,
      },
    };
  },
  quantity: (selection, { scope, by, against }) =>
    [
      scope,
      selection.metric?.label,
      `by ${by.slice(0, -1)},`,
      selection.isDiff
        ? 'B − A'
        : selection.target && against === 'ensemble'
          ? 'target less the mean of the other runs'
          : 'relative to the mean',
    ]
      .filter(Boolean)
      .join(' '),
  load: () => import('./module.ts').then(({ module }) => module),
});
