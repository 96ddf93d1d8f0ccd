/** Options of settings that name a parameter or a metric of the runs. */

import { metricLabel } from '../logic/metrics.ts';
import type { Facts } from './definition.ts';
import type { Options } from './settings.ts';

type Value = string | number | boolean;

function parametersWhere(
  { runs }: Facts,
  isOffered: (values: ReadonlySet<Value>) => boolean,
): string[] {
  const found = new Map<string, Set<Value>>();
  for (const { params } of runs)
    for (const [name, value] of Object.entries(params))
      found.set(name, (found.get(name) ?? new Set()).add(value as Value));
  return [...found].flatMap(([name, values]) => (isOffered(values) ? [name] : [])).sort();
}

const same = (names: readonly string[]): Options => names.map((name) => [name, name]);

/** Parameters in which the runs differ. */
export const varyingParameters = (facts: Facts): Options =>
  same(parametersWhere(facts, ({ size }) => size > 1));

/** All parameters of the runs. */
export const allParameters = (facts: Facts): Options => same(parametersWhere(facts, () => true));

/** Parameters that count workers or a size; every run has workers and ranks. */
export function numericParameters(facts: Facts): Options {
  if (facts.runs.length === 0) return [];
  const names = parametersWhere(facts, (values) =>
    [...values].every((value) => typeof value === 'number'),
  );
  return same([...new Set([...names, 'workers', 'ranks'])].sort());
}

/** Metrics of the runs, with their names for people. */
export const metrics = ({ metrics: known = [] }: Facts): Options =>
  known.map((metric) => [metric.name, metricLabel(metric)]);
