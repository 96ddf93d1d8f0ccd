/** The order of runs by cohort, in which ticks and colours follow each other. */

import type { SankeyData } from '@grainsheaf/views/sankey/model.ts';
import { cohorts, runs } from './data.ts';

/** Runs of one size form a set where no parameter forms cohorts. */
function setsBySize(): readonly { readonly name: string; readonly runs: readonly string[] }[] {
  for (const size of ['ranks', 'workers'] as const) {
    const sizes = runs.value.flatMap((one) => one[size] ?? []);
    const values = [...new Set(sizes)].sort((a, b) => a - b);
    if (values.length < 2) continue;
    return values.map((value) => ({
      name: `${value} ${size}`,
      runs: runs.value.filter((one) => one[size] === value).map((one) => one.run),
    }));
  }
  return [];
}

/** Runs in the order of their cohorts, each with its place on the scale of cohorts. */
export function lanesOf(ids: readonly string[]): Pick<SankeyData, 'lanes' | 'cohorts'> {
  const sets = cohorts.value.length > 1 ? cohorts.value : setsBySize();
  if (sets.length < 2) return {};
  const cohortOf = new Map(sets.flatMap((set, index) => set.runs.map((run) => [run, index])));
  const lanes = ids
    .map((id, run) => ({ run, cohort: cohortOf.get(id) ?? sets.length }))
    .sort((a, b) => a.cohort - b.cohort || a.run - b.run)
    .map(({ run, cohort }) => ({ run, share: Math.min(1, cohort / (sets.length - 1)) }));
  return { lanes, cohorts: sets.map((set) => set.name) };
}
