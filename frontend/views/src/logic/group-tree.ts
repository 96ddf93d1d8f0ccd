/** The part of an aggregation tree that is known: a first picture, and pages of the children of groups. */

import type { Group, Groups, Tree } from '../api.ts';

export interface GroupTree {
  readonly groups: ReadonlyMap<number, Group>;
  /** Known children in program order; incomplete while pages are missing. */
  readonly children: ReadonlyMap<number, readonly Group[]>;
}

/** Joins what answers hold; pages of another run are left out. */
export function groupTree(tree: Tree, pages: readonly Groups[]): GroupTree {
  const groups = new Map<number, Group>();
  const children = new Map<number, Group[]>();
  for (const group of tree.groups) {
    groups.set(group.group, group);
    if (group.parent === null || group.parent === undefined) continue;
    const siblings = children.get(group.parent);
    if (siblings) siblings.push(group);
    else children.set(group.parent, [group]);
  }
  const ordered = pages
    .filter((page) => page.run === tree.run)
    .sort((a, b) => a.group.group - b.group.group || a.offset - b.offset);
  const paged = new Map<number, Group[]>();
  for (const page of ordered) {
    groups.set(page.group.group, page.group);
    const known = paged.get(page.group.group) ?? [];
    // A page after a gap waits for the one before it.
    if (page.offset !== known.length) continue;
    known.push(...page.rows);
    paged.set(page.group.group, known);
  }
  for (const [group, rows] of paged) {
    for (const row of rows) groups.set(row.group, row);
    if (rows.length >= (children.get(group)?.length ?? 0)) children.set(group, rows);
  }
  return { groups, children };
}

/** The value of a metric, if the group has one. */
export function valueOf(group: Group, metric: string): number | undefined {
  const value = (group as unknown as Readonly<Record<string, unknown>>)[metric];
  return typeof value === 'number' ? value : undefined;
}

/** Groups from the root down to a group, itself included; those above an unknown one are missing. */
export function pathTo(tree: GroupTree, group: number): readonly Group[] {
  const path: Group[] = [];
  for (let at = tree.groups.get(group); at; at = tree.groups.get(at.parent ?? -1)) path.unshift(at);
  return path;
}

/** A condition such as `work_deviation > 2`. */
export interface Condition {
  readonly metric: string;
  readonly isBelow: boolean;
  /** A number or a name such as `cores`. */
  readonly limit: string;
}

/** The parts of a condition; nothing if it is not a comparison of one metric. */
export function conditionOf(text: string): Condition | undefined {
  const found = /^\s*([A-Za-z_]\w*)\s*([<>])=?\s*(\S+)\s*$/.exec(text);
  if (!found) return undefined;
  return { metric: found[1] ?? '', isBelow: found[2] === '<', limit: found[3] ?? '' };
}

/** The groups on the way to the worst grain, from the root; ends where children are unknown. */
export function pathToWorst(tree: GroupTree, root: number, condition: Condition): Set<number> {
  const path = new Set<number>();
  let at = tree.groups.get(root);
  while (at) {
    path.add(at.group);
    let worst: Group | undefined;
    for (const child of tree.children.get(at.group) ?? []) {
      if (child.has_problem !== true) continue;
      if (!worst || isWorse(child, worst, condition)) worst = child;
    }
    at = worst;
  }
  return path;
}

function isWorse(one: Group, other: Group, { metric, isBelow }: Condition): boolean {
  const [a, b] = [valueOf(one, metric), valueOf(other, metric)];
  if (a === undefined || b === undefined) return a !== undefined;
  return isBelow ? a < b : a > b;
}
