/** Where keys lead in the grain graph: creators, first children, siblings, forks and joins, the critical path. */

import { FORK, LEAF } from '../logic/series-parallel.ts';
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

/** Where the cursor can be: on the nodes, and after them on the fork and on the join of each node that forks. */
export interface Stops {
  readonly nodes: VisibleNodes;
  readonly creators: Int32Array;
  /** Nodes that fork; the stops of the first are `nodes.kind.length` and the number after it. */
  readonly forks: Int32Array;
  /** First node of a second run. */
  readonly second: number;
}

export function stopsOf(nodes: VisibleNodes, second = nodes.kind.length): Stops {
  const forks: number[] = [];
  for (let at = 0; at < nodes.kind.length; at += 1)
    if (nodes.kind[at] === FORK && nodes.groups[at]?.kind === 'fork_join') forks.push(at);
  return { nodes, creators: creatorsOf(nodes, second), forks: Int32Array.from(forks), second };
}

/** The node that forks at a stop, and which end of it the stop is; nothing for stops on nodes. */
export function forkAt(
  { nodes, forks }: Stops,
  stop: number,
): { readonly node: number; readonly isJoin: boolean } | undefined {
  const place = stop - nodes.kind.length;
  const node = place < 0 ? undefined : forks[place >> 1];
  return node === undefined ? undefined : { node, isJoin: place % 2 === 1 };
}

/** The stop that a key leads to from another. */
export function stepOf(stops: Stops, stop: number, key: string): number | undefined {
  const { nodes } = stops;
  const fork = forkAt(stops, stop);
  const from = fork?.node ?? stop;
  if (key === ',' || key === '.') return criticalFrom(stops, from, key === '.' ? 1 : -1);
  if (key === 'j' || key === 'k') {
    const isOther = fork !== undefined && fork.isJoin !== (key === 'j');
    const end = isOther ? fork.node : forkAround(stops, from);
    const place = end === undefined ? -1 : stops.forks.indexOf(end);
    return place < 0 ? undefined : nodes.kind.length + 2 * place + (key === 'j' ? 1 : 0);
  }
  if (fork) return stepOfFork(stops, fork.node, fork.isJoin, key);
  if (nodes.kind[stop] !== LEAF) return leafFrom(nodes, 0, 1);
  return stepOfLeaf(stops, stop, key);
}

function stepOfLeaf({ nodes, creators }: Stops, node: number, key: string): number | undefined {
  const creator = creators[node] ?? -1;
  if (key === 'ArrowUp') return creator < 0 ? undefined : creator;
  if (key === 'ArrowDown') {
    const child = creators.indexOf(node);
    return child < 0 ? undefined : child;
  }
  const by = key === 'ArrowLeft' ? -1 : key === 'ArrowRight' ? 1 : 0;
  if (by === 0) return undefined;
  for (let at = node + by; at >= 0 && at < nodes.kind.length; at += by)
    if (nodes.kind[at] === LEAF && creators[at] === creator) return at;
  return undefined;
}

/** From a fork up to its creator and down to its first child; from a join up to the last child and down to what follows. */
function stepOfFork(
  { nodes, creators }: Stops,
  node: number,
  isJoin: boolean,
  key: string,
): number | undefined {
  if (key !== 'ArrowUp' && key !== 'ArrowDown') return undefined;
  const first = leafFrom(nodes, node, 1);
  const end = endOf(nodes, node);
  if (!isJoin) {
    if (key === 'ArrowDown') return first;
    const creator = creators[first ?? -1] ?? -1;
    return creator < 0 ? undefined : creator;
  }
  return key === 'ArrowUp' ? leafFrom(nodes, end - 1, -1) : leafFrom(nodes, end, 1);
}

/** The innermost fork around a node. */
function forkAround({ nodes, forks }: Stops, node: number): number | undefined {
  for (let at = nodes.parent[node] ?? -1; at >= 0; at = nodes.parent[at] ?? -1)
    if (forks.includes(at)) return at;
  return undefined;
}

/** The next or previous grain of a run on its critical path, in the order of execution. */
function criticalFrom({ nodes, second }: Stops, node: number, by: number): number | undefined {
  const [from, to] = node < second ? [0, second] : [second, nodes.kind.length];
  for (let at = node + by; at >= from && at < to; at += by)
    if (nodes.kind[at] === LEAF && nodes.groups[at]?.is_critical === true) return at;
  return undefined;
}

function leafFrom({ kind }: VisibleNodes, from: number, by: number): number | undefined {
  for (let at = from; at >= 0 && at < kind.length; at += by) if (kind[at] === LEAF) return at;
  return undefined;
}

/** The first node after all that is below a node. */
function endOf({ kind, parent }: VisibleNodes, node: number): number {
  let at = node + 1;
  while (at < kind.length && (parent[at] ?? -1) >= node) at += 1;
  return at;
}
