/** Parallelism over the time of one run, or of two, as the registry knows it. */

import type { Grains, Scheduling, Timeline } from '../api.ts';
import type { Columns } from '../data/columns.ts';
import { windowOf } from '../logic/time-range.ts';
import { defineView, type Request } from '../registry/definition.ts';
import { headOf, NO_RUN, routeOf, timesRefused } from '../registry/one-run.ts';
import { choice, text } from '../registry/settings.ts';

const settings = {
  form: choice(
    [
      ['mirrored', 'mirrored'],
      ['stacked', 'stacked'],
    ],
    'form',
  ),
  /** Layers that are not shown, separated by commas. */
  hidden: text(),
  /** Time whose grains are listed. */
  at: text(),
};

export interface Answers {
  /** Workers and length of the run. */
  readonly head: Timeline;
  readonly rows: Columns;
  readonly scheduling: Scheduling;
  readonly otherRows: Columns | undefined;
  readonly otherHead: Timeline | undefined;
  /** What ran at the chosen time, and what was created and had not begun. */
  readonly running?: Timeline;
  readonly ready?: Grains;
}
export interface Settings {
  readonly form: 'mirrored' | 'stacked';
  readonly hidden: string;
  readonly at: string;
}

export const parallelism = defineView<Answers, typeof settings>({
  id: 'parallelism',
  title: 'Parallelism',
  about: 'How many workers ran something over time, and how much work waited for one',
  place: 'either',
  settings,
  query({ run, otherRun, time }) {
    if (run === '') return NO_RUN;
    const rowsOf = (one: string): Request => ({
      route: routeOf(one, 'parallelism'),
      query: windowOf(time),
      what: 'Counting what ran and what was ready',
      format: 'arrow',
    });
    return {
      requests: {
        head: headOf(run),
        rows: rowsOf(run),
        scheduling: {
          route: routeOf(run, 'scheduling'),
          query: {},
          what: 'Adding the time of the workers',
        },
        otherHead: otherRun === '' ? undefined : headOf(otherRun),
        otherRows: otherRun === '' ? undefined : rowsOf(otherRun),
      },
    };
  },
  refused: timesRefused,
  quantity: () => 'mean number of fragments per part of the time',
  load: () => import('./module.ts').then(({ module }) => module),
});
