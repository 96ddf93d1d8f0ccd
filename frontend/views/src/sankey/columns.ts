/** Columns of the Sankey: chains of single callees become one unit, long edges pass through places of their own. */

import type { Sankey } from '../api.ts';

/** Share of its caller that a single callee has at least, for both to be one unit. */
const CHAINED = 0.9;

/** A chain of nodes that stand side by side, or a place where an edge crosses a column. */
export interface Unit {
  /** Indices of nodes from caller to callee; empty for a place of an edge. */
  readonly nodes: readonly number[];
  readonly column: number;
  /** Largest inclusive value. */
  readonly weight: number;
}

/** An edge between units of neighbouring columns. */
export interface Step {
  readonly from: number;
  readonly to: number;
  readonly weight: number;
}

export interface Columns {
  readonly units: readonly Unit[];
  readonly steps: readonly Step[];
  /** Units of each column. */
  readonly columns: readonly (readonly number[])[];
  /** Units that each edge of the answer passes, both ends included; empty for back edges. */
  readonly routes: readonly (readonly number[])[];
  /** Unit and place in it by node. */
  readonly unitOf: readonly number[];
}

export function columnsOf(sankey: Sankey, isFolding = true): Columns {
  const chains = chainsOf(sankey, isFolding);
  const unitOf: number[] = [];
  chains.forEach((chain, unit) => chain.forEach((node) => (unitOf[node] = unit)));
  const forward = sankey.edges.map(
    (edge) => edge.kind === 'forward' && unitOf[edge.source] !== unitOf[edge.target],
  );
  const column = longestPaths(
    chains.length,
    sankey.edges.flatMap((edge, index) =>
      forward[index] ? [[unitOf[edge.source] ?? 0, unitOf[edge.target] ?? 0] as const] : [],
    ),
  );
  const units: Unit[] = chains.map((nodes, index) => ({
    nodes,
    column: column[index] ?? 0,
    weight: Math.max(0, ...nodes.map((node) => sankey.nodes[node]?.max_inclusive ?? 0)),
  }));
  const steps: Step[] = [];
  const routes = sankey.edges.map((edge, index) => {
    if (!forward[index]) return [];
    const [from, to] = [unitOf[edge.source] ?? 0, unitOf[edge.target] ?? 0];
    const [first, last] = [units[from]?.column ?? 0, units[to]?.column ?? 0];
    const route = [from];
    for (let at = first + 1; at < last; at += 1) {
      units.push({ nodes: [], column: at, weight: edge.max_inclusive });
      route.push(units.length - 1);
    }
    route.push(to);
    for (let at = 1; at < route.length; at += 1)
      steps.push({ from: route[at - 1] ?? 0, to: route[at] ?? 0, weight: edge.max_inclusive });
    return route;
  });
  const count = 1 + Math.max(-1, ...units.map((unit) => unit.column));
  const columns: number[][] = Array.from({ length: count }, () => []);
  units.forEach((unit, index) => columns[unit.column]?.push(index));
  return { units, steps, columns, routes, unitOf };
}

/** Chains in which each node is the only callee of the one before, has no other caller, and takes almost all of it. */
function chainsOf({ nodes, edges }: Sankey, isFolding: boolean): number[][] {
  const callees = nodes.map((): number[] => []);
  const callers = nodes.map((): number[] => []);
  for (const edge of edges) {
    if (edge.kind !== 'forward') continue;
    callees[edge.source]?.push(edge.target);
    callers[edge.target]?.push(edge.source);
  }
  const next = nodes.map((node, index) => {
    const [only, other] = callees[index] ?? [];
    const callee = only === undefined ? undefined : nodes[only];
    const isChain =
      isFolding &&
      other === undefined &&
      only !== undefined &&
      callee !== undefined &&
      (callers[only]?.length ?? 0) === 1 &&
      node.kind !== 'others' &&
      callee.kind !== 'others' &&
      callee.max_inclusive >= CHAINED * node.max_inclusive;
    return isChain ? only : -1;
  });
  const isInner = new Set(next.filter((at) => at >= 0));
  return nodes.flatMap((_, index) => {
    if (isInner.has(index)) return [];
    const chain = [index];
    for (let at = next[index] ?? -1; at >= 0 && chain.length <= nodes.length; at = next[at] ?? -1)
      chain.push(at);
    return [chain];
  });
}

/** Length of the longest path that leads to each unit. */
function longestPaths(count: number, edges: readonly (readonly [number, number])[]): number[] {
  const out: number[][] = Array.from({ length: count }, () => []);
  const open = new Array<number>(count).fill(0);
  for (const [from, to] of edges) {
    out[from]?.push(to);
    open[to] = (open[to] ?? 0) + 1;
  }
  const column = new Array<number>(count).fill(0);
  const queue = open.flatMap((degree, unit) => (degree === 0 ? [unit] : []));
  for (let at = 0; at < queue.length; at += 1) {
    const unit = queue[at] ?? 0;
    for (const to of out[unit] ?? []) {
      column[to] = Math.max(column[to] ?? 0, (column[unit] ?? 0) + 1);
      open[to] = (open[to] ?? 0) - 1;
      if (open[to] === 0) queue.push(to);
    }
  }
  return column;
}
