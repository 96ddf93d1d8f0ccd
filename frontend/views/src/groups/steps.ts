/** Where keys lead in the aggregated grain graph. */

import { conditionOf, type Condition, valueOf } from '../logic/group-tree.ts';
import { LEAF } from '../logic/series-parallel.ts';
import type { Model } from './model.ts';
import { isHidden } from './paint.ts';

/** The node that a key leads to: parent, first child, siblings, problems. */
export function stepOf(model: Model, node: number, key: string): number | undefined {
  switch (key) {
    case 'ArrowUp':
      return parentOf(model, node);
    case 'ArrowDown':
      return firstChildOf(model, node);
    case 'ArrowLeft':
      return siblingOf(model, node, -1);
    case 'ArrowRight':
      return siblingOf(model, node, 1);
    case 'n':
      return nextProblem(model, node, 1);
    case 'p':
      return nextProblem(model, node, -1);
    default:
      return undefined;
  }
}

function parentOf(model: Model, node: number): number | undefined {
  let at = model.nodes.parent[node] ?? -1;
  while (at >= 0 && isHidden(model, at)) at = model.nodes.parent[at] ?? -1;
  return at < 0 ? undefined : at;
}

function firstChildOf(model: Model, node: number): number | undefined {
  const { kind, parent } = model.nodes;
  if (kind[node] === LEAF) return undefined;
  for (let at = node + 1; at < kind.length; at += 1) {
    if (isHidden(model, at)) continue;
    return isBelow(parent, at, node) ? at : undefined;
  }
  return undefined;
}

function isBelow(parent: Int32Array, node: number, above: number): boolean {
  for (let at = parent[node] ?? -1; at >= 0; at = parent[at] ?? -1) if (at === above) return true;
  return false;
}

/** Siblings lie in the same parent; the bars of a strip are siblings of the open children after it. */
function siblingOf(model: Model, node: number, by: number): number | undefined {
  const own = parentOf(model, node);
  const { kind } = model.nodes;
  for (let at = node + by; at >= 0 && at < kind.length; at += by) {
    if (isHidden(model, at)) continue;
    if (at === own) return undefined;
    if (parentOf(model, at) === own) return at;
  }
  return undefined;
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
