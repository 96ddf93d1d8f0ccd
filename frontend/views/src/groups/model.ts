/** What is open and what is asked for in the aggregated grain graph. No DOM here. */

import type { Group, Paths, Problem, Problems, Tree } from '../api.ts';
import {
  type Condition,
  conditionOf,
  type GroupTree,
  groupTree,
  pathTo,
  pathToWorst,
} from '../logic/group-tree.ts';
import { aligned, isOfFirst, pathToLargest, placeOf } from '../logic/aligned-runs.ts';
import { badges, FIRST_CHILDREN, type NodeSizes, visibleNodes } from '../logic/open-groups.ts';
import { numbersOf } from '../logic/opened.ts';
import { nextToEachOther, type TwoRuns } from '../logic/two-runs.ts';
import { unitOf } from '../logic/problems.ts';
import type { Request } from '../registry/definition.ts';
import { grainDiffOf, GroupPages, pagesOf } from '../registry/group-pages.ts';
import { definitionsOf, routeOf } from '../registry/one-run.ts';
import type { Answers, Settings } from './definition.ts';
import { type Two, twoOf } from './two.ts';

/** Size of a closed group, of a grain, and of a bar of a strip. */
const GROUP = [168, 34] as const;
const GRAIN = [132, 34] as const;
const BAR = 5;
const BAR_LENGTHS = [4, 160] as const;

export interface Model {
  readonly tree: Tree;
  readonly known: GroupTree;
  readonly root: Group;
  /** Groups above the picture's root, and it. */
  readonly path: readonly Group[];
  readonly condition: string;
  readonly marked: Condition | undefined;
  /** Unit of the metric of the condition. */
  readonly unit: string | undefined;
  readonly work: string;
  readonly problems: Problems | undefined;
  readonly problem: Problem | undefined;
  /** Of the run, and of the second one at the same places if there is one. */
  readonly nodes: TwoRuns;
  readonly two: Two | undefined;
  readonly letters: ReadonlyMap<string, string>;
  /** Whether a node is to be open; its children may be unknown still. */
  readonly isOpen: (node: number) => boolean;
  /** The number of a node's group; of two runs the one that both share, also where one has a gap. */
  readonly numberOf: (node: number) => number | undefined;
  /** The local critical path of a group, if one is chosen or the picture is of one. */
  readonly local: LocalPath | undefined;
  /** Whether the drawn critical path runs through a node: the local one if there is one, or else that of the run. */
  readonly isOnPath: (node: number) => boolean;
}

export interface LocalPath {
  readonly group: Group;
  readonly paths: Paths;
  /** Numbers of the groups and grains on it. */
  readonly groups: ReadonlySet<number>;
}

/** The problem with most to win that some grain has. */
export function firstProblem(problems: Problems | undefined): string {
  return problems?.problems.find((one) => one.grains > 0)?.condition ?? '';
}

/** The condition that marks groups, as far as it is known. */
export function conditionFor(answers: Answers, settings: Settings): string {
  if (settings.problem === '-' || answers.other) return '';
  return settings.problem || firstProblem(answers['problems'] as Problems | undefined);
}

export function modelOf(answers: Answers, settings: Settings): Model {
  const condition = conditionFor(answers, settings);
  const marked = answers['marked'] as Tree | undefined;
  const isMarked = marked?.run === answers.tree.run && condition !== '';
  const tree = isMarked ? marked : answers.tree;
  // Numbers of groups hold for one separation only.
  const isReady = tree.is_separated === (settings.separate && condition !== '');
  const pages = isReady ? pagesOf(answers) : [];
  const own = groupTree(tree, pages);
  const work = tree.metrics[0]?.name ?? '';
  const two = answers.other && twoOf(answers, answers.other, own, work);
  const known = two?.union.tree ?? own;
  const root = known.groups.get(isReady ? settings.root : 0) ?? known.groups.get(0);
  if (!root) throw new Error('the answer has no groups');
  const parts = isMarked ? conditionOf(condition) : undefined;
  const local = tree.is_separated ? undefined : localOf(answers, known, settings);
  const isCritical = (group: Group): boolean =>
    local
      ? local.groups.has(group.group)
      : group.is_critical || two?.union.second.get(group.group)?.is_critical === true;
  const isOpen = isReady ? opening(known, settings, parts, two, work, isCritical) : () => false;
  const sizes: NodeSizes = {
    isFramed: true,
    size: (group, isBar, share) =>
      isBar
        ? [Math.max(BAR_LENGTHS[0], share * BAR_LENGTHS[1]), BAR]
        : group.kind === 'grain'
          ? GRAIN
          : GROUP,
  };
  const one = visibleNodes(known, root.group, isOpen, work, sizes);
  const nodes = two ? aligned(one, two.union) : nextToEachOther(one, undefined);
  const groupAt = (node: number): Group | undefined =>
    one.groups[two ? placeOf(nodes, node) : node];
  const problems = answers['problems'] as Problems | undefined;
  return {
    tree,
    known,
    root,
    path: pathTo(known, root.group),
    condition: isMarked ? condition : '',
    marked: parts,
    unit: parts && unitOf(tree, parts.metric),
    work,
    problems,
    problem: problems?.problems.find((each) => each.condition === condition),
    nodes,
    two,
    letters: badges(nodes.groups),
    isOpen: (node) => {
      const group = groupAt(node);
      return group !== undefined && isOpen(group);
    },
    numberOf: (node) => groupAt(node)?.group,
    local,
    isOnPath: (node) => {
      if (!local) return nodes.groups[node]?.is_critical === true;
      const number = groupAt(node)?.group ?? -1;
      return (!two || node < nodes.second) && local.groups.has(number);
    },
  };
}

/** The local critical path, once its answer is here. */
function localOf(answers: Answers, known: GroupTree, settings: Settings): LocalPath | undefined {
  const paths = answers['paths'] as Paths | undefined;
  const group = known.groups.get(localGroup(settings));
  return group && paths?.run === answers.tree.run && group.group > 0
    ? { group, paths, groups: new Set(paths.groups) }
    : undefined;
}

function localGroup({ local, root }: Settings): number {
  return local || root;
}

function opening(
  known: GroupTree,
  settings: Settings,
  condition: Condition | undefined,
  two: Two | undefined,
  work: string,
  isCritical: (group: Group) => boolean,
): (group: Group) => boolean {
  const hand = numbersOf(settings.hand);
  let worst: ReadonlySet<number> = new Set();
  if (settings.opened === 'worst' && two) worst = pathToLargest(two.union, work);
  else if (settings.opened === 'worst' && condition) worst = pathToWorst(known, 0, condition);
  return (group) => {
    if (hand.with.has(group.group)) return true;
    if (hand.without.has(group.group)) return false;
    switch (settings.opened) {
      case 'depth':
        return group.depth < settings.depth;
      case 'critical':
        return isCritical(group);
      case 'problems':
        return group.has_problem === true;
      case 'worst':
        return worst.has(group.group);
      default:
        return false;
    }
  };
}

/** What the picture needs next: the problems, the marks, and the children of open groups. */
export function partsOf(
  answers: Answers,
  settings: Settings,
  [run, otherRun]: readonly [string, string],
): Readonly<Record<string, Request>> {
  const parts: Record<string, Request> = {
    definitions: definitionsOf(run),
    problems: { route: routeOf(run, 'problems'), query: {}, what: 'Looking for problems' },
  };
  if (answers.tree.run !== run) return parts;
  if (answers.other)
    return answers.other.run === otherRun
      ? { ...parts, ...partsOfTwo(answers, modelOf(answers, settings), settings) }
      : parts;
  const condition = conditionFor(answers, settings);
  const work = answers.tree.metrics[0]?.name ?? '';
  const metric = conditionOf(condition)?.metric;
  const query: Record<string, string> = {};
  if (condition !== '') {
    query['problem'] = condition;
    query['metrics'] = metric === undefined || metric === work ? work : `${work},${metric}`;
    if (settings.separate) query['separate'] = 'true';
    parts['marked'] = { route: routeOf(run, 'tree'), query, what: `Marking ${condition}` };
  }
  const model = modelOf(answers, settings);
  if (condition !== '' && model.condition === '') return parts;
  const ask = new GroupPages(run, query, answers);
  Object.assign(parts, ask.visible(model.known, model.nodes, numbersOf(settings.whole).with));
  // The route counts groups without separation.
  if (!model.tree.is_separated) Object.assign(parts, pathsOf(run, localGroup(settings)));
  Object.assign(parts, similarOf(run, settings, model));
  // A link may lead to a group that no answer holds yet.
  if (isOfFirst(settings.root) && !model.known.groups.has(settings.root))
    Object.assign(parts, ask.first(settings.root));
  else if (typeof model.path[0]?.parent === 'number')
    Object.assign(parts, ask.first(model.path[0].parent));
  return parts;
}

/** Parents of the groups on the way to the root of the picture. */
function above({ path }: Model): readonly number[] {
  return path.flatMap(({ parent }) => parent ?? []);
}

function pathsOf(run: string, group: number): Readonly<Record<string, Request>> {
  if (group === 0 || !isOfFirst(group)) return {};
  const route = routeOf(run, 'paths');
  return { paths: { route, query: { group }, what: 'Looking for the local critical path' } };
}

/** Groups that look like one. Only one run without separation has the numbers that the route knows. */
function similarOf(
  run: string,
  { similar: group, in: other }: Settings,
  { tree }: Model,
): Readonly<Record<string, Request>> {
  if (group === 0 || tree.is_separated) return {};
  const route = routeOf(run, 'groups/similar');
  const query = other === '' ? { group } : { group, other };
  return { similar: { route, query, what: 'Looking for similar groups' } };
}

/** Children of open groups of both runs. */
function partsOfTwo(
  answers: Answers,
  model: Model,
  settings: Settings,
): Readonly<Record<string, Request>> {
  const { two, nodes } = model;
  const parts: Record<string, Request> = {};
  if (!two) return parts;
  const { union } = two;
  const [run, otherRun] = [model.tree.run, two.other.run];
  parts['renames'] = grainDiffOf(run, otherRun, { offset: 0, limit: 1 });
  Object.assign(parts, pathsOf(run, localGroup(settings)));
  const whole = numbersOf(settings.whole).with;
  const sides = [
    [two.first, union.first, new GroupPages(run, {}, answers), 1, nodes.second],
    [
      two.second,
      union.second,
      new GroupPages(otherRun, {}, answers, 'other'),
      nodes.second,
      undefined,
    ],
  ] as const;
  for (const [known, groups, ask, from, to] of sides) {
    const own = nodes.groups.slice(from, to);
    const missing = own.flatMap((group, at) => {
      if (!group || group.children === 0 || !model.isOpen(from + at)) return [];
      const here = known.children.get(group.group)?.length ?? 0;
      return here < Math.min(group.children, FIRST_CHILDREN) ? [group.group] : [];
    });
    const visible = { ...nodes, groups: own, isOpen: nodes.isOpen.slice(from, to), missing };
    const wholeOf = new Set([...whole].flatMap((number) => groups.get(number)?.group ?? []));
    Object.assign(parts, ask.visible(known, visible, wholeOf));
    // Groups are matched from the root down.
    for (const number of above(model)) {
      const group = groups.get(number);
      if (group) Object.assign(parts, ask.first(group.group));
    }
  }
  return parts;
}
