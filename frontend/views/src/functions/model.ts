/** Functions of a tree of call paths: rows, callers and callees. Pure; no recursion over data. */

import type { Answers } from './definition.ts';

export type StatsRow = Answers['exclusive']['rows'][number];

type DiffRow = NonNullable<Answers['diff']>['rows'][number];

/** A function with its values. */
export interface FunctionRow {
  readonly group: string;
  readonly name: string;
  /** Name that its call paths end in; that of B if it was renamed. */
  readonly leaf: string;
  readonly exclusive: StatsRow | undefined;
  readonly inclusive: StatsRow | undefined;
  readonly diff: DiffRow | undefined;
  /** Exclusive values of each side; absent without a comparison, or on a side without the function. */
  readonly a: StatsRow | undefined;
  readonly b: StatsRow | undefined;
}

const byGroup = (rows: readonly StatsRow[] = []): Map<string, StatsRow> =>
  new Map(rows.map((row) => [row.group, row]));

/** One row per function. Both sides of a function that was renamed are one row, as in the comparison. */
export function functionRows(
  { exclusive, inclusive, diff, a, b }: Answers,
  filter: string,
): FunctionRow[] {
  const wanted = filter.trim().toLowerCase();
  const [own, all, ofA, ofB] = [exclusive, inclusive, a, b].map((stats) =>
    byGroup(stats?.rows),
  ) as [Map<string, StatsRow>, Map<string, StatsRow>, Map<string, StatsRow>, Map<string, StatsRow>];
  const changes = new Map((diff?.rows ?? []).map((row) => [row.group, row]));
  const former = new Set(
    [...changes.values()].flatMap(({ group_a: group }) =>
      group && !changes.has(group) ? [group] : [],
    ),
  );
  return [...new Set([...all.keys(), ...own.keys(), ...changes.keys()])]
    .filter((group) => !former.has(group))
    .map((group) => {
      const change = changes.get(group);
      const path = own.get(group)?.path ?? all.get(group)?.path ?? change?.path_b ?? [];
      const isMoved = change?.group_a !== undefined && change.group_a !== null;
      return {
        group,
        name: (change?.path ?? path).join(' › '),
        leaf: path.join(' › '),
        exclusive: own.get(group),
        inclusive: all.get(group),
        diff: change,
        a: ofA.get(isMoved ? (change.group_a ?? '') : group),
        b: ofB.get(group),
      };
    })
    .filter(({ name }) => !wanted || name.toLowerCase().includes(wanted));
}

/** A call path with its own value and that of all below it. */
export interface Context {
  readonly name: string;
  readonly parent: number;
  readonly own: number;
  total: number;
}

/** The tree of call paths, parents before children, from rows in pre-order. */
export function contextTree(rows: readonly StatsRow[]): Context[] {
  const tree: Context[] = [];
  const open: { readonly at: number; readonly depth: number }[] = [];
  for (const row of rows) {
    const depth = row.path.length;
    while (open.length > 0 && (open[open.length - 1]?.depth ?? 0) >= depth) open.pop();
    const parent = open[open.length - 1]?.at ?? -1;
    const own = row.mean ?? 0;
    tree.push({ name: row.path[depth - 1] ?? '', parent, own, total: own });
    open.push({ at: tree.length - 1, depth });
  }
  for (let at = tree.length - 1; at >= 0; at -= 1) {
    const context = tree[at];
    const above = context && tree[context.parent];
    if (context && above) above.total += context.total;
  }
  return tree;
}

/** A cell of an icicle: place 0..1, depth from 0. */
export interface Cell {
  readonly name: string;
  readonly depth: number;
  readonly from: number;
  readonly size: number;
  readonly value: number;
}

interface Node {
  value: number;
  readonly children: Map<string, Node>;
}

/** Rows of an icicle below the function itself. */
const DEPTH = 12;
/** Cells below this share of the function are left out, and counted. */
const LEAST = 0.002;

/** Who calls a function (`callers`), or what it calls (`callees`), merged by name. */
export function icicleOf(
  tree: readonly Context[],
  name: string,
  way: 'callers' | 'callees',
): { readonly cells: readonly Cell[]; readonly total: number; readonly omitted: number } {
  const root: Node = { value: 0, children: new Map() };
  // Inside of itself a function is not counted again.
  const inside = new Uint8Array(tree.length);
  const nodes: (Node | undefined)[] = [];
  tree.forEach((context, at) => {
    const isBelow = context.parent >= 0 && inside[context.parent] === 1;
    if (isBelow) inside[at] = 1;
    if (context.name === name) {
      inside[at] = 1;
      if (!isBelow) root.value += context.total;
      if (way === 'callers' && !isBelow) addCallers(root, tree, at, context.total);
    }
    if (way === 'callees' && inside[at] === 1) {
      const above = isBelow ? nodes[context.parent] : undefined;
      if (!isBelow) nodes[at] = root;
      else if (above) {
        const child = childOf(above, context.name);
        child.value += context.total;
        nodes[at] = child;
      }
    }
  });
  return { ...cellsOf(root, name), total: root.value };
}

/** Own values of all functions, merged by name, each with its callers: the bottom-up tree. */
export function invertedOf(
  tree: readonly Context[],
  isWanted: (name: string) => boolean = () => true,
): { readonly cells: readonly Cell[]; readonly total: number; readonly omitted: number } {
  const root: Node = { value: 0, children: new Map() };
  tree.forEach(({ name, own }, at) => {
    if (!(own > 0) || !isWanted(name)) return;
    root.value += own;
    const node = childOf(root, name);
    node.value += own;
    addCallers(node, tree, at, own);
  });
  return { ...cellsOf(root, ''), total: root.value };
}

function addCallers(root: Node, tree: readonly Context[], from: number, value: number): void {
  let node = root;
  let at = tree[from]?.parent ?? -1;
  for (let depth = 0; at >= 0 && depth < DEPTH; depth += 1) {
    const context = tree[at];
    if (!context) return;
    node = childOf(node, context.name);
    node.value += value;
    at = context.parent;
  }
}

function childOf(node: Node, name: string): Node {
  const known = node.children.get(name);
  if (known) return known;
  const made: Node = { value: 0, children: new Map() };
  node.children.set(name, made);
  return made;
}

function cellsOf(root: Node, name: string): { cells: Cell[]; omitted: number } {
  const cells: Cell[] = [];
  let omitted = 0;
  if (!(root.value > 0)) return { cells, omitted };
  const stack: { node: Node; name: string; depth: number; from: number }[] = [
    { node: root, name, depth: 0, from: 0 },
  ];
  for (let next = stack.pop(); next; next = stack.pop()) {
    const size = next.node.value / root.value;
    cells.push({
      name: next.name,
      depth: next.depth,
      from: next.from,
      size,
      value: next.node.value,
    });
    let { from } = next;
    const children = [...next.node.children].sort(
      (a, b) => b[1].value - a[1].value || a[0].localeCompare(b[0]),
    );
    for (const [child, node] of children) {
      const share = node.value / root.value;
      if (share < LEAST || next.depth >= DEPTH) omitted += 1;
      else stack.push({ node, name: child, depth: next.depth + 1, from });
      from += share;
    }
  }
  cells.sort((a, b) => a.depth - b.depth || a.from - b.from);
  return { cells, omitted };
}
