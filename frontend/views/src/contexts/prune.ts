/** Pruning of a tree of contexts: what is kept, and what stands for the rest. No DOM here. */

import { quantile } from '../logic/values.ts';

/** A tree whose parents precede children; NaN is absent. */
export interface ContextTree {
  readonly parent: Int32Array;
  /** The values by which contexts are pruned. */
  readonly value: Float64Array;
  /** Inclusive values, for the fallback and for surrogates. */
  readonly inclusive: Float64Array;
  /** Values that surrogates add up; the inclusive ones if there are none. */
  readonly summed?: Float64Array;
}

export type Rule =
  | { readonly kind: 'outliers' }
  | { readonly kind: 'range'; readonly from: number; readonly to: number }
  | { readonly kind: 'all' };

export interface Pruned {
  /** Rows in pre-order: a context, or a surrogate of what is hidden below its parent. */
  readonly rows: readonly Row[];
  readonly shown: number;
  readonly hidden: number;
  /** Why the rule was not followed; empty if it was. */
  readonly fallback: string;
  /** Contexts that the rule chose. */
  readonly chosen: ReadonlySet<number>;
}

export interface Row {
  /** The context, or that of which children are hidden. */
  readonly node: number;
  readonly isSurrogate: boolean;
  /** Place of the parent in the rows; -1 for the root. */
  readonly parent: number;
  readonly depth: number;
  /** Contexts that a surrogate stands for, and the sum of their inclusive values, or of differences. */
  readonly hidden: number;
  readonly sum: number;
}

/** Contexts that are drawn at most. */
export const MAX_SHOWN = 500;
/** Contexts that the fallback shows. */
const TOP = 50;

/** Lower and upper quartile of the values that are there. */
export function quartiles(values: Float64Array): readonly [number, number] | undefined {
  const sorted = [...values.filter((value) => !Number.isNaN(value)).sort()];
  const [low, high] = [quantile(sorted, 0.25), quantile(sorted, 0.75)];
  return low === null || high === null ? undefined : [low, high];
}

/** Prunes a tree; contexts of `open` show all children, those of `shut` none. */
export function prune(
  tree: ContextTree,
  rule: Rule,
  open: ReadonlySet<number>,
  shut: ReadonlySet<number>,
): Pruned {
  const { chosen, fallback } = choose(tree, rule);
  const count = tree.parent.length;
  const isKept = new Uint8Array(count);
  for (const node of chosen)
    for (let at = node; at >= 0 && isKept[at] === 0; at = tree.parent[at] ?? -1) isKept[at] = 1;
  if (count > 0) isKept[0] = 1;
  // Parents precede children, so one pass opens and closes.
  const isOut = new Uint8Array(count);
  for (let node = 1; node < count; node += 1) {
    const parent = tree.parent[node] ?? -1;
    if (parent < 0) continue;
    if (isOut[parent] === 1 || shut.has(parent)) isOut[node] = 1;
    else if (isKept[parent] === 1 && open.has(parent)) isKept[node] = 1;
  }
  const isShown = isKept.map((kept, node) => (kept === 1 && isOut[node] === 0 ? 1 : 0));
  return rowsOf(tree, isShown, chosen, fallback);
}

function choose(tree: ContextTree, rule: Rule): { chosen: Set<number>; fallback: string } {
  const count = tree.parent.length;
  const all = Array.from({ length: count }, (_, node) => node);
  let found: number[];
  let fallback = '';
  if (rule.kind === 'all') found = all;
  else if (rule.kind === 'range')
    found = all.filter((node) => {
      const value = tree.value[node] ?? NaN;
      return value >= rule.from && value <= rule.to;
    });
  else {
    const limits = quartiles(tree.value);
    const [low, high] = limits ?? [0, 0];
    const range = high - low;
    found = all.filter((node) => {
      const value = tree.value[node] ?? NaN;
      return value < low - 1.5 * range || value > high + 1.5 * range;
    });
    if (!limits) fallback = 'no context has a value';
    else if (range === 0) fallback = 'half of the contexts have the same value';
    else if (found.length === 0) fallback = 'no context is an outlier';
    if (fallback !== '') found = largest(tree.inclusive, all, TOP);
  }
  // The root is always shown, and parents come with their children.
  const most = largest(rule.kind === 'outliers' ? tree.value : tree.inclusive, found, MAX_SHOWN);
  return { chosen: withRoom(tree, most), fallback };
}

/** The nodes with the largest values, in descending order. */
function largest(values: Float64Array, nodes: readonly number[], most: number): number[] {
  const value = (node: number): number => values[node] ?? -Infinity;
  return nodes
    .filter((node) => !Number.isNaN(value(node)))
    .sort((a, b) => value(b) - value(a) || a - b)
    .slice(0, most);
}

/** As many of the nodes as fit with their ancestors. */
function withRoom(tree: ContextTree, nodes: readonly number[]): Set<number> {
  const chosen = new Set<number>();
  const drawn = new Set<number>([0]);
  for (const node of nodes) {
    const path: number[] = [];
    for (let at = node; at >= 0 && !drawn.has(at); at = tree.parent[at] ?? -1) path.push(at);
    if (drawn.size + path.length > MAX_SHOWN) continue;
    for (const at of path) drawn.add(at);
    chosen.add(node);
  }
  return chosen;
}

function rowsOf(
  tree: ContextTree,
  isShown: Uint8Array,
  chosen: ReadonlySet<number>,
  fallback: string,
): Pruned {
  const count = tree.parent.length;
  const children: number[][] = Array.from({ length: count }, () => []);
  const below = new Float64Array(count).fill(1);
  for (let node = count - 1; node > 0; node -= 1) {
    const parent = tree.parent[node] ?? -1;
    if (parent < 0) continue;
    children[parent]?.unshift(node);
    below[parent] = (below[parent] ?? 0) + (below[node] ?? 0);
  }
  const rows: Row[] = [];
  let [shown, hidden] = [0, 0];
  const stack: Row[] =
    count > 0 ? [{ node: 0, isSurrogate: false, parent: -1, depth: 0, hidden: 0, sum: 0 }] : [];
  for (let top = stack.pop(); top; top = stack.pop()) {
    const place = rows.length;
    rows.push(top);
    if (top.isSurrogate) {
      hidden += top.hidden;
      continue;
    }
    shown += 1;
    const next: Row[] = [];
    let [out, sum] = [0, 0];
    for (const child of children[top.node] ?? []) {
      if (isShown[child] === 1)
        next.push({
          node: child,
          isSurrogate: false,
          parent: place,
          depth: top.depth + 1,
          hidden: 0,
          sum: 0,
        });
      else {
        out += below[child] ?? 0;
        const value = (tree.summed ?? tree.inclusive)[child] ?? NaN;
        if (!Number.isNaN(value)) sum += value;
      }
    }
    if (out > 0)
      next.push({
        node: top.node,
        isSurrogate: true,
        parent: place,
        depth: top.depth + 1,
        hidden: out,
        sum,
      });
    for (const row of next.reverse()) stack.push(row);
  }
  return { rows, shown, hidden, fallback, chosen };
}

/** Lines of the rows from above: leaves one below the other, parents in the middle of their children. */
export function linesOf(rows: readonly Row[]): Float64Array {
  const lines = new Float64Array(rows.length).fill(NaN);
  const first = new Float64Array(rows.length).fill(NaN);
  const last = new Float64Array(rows.length).fill(NaN);
  const hasChild = new Uint8Array(rows.length);
  for (const row of rows) if (row.parent >= 0) hasChild[row.parent] = 1;
  let next = 0;
  rows.forEach((_, at) => {
    if (hasChild[at] === 0) {
      lines[at] = next;
      next += 1;
    }
  });
  for (let at = rows.length - 1; at >= 0; at -= 1) {
    if (hasChild[at] === 1) lines[at] = ((first[at] ?? 0) + (last[at] ?? 0)) / 2;
    const parent = rows[at]?.parent ?? -1;
    if (parent < 0) continue;
    if (Number.isNaN(last[parent] ?? NaN)) last[parent] = lines[at] ?? 0;
    first[parent] = lines[at] ?? 0;
  }
  return lines;
}
