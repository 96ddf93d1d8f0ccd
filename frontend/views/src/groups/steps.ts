/** Where keys lead in the aggregated grain graph. */

import { conditionOf, type Condition, valueOf } from '../logic/group-tree.ts';
import { nestedStep } from '../logic/nested-steps.ts';
import { LEAF } from '../logic/series-parallel.ts';
import type { Model } from './model.ts';

/** The node that a key leads to: parent, first child, siblings, problems. */
export function stepOf(model: Model, node: number, key: string): number | undefined {
  switch (key) {
    case 'n':
      return nextProblem(model, node, 1);
    case 'p':
      return nextProblem(model, node, -1);
    default:
      return nestedStep(model.nodes, node, key);
  }
}

/** Closed nodes with the problem, the worst first. */
function nextProblem(model: Model, node: number, by: number): number | undefined {
  const marked = conditionOf(model.condition);
  if (!marked) return undefined;
  const found = problemNodes(model, marked);
  if (found.length === 0) return undefined;
  const at = found.indexOf(node);
  if (at < 0) return by > 0 ? found[0] : found[found.length - 1];
  return found[(at + by + found.length) % found.length];
}

export function problemNodes(model: Model, { metric, isBelow: isLowWorse }: Condition): number[] {
  const { kind, groups } = model.nodes;
  const found: number[] = [];
  for (let at = 0; at < kind.length; at += 1)
    if (kind[at] === LEAF && groups[at]?.has_problem === true) found.push(at);
  const value = (at: number): number => {
    const group = groups[at];
    const own = group ? (valueOf(group, metric) ?? 0) : 0;
    return isLowWorse ? own : -own;
  };
  return found.sort((a, b) => value(a) - value(b) || a - b);
}
