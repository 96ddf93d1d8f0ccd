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
    ],
    'columns',
    'list',
  ),
  run: text(),
};

export type Answers = { readonly locations: components['schemas']['Locations'] };
export type Settings = {
  readonly by: 'ranks' | 'workers';
  readonly order: 'imbalance' | 'value';
  readonly scope: 'exclusive' | 'inclusive';
  readonly columns: 'number' | 'total';
  readonly run: string;
};

export const locations = defineView<Answers, typeof settings>({
  id: 'locations',
  title: 'Imbalance',
  about: 'Which ranks or workers need more than the others, and in which group',
  place: 'either',
  settings,
  query({ shape, isDiff, a, b, target }, { by, order, scope, run }) {
    const sides = isDiff ? [...(a?.runs ?? []), ...(b?.runs ?? [])] : (target?.runs ?? []);
    const runs = sides.length > 0 ? sides : run ? [run] : [];
    const lens = withClause(shape, `scope ${scope}`);
    return {
      requests: {
        locations: {
          route: 'locations',
          query: {
            lens: runs.length > 0 ? withClause(lens, `where ${runsExpression(runs)}`) : lens,
            by,
            order,
            columns: COLUMNS,
            limit: GROUPS,
            ...(runs.length > 0 ? {} : { runs: RUNS }),
          },
          what: `Reading values of ${by}`,
        },
      },
    };
  },
  quantity: (selection, { scope, by }) =>
    [scope, selection.metric?.label, `by ${by.slice(0, -1)}, relative to the mean`]
      .filter(Boolean)
      .join(' '),
  load: () => import('./module.ts').then(({ module }) => module),
});
