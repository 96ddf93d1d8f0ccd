/** Where keys lead in the grain graph: creators, first children, siblings. */

import { LEAF } from '../logic/series-parallel.ts';
import type { VisibleNodes } from '../logic/open-groups.ts';

/** For each leaf the leaf of the grain that created it, or -1. */
export function creatorsOf(nodes: VisibleNodes): Int32Array {
  const count = nodes.kind.length;
  const leaves = new Map<number, number>();
  for (let at = 0; at < count; at += 1) {
    const group = nodes.groups[at];
    if (nodes.kind[at] === LEAF && group?.grain !== null && group?.grain !== undefined)
      if (!leaves.has(group.grain)) leaves.set(group.grain, at);
  }
  /** The grain around each node. */
  const around = new Int32Array(count).fill(-1);
  const creators = new Int32Array(count).fill(-1);
  for (let at = 0; at < count; at += 1) {
    const parent = nodes.parent[at] ?? -1;
    const above = parent < 0 ? -1 : (around[parent] ?? -1);
    const own = parent < 0 ? undefined : nodes.groups[parent]?.grain;
    around[at] = own ?? above;
    let grain = around[at] ?? -1;
    const self = nodes.groups[at]?.grain;
    // A grain stands first in the sequence of what it forks.
    for (let up = parent; grain === self && up >= 0; up = nodes.parent[up] ?? -1)
      grain = around[up] ?? -1;
    creators[at] = nodes.kind[at] === LEAF ? (leaves.get(grain) ?? -1) : -1;
  }
  return creators;
}

/** The leaf that a key leads to from another. */
export function stepOf(
  nodes: VisibleNodes,
  creators: Int32Array,
  node: number,
  key: string,
): number | undefined {
  const count = nodes.kind.length;
  if (nodes.kind[node] !== LEAF) {
    for (let at = 0; at < count; at += 1) if (nodes.kind[at] === LEAF) return at;
    return undefined;
  }
  const creator = creators[node] ?? -1;
  if (key === 'ArrowUp') return creator < 0 ? undefined : creator;
  if (key === 'ArrowDown') {
    const child = creators.indexOf(node);
    return child < 0 ? undefined : child;
  }
  const by = key === 'ArrowLeft' ? -1 : key === 'ArrowRight' ? 1 : 0;
  if (by === 0) return undefined;
  for (let at = node + by; at >= 0 && at < count; at += by)
    if (nodes.kind[at] === LEAF && creators[at] === creator) return at;
  return undefined;
}
