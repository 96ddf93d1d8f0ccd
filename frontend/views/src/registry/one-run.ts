/** What views of one run share: the state without a run, and the addresses of its answers. */

import type { EmptyState } from './definition.ts';

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
