/** Values of the contexts of a run, or means over runs, and what is shown of the tree. No DOM here. */

import type { Hierarchy, Sankey, SankeyNode, Site } from '../api.ts';
import { lensInside, withClause } from '../logic/lens.ts';
import { meanOf, valueAt } from '../logic/values.ts';
import type { Request } from '../registry/definition.ts';
import type { Selection } from '../registry/selection.ts';
import { changeOf, type Compared, comparedOf, deltaOf, pairOf, sidesOf } from './compared.ts';
import type { Answers, Settings } from './definition.ts';
import { type ContextTree, linesOf, prune, type Pruned, type Rule } from './prune.ts';

export interface Model {
  readonly tree: Hierarchy;
  readonly sites: readonly Site[];
  /** Values of circles, parallel to the sites; NaN is absent. Of two sides, the size is the larger mean. */
  readonly size: Float64Array;
  /** The values that colour circles; of two sides, their differences. */
  readonly colour: Float64Array;
  /** The values that prune: those of the colour, or the amounts of differences. */
  readonly weight: Float64Array;
  /** The comparison that the colours show; nothing if there is one side only. */
  readonly compared: Compared | undefined;
  readonly sizeUnit: string;
  readonly colourUnit: string;
  readonly pruned: Pruned;
  readonly lines: Float64Array;
  readonly isWaiting: boolean;
}

/** Places of the runs that the tree is of: the opened one and the one next to it, or all. */
export function placesOf(
  { runs }: { readonly runs: readonly string[] },
  { run, otherRun }: Pick<Selection, 'run' | 'otherRun'>,
): readonly number[] {
  if (run === '') return runs.map((_, at) => at);
  return [run, otherRun].map((id) => runs.indexOf(id)).filter((at) => at >= 0);
}

/** A root of the call graph, and its largest value in the runs of the tree. */
export interface Root {
  readonly node: SankeyNode;
  readonly value: number;
}

/** Groups that no other calls and that the runs of the tree have, with the largest value first. */
export function rootsOf(
  sankey: Sankey,
  selection: Pick<Selection, 'run' | 'otherRun'>,
): readonly Root[] {
  const called = new Set(sankey.edges.map((edge) => edge.target));
  const places = placesOf(sankey, selection);
  return sankey.nodes
    .filter((_, at) => !called.has(at))
    .map((node) => ({
      node,
      value: Math.max(...places.map((at) => valueAt(node.inclusive_by_run, at) ?? -Infinity)),
    }))
    .filter(({ value }) => value > -Infinity)
    .sort((a, b) => b.value - a.value);
}

/** Roots that have a tree: collected groups have none. */
export function treesOf(roots: readonly Root[]): readonly SankeyNode[] {
  return roots.flatMap(({ node }) => (node.kind === 'others' ? [] : [node]));
}

/** The root that the reader chose, or else the one with the largest value. */
export function rootOf(
  sankey: Sankey,
  { root }: Pick<Settings, 'root'>,
  selection: Pick<Selection, 'run' | 'otherRun'>,
): SankeyNode | undefined {
  const trees = treesOf(rootsOf(sankey, selection));
  return trees.find(({ id }) => id === root) ?? trees[0];
}

export function partsOf(
  answers: Answers,
  settings: Settings,
  selection: Selection,
): Readonly<Record<string, Request>> {
  const group = rootOf(answers.sankey, settings, selection)?.id;
  if (group === undefined) return {};
  const lens = lensInside(selection);
  const parts: Record<string, Request> = {
    tree: { route: 'hierarchy', query: { lens, group }, what: 'Reading the call tree' },
  };
  const metric = settings.metric.trim();
  if (metric !== '')
    parts['other'] = {
      route: 'hierarchy',
      query: { lens: withClause(lens, `metric ${metric}`), group },
      what: `Reading ${metric} of the call tree`,
    };
  return parts;
}

type Scope = 'inclusive' | 'exclusive';

function valuesOf(
  sites: readonly (Site | undefined)[],
  scope: Scope,
  places: readonly number[],
): Float64Array {
  return Float64Array.from(sites, (site) =>
    site ? (meanOf(site[`${scope}_by_run`], places) ?? NaN) : NaN,
  );
}

/** Places of the opened run alone, or of all runs; none if the answer is of other runs. */
function shownPlaces(tree: Hierarchy, { run }: Selection): readonly number[] {
  return placesOf(tree, { run, otherRun: '' });
}

interface Values extends Pick<Model, 'size' | 'colour' | 'weight' | 'compared'> {
  readonly inclusive: Float64Array;
  /** Values that surrogates add up, if they are not the inclusive ones. */
  readonly summed?: Float64Array;
}

/** Values of the contexts of a tree, with colours of the same or another metric. */
function valuesOfCircles(
  tree: Hierarchy,
  coloured: Hierarchy | undefined,
  settings: Settings,
  selection: Selection,
): Values {
  const { sites } = tree;
  const known = new Map(coloured?.sites.map((site) => [site.id, site]) ?? []);
  const sitesOfColour = sites.map((site) => known.get(site.id));
  const sides = sidesOf(tree, selection);
  if (!sides) {
    const places = shownPlaces(tree, selection);
    const colour = valuesOf(sitesOfColour, settings.colour, places);
    const inclusive = valuesOf(sites, 'inclusive', places);
    const size = valuesOf(sites, settings.size, places);
    return { size, colour, weight: colour, inclusive, compared: undefined };
  }
  const metric = settings.metric.trim() || (selection.metric?.label ?? '');
  const what = { scope: settings.colour, unit: coloured?.unit ?? tree.unit, metric };
  // The answer about another metric may have other runs.
  const there = coloured && sidesOf(coloured, selection);
  const compared = comparedOf(there ? sitesOfColour : [], there ?? sides, what, selection);
  const larger = (scope: Scope): Float64Array =>
    Float64Array.from(sites, (site) => {
      const { a, b } = pairOf(site, scope, sides);
      return a === null && b === null ? NaN : Math.max(a ?? -Infinity, b ?? -Infinity);
    });
  return {
    size: larger(settings.size),
    colour: Float64Array.from(compared.pairs, (pair) => changeOf(pair, compared)),
    weight: Float64Array.from(compared.pairs, (pair) => Math.abs(deltaOf(pair))),
    inclusive: larger('inclusive'),
    summed: Float64Array.from(sitesOfColour, (site) =>
      deltaOf(pairOf(site, 'inclusive', there ?? sides)),
    ),
    compared,
  };
}

export function modelOf(
  answers: Answers,
  settings: Settings,
  selection: Selection,
): Model | undefined {
  const tree = answers['tree'] as Hierarchy | undefined;
  // While an answer about other runs is replaced, its values are not those of the opened run.
  if (!tree || shownPlaces(tree, selection).length === 0) return undefined;
  const other = answers['other'] as Hierarchy | undefined;
  const { sites } = tree;
  const isOther = settings.metric.trim() !== '';
  const values = valuesOfCircles(tree, isOther ? other : tree, settings, selection);
  const contexts: ContextTree = {
    parent: Int32Array.from(sites, (site) => site.parent ?? -1),
    value: values.weight,
    inclusive: values.inclusive,
    ...(values.summed ? { summed: values.summed } : {}),
  };
  const ids = (text: string): ReadonlySet<number> => {
    const wanted = new Set(text.split(',').filter((one) => one !== ''));
    const found = new Set<number>();
    if (wanted.size > 0)
      sites.forEach((site, at) => {
        if (wanted.has(site.id)) found.add(at);
      });
    return found;
  };
  const pruned = prune(contexts, ruleOf(settings), ids(settings.open), ids(settings.shut));
  return {
    tree,
    sites,
    size: values.size,
    colour: values.colour,
    weight: values.weight,
    compared: values.compared,
    sizeUnit: tree.unit,
    colourUnit: (isOther ? other?.unit : undefined) ?? tree.unit,
    pruned,
    lines: linesOf(pruned.rows),
    isWaiting: isOther && !other,
  };
}

function ruleOf({ prune: kind, from, to }: Settings): Rule {
  if (kind !== 'range') return { kind };
  const number = (text: string, fallback: number): number => {
    const value = Number(text);
    return text.trim() !== '' && Number.isFinite(value) ? value : fallback;
  };
  return { kind, from: number(from, -Infinity), to: number(to, Infinity) };
}

/** The list of ids with one added or taken away. */
export function toggledId(text: string, id: string): string {
  const ids = new Set(text.split(',').filter((one) => one !== ''));
  if (!ids.delete(id)) ids.add(id);
  return [...ids].join(',');
}

/** Contexts of a lens at most. */
const REVEALED = 24;

/** A lens in which the chosen contexts are groups of their own; the largest ones if there are many. */
export function lensOf(lens: string, { sites, size, pruned }: Model): string {
  const chosen = [...pruned.chosen]
    .filter((at) => at > 0)
    .sort((a, b) => (size[b] ?? 0) - (size[a] ?? 0) || a - b)
    .slice(0, REVEALED);
  return [lens, ...chosen.map((at) => `reveal ${sites[at]?.id ?? ''}`)]
    .filter((clause) => clause !== '')
    .join(' | ');
}
