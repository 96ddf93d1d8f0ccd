/** Facts of a grain that follow from several answers: the problems that it has, and the median of its siblings. */

import type { GrainRow, Problems } from '../api.ts';
import { conditionOf } from './group-tree.ts';

/**
 * Problems of a grain, by the limits of the answer. Members of teams have none: they are not checked. A grain whose
 * definition is not listed for a problem does not have it, whatever its value: its loop is balanced.
 */
export function problemsOf(grain: GrainRow, { problems }: Problems): Problems['problems'] {
  if (grain.kind === 'implicit' || grain.kind === 'initial') return [];
  const values = grain as unknown as Readonly<Record<string, unknown>>;
  return problems.filter(({ condition, limit, definitions }) => {
    if (!definitions.some(({ definition }) => definition === grain.definition)) return false;
    const parts = conditionOf(condition);
    const value = parts && values[parts.metric];
    if (!parts || typeof value !== 'number') return false;
    return parts.isBelow ? value < limit : value > limit;
  });
}

/** Whether a chunk beyond the limit may belong to a balanced loop of its definition, whose chunks have no problem. */
export function isPerhapsBalanced(grain: GrainRow, problem: Problems['problems'][number]): boolean {
  return grain.kind === 'chunk' && (problem.balanced_chunks ?? 0) > 0;
}

/** Median of the values of a metric that are there; nothing without any. */
export function medianOf(rows: readonly GrainRow[], metric: string): number | undefined {
  const values = rows
    .map((row) => (row as unknown as Readonly<Record<string, unknown>>)[metric])
    .filter((value) => typeof value === 'number')
    .sort((a, b) => a - b);
  const half = values.length >> 1;
  const upper = values[half];
  if (upper === undefined || values.length % 2 === 1) return upper;
  return ((values[half - 1] ?? upper) + upper) / 2;
}
