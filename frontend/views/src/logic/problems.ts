/** Problems of grains for people: names of their metrics, and how to measure what is not measured. */

import type { GrainMetric } from '../api.ts';
import { conditionOf } from './group-tree.ts';
import { formatCount, formatTick } from './format.ts';
import { metricLabel } from './metrics.ts';

const NAMES: readonly (readonly [RegExp, string])[] = [
  [/^inst_par_/, 'instantaneous parallelism'],
  [/^parallel_benefit_of_creation$/, 'parallel benefit of creation'],
  [/^parallel_benefit_of_execution$/, 'parallel benefit of execution'],
  [/^parallel_benefit/, 'parallel benefit'],
  [/^sibling_chain_balance$/, 'load balance of siblings'],
  [/^chunk_chain_balance$/, 'load balance of chunks'],
  [/^sibling_scatter/, 'scatter of siblings'],
  [/^mem_hier_util$/, 'memory hierarchy utilisation'],
];

/** What a metric of grains is called. */
export function problemName(metric: string): string {
  return NAMES.find(([pattern]) => pattern.test(metric))?.[1] ?? metricLabel({ name: metric });
}

/** Unit of a metric of grains, as the answer states it. */
export function unitOf(
  { metrics }: { readonly metrics: readonly GrainMetric[] },
  metric: string,
): string | undefined {
  return metrics.find(({ name }) => name === metric)?.unit;
}

/** A condition in words: `load balance of siblings > 1`; as it is written if the unit of its limit is not known. */
export function conditionText(condition: string, unit: string | undefined): string {
  const parts = conditionOf(condition);
  if (!parts) return condition;
  const limit = Number(parts.limit);
  if (Number.isFinite(limit) && unit === undefined) return condition;
  const text = Number.isFinite(limit)
    ? formatTick(limit, unit ?? '')
    : parts.limit.replace(/_/g, ' ');
  return `${problemName(parts.metric)} ${parts.isBelow ? '<' : '>'} ${text}`;
}

/** How many grains have a problem; a problem of which no grain could be checked has no number. */
export function problemCount({ checked, grains }: { checked: number; grains: number }): string {
  return checked === 0 ? 'not checked' : formatCount(grains);
}

const TO_RECORD: readonly (readonly [RegExp, string])[] = [
  [
    /^work_deviation$/,
    'Record the program with one thread too, and choose that run as the reference.',
  ],
  [
    /^(memory_hierarchy_utilisation|mem_hier_util)$/,
    'Record on a machine with hardware counters of stalled cycles.',
  ],
  [/^chunk_/, 'It is about loops: only runs with work-sharing loops have it.'],
  [/^inst_par_/, 'It needs begin and end of every grain: record with `grainsheaf record`.'],
  [/^sibling_scatter/, 'It needs the topology of the machine: record with `grainsheaf record`.'],
  [/^parallel_benefit_of_execution$/, 'Use the parallel benefit of creation, or a MIR profile.'],
];

/** What to record so that a problem can be checked; nothing if it is not known. */
export function toRecord(metric: string): string | undefined {
  return TO_RECORD.find(([pattern]) => pattern.test(metric))?.[1];
}
