/** What is open and what is asked for in the aggregated grain graph. No DOM here. */

import type { Group, Groups, Problem, Problems, Tree } from '../api.ts';
import {
  type Condition,
  conditionOf,
  type GroupTree,
  groupTree,
  pathTo,
  pathToWorst,
} from '../logic/group-tree.ts';
import { badges, FIRST_CHILDREN, visibleNodes, type VisibleNodes } from '../logic/open-groups.ts';
import type { Request } from '../registry/definition.ts';
import { routeOf } from '../registry/one-run.ts';
import type { Answers, Settings } from './definition.ts';

/** Size of a closed group, of a grain, and of a bar of a strip. */
const GROUP = [168, 34] as const;
const GRAIN = [132, 34] as const;
const BAR = 5;
const BAR_LENGTHS = [4, 160] as const;
/** Children of a page after the first one. */
const PAGE = 1000;
/** With more open groups, structures are not asked for. */
const MAX_BADGED = 60;

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
  const pages = Object.entries(answers).flatMap(([name, answer]) =>
    isReady && name.startsWith('page ') && answer ? [answer as Groups] : [],
  );
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
  };
}

/** Numbers of a setting such as `3,-17`: those without a minus, and those with one. */
export function numbersOf(text: string): { with: Set<number>; without: Set<number> } {
  const numbers = { with: new Set<number>(), without: new Set<number>() };
  for (const part of text.split(',')) {
    const found = /^(-?)(\d+)$/.exec(part.trim());
    if (found) (found[1] ? numbers.without : numbers.with).add(Number(found[2]));
  }
  return numbers;
}

/** The setting with a group opened or closed by hand. */
export function toggled(text: string, group: number, isOpen: boolean): string {
  const numbers = numbersOf(text);
  numbers.with.delete(group);
  numbers.without.delete(group);
  (isOpen ? numbers.with : numbers.without).add(group);
  return [...numbers.with, ...[...numbers.without].map((one) => `-${one}`)].join(',');
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
  const page = (group: number, offset: number, limit: number, isStructured: boolean): void => {
    const more = isStructured ? { structures: 'true' } : {};
    parts[`page ${group} ${offset}`] = {
      route: routeOf(run, 'groups'),
      query: { ...query, ...more, group, offset, limit },
      what: `Reading the children of group ${group}`,
    };
  };
  const whole = numbersOf(settings.whole).with;
  const open = model.nodes.groups.filter((group, at) => group && model.nodes.isOpen[at] === 1);
  const isStructured = open.length <= MAX_BADGED;
  for (const group of open) {
    const isWide = group !== undefined && group.children > FIRST_CHILDREN;
    if (!group || (!isStructured && !isWide)) continue;
    pages(model, group, whole.has(group.group), isStructured, page);
  }
  for (const number of model.nodes.missing) page(number, 0, FIRST_CHILDREN, isStructured);
  // A link may lead to a group that no answer holds yet.
  const above = model.path[0];
  if (!model.known.groups.has(settings.root)) page(settings.root, 0, FIRST_CHILDREN, true);
  else if (above && above.parent !== null && above.parent !== undefined)
    page(above.parent, 0, FIRST_CHILDREN, true);
  return parts;
}

/** The first page of a group, and if all are wanted one more than is here. */
function pages(
  model: Model,
  group: Group,
  isWhole: boolean,
  isStructured: boolean,
  page: (group: number, offset: number, limit: number, isStructured: boolean) => void,
): void {
  page(group.group, 0, FIRST_CHILDREN, isStructured);
  if (!isWhole) return;
  const here = model.known.children.get(group.group)?.length ?? 0;
  for (let offset = FIRST_CHILDREN; offset < group.children; offset += PAGE) {
    page(group.group, offset, PAGE, isStructured);
    if (offset >= here) break;
  }
}
