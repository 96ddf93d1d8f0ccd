/** Two aggregation trees: which of their groups correspond, and one graph of both. */

import type { GrainDiff, Group } from '../api.ts';
import type { GroupTree } from './group-tree.ts';
import type { VisibleNodes } from './open-groups.ts';
import { FORK } from './series-parallel.ts';

/** Which groups of one run correspond to which of another, as far as both are known. */
export interface Partners {
  /** Groups of the second run, by groups of the first. */
  readonly second: ReadonlyMap<number, number>;
  /** Groups of the first run, by groups of the second. */
  readonly first: ReadonlyMap<number, number>;
  /** Groups that the other run does not have. */
  readonly onlyFirst: ReadonlySet<number>;
  readonly onlySecond: ReadonlySet<number>;
}

/** One name for each definition that has others, as the comparison of grains states it. */
export function renamesOf(answer: GrainDiff | undefined): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const renamed of answer?.renames ?? [])
    for (const { name } of renamed.names) names.set(name, renamed.group);
  return names;
}

/**
 * Matches groups level by level from the roots: children by the path of their grain, which is the same in every run,
 * and the others in order among those of equal kind and definition. Where a definition has other names, paths differ,
 * so that what it creates is matched by kind and order too.
 */
export function partnersOf(
  first: GroupTree,
  second: GroupTree,
  renames: ReadonlyMap<string, string> = new Map(),
): Partners {
  const there = new Map<number, number>();
  const back = new Map<number, number>();
  const onlyFirst = new Set<number>();
  const onlySecond = new Set<number>();
  const aliases = aliasesOf(first, second);
  const roots = [first.groups.get(0), second.groups.get(0)] as const;
  type Pair = readonly [Group, Group, isBelowRenamed: boolean];
  const queue: Pair[] = roots[0] && roots[1] ? [[roots[0], roots[1], false]] : [];
  for (let at = 0; at < queue.length; at += 1) {
    const [one, other, isBelow] = queue[at] ?? [undefined, undefined, false];
    if (!one || !other) continue;
    const isRenamed = (group: Group): boolean => isBelow || renames.has(group.definition ?? '');
    const nameIn = (group: Group, definition = group.definition ?? ''): string =>
      nameOf(group, isRenamed(group), renames.get(definition) ?? definition);
    there.set(one.group, other.group);
    back.set(other.group, one.group);
    const own = first.children.get(one.group) ?? [];
    const others = second.children.get(other.group) ?? [];
    const isKnown = own.length === one.children && others.length === other.children;
    if (!isKnown && (own.length === 0 || others.length === 0)) continue;
    const left = new Map<string, Group[]>();
    for (const child of others) {
      const name = nameIn(child);
      const same = left.get(name);
      if (same) same.push(child);
      else left.set(name, [child]);
    }
    for (const list of left.values()) list.reverse();
    for (const child of own) {
      const partner = left.get(nameIn(child, aliases.get(child.definition ?? '')))?.pop();
      if (partner) queue.push([child, partner, isRenamed(child)]);
      // Children that are not read yet may hold the partner.
      else if (others.length === other.children) onlyFirst.add(child.group);
    }
    if (own.length < one.children) continue;
    for (const list of left.values()) for (const child of list) onlySecond.add(child.group);
  }
  withContent(first, onlyFirst);
  withContent(second, onlySecond);
  return { second: there, first: back, onlyFirst, onlySecond };
}

/** Adds what is known to be in the groups of a set. */
function withContent(tree: GroupTree, groups: Set<number>): void {
  // A set is walked in the order of insertion, added members included.
  for (const group of groups)
    for (const child of tree.children.get(group) ?? []) groups.add(child.group);
}

/** Names of the second run for definitions of the first: the same path is of the same definition, on other lines. */
function aliasesOf(first: GroupTree, second: GroupTree): ReadonlyMap<string, string> {
  const there = new Map<string, string>();
  for (const { path_key: key, definition } of second.groups.values())
    if (key && definition) there.set(key, definition);
  const aliases = new Map<string, string>();
  for (const { path_key: key, definition } of first.groups.values()) {
    const other = there.get(key ?? '');
    if (definition && other !== undefined) aliases.set(definition, other);
  }
  return aliases;
}

/** What groups that correspond have in common. */
function nameOf({ path_key: key, kind }: Group, isRenamed: boolean, definition: string): string {
  // A grain and the sequence of what it forks have the same path.
  const place = kind === 'grain' ? 'grain' : 'group';
  return key && !isRenamed ? `${place} ${key}` : `${kind} ${definition}`;
}

/** Whether a group and all groups around it are open: those of the second run follow their partners. */
export function followedBy(
  partners: Partners,
  first: GroupTree,
  isOpen: (group: Group) => boolean,
  isOwnOpen: (group: Group) => boolean,
): (group: Group) => boolean {
  return (group) => {
    const partner = first.groups.get(partners.first.get(group.group) ?? -1);
    return partner ? isOpen(partner) : isOwnOpen(group);
  };
}

export interface TwoRuns extends VisibleNodes {
  /** First node of the second run; as many as there are nodes if there is one run only. */
  readonly second: number;
}

/** Whether an edge of a node would join two runs, which lie below a node that stands for nothing. */
export function isBetweenRuns({ groups, parent }: VisibleNodes, node: number): boolean {
  return groups[0] === undefined && (node === 0 || parent[node] === 0);
}

/** A value of the second run by that of the first. */
export function ratioOf(before: number | undefined, after: number | undefined): number | undefined {
  return before === undefined || after === undefined || before <= 0 ? undefined : after / before;
}

/** Nodes of two runs next to each other below a node that stands for nothing; of one run alone its own. */
export function nextToEachOther(one: VisibleNodes, other: VisibleNodes | undefined): TwoRuns {
  if (!other) return { ...one, second: one.kind.length };
  const shift = 1 + one.kind.length;
  const parents = (nodes: VisibleNodes, by: number): number[] =>
    Array.from(nodes.parent, (parent) => (parent < 0 ? 0 : parent + by));
  const numbers = (of: (nodes: VisibleNodes) => Float64Array): Float64Array =>
    Float64Array.of(0, ...of(one), ...of(other));
  const bytes = (top: number, of: (nodes: VisibleNodes) => Uint8Array): Uint8Array =>
    Uint8Array.of(top, ...of(one), ...of(other));
  return {
    kind: bytes(FORK, (nodes) => nodes.kind),
    parent: Int32Array.of(-1, ...parents(one, 1), ...parents(other, shift)),
    along: numbers((nodes) => nodes.along),
    across: numbers((nodes) => nodes.across),
    framed: bytes(0, (nodes) => nodes.framed),
    groups: [undefined, ...one.groups, ...other.groups],
    isOpen: bytes(0, (nodes) => nodes.isOpen),
    missing: one.missing,
    cut: [...one.cut, ...other.cut],
    isFull: one.isFull || other.isFull,
    second: shift,
  };
}
