/** Scatter of two values of groups and runs, as the registry knows it. */

import type { Sankey } from '../api.ts';
import { withClause } from '../logic/lens.ts';
import { defineView } from '../registry/definition.ts';
import { metrics } from '../registry/options.ts';
import { choice, flag, text } from '../registry/settings.ts';

const settings = {
  x: choice(
    [
      ['inclusive', 'inclusive'],
      ['exclusive', 'exclusive'],
    ],
    'value',
    'list',
  ),
  y: choice(
    [
      ['exclusive', 'exclusive'],
      ['inclusive', 'inclusive'],
    ],
    'against',
    'list',
  ),
  metric: text('of metric', 'the same', metrics),
  log: choice(
    [
      ['1', 'logarithmic'],
      ['0', 'linear'],
    ],
    'axes',
    'list',
  ),
  swap: flag('swap axes', false, 'Key Shift+X in the picture'),
  fit: flag('regression', false, 'A line of least squares per group'),
};

export type Answers = { readonly x: Sankey; readonly y?: Sankey | undefined };
export type Settings = {
  readonly x: 'inclusive' | 'exclusive';
  readonly y: 'inclusive' | 'exclusive';
  readonly metric: string;
  readonly log: '1' | '0';
  /** Whether the first value goes upwards, and the second one to the right. */
  readonly swap: boolean;
  readonly fit: boolean;
};

export const scatter = defineView<Answers, typeof settings>({
  id: 'scatter',
  title: 'Scatter',
  about:
    'Two values of each group and run against each other: expensive leaves, and runs that leave the pattern',
  place: 'either',
  settings,
  query(selection, { metric }) {
    const other = metric.trim();
    return {
      requests: {
        x: {
          route: 'sankey',
          query: { lens: selection.shape },
          what: 'Reading the values of groups',
          format: 'arrow',
        },
        y: other
          ? {
              route: 'sankey',
              query: { lens: withClause(selection.shape, `metric ${other}`) },
              what: `Reading ${other} of groups`,
              format: 'arrow',
            }
          : undefined,
      },
    };
  },
  quantity: (selection) =>
    [selection.metric?.label, 'one dot per group and run'].filter(Boolean).join(', '),
  load: () => import('./module.ts').then(({ module }) => module),
});
