/** Where arrow keys lead among the visible nodes of an aggregation tree. */

import { isHidden, type VisibleNodes } from './open-groups.ts';
import { LEAF } from './series-parallel.ts';

/** The node that an arrow key leads to: parent, first child, siblings. */
export function nestedStep(nodes: VisibleNodes, node: number, key: string): number | undefined {
  switch (key) {
    case 'ArrowUp':
      return parentOf(nodes, node);
    case 'ArrowDown':
      return firstChildOf(nodes, node);
    case 'ArrowLeft':
      return siblingOf(nodes, node, -1);
    case 'ArrowRight':
      return siblingOf(nodes, node, 1);
    default:
      return undefined;
  }
}

function parentOf(nodes: VisibleNodes, node: number): number | undefined {
  let at = nodes.parent[node] ?? -1;
  while (at >= 0 && isHidden(nodes, at)) at = nodes.parent[at] ?? -1;
  return at < 0 ? undefined : at;
}

function firstChildOf(nodes: VisibleNodes, node: number): number | undefined {
  const { kind, parent } = nodes;
  if (kind[node] === LEAF) return undefined;
  for (let at = node + 1; at < kind.length; at += 1) {
    if (isHidden(nodes, at)) continue;
    return isBelow(parent, at, node) ? at : undefined;
  }
  return undefined;
}

function isBelow(parent: Int32Array, node: number, above: number): boolean {
  for (let at = parent[node] ?? -1; at >= 0; at = parent[at] ?? -1) if (at === above) return true;
  return false;
}

/** Siblings lie in the same parent; the bars of a strip are siblings of the open children after it. */
function siblingOf(nodes: VisibleNodes, node: number, by: number): number | undefined {
  const own = parentOf(nodes, node);
  const { kind } = nodes;
  for (let at = node + by; at >= 0 && at < kind.length; at += by) {
    if (isHidden(nodes, at)) continue;
    if (at === own) return undefined;
    if (parentOf(nodes, at) === own) return at;
  }
  return undefined;
}
