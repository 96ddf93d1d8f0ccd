/** The order of runs by cohort, in which ticks and colours follow each other. */

import type { Cohort, Run } from '../api.ts';
import { formatPlural } from '../logic/format.ts';
import type { SankeyData } from './model.ts';

type Sets = readonly { readonly name: string; readonly runs: readonly string[] }[];

/** Runs of one size form a set where no parameter forms cohorts. */
function setsBySize(runs: readonly Run[]): Sets {
  for (const size of ['ranks', 'workers'] as const) {
    const sizes = runs.flatMap((one) => one[size] ?? []);
    const values = [...new Set(sizes)].sort((a, b) => a - b);
    if (values.length < 2) continue;
    return values.map((value) => ({
      name: formatPlural(value, size.slice(0, -1)),
      runs: runs.filter((one) => one[size] === value).map((one) => one.run),
    }));
  }
  return [];
}

/** Runs in the order of their cohorts, each with its place on the scale of cohorts. */
export function lanesOf(
  ids: readonly string[],
  runs: readonly Run[],
  cohorts: readonly Cohort[],
): Pick<SankeyData, 'lanes' | 'cohorts'> {
  const sets: Sets = cohorts.length > 1 ? cohorts : setsBySize(runs);
  if (sets.length < 2) return {};
  const cohortOf = new Map(sets.flatMap((set, index) => set.runs.map((run) => [run, index])));
  const lanes = ids
    .map((id, run) => ({ run, cohort: cohortOf.get(id) ?? sets.length }))
    .sort((a, b) => a.cohort - b.cohort || a.run - b.run)
    .map(({ run, cohort }) => ({ run, share: Math.min(1, cohort / (sets.length - 1)) }));
  return { lanes, cohorts: sets.map((set) => set.name) };
}
