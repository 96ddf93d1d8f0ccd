/** The time line of one run, or of two, as the registry knows it. */

import type { GrainDiff, Grains, Stats, Timeline } from '../api.ts';
import type { Columns } from '../data/columns.ts';
import { windowOf } from '../logic/time-range.ts';
import { defineView, type Request } from '../registry/definition.ts';
import { headOf, NO_RUN, routeOf, timesRefused } from '../registry/one-run.ts';
import { choice, flag, text } from '../registry/settings.ts';

const settings = {
  colour: choice(
    [
      ['definition', 'definition'],
      ['worker', 'worker'],
    ],
    'colour',
    'list',
  ),
  sort: choice(
    [
      ['number', 'by number'],
      ['busy', 'busiest first'],
      ['place', 'by NUMA node and processor'],
    ],
    'workers',
    'list',
  ),
  /** Names of workers whose rows come first, joined by commas. */
  pinned: text(),
  /** Definition whose first grains of both runs lie below each other; empty for times since the start of each run. */
  align: text(),
  idle: flag('hatch idle', false, 'Hatch the time in which a worker ran nothing'),
};

export interface Answers {
  /** All of the run in few parts: workers, length, and which definitions there are. */
  readonly head: Timeline;
  /** The part of the run around the visible range. */
  readonly rows: Columns;
  /** The same of the second run. */
  readonly otherHead: Timeline | undefined;
  readonly otherRows: Columns | undefined;
  /** Part: definitions in the order of their colours. */
  readonly definitions?: Stats;
  /** Part: those of the second run. */
  readonly otherDefinitions?: Stats;
  /** Parts: definitions with other names, and the first grain of the phase at which two runs are aligned. */
  readonly renames?: GrainDiff;
  readonly phase?: Grains;
  readonly otherPhase?: Grains;
  /** Part: rows of the second run around the visible range, if it is not at the same times there. */
  readonly alignedRows?: Columns;
}
export interface Settings {
  readonly colour: 'definition' | 'worker';
  readonly sort: 'number' | 'busy' | 'place';
  readonly pinned: string;
  readonly align: string;
  readonly idle: boolean;
}

export const timeline = defineView<Answers, typeof settings>({
  id: 'timeline',
  title: 'Time line',
  about: 'Which worker ran which grain when, and where workers were idle',
  place: 'either',
  settings,
  query({ run, otherRun, time }) {
    if (run === '') return NO_RUN;
    const rowsOf = (one: string): Request => ({
      route: routeOf(one, 'timeline'),
      query: windowOf(time),
      what: 'Reading the time line',
      format: 'arrow',
    });
    return {
      requests: {
        head: headOf(run),
        rows: rowsOf(run),
        otherHead: otherRun === '' ? undefined : headOf(otherRun),
        otherRows: otherRun === '' ? undefined : rowsOf(otherRun),
      },
    };
  },
  refused: timesRefused,
  quantity: () => 'height: share of the time in which the worker was busy',
  load: () => import('./module.ts').then(({ module }) => module),
});
