/** The unreduced grain graph: fragments between task switches as nodes of their own. No DOM here. */

import type { Group } from '../api.ts';
import type { Columns } from '../data/columns.ts';
import { type GroupTree, valueOf } from '../logic/group-tree.ts';
import { STRIP_FROM } from '../logic/open-groups.ts';

interface Fragment {
  readonly start: number;
  readonly end: number;
}

/** Fragments of each grain in order of time, and when each grain was created, or else began. */
export interface Fragments {
  readonly of: ReadonlyMap<number, readonly Fragment[]>;
  readonly created: ReadonlyMap<number, number>;
  readonly begin: ReadonlyMap<number, number>;
}

/** Fragments in the intervals of a time line; nothing if an interval stands for several. */
export function fragmentsOf(intervals: Columns, grains: Columns): Fragments | undefined {
  const number = (table: Columns, name: string, row: number): number =>
    Number(table.columns[name]?.[row] ?? NaN);
  const of = new Map<number, Fragment[]>();
  for (let row = 0; row < intervals.rows; row += 1) {
    if (number(intervals, 'intervals', row) > 1) return undefined;
    const grain = number(intervals, 'grain', row);
    const fragment = {
      start: number(intervals, 'start', row),
      end: number(intervals, 'end', row),
    };
    const known = of.get(grain);
    if (known) known.push(fragment);
    else of.set(grain, [fragment]);
  }
  for (const list of of.values()) list.sort((a, b) => a.start - b.start);
  const [created, begin] = [new Map<number, number>(), new Map<number, number>()];
  for (let row = 0; row < grains.rows; row += 1) {
    const grain = number(grains, 'grain', row);
    for (const [name, times] of [
      ['created', created],
      ['start', begin],
    ] as const) {
      const time = number(grains, name, row);
      if (!Number.isNaN(time)) times.set(grain, time);
    }
  }
  return { of, created, begin };
}

/** A tree in which grains are sequences of their fragments, and each creation forks what follows it. */
export function unreduced(tree: GroupTree, work: string, fragments: Fragments): GroupTree {
  return new Unreduced(tree, work, fragments);
}

interface Creation {
  readonly child: Group;
  readonly time: number;
}

/** Takes the next fragments of a grain for which something holds. */
type Take = (is: (fragment: Fragment) => boolean) => Group[];

class Unreduced implements GroupTree {
  readonly groups = new Map<number, Group>();
  readonly children = new Map<number, readonly Group[]>();
  readonly #tree: GroupTree;
  readonly #work: string;
  readonly #fragments: Fragments;
  #next: number;

  constructor(tree: GroupTree, work: string, fragments: Fragments) {
    this.#tree = tree;
    this.#work = work;
    this.#fragments = fragments;
    this.#next = 1 + Math.max(0, ...tree.groups.keys());
    for (const group of tree.groups.values()) this.#add(group);
    for (const [group, children] of this.children)
      this.children.set(
        group,
        children.map((child) => this.groups.get(child.group) ?? child),
      );
  }

  #add(group: Group): void {
    // Forks are added with the grain that creates their children.
    if (this.groups.has(group.group)) return;
    const own = this.#tree.children.get(group.group) ?? [];
    const [first, ...forks] = own;
    const count = this.#fragments.of.get(group.grain ?? -1)?.length ?? 0;
    const isOfGrain = first?.kind === 'grain' && first.grain === group.grain;
    const above = this.#tree.groups.get(group.parent ?? -1);
    // Its fragments stand in the sequence of what it creates.
    if (group.kind === 'grain' && above?.kind === 'linear' && above.grain === group.grain) return;
    if (group.kind === 'linear' && isOfGrain && count > 0)
      this.#put(group, this.#sequence(first, forks));
    else if (group.kind === 'grain' && count > 1)
      this.#put(changed(group, { kind: 'linear' }), this.#sequence(group, []));
    else this.#put(group, own);
  }

  #put(group: Group, children: readonly Group[]): Group {
    const isClosed = children.length === 0;
    const whole = isClosed ? group : changed(group, { children: children.length });
    this.groups.set(group.group, whole);
    if (!isClosed) this.children.set(group.group, children);
    return whole;
  }

  /** Fragments of a grain with the forks between them. */
  #sequence(grain: Group, forks: readonly Group[]): readonly Group[] {
    const all = this.#fragments.of.get(grain.grain ?? -1) ?? [];
    let at = 0;
    const take: Take = (is) => {
      const from = at;
      for (let next = all[at]; next && is(next); next = all[at]) at += 1;
      return all.slice(from, at).map((one, place) => this.#leaf(grain, one, from + place + 1));
    };
    const parts = forks.flatMap((fork) => this.#fork(grain, fork, all.slice(at), take));
    return [...parts, ...take(() => true)];
  }

  /** A fork after the fragments before it: the creations one by one if all are known, or else as it is. */
  #fork(grain: Group, fork: Group, left: readonly Fragment[], take: Take): readonly Group[] {
    const children = this.#tree.children.get(fork.group) ?? [];
    const { created, begin } = this.#fragments;
    const ends = new Set(left.map(({ end }) => end));
    const creations = children
      .map((child) => ({ child, time: created.get(child.grain ?? -1) ?? NaN }))
      .sort((a, b) => a.time - b.time);
    const [first] = creations;
    const isKnown = children.length === fork.children && children.length <= STRIP_FROM;
    if (first && isKnown && creations.every(({ time }) => ends.has(time))) {
      const before = take(({ end }) => end <= first.time);
      return [...before, this.#nested(grain, fork, creations, take)];
    }
    const begins = children.map(({ grain: child }) => begin.get(child ?? -1) ?? 0);
    const until = Math.max(Math.min(...begins), ...creations.map(({ time }) => time || 0));
    return [...take(({ start }) => start < until), this.#put(fork, children)];
  }

  /** Each creation forks the created task from what its creator does next, up to the wait that joins all. */
  #nested(grain: Group, fork: Group, creations: readonly Creation[], take: Take): Group {
    const joined = Math.max(...creations.map(({ child }) => this.#endOf(child)));
    const rests = creations.map((_, at) => {
      const until = creations[at + 1]?.time;
      let taken = 0;
      return take(({ start, end }) =>
        until === undefined ? (taken += 1) === 1 || start < joined : end <= until,
      );
    });
    let inner: Group | undefined;
    for (let at = creations.length - 1; at >= 0; at -= 1) {
      const rest = [...(rests[at] ?? []), ...(inner ? [inner] : [])];
      const sequence = changed(grain, { kind: 'linear', group: this.#next++ });
      const child = creations[at]?.child ?? grain;
      const sides = rest.length > 0 ? [child, this.#put(sequence, rest)] : [child];
      const group = at === 0 ? fork.group : this.#next++;
      inner = this.#put(changed(fork, { group }), sides);
    }
    return inner ?? fork;
  }

  #leaf(grain: Group, { start, end }: Fragment, fragment: number): Group {
    const group = this.#next++;
    const leaf = changed(grain, { group, children: 0, fragment, [this.#work]: end - start });
    this.groups.set(group, leaf);
    return leaf;
  }

  /** When the last fragment of a grain ends. */
  #endOf({ grain }: Group): number {
    const own = this.#fragments.of.get(grain ?? -1);
    return own?.[own.length - 1]?.end ?? 0;
  }
}

function changed(group: Group, changes: Readonly<Record<string, unknown>>): Group {
  return Object.assign({}, group, changes) as Group;
}

/** Number of a fragment within its grain; nothing for grains that are drawn as one. */
export function fragmentAt(group: Group): number | undefined {
  return valueOf(group, 'fragment');
}
