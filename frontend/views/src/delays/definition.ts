/** Distribution of scheduling delays and steals of one run, or of two, as the registry knows it. */

import type { Scheduling, Timeline } from '../api.ts';
import type { Columns } from '../data/columns.ts';
import { defineView, type Request } from '../registry/definition.ts';
import { headOf, NO_RUN, routeOf, timesRefused } from '../registry/one-run.ts';
import { choice } from '../registry/settings.ts';

const settings = {
  of: choice(
    [
      ['all', 'all grains'],
      ['moved', 'moved only'],
    ],
    'grains',
  ),
};

export interface Answers {
  readonly head: Timeline;
  readonly scheduling: Scheduling;
  readonly otherHead: Timeline | undefined;
  /** Grains with their delays, asked for once the unit of times is known. */
  readonly grains?: Columns;
  readonly otherGrains?: Columns;
}
export interface Settings {
  readonly of: 'all' | 'moved';
}

export const delays = defineView<Answers, typeof settings>({
  id: 'delays',
  title: 'Delays',
  about: 'How long grains were ready before they began, and how many went to another worker',
  place: 'either',
  settings,
  query({ run, otherRun }) {
    if (run === '') return NO_RUN;
    const scheduling: Request = {
      route: routeOf(run, 'scheduling'),
      query: {},
      what: 'Adding the time of the workers',
    };
    const otherHead = otherRun === '' ? undefined : headOf(otherRun);
    return { requests: { head: headOf(run), scheduling, otherHead } };
  },
  refused: timesRefused,
  quantity: () => 'time from when a grain could run to its first begin',
  load: () => import('./module.ts').then(({ module }) => module),
});
