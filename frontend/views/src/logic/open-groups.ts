/** The visible nodes of an aggregation tree: which groups are open, and the graph that they make. */

import type { Group } from '../api.ts';
import { type GroupTree, valueOf } from './group-tree.ts';
import { FORK, LEAF, SERIES, type SpTree, STRIP } from './series-parallel.ts';

/** Forks with more closed children have them in a strip. */
export const STRIP_FROM = 40;
/** Children of a fork that are asked for at first. */
export const FIRST_CHILDREN = 200;
/** Nodes that are drawn at most. */
export const MAX_NODES = 5000;

/** Sizes of closed nodes. */
export interface NodeSizes {
  /** Length and width of a node; `share` is its work by the most of its siblings. */
  size(group: Group, isBar: boolean, share: number): readonly [along: number, across: number];
  /** Whether open groups have frames. */
  readonly isFramed: boolean;
}

export interface VisibleNodes extends SpTree {
  /** The group of each node; nothing for strips. */
  readonly groups: readonly (Group | undefined)[];
  /** Whether the node is an open group. */
  readonly isOpen: Uint8Array;
  /** Open groups with unknown children. */
  readonly missing: readonly number[];
  /** Open groups of which only the first children are here, and groups left closed as too many nodes are open. */
  readonly cut: readonly Group[];
  readonly isFull: boolean;
}

interface Waiting {
  readonly parent: number;
  readonly group: Group | undefined;
  readonly kind: number;
  readonly size: readonly [number, number];
  readonly bars?: readonly Group[];
}

const NO_SIZE = [0, 0] as const;

/** Nodes below a root in pre-order; of a group that is open and has unknown children, a closed node stands there. */
export function visibleNodes(
  tree: GroupTree,
  root: number,
  isOpen: (group: Group) => boolean,
  work: string,
  sizes: NodeSizes,
): VisibleNodes {
  const open = openedGroups(tree, root, isOpen);
  const kind: number[] = [];
  const parent: number[] = [];
  const along: number[] = [];
  const across: number[] = [];
  const framed: number[] = [];
  const groups: (Group | undefined)[] = [];
  const opened: number[] = [];
  const cut: Group[] = [];
  const first = tree.groups.get(root);
  const waiting: Waiting[] = first ? [waitingOf(first, -1, open, sizes, 1)] : [];
  for (let top = waiting.pop(); top; top = waiting.pop()) {
    const node = kind.length;
    kind.push(top.kind);
    parent.push(top.parent);
    along.push(top.size[0]);
    across.push(top.size[1]);
    groups.push(top.group);
    const isOpened = top.kind === SERIES || top.kind === FORK;
    opened.push(isOpened ? 1 : 0);
    framed.push(isOpened && sizes.isFramed && top.parent >= 0 ? 1 : 0);
    if (top.bars) {
      const most = Math.max(...top.bars.map((bar) => valueOf(bar, work) ?? 0));
      for (const bar of [...top.bars].reverse())
        waiting.push({
          parent: node,
          group: bar,
          kind: LEAF,
          size: sizes.size(bar, true, most > 0 ? (valueOf(bar, work) ?? 0) / most : 0),
        });
    }
    if (!top.group || !isOpened) continue;
    const children = tree.children.get(top.group.group) ?? [];
    if (children.length < top.group.children) cut.push(top.group);
    let most = 0;
    for (const child of children) most = Math.max(most, valueOf(child, work) ?? 0);
    const closed = children.filter((child) => !open.groups.has(child.group));
    const isStrip = top.kind === FORK && closed.length > STRIP_FROM;
    const own = (isStrip ? children.filter((child) => open.groups.has(child.group)) : children).map(
      (child) =>
        waitingOf(child, node, open, sizes, most > 0 ? (valueOf(child, work) ?? 0) / most : 0),
    );
    if (isStrip)
      own.unshift({ parent: node, group: undefined, kind: STRIP, size: NO_SIZE, bars: closed });
    for (const one of own.reverse()) waiting.push(one);
  }
  return {
    kind: Uint8Array.from(kind),
    parent: Int32Array.from(parent),
    along: Float64Array.from(along),
    across: Float64Array.from(across),
    framed: Uint8Array.from(framed),
    groups,
    isOpen: Uint8Array.from(opened),
    missing: open.missing,
    cut,
    isFull: open.isFull,
  };
}

function waitingOf(
  group: Group,
  parent: number,
  open: Opened,
  sizes: NodeSizes,
  share: number,
): Waiting {
  const isOpen = open.groups.has(group.group);
  const kind = !isOpen ? LEAF : group.kind === 'linear' ? SERIES : FORK;
  return { parent, group, kind, size: isOpen ? NO_SIZE : sizes.size(group, false, share) };
}

interface Opened {
  readonly groups: ReadonlySet<number>;
  readonly missing: readonly number[];
  readonly isFull: boolean;
}

/** Groups that are open and have known children, level by level, until there are too many nodes. */
function openedGroups(tree: GroupTree, root: number, isOpen: (group: Group) => boolean): Opened {
  const groups = new Set<number>();
  const missing: number[] = [];
  const queue = [tree.groups.get(root)];
  let nodes = 1;
  let isFull = false;
  for (let at = 0; at < queue.length; at += 1) {
    const group = queue[at];
    if (!group || group.children === 0 || !isOpen(group)) continue;
    const children = tree.children.get(group.group) ?? [];
    const first = Math.min(group.children, FIRST_CHILDREN);
    const count = Math.max(children.length, first);
    // Children that have no room are not asked for: they would be dropped and asked for again.
    if (nodes + count > MAX_NODES) {
      isFull = true;
      continue;
    }
    nodes += count;
    if (children.length < first) missing.push(group.group);
    if (children.length === 0) continue;
    groups.add(group.group);
    for (const child of children) queue.push(child);
  }
  return { groups, missing, isFull };
}

/** Letters of structures that two or more of the nodes have, by structure id. */
export function badges(nodes: readonly (Group | undefined)[]): ReadonlyMap<string, string> {
  const counts = new Map<string, number>();
  for (const group of nodes) {
    const structure = group?.structure;
    // Single grains are all alike.
    if (!structure || group.children === 0) continue;
    counts.set(structure, (counts.get(structure) ?? 0) + 1);
  }
  const letters = new Map<string, string>();
  for (const [structure, count] of counts)
    if (count > 1) letters.set(structure, letterOf(letters.size));
  return letters;
}

/** `A` to `Z`, then `AA` and so on. */
function letterOf(index: number): string {
  const last = String.fromCharCode(65 + (index % 26));
  return index < 26 ? last : `${letterOf(Math.floor(index / 26) - 1)}${last}`;
}

/** Whether a node is not drawn: the root of the picture while it is open, and what stands for no group. */
export function isHidden({ kind, framed, groups }: VisibleNodes, node: number): boolean {
  return groups[node] === undefined || (kind[node] !== LEAF && !framed[node]);
}
