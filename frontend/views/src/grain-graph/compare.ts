/** Grains of two runs, matched: how much more work or time each has in the second run. No DOM here. */

import type { GrainDiff, Group, Tree } from '../api.ts';
import { groupTree, valueOf } from '../logic/group-tree.ts';
import type { IsNamed } from '../logic/definition-names.ts';
import type { VisibleNodes } from '../logic/open-groups.ts';
import { LEAF } from '../logic/series-parallel.ts';
import {
  nextToEachOther,
  type Partners,
  partnersOf,
  ratioOf,
  renamesOf,
  type TwoRuns,
} from '../logic/two-runs.ts';
import type { Answers, Settings } from './definition.ts';

/** A grain of both runs. */
export interface Match {
  /** Nodes of the first and of the second run. */
  readonly nodes: readonly [number, number];
  readonly work: readonly [number | undefined, number | undefined];
  /** Value in the second run by that in the first. */
  readonly ratio: number | undefined;
}

export interface Comparison {
  readonly other: Tree;
  readonly partners: Partners;
  readonly nodes: TwoRuns;
  /** By node, of both runs. */
  readonly matches: ReadonlyMap<number, Match>;
  /** Grains that only the first run has, and that only the second has, among those drawn. */
  readonly alone: readonly [number, number];
}

/** Metric whose values are divided: work of a grain, or the time from its first begin to its end. */
export function metricOf(compared: Settings['compared'], { unit }: Tree): string {
  return `${compared === 'stretch' ? 'lifetime' : 'work'}_${unit}`;
}

export function comparisonOf(
  answers: Answers,
  tree: Tree,
  first: VisibleNodes,
  nodesOf: (tree: Tree, root: number) => VisibleNodes,
  settings: Settings,
): Comparison | undefined {
  const other = answers['other'] as Tree | undefined;
  if (settings.compared === 'problem' || !other) return undefined;
  const renames = renamesOf(answers['renames'] as GrainDiff | undefined);
  const partners = partnersOf(groupTree(tree, []), groupTree(other, []), renames);
  // Without a group that corresponds, there is nothing to draw of the second run.
  const nodes = nextToEachOther(first, nodesOf(other, partners.second.get(settings.root) ?? -1));
  const places = new Map<number, number>();
  for (let at = nodes.second; at < nodes.kind.length; at += 1) {
    const group = nodes.groups[at];
    if (group) places.set(group.group, at);
  }
  const [work, metric] = [metricOf('deviation', tree), metricOf(settings.compared, tree)];
  const matches = new Map<number, Match>();
  const alone: [number, number] = [0, 0];
  nodes.groups.forEach((group, at) => {
    if (!group || nodes.kind[at] !== LEAF || group.kind !== 'grain') return;
    if (at >= nodes.second) {
      if (partners.onlySecond.has(group.group)) alone[1] += 1;
      return;
    }
    if (partners.onlyFirst.has(group.group)) alone[0] += 1;
    const partner = places.get(partners.second.get(group.group) ?? -1);
    const there = partner === undefined ? undefined : nodes.groups[partner];
    if (partner === undefined || !there) return;
    const match = {
      nodes: [at, partner] as const,
      work: [valueOf(group, work), valueOf(there, work)] as const,
      ratio: ratioOf(valueOf(group, metric), valueOf(there, metric)),
    };
    matches.set(at, match);
    matches.set(partner, match);
  });
  return { other, partners, nodes, matches, alone };
}

/** Whether only one of the runs has a group. */
export function isAlone({ partners, nodes }: Comparison, node: number, group: Group): boolean {
  return (node >= nodes.second ? partners.onlySecond : partners.onlyFirst).has(group.group);
}

/** Matches by the difference of work, the largest first; of the selected definition only, if it has any. */
export function largest(
  { matches, nodes: { groups } }: Comparison,
  count: number,
  isNamed: IsNamed,
): { readonly rows: readonly Match[]; readonly isOfDefinition: boolean } {
  const change = ({ work: [a, b] }: Match): number => Math.abs((b ?? 0) - (a ?? 0));
  const all = [...new Set(matches.values())].sort((a, b) => change(b) - change(a));
  const named = all.filter(({ nodes }) => nodes.some((node) => isNamed(groups[node]?.definition)));
  const isOfDefinition = named.length > 0;
  return { rows: (isOfDefinition ? named : all).slice(0, count), isOfDefinition };
}
