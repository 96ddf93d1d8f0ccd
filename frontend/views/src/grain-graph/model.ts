/** What the grain graph shows and asks for. No DOM here. */

import type { Group, Problem, Tree } from '../api.ts';
import type { Columns } from '../data/columns.ts';
import { conditionOf, type GroupTree, groupTree, pathTo, valueOf } from '../logic/group-tree.ts';
import { visibleNodes, type VisibleNodes } from '../logic/open-groups.ts';
import { nextToEachOther, type TwoRuns } from '../logic/two-runs.ts';
import type { Request } from '../registry/definition.ts';
import { grainDiffOf } from '../registry/group-pages.ts';
import { definitionsOf, routeOf, treeOf } from '../registry/one-run.ts';
import { type Comparison, comparisonOf, metricOf } from './compare.ts';
import type { Answers, Settings } from './definition.ts';
import { fragmentsOf, unreduced } from './fragments.ts';
import {
  binsOf,
  type Bins,
  countBeyond,
  type Counts,
  isBeyond,
  type Test,
  type Values,
  valuesOf,
} from './values.ts';

/** Trees of at most so many nodes are read as a whole. */
export const WHOLE = 20_000;
/** Levels that a second run may have more than the first and still be read as a whole. */
const DEEPER = 16;
/** Grains of a page of values, and pages at most. */
const PAGE = 100_000;
const PAGES = 10;
/** Parts of a time line at most: with as many intervals per worker, each is one fragment. */
export const INTERVALS = 10_000;
/** Width of a grain, and of a bar of a strip. */
const WIDTH = 14;
const BAR = 5;
/** Length at a thousand units of time, and how much longer for each factor of ten. */
const SHORTEST = 3;
const PER_DECADE = 5.5;
const LONGEST = 120;

export interface Marked {
  readonly condition: string;
  readonly metric: string;
  readonly unit: string;
  readonly test: Test;
  /** Limit of the condition before it was moved. */
  readonly initial: number;
}

export interface Model {
  readonly tree: Tree;
  /** Groups above the picture's root, and it. */
  readonly path: readonly Group[];
  /** Whether fragments are nodes. */
  readonly isUnreduced: boolean;
  readonly work: string;
  readonly first: Marked | undefined;
  readonly second: Marked | undefined;
  readonly isAnd: boolean;
  /** Of the run, and of the second one if they are compared. */
  readonly nodes: TwoRuns;
  readonly comparison: Comparison | undefined;
  /** Closed groups that have more than one grain. */
  readonly closed: number;
  readonly values: Values | undefined;
  readonly counts: Counts | undefined;
  readonly bins: Bins | undefined;
  /** Worst value of the visible nodes. */
  readonly worst: number;
}

/** Whether colours are those of definitions and edges: neither a problem nor a second run has them. */
export function isStructural({ first, comparison }: Model): boolean {
  return first === undefined && comparison === undefined;
}

export function problemOf(answers: Answers, condition: string): Problem | undefined {
  return answers.problems.problems.find((one) => one.condition === condition);
}

function chosen(answers: Answers, { problem }: Settings): string {
  if (problem === '-') return '';
  if (problem !== '') return problem;
  return answers.problems.problems.find((one) => one.grains > 0)?.condition ?? '';
}

function markedOf(answers: Answers, condition: string, limit: string): Marked | undefined {
  const parts = conditionOf(condition);
  const problem = problemOf(answers, condition);
  if (!parts || !problem) return undefined;
  const moved = limit === '' ? problem.limit : Number(limit);
  return {
    condition,
    metric: parts.metric,
    unit: problem.unit,
    initial: problem.limit,
    test: {
      isBelow: parts.isBelow,
      limit: Number.isFinite(moved) ? moved : problem.limit,
    },
  };
}

/** Values and bins of an answer, kept as long as its pages: a moved limit counts anew, nothing else. */
const kept = new WeakMap<
  object,
  { key: string; values: Values | undefined; bins: Bins | undefined }
>();

function columnsOf(
  pages: readonly Columns[],
  work: string,
  first: string,
  second: string | undefined,
): { values: Values | undefined; bins: Bins | undefined } {
  const [page] = pages;
  if (!page) return { values: undefined, bins: undefined };
  const key = [pages.length, work, first, second].join();
  const before = kept.get(page);
  if (before?.key === key) return before;
  const values = valuesOf(pages, work, first, second);
  const now = { key, values, bins: values ? binsOf(values.first) : undefined };
  kept.set(page, now);
  return now;
}

export function modelOf(answers: Answers, settings: Settings): Model {
  const marked = answers['marked'] as Tree | undefined;
  const tree = marked?.run === answers.tree.run ? marked : answers.tree;
  const work = tree.metrics.find((one) => /^work_(ns|ticks)$/.test(one.name))?.name ?? '';
  const first = markedOf(answers, chosen(answers, settings), settings.limit);
  const second = first ? markedOf(answers, settings.second, '') : undefined;
  const isAnd = settings.join === 'and';
  const pages = Object.entries(answers)
    .filter(([name]) => name.startsWith('values '))
    .sort(([a], [b]) => Number(a.slice(7)) - Number(b.slice(7)))
    .map(([, answer]) => answer as Columns);
  const { values, bins } = first
    ? columnsOf(pages, work, first.metric, second?.metric)
    : { values: undefined, bins: undefined };
  const known = groupTree(tree, []);
  const longest = Math.max(1, ...tree.groups.map((group) => valueOf(group, work) ?? 0));
  const root = known.groups.has(settings.root) ? settings.root : 0;
  const nodesOf = (one: GroupTree, from: number): VisibleNodes =>
    visibleNodes(one, from, () => true, work, {
      isFramed: false,
      size: (group, isBar, share) =>
        isBar
          ? [Math.max(SHORTEST, share * LONGEST), BAR]
          : [lengthOf(valueOf(group, work), longest, settings.scale), WIDTH],
    });
  const fine = settings.fragments ? unreducedOf(answers, known, tree, work) : undefined;
  const own = nodesOf(fine ?? known, root);
  const comparison = comparisonOf(
    answers,
    tree,
    own,
    (other, from) => nodesOf(groupTree(other, []), from),
    settings,
  );
  const nodes = comparison?.nodes ?? nextToEachOther(own, undefined);
  let worst = first?.test.limit ?? 0;
  for (const group of nodes.groups) {
    const value = group && first ? valueOf(group, first.metric) : undefined;
    if (value === undefined || group?.kind !== 'grain' || !first) continue;
    worst = first.test.isBelow ? Math.min(worst, value) : Math.max(worst, value);
  }
  return {
    tree,
    path: pathTo(known, root),
    isUnreduced: fine !== undefined,
    work,
    first,
    second,
    isAnd,
    nodes,
    comparison,
    closed: nodes.groups.filter((group, at) => group && group.children > 0 && !nodes.isOpen[at])
      .length,
    values,
    bins,
    counts: values && first ? countBeyond(values, first.test, second?.test, isAnd) : undefined,
    worst,
  };
}

/** Trees with fragments, by the tree and the intervals that they are of. */
const unreducedTrees = new WeakMap<Tree, readonly [Columns, GroupTree | undefined]>();

/** The tree with fragments as leaves, once all of them are here. */
function unreducedOf(
  answers: Answers,
  known: GroupTree,
  tree: Tree,
  work: string,
): GroupTree | undefined {
  const [intervals, grains] = [answers['intervals'], answers['creations']] as (
    Columns | undefined
  )[];
  if (!intervals || !grains) return undefined;
  const before = unreducedTrees.get(tree);
  if (before?.[0] === intervals) return before[1];
  const fragments = fragmentsOf(intervals, grains);
  const made = fragments && unreduced(known, work, fragments);
  unreducedTrees.set(tree, [intervals, made]);
  return made;
}

function lengthOf(work: number | undefined, longest: number, scale: Settings['scale']): number {
  if (work === undefined || work <= 0) return SHORTEST;
  if (scale === 'linear') return Math.max(SHORTEST, (work / longest) * LONGEST);
  return Math.max(SHORTEST, SHORTEST + PER_DECADE * Math.log10(work / 1000));
}

/** How far a grain is beyond the limit, from 0 to 1 for the worst; nothing if it is within it. */
export function severityOf(model: Model, group: Group): number | undefined {
  const { first, second, isAnd, worst } = model;
  if (!first || group.kind !== 'grain') return undefined;
  if (model.values ? !model.values.has(group.grain ?? -1) : group.has_problem !== true)
    return undefined;
  const value = valueOf(group, first.metric) ?? NaN;
  const isFirst = isBeyond(value, first.test);
  const isSecond = second ? isBeyond(valueOf(group, second.metric) ?? NaN, second.test) : undefined;
  const is = isSecond === undefined ? isFirst : isAnd ? isFirst && isSecond : isFirst || isSecond;
  if (!is) return undefined;
  const range = worst - first.test.limit;
  if (!isFirst || range === 0) return 0.5;
  const share = (value - first.test.limit) / range;
  return Math.min(1, Math.max(0, Math.sqrt(Math.abs(share))));
}

/** The tree with values, as a whole if it is not too large, and the values of all grains in pages. */
export function partsOf(
  answers: Answers,
  settings: Settings,
  run: string,
  otherRun: string,
): Readonly<Record<string, Request>> {
  const { tree, problems } = answers;
  if (tree.run !== run || problems.run !== run) return {};
  const work = tree.metrics[0]?.name ?? '';
  const first = markedOf(answers, chosen(answers, settings), '');
  const second = first ? markedOf(answers, settings.second, '') : undefined;
  const isTwo = settings.compared !== 'problem' && otherRun !== '';
  const ratio = isTwo ? metricOf(settings.compared, tree) : undefined;
  const metrics = [...new Set([work, first?.metric, second?.metric])].filter(
    (name) => name !== undefined,
  );
  const drawn = [...new Set([...metrics, ratio])].filter((name) => name !== undefined);
  const compared = settings.reference === '' ? {} : { reference: settings.reference };
  const isWhole = tree.nodes <= WHOLE;
  const parts: Record<string, Request> = {
    definitions: definitionsOf(run),
    marked: {
      route: routeOf(run, 'tree'),
      query: {
        metrics: drawn.join(','),
        ...(first ? { problem: first.condition } : {}),
        ...compared,
        ...(isWhole ? { depth: tree.depth } : {}),
      },
      what: 'Reading the grains',
    },
  };
  if (isTwo) {
    parts['renames'] = grainDiffOf(run, otherRun, { offset: 0, limit: 1 });
    parts['other'] = treeOf(otherRun, {
      metrics: [...new Set([work, ratio])].join(','),
      ...(isWhole ? { depth: String(tree.depth + DEEPER) } : {}),
    });
  }
  if (settings.fragments && !isTwo && isWhole) {
    parts['intervals'] = {
      route: routeOf(run, 'timeline'),
      query: { pixels: INTERVALS },
      what: 'Reading the fragments',
      format: 'arrow',
    };
    parts['creations'] = {
      route: routeOf(run, 'grains'),
      query: { metrics: work, all: 'true', limit: PAGE },
      what: 'Reading when grains were created',
      format: 'arrow',
    };
  }
  if (!first) return parts;
  for (let page = 0; page < PAGES && page * PAGE < tree.grains; page += 1)
    parts[`values ${page}`] = {
      route: routeOf(run, 'grains'),
      query: { metrics: metrics.join(','), offset: page * PAGE, limit: PAGE, ...compared },
      what: 'Reading the values of grains',
      format: 'arrow',
    };
  return parts;
}

/** Whether only a part of the grains is counted. */
export function isCounted(model: Model): boolean {
  return model.tree.grains <= PAGES * PAGE;
}
