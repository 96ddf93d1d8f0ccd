/** Where keys lead in the grain graph: creators, first children, siblings. */

import { LEAF } from '../logic/series-parallel.ts';
import type { VisibleNodes } from '../logic/open-groups.ts';

/** For each leaf the leaf of the grain that created it, or -1; `second` is the first node of a second run. */
export function creatorsOf(nodes: VisibleNodes, second = nodes.kind.length): Int32Array {
  const count = nodes.kind.length;
  /** Grain of a node as a number of its own in each run; -1 for none. */
  const grainOf = (at: number): number => {
    const grain = nodes.groups[at]?.grain;
    return grain === null || grain === undefined ? -1 : 2 * grain + (at < second ? 0 : 1);
  };
  const leaves = new Map<number, number>();
  for (let at = 0; at < count; at += 1) {
    const grain = grainOf(at);
    if (nodes.kind[at] === LEAF && grain >= 0 && !leaves.has(grain)) leaves.set(grain, at);
  }
  /** The grain around each node. */
  const around = new Int32Array(count).fill(-1);
  const creators = new Int32Array(count).fill(-1);
  for (let at = 0; at < count; at += 1) {
    const parent = nodes.parent[at] ?? -1;
    const own = parent < 0 ? -1 : grainOf(parent);
    around[at] = own >= 0 || parent < 0 ? own : (around[parent] ?? -1);
    let grain = around[at] ?? -1;
    const self = grainOf(at);
    // A grain stands first in the sequence of what it forks.
    for (let up = parent; grain >= 0 && grain === self && up >= 0; up = nodes.parent[up] ?? -1)
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
