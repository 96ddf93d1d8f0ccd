/** Rows of box plots: one per group, with a box per cohort. Pure. */

import { formatParameter } from '../logic/format.ts';
import type { Answers } from './definition.ts';

export type StatsRow = Answers['stats']['rows'][number];

export interface BoxRow {
  readonly group: string;
  readonly path: readonly string[];
  readonly cohorts: readonly StatsRow[];
  /** Value of the target, if it has the group. */
  readonly target: number | undefined;
  readonly unit: string;
}

/** Name of a cohort; empty if there is only one. */
export function cohortName(row: StatsRow): string {
  return Object.entries(row.cohort)
    .map(([name, value]) => `${name}=${formatParameter(value)}`)
    .join(', ');
}

/** Groups in the order of the answer, each with its cohorts. */
export function boxRows({ stats, target }: Answers, filter: string): BoxRow[] {
  const wanted = filter.trim().toLowerCase();
  const values = new Map(target?.rows.map((row) => [row.group, row.median ?? undefined]));
  const groups = new Map<string, StatsRow[]>();
  for (const row of stats.rows) {
    if (wanted && !row.path.some((name) => name.toLowerCase().includes(wanted))) continue;
    const known = groups.get(row.group);
    if (known) known.push(row);
    else groups.set(row.group, [row]);
  }
  return [...groups].map(([group, cohorts]) => ({
    group,
    path: cohorts[0]?.path ?? [],
    cohorts,
    target: values.get(group),
    unit: cohorts[0]?.unit ?? 'unknown',
  }));
}

/** A statistic of a group: the largest over its cohorts. */
export function largest(
  row: BoxRow,
  of: (cohort: StatsRow) => number | null | undefined,
): number | undefined {
  let most: number | undefined;
  for (const cohort of row.cohorts) {
    const value = of(cohort);
    if (typeof value === 'number' && (most === undefined || value > most)) most = value;
  }
  return most;
}

/** Relative spread of the run values; absent below two runs or at zero. */
export function spreadOf(row: StatsRow): number | undefined {
  return typeof row.std === 'number' && row.mean ? row.std / Math.abs(row.mean) : undefined;
}

/** How much the busiest worker exceeds the mean, from the load balance (mean over largest). */
export function imbalanceOf(row: StatsRow): number | undefined {
  return typeof row.load_balance === 'number' ? 1 - row.load_balance : undefined;
}

/** Ends of an axis for some rows: from zero, or from the smallest positive value if logarithmic. */
export function extentOf(rows: readonly BoxRow[], isLog: boolean): readonly [number, number] {
  let low = Infinity;
  let high = 0;
  for (const row of rows)
    for (const { min, max } of row.cohorts) {
      if (typeof max === 'number') high = Math.max(high, max);
      if (typeof min === 'number' && min > 0) low = Math.min(low, min);
    }
  for (const { target } of rows) high = Math.max(high, target ?? 0);
  if (!(high > 0)) return [0, 1];
  return isLog && low < high ? [low, high] : [0, high];
}
