/** Which workers did the work of a closed group. No DOM here. */

import type { Group } from '../api.ts';
import type { GroupTree } from '../logic/group-tree.ts';
import type { Times } from './times.ts';

/** Workers of a group that are named at most. */
const NAMED = 3;

/** A worker, as a place in the list of workers, and its share of the work of a group. */
export type Share = readonly [worker: number, share: number];

/** Workers with most of the work of a group, the largest share first; nothing if its grains are not known. */
export function sharesOf(known: GroupTree, times: Times, group: Group): readonly Share[] {
  const grains = topGrains(known, times, group);
  const works = new Map<number, number>();
  for (const grain of grains)
    for (const [worker, work] of times.workBelow(grain))
      works.set(worker, (works.get(worker) ?? 0) + work);
  const all = [...works.values()].reduce((sum, work) => sum + work, 0);
  if (!(all > 0)) return [];
  return [...works]
    .map(([worker, work]) => [worker, work / all] as const)
    .sort((a, b) => b[1] - a[1] || a[0] - b[0])
    .slice(0, NAMED);
}

/** Grains that, with all that they create, are a group. */
function topGrains(known: GroupTree, times: Times, group: Group): readonly number[] {
  if (typeof group.grain === 'number') return [group.grain];
  if (typeof group.parent !== 'number') return times.created(-1);
  const creator = known.groups.get(group.parent)?.grain;
  if (group.kind !== 'fork_join' || typeof creator !== 'number') return [];
  // The forks of a grain have its children in the order of their creation, unless a join waits for more than those.
  const forks = (known.children.get(group.parent) ?? []).filter((one) => one.kind === 'fork_join');
  const children = times.created(creator);
  if (forks.reduce((sum, fork) => sum + fork.children, 0) !== children.length) return [];
  let from = 0;
  for (const fork of forks) {
    if (fork.group === group.group) return children.slice(from, from + fork.children);
    from += fork.children;
  }
  return [];
}
