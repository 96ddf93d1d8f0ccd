/** The groups of a second run next to those of the first. No DOM here. */

import type { GrainDiff, Group, Tree } from '../api.ts';
import { counterpart, type Union, unionOf } from '../logic/aligned-runs.ts';
import { type GroupTree, groupTree, valueOf } from '../logic/group-tree.ts';
import { type Partners, partnersOf, ratioOf, renamesOf, type TwoRuns } from '../logic/two-runs.ts';
import { pagesOf } from '../registry/group-pages.ts';
import type { Answers } from './definition.ts';

export interface Two {
  readonly other: Tree;
  readonly first: GroupTree;
  readonly second: GroupTree;
  readonly partners: Partners;
  readonly union: Union;
}

export function twoOf(answers: Answers, other: Tree, first: GroupTree, work: string): Two {
  const second = groupTree(other, pagesOf(answers, 'other'));
  const renames = renamesOf(answers['renames'] as GrainDiff | undefined);
  const partners = partnersOf(first, second, renames);
  return { other, first, second, partners, union: unionOf(first, second, partners, work) };
}

/** A place of the picture of two runs. */
export interface Compared {
  /** What the node's own run has there, and the other one. */
  readonly own: Group | undefined;
  readonly other: Group | undefined;
  /** Work in the second run by that in the first. */
  readonly ratio: number | undefined;
  /** Only the node's own run has it; a gap is only in the other run. */
  readonly isAlone: boolean;
  readonly isGap: boolean;
}

export function comparedAt(
  { partners }: Two,
  nodes: TwoRuns,
  node: number,
  work: string,
): Compared {
  const isSecond = node >= nodes.second;
  const own = nodes.groups[node];
  const other = nodes.groups[counterpart(nodes, node)];
  const [one, two] = isSecond ? [other, own] : [own, other];
  const onlyOwn = isSecond ? partners.onlySecond : partners.onlyFirst;
  const onlyOther = isSecond ? partners.onlyFirst : partners.onlySecond;
  return {
    own,
    other,
    ratio: one && two && ratioOf(valueOf(one, work), valueOf(two, work)),
    isAlone: own !== undefined && onlyOwn.has(own.group),
    isGap: node > 0 && own === undefined && other !== undefined && onlyOther.has(other.group),
  };
}
