/** Two aggregation trees in one picture: what corresponds has the same place in both, what one lacks leaves a gap. */

import type { Group } from '../api.ts';
import { type GroupTree, valueOf } from './group-tree.ts';
import type { VisibleNodes } from './open-groups.ts';
import { nextToEachOther, type Partners, type TwoRuns } from './two-runs.ts';

/** Numbers of groups that only the second run has are its own plus this: above all numbers of a run. */
const SECOND = 1e10;

/** Whether a number of a union is that of a group of the first run. */
export function isOfFirst(number: number): boolean {
  return number < SECOND;
}

/** The groups of both runs as one tree: numbers are those of the first run if it has the group. */
export interface Union {
  readonly tree: GroupTree;
  /** The group of each run by its number in the union. */
  readonly first: ReadonlyMap<number, Group>;
  readonly second: ReadonlyMap<number, Group>;
}

/** Joins two trees whose groups are matched; the work of a joined group is the larger one. */
export function unionOf(
  first: GroupTree,
  second: GroupTree,
  partners: Partners,
  work: string,
): Union {
  const groups = new Map<number, Group>();
  const children = new Map<number, readonly Group[]>();
  const firsts = new Map<number, Group>();
  const seconds = new Map<number, Group>();
  const make = ([one, other]: Pair, parent: number | null): Group | undefined => {
    const group = one ?? other;
    if (!group) return undefined;
    const number = one ? one.group : group.group + SECOND;
    const known = Math.max(one?.children ?? 0, other?.children ?? 0);
    const works = [one, other].flatMap((side) => (side && valueOf(side, work)) ?? []);
    const most = works.length > 0 ? { [work]: Math.max(...works) } : {};
    const joined = { ...group, ...most };
    Object.assign(joined, { group: number, parent, children: known });
    groups.set(number, joined);
    if (one) firsts.set(number, one);
    if (other) seconds.set(number, other);
    return joined;
  };
  const root = make([first.groups.get(0), second.groups.get(0)], null);
  const queue = root ? [root] : [];
  for (let at = 0; at < queue.length; at += 1) {
    const { group: number } = queue[at] as Group;
    const [one, other] = [firsts.get(number), seconds.get(number)];
    const own = (one && first.children.get(one.group)) ?? [];
    const others = (other && second.children.get(other.group)) ?? [];
    const pairs = merged(own, others, partners);
    if (pairs.length === 0) continue;
    const joined = pairs.flatMap((pair) => make(pair, number) ?? []);
    children.set(number, joined);
    for (const child of joined) queue.push(child);
  }
  return { tree: { groups, children }, first: firsts, second: seconds };
}

type Pair = readonly [Group | undefined, Group | undefined];

/** Children in the order of the first run; one that only the second has follows what it follows there. */
function merged(own: readonly Group[], others: readonly Group[], partners: Partners): Pair[] {
  const there = new Map(others.map((group) => [group.group, group]));
  const after = new Map<number, Group[]>();
  let last = -1;
  for (const other of others) {
    const partner = partners.first.get(other.group);
    if (partner !== undefined) last = partner;
    else {
      const list = after.get(last);
      if (list) list.push(other);
      else after.set(last, [other]);
    }
  }
  const alone = (before: number): Pair[] =>
    (after.get(before) ?? []).map((other) => [undefined, other] as const);
  const pairs = alone(-1);
  for (const group of own)
    pairs.push([group, there.get(partners.second.get(group.group) ?? -1)], ...alone(group.group));
  return pairs;
}

/** Visible nodes of a union twice: with the groups of the first run, and with those of the second. */
export function aligned(nodes: VisibleNodes, union: Union): TwoRuns {
  const side = (groups: ReadonlyMap<number, Group>): VisibleNodes => ({
    ...nodes,
    groups: nodes.groups.map((group) => group && groups.get(group.group)),
    framed: Uint8Array.from(nodes.framed, (framed, at) =>
      at === 0 ? (nodes.isOpen[0] ?? 0) : framed,
    ),
  });
  return { ...nextToEachOther(side(union.first), side(union.second)), cut: nodes.cut };
}

/** The node of the union that a node of either run comes from; the node above both runs comes from none. */
export function placeOf({ second }: TwoRuns, node: number): number {
  return node >= second ? node - second : node - 1;
}

/** The node at the same place in the other run. */
export function counterpart({ second }: TwoRuns, node: number): number {
  const count = second - 1;
  return node >= second ? node - count : node + count;
}

/** Groups on the way to the largest difference of work, by their numbers in the union. */
export function pathToLargest({ tree, first, second }: Union, work: string): ReadonlySet<number> {
  const change = ({ group }: Group): number => {
    const [one, other] = [first.get(group), second.get(group)];
    // A group that one run lacks differs by all of its work.
    return Math.abs(((other && valueOf(other, work)) ?? 0) - ((one && valueOf(one, work)) ?? 0));
  };
  const path = new Set<number>();
  for (let at = tree.groups.get(0); at;) {
    path.add(at.group);
    let most: Group | undefined;
    for (const child of tree.children.get(at.group) ?? [])
      if (change(child) > (most ? change(most) : 0)) most = child;
    at = most;
  }
  return path;
}
