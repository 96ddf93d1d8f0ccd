/** The run that stands for several runs of one side. */

import type { Run } from '../api.ts';
import { formatPlural } from './format.ts';

/** A run of a side, and why this one: `median of 7 runs of A`. */
export interface TypicalRun {
  readonly run: string;
  readonly why: string;
}

/** The run with the median total of a side; of an even number, the smaller one of the middle. */
export function typicalRun(
  side: { readonly runs: readonly string[] } | undefined,
  name: string,
  runs: readonly Pick<Run, 'run' | 'total'>[],
): TypicalRun | undefined {
  const [first, second] = side?.runs ?? [];
  if (!side || first === undefined) return undefined;
  if (second === undefined) return { run: first, why: `the run of ${name}` };
  const totals = new Map(runs.map(({ run, total }) => [run, total ?? Infinity]));
  const total = (run: string): number => totals.get(run) ?? Infinity;
  const measured = side.runs
    .filter((run) => total(run) < Infinity)
    .sort((a, b) => total(a) - total(b));
  const count = formatPlural(side.runs.length, 'run');
  const median = measured[Math.ceil(measured.length / 2) - 1];
  if (median === undefined) return { run: first, why: `first of ${count} of ${name}` };
  return { run: median, why: `median of ${count} of ${name}` };
}
