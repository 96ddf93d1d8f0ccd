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
import { badges, visibleNodes, type VisibleNodes } from '../logic/open-groups.ts';
import { numbersOf } from '../logic/opened.ts';
import type { Request } from '../registry/definition.ts';
import { GroupPages, pagesOf } from '../registry/group-pages.ts';
import { definitionsOf, routeOf } from '../registry/one-run.ts';
import type { Answers, Settings } from './definition.ts';

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
  readonly work: string;
  readonly problems: Problems | undefined;
  readonly problem: Problem | undefined;
  readonly nodes: VisibleNodes;
  readonly letters: ReadonlyMap<string, string>;
  readonly isOpen: (group: Group) => boolean;
  /** The local critical path, if the picture is of one group. */
  readonly paths: Paths | undefined;
}

/** The problem with most to win that some grain has. */
export function firstProblem(problems: Problems | undefined): string {
  return problems?.problems.find((one) => one.grains > 0)?.condition ?? '';
}

/** The condition that marks groups, as far as it is known. */
export function conditionFor(answers: Answers, settings: Settings): string {
  if (settings.problem === '-') return '';
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
  const known = groupTree(tree, pages);
  const root = known.groups.get(isReady ? settings.root : 0) ?? tree.groups[0];
  if (!root) throw new Error('the answer has no groups');
  const parts = isMarked ? conditionOf(condition) : undefined;
  const isOpen = isReady ? opening(known, settings, parts) : () => false;
  const work = tree.metrics[0]?.name ?? '';
  const nodes = visibleNodes(known, root.group, isOpen, work, {
    isFramed: true,
    size: (group, isBar, share) =>
      isBar
        ? [Math.max(BAR_LENGTHS[0], share * BAR_LENGTHS[1]), BAR]
        : group.kind === 'grain'
          ? GRAIN
          : GROUP,
  });
  const problems = answers['problems'] as Problems | undefined;
  return {
    tree,
    known,
    root,
    path: pathTo(known, root.group),
    condition: isMarked ? condition : '',
    marked: parts,
    work,
    problems,
    problem: problems?.problems.find((one) => one.condition === condition),
    nodes,
    letters: badges(nodes.groups),
    isOpen,
    paths:
      settings.root > 0 && !tree.is_separated ? (answers['paths'] as Paths | undefined) : undefined,
  };
}

function opening(
  known: GroupTree,
  settings: Settings,
  condition: Condition | undefined,
): (group: Group) => boolean {
  const hand = numbersOf(settings.hand);
  const worst =
    settings.opened === 'worst' && condition ? pathToWorst(known, 0, condition) : new Set<number>();
  return (group) => {
    if (hand.with.has(group.group)) return true;
    if (hand.without.has(group.group)) return false;
    switch (settings.opened) {
      case 'depth':
        return group.depth < settings.depth;
      case 'critical':
        return group.is_critical;
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
  run: string,
): Readonly<Record<string, Request>> {
  const parts: Record<string, Request> = {
    definitions: definitionsOf(run),
    problems: { route: routeOf(run, 'problems'), query: {}, what: 'Looking for problems' },
  };
  if (answers.tree.run !== run) return parts;
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
  const ask = new GroupPages(run, query);
  Object.assign(parts, ask.visible(model.known, model.nodes, numbersOf(settings.whole).with));
  // The route counts groups without separation.
  if (settings.root > 0 && !model.tree.is_separated)
    parts['paths'] = {
      route: routeOf(run, 'paths'),
      query: { group: settings.root },
      what: 'Looking for the local critical path',
    };
  // A link may lead to a group that no answer holds yet.
  const above = model.path[0];
  if (!model.known.groups.has(settings.root)) Object.assign(parts, ask.first(settings.root));
  else if (above && above.parent !== null && above.parent !== undefined)
    Object.assign(parts, ask.first(above.parent));
  return parts;
}
