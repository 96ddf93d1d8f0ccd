/** Grain graph of one run with one problem at a time, as the registry knows it. */

import type { GrainDiff, Problems, Stats, Tree } from '../api.ts';
import type { Columns } from '../data/columns.ts';
import { defineView } from '../registry/definition.ts';
import { NO_RUN, routeOf } from '../registry/one-run.ts';
import { choice, flag, numeric, text } from '../registry/settings.ts';

const settings = {
  /** Condition that is looked for; empty for the problem with most to win, `-` for none. */
  problem: text(),
  /** Limit instead of that of the condition. */
  limit: text(),
  /** A second condition, and how it is joined. */
  second: text(),
  join: choice([
    ['and', 'and'],
    ['or', 'or'],
  ]),
  fragments: flag('fragments', false, 'Unreduced: each fragment of a grain is a node'),
  /** Group that the picture is of; 0 for the whole run. */
  root: numeric(0, [0, 4e9]),
  /** Run that work deviation is from. */
  reference: text(),
  /** Colours of grains: a problem, or a value by that of the second run. */
  compared: choice(
    [
      ['problem', 'problem'],
      ['deviation', 'work deviation, two runs'],
      ['stretch', 'stretch, two runs'],
    ],
    'colour',
    'list',
  ),
  /** Order of the definitions. */
  order: choice([
    ['work', 'work'],
    ['grains', 'grains'],
    ['share', 'share'],
  ]),
  scale: choice(
    [
      ['log', 'log length'],
      ['linear', 'linear'],
    ],
    'Length of a grain by its work',
  ),
};

/** `tree` is the whole run; parts are `definitions`, `marked`, the tree with values, and pages of `values` of grains. */
export interface Answers {
  readonly tree: Tree;
  readonly problems: Problems;
  readonly [part: string]: Tree | Problems | Stats | Columns | GrainDiff | undefined;
}

export interface Settings {
  readonly problem: string;
  readonly limit: string;
  readonly second: string;
  readonly join: 'and' | 'or';
  readonly fragments: boolean;
  readonly root: number;
  readonly reference: string;
  readonly compared: 'problem' | 'deviation' | 'stretch';
  readonly order: 'work' | 'grains' | 'share';
  readonly scale: 'log' | 'linear';
}

export const grainGraph = defineView<Answers, typeof settings>({
  id: 'grain-graph',
  title: 'Grain graph',
  key: 'Shift+P',
  about: 'Which grains have a problem, where they are, and which definition they come from',
  place: 'either',
  settings,
  query(selection, { reference }) {
    const { run } = selection;
    if (run === '') return NO_RUN;
    const compared: Record<string, string> = reference === '' ? {} : { reference };
    return {
      requests: {
        tree: { route: routeOf(run, 'tree'), query: {}, what: 'Grouping the grains' },
        problems: {
          route: routeOf(run, 'problems'),
          query: compared,
          what: 'Looking for problems',
        },
      },
    };
  },
  quantity: ({ otherRun }, { problem, compared }) =>
    compared !== 'problem' && otherRun !== ''
      ? `${compared === 'stretch' ? 'time from begin to end' : 'work'} in the second run by that in the first`
      : problem === '' || problem === '-'
        ? ''
        : problem,
  load: () => import('./module.ts').then(({ module }) => module),
});
