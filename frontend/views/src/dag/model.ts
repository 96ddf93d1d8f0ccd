/** What is drawn of the task graph of one run or of two, and what is asked for. No DOM here. */

import type { GrainDiff, Group, Tree } from '../api.ts';
import type { Columns } from '../data/columns.ts';
import { type GroupTree, groupTree, valueOf } from '../logic/group-tree.ts';
import { visibleNodes, type VisibleNodes } from '../logic/open-groups.ts';
import { numbersOf } from '../logic/opened.ts';
import {
  followedBy,
  nextToEachOther,
  type Partners,
  partnersOf,
  renamesOf,
  type TwoRuns,
} from '../logic/two-runs.ts';
import type { Request } from '../registry/definition.ts';
import { grainDiffOf, GroupPages, pagesOf } from '../registry/group-pages.ts';
import { routeOf } from '../registry/one-run.ts';
import type { Answers, Settings } from './definition.ts';
import { type Times, timesOf } from './times.ts';

/** Length and width of grains and closed groups, and the width of a bar of a strip. */
const GRAIN = [16, 16] as const;
const GROUP = [22, 92] as const;
const BAR = 6;
/** Length of the longest node, if lengths are times, and of the shortest. */
const LONGEST = 420;
const SHORTEST = 4;
/** Exponent of `power`, after DAGViz (2015), section 3.2. */
const POWER = 0.42;
/** Grains of a page of times, and pages at most. */
const PAGE = 100_000;
const PAGES = 10;

/** One run of the picture. */
export interface Side {
  readonly tree: Tree;
  readonly known: GroupTree;
  readonly times: Times | undefined;
  readonly isOpen: (group: Group) => boolean;
}

export interface Model {
  readonly first: Side;
  readonly second: Side | undefined;
  readonly partners: Partners | undefined;
  readonly nodes: TwoRuns;
  readonly work: string;
}

/** The run that a node is of. */
export function sideOf(model: Model, node: number): Side {
  return (node >= model.nodes.second ? model.second : undefined) ?? model.first;
}

export function modelOf(answers: Answers, settings: Settings): Model {
  const { tree, other } = answers;
  const work = tree.metrics[0]?.name ?? '';
  const known = groupTree(tree, pagesOf(answers));
  const isOpen = opening(settings.hand, settings.depth);
  const first: Side = { tree, known, times: timesOf(valuesOf(answers, 'times'), work), isOpen };
  const others = other && groupTree(other, pagesOf(answers, 'other'));
  const partners =
    others && partnersOf(known, others, renamesOf(answers['renames'] as GrainDiff | undefined));
  const second: Side | undefined =
    other && others && partners
      ? {
          tree: other,
          known: others,
          times: timesOf(valuesOf(answers, 'otherTimes'), work),
          isOpen: followedBy(partners, known, isOpen, opening(settings.otherHand, settings.depth)),
        }
      : undefined;
  const most = Math.max(elapsedOf(first, work), second ? elapsedOf(second, work) : 0, 1);
  const nodesOf = (side: Side): VisibleNodes =>
    visibleNodes(side.known, 0, side.isOpen, work, {
      isFramed: true,
      size: (group, isBar, share) => {
        const length = lengthOf(timeOf(side, group, work), most, settings.height);
        if (isBar) return [length ?? Math.max(SHORTEST, share * GROUP[1]), BAR];
        const [along, across] = group.kind === 'grain' ? GRAIN : GROUP;
        return [length ?? along, across];
      },
    });
  const nodes = nextToEachOther(nodesOf(first), second && nodesOf(second));
  return { first, second, partners, nodes, work };
}

function opening(hand: string, depth: number): (group: Group) => boolean {
  const { with: opened, without } = numbersOf(hand);
  return ({ group, depth: own }) => opened.has(group) || (!without.has(group) && own < depth);
}

function elapsedOf({ tree, times }: Side, work: string): number {
  return times?.elapsed ?? (tree.groups[0] ? (valueOf(tree.groups[0], work) ?? 0) : 0);
}

/** Work of a grain, and time from begin to end of a closed group whose grain is known. */
export function timeOf(side: Side, group: Group, work: string): number | undefined {
  if (group.kind === 'grain' || !side.times) return valueOf(group, work);
  return side.times.lifetime(group.grain);
}

/** Length of a node by its time; nothing if lengths are alike or the time is not known. */
function lengthOf(
  time: number | undefined,
  most: number,
  height: Settings['height'],
): number | undefined {
  if (height === 'same' || time === undefined) return undefined;
  const share = Math.max(0, Math.min(1, time / most));
  const scaled =
    height === 'linear'
      ? share
      : height === 'power'
        ? share ** POWER
        : Math.log1p(time) / Math.log1p(most);
  return Math.max(SHORTEST, scaled * LONGEST);
}

/** Whether the time of a closed group is not known, so that its length means nothing. */
export function isUntimed(model: Model, node: number, settings: Settings): boolean {
  const group = model.nodes.groups[node];
  if (!group || settings.height === 'same') return false;
  return timeOf(sideOf(model, node), group, model.work) === undefined;
}

/** Whether only one of the two runs has a group. */
export function isAlone(model: Model, node: number): boolean {
  const group = model.nodes.groups[node];
  if (!group || !model.partners) return false;
  const { onlyFirst, onlySecond } = model.partners;
  return (node >= model.nodes.second ? onlySecond : onlyFirst).has(group.group);
}

/** The definition of a node as the first run calls it, so that both runs have the same colours. */
export function definitionAt({ nodes, partners, first }: Model, node: number): string | undefined {
  const group = nodes.groups[node];
  const own = group?.definition ?? undefined;
  if (!group || node < nodes.second || !partners) return own;
  const partner = first.known.groups.get(partners.first.get(group.group) ?? -1);
  return partner?.definition ?? own;
}

/** The node of the other run that corresponds to one, if it is visible. */
export function partnerOf(model: Model, node: number): number | undefined {
  const { nodes, partners } = model;
  const group = nodes.groups[node];
  if (!group || !partners) return undefined;
  const isSecond = node >= nodes.second;
  const wanted = (isSecond ? partners.first : partners.second).get(group.group);
  const [from, to] = isSecond ? [0, nodes.second] : [nodes.second, nodes.kind.length];
  for (let at = from; at < to; at += 1) if (nodes.groups[at]?.group === wanted) return at;
  return undefined;
}

/** Whether a picture shows times or workers, of which only those of the first grains are read. */
export function isCut({ grains }: Tree, { height, colour }: Settings): boolean {
  return (height !== 'same' || colour === 'worker') && grains > PAGES * PAGE;
}

function valuesOf(answers: Answers, name: string): readonly Columns[] {
  const pages: Columns[] = [];
  for (let page = 0; page < PAGES; page += 1) {
    const found = answers[`${name} ${page}`] as Columns | undefined;
    if (!found) break;
    pages.push(found);
  }
  return pages;
}

/** Children of open groups, and the times of grains if the picture shows them. */
export function partsOf(
  answers: Answers,
  settings: Settings,
  [run, otherRun]: readonly [string, string],
): Readonly<Record<string, Request>> {
  const parts: Record<string, Request> = {};
  const { tree, other } = answers;
  if (tree.run !== run || (otherRun !== '' && other?.run !== otherRun)) return parts;
  if (otherRun !== '') parts['renames'] = grainDiffOf(run, otherRun, { offset: 0, limit: 1 });
  const model = modelOf(answers, settings);
  const { nodes } = model;
  const sides = [
    [model.first, run, 'page', 'times', 0, nodes.second],
    [model.second, otherRun, 'other', 'otherTimes', nodes.second, nodes.kind.length],
  ] as const;
  for (const [side, id, page, times, from, to] of sides) {
    if (!side) continue;
    const own: VisibleNodes = {
      ...nodes,
      groups: nodes.groups.slice(from, to),
      isOpen: nodes.isOpen.slice(from, to),
      missing: missingOf(side),
    };
    Object.assign(parts, new GroupPages(id, {}, answers, page).visible(side.known, own, new Set()));
    if (settings.height === 'same' && settings.colour !== 'worker') continue;
    for (let at = 0; at < PAGES && at * PAGE < side.tree.grains; at += 1)
      parts[`${times} ${at}`] = {
        route: routeOf(id, 'grains'),
        query: { all: 'true', metrics: model.work, offset: at * PAGE, limit: PAGE },
        what: 'Reading the times of grains',
        format: 'arrow',
      };
  }
  return parts;
}

/** Open groups of a run whose children are not here. */
function missingOf({ known, isOpen }: Side): readonly number[] {
  return visibleNodes(known, 0, isOpen, '', { isFramed: false, size: () => GRAIN }).missing;
}
