/** Values of the contexts of a run, or means over runs, and what is shown of the tree. No DOM here. */

import type { Hierarchy, Sankey, Site } from '../api.ts';
import { withClause } from '../logic/lens.ts';
import { type Series, valueAt } from '../logic/values.ts';
import type { Request } from '../registry/definition.ts';
import type { Selection } from '../registry/selection.ts';
import type { Answers, Settings } from './definition.ts';
import { type ContextTree, linesOf, prune, type Pruned, type Rule } from './prune.ts';

export interface Model {
  readonly tree: Hierarchy;
  readonly sites: readonly Site[];
  /** Values of circles, parallel to the sites; NaN is absent. */
  readonly size: Float64Array;
  readonly colour: Float64Array;
  readonly sizeUnit: string;
  readonly colourUnit: string;
  readonly pruned: Pruned;
  readonly lines: Float64Array;
  readonly isWaiting: boolean;
}

/** The group that no other calls; with several, the one with the largest value. */
export function rootOf(sankey: Sankey): string | undefined {
  const called = new Set(sankey.edges.map((edge) => edge.target));
  const roots = sankey.nodes.filter((node, at) => !called.has(at) && node.kind !== 'others');
  const [first] = [...roots].sort((a, b) => b.max_inclusive - a.max_inclusive);
  return first?.id;
}

export function partsOf(
  answers: Answers,
  settings: Settings,
  selection: Selection,
): Readonly<Record<string, Request>> {
  const group = rootOf(answers.sankey);
  if (group === undefined) return {};
  const lens = selection.shape;
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

/** Value of a run, or the mean over the runs that have one. */
function valueIn(series: Series, run: number): number {
  if (run >= 0) return valueAt(series, run) ?? NaN;
  let [sum, count] = [0, 0];
  for (let at = 0; at < series.length; at += 1) {
    const value = valueAt(series, at);
    if (value === null) continue;
    sum += value;
    count += 1;
  }
  return count > 0 ? sum / count : NaN;
}

function valuesOf(
  tree: Hierarchy,
  scope: 'inclusive' | 'exclusive',
  run: string,
): readonly number[] {
  const at = tree.runs.indexOf(run);
  return tree.sites.map((site) =>
    valueIn(scope === 'inclusive' ? site.inclusive_by_run : site.exclusive_by_run, at),
  );
}

export function modelOf(
  answers: Answers,
  settings: Settings,
  selection: Selection,
): Model | undefined {
  const tree = answers['tree'] as Hierarchy | undefined;
  if (!tree) return undefined;
  const other = answers['other'] as Hierarchy | undefined;
  const { sites } = tree;
  const size = Float64Array.from(valuesOf(tree, settings.size, selection.run));
  const isOther = settings.metric.trim() !== '';
  const colours = isOther && other ? valuesOf(other, settings.colour, selection.run) : undefined;
  const places = new Map(other?.sites.map((site, at) => [site.id, at]) ?? []);
  const colour = isOther
    ? Float64Array.from(sites, (site) => colours?.[places.get(site.id) ?? -1] ?? NaN)
    : Float64Array.from(valuesOf(tree, settings.colour, selection.run));
  const contexts: ContextTree = {
    parent: Int32Array.from(sites, (site) => site.parent ?? -1),
    value: colour,
    inclusive: Float64Array.from(valuesOf(tree, 'inclusive', selection.run)),
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
    size,
    colour,
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
