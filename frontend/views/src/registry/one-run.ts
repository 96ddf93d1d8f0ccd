/** What views of one run share: the state without a run, and the addresses of its answers. */

import type { ErrorBody } from '../api.ts';
import type { EmptyState, Request } from './definition.ts';

/** Question of a view of one run while no run is opened. */
export const NO_RUN: { readonly empty: EmptyState } = {
  empty: {
    title: 'No run is open',
    text: 'This view shows the inside of one run. Open one in the run table, or by its name in the list of runs.',
    steps: [
      { label: 'Open the target run', action: { command: 'open-run' } },
      { label: 'Show the run table', action: { command: 'layout-runs' } },
    ],
  },
};

/** Route of an answer about one run: `runs/RUN/timeline`. */
export function routeOf(run: string, answer: string): string {
  return `runs/${encodeURIComponent(run)}/${answer}`;
}

/** Request of the tree of a run: its figures, and as much of it as a first picture shows. */
export function treeOf(run: string, query: Readonly<Record<string, string>> = {}): Request {
  return { route: routeOf(run, 'tree'), query, what: 'Grouping the grains' };
}

/** Definitions whose colours are assigned by their work; others have a colour by their name. */
const COLOURED = 64;

/** Request of the definitions of a run with most work first: the places of their colours in all views of the run. */
export function definitionsOf(run: string): Request {
  const lens = `where run == "${run}" | scope exclusive`;
  return { route: 'stats', query: { lens, limit: COLOURED }, what: 'Reading the definitions' };
}

/** State of a view along time if the source of the run has no times. */
export function timesRefused({ code, message }: ErrorBody): EmptyState | undefined {
  if (code === 'bad_request' && /call profile/.test(message))
    return {
      title: 'A call profile has no times',
      text: 'It has sums only. Record the program with `grainsheaf record`, or add a trace, to see what ran when.',
      steps: STEPS,
    };
  if (code !== 'unknown' || !/no times|time line/.test(message)) return undefined;
  return {
    title: 'The source of this run has no times',
    text: `${message}. Traces of the recorder, DAG Recorder files and Taskflow traces have them; a grain graph needs none.`,
    steps: STEPS,
  };
}

const STEPS: NonNullable<EmptyState['steps']> = [
  { label: 'Show the run table', action: { command: 'layout-runs' } },
];

/** Parts of the answer that states workers and the length of the run. */
const HEAD_PARTS = 200;

/** Request of all of a run's time line in few parts, which views along time share. */
export function headOf(run: string): Request {
  const route = routeOf(run, 'timeline');
  return { route, query: { pixels: HEAD_PARTS }, what: 'Reading the workers' };
}
