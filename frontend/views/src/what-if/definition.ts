/** Predictions of changes, as the registry knows them. */

import type { components } from '../generated/api.ts';
import type { ErrorBody } from '../api.ts';
import type { EmptyState } from '../registry/definition.ts';
import { defineView } from '../registry/definition.ts';
import { numeric, text } from '../registry/settings.ts';

const settings = {
  run: text(),
  /** Workers that gains are for; 0 is the largest recorded number. */
  at: numeric(0, [0, 1 << 20]),
  /** Changes as the question has them: `NAME=20%;NAME=50%`. */
  faster: text(),
};

export type Answers = {
  readonly whatIf: components['schemas']['WhatIf'];
  /** The runs, of which some have recorded times to compare with. */
  readonly runs: components['schemas']['Runs'];
  /** Arrives later than the curve. */
  readonly first?: components['schemas']['WhatFirst'] | undefined;
};
export type Settings = { readonly run: string; readonly at: number; readonly faster: string };

/** Numbers of workers of the curve: powers of two up to 64, or up to the number that is looked at. */
function countsOf(at: number): number[] {
  const counts = [1, 2, 4, 8, 16, 32, 64];
  for (let next = 128; next < at; next *= 2) counts.push(next);
  return at > 0 && !counts.includes(at) ? [...counts, at].sort((a, b) => a - b) : counts;
}

export const whatIf = defineView<Answers, typeof settings>({
  id: 'what-if',
  title: 'What if',
  about:
    'How long a run would take with less work in a definition or more workers, and what to optimise first',
  place: 'either',
  settings,
  query(selection, { run, at, faster }) {
    const start = run || selection.run || selection.serialRun;
    if (!start)
      return {
        empty: {
          title: 'No run can be scheduled again',
          text: 'A prediction needs a complete run of one process with grains. Record the program with `grainsheaf record`.',
          steps: [{ label: 'Show the runs', action: { command: 'tab-runs' } }],
        },
      };
    const query = { runs: start, workers: countsOf(at).join(), infinite: 'true', faster };
    return {
      requests: {
        whatIf: { route: 'what-if', query, what: 'Scheduling the grains again' },
        runs: { route: 'runs', query: { lens: selection.shape }, what: 'Reading the run table' },
        first: undefined,
      },
    };
  },
  refused: ({ message }: ErrorBody, selection): EmptyState | undefined =>
    /cannot schedule run|has no grains|no definition/.test(message)
      ? {
          title: 'This run cannot be scheduled again',
          text: `${message}.`,
          steps: [
            ...(selection.serialRun
              ? [
                  {
                    label: 'Start from the run with the fewest workers',
                    action: { set: { run: selection.serialRun, faster: '' } },
                  },
                ]
              : []),
            { label: 'Without changes', action: { set: { faster: '' } } },
          ],
        }
      : undefined,
  quantity: () => 'predicted elapsed time',
  load: () => import('./module.ts').then(({ module }) => module),
});
