/** Aggregation trees for tests, written as lines. */

import type { Group } from '../api.ts';
import type { GroupTree } from './group-tree.ts';

/** A tree from lines `NUMBER PARENT KIND DEFINITION [KEY|-] [WORK]`; the first is the root. */
export function treeOf(...lines: readonly string[]): GroupTree {
  const groups = new Map<number, Group>();
  const children = new Map<number, Group[]>();
  for (const line of lines) {
    const [number = '', parent = '', kind = '', definition = '', key = '-', work] = line.split(' ');
    const group = {
      group: Number(number),
      parent: parent === '-' ? null : Number(parent),
      depth: 0,
      kind,
      definition,
      grains: 1,
      children: 0,
      nodes: 1,
      is_critical: false,
      is_restructured: false,
      ...(key === '-' ? {} : { path_key: key, grain: Number(number) }),
      ...(work === undefined ? {} : { work_ns: Number(work) }),
    } as unknown as Group;
    groups.set(group.group, group);
    if (parent === '-') continue;
    const siblings = children.get(Number(parent));
    if (siblings) siblings.push(group);
    else children.set(Number(parent), [group]);
  }
  for (const [parent, own] of children)
    Object.assign(groups.get(parent) ?? {}, { children: own.length });
  return { groups, children };
}
