/** What the run table does with several runs. */

import type { ViewEvent } from '@grainsheaf/views';
import { restricted } from '@grainsheaf/views/logic/restrict.ts';
import { runsExpression } from '@grainsheaf/views/logic/selectors.ts';
import { setLens, setSide } from './actions.ts';
import { cohorts, runs, selectorOfCohort, selectorOfRun } from './data.ts';
import { page } from './state.ts';

/** The shortest selector of runs: that of a run or of a cohort if it has just these runs. */
function selectorOf(ids: readonly string[]): string {
  const [first, other] = runs.peek().filter(({ run }) => ids.includes(run));
  if (first && !other) return selectorOfRun(first);
  const cohort = cohorts
    .peek()
    .find((one) => one.runs.length === ids.length && one.runs.every((run) => ids.includes(run)));
  return cohort ? selectorOfCohort(cohort) : runsExpression(ids);
}

/** Carries out an event of the run table; false if it is one that the page knows. */
export function onRunsEvent(event: ViewEvent): boolean {
  if (event.type === 'set-side-runs') setSide(event.side, selectorOf(event.runs));
  else if (event.type === 'exclude-runs')
    setLens(restricted(page.peek().lens, `not (${selectorOf(event.runs)})`));
  else return false;
  return true;
}
