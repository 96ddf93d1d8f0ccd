/** Contexts of two sides: the runs of each side, and the difference that colours a context. No DOM here. */

import type { Hierarchy, Site } from '../api.ts';
import {
  absentSide,
  boundOf,
  type Comparison,
  differenceIn,
  formulaOf,
  type Pair,
} from '../logic/difference.ts';
import { meanOfSide } from '../logic/values.ts';
import type { Selection } from '../registry/selection.ts';

type Scope = 'inclusive' | 'exclusive';

/** Runs of a side, as places in an answer, and what the side is called: a run by its id. */
export interface Side {
  readonly name: string;
  readonly places: readonly number[];
}

export type Sides = readonly [a: Side, b: Side];

/** What the colours of a comparison state. */
export interface Compared extends Comparison {
  readonly sides: Sides;
  /** Values of both sides, parallel to the contexts. */
  readonly pairs: readonly Pair[];
  /** End of the symmetric domain of colours. */
  readonly bound: number;
  readonly quantity: string;
  readonly worseIsUp: boolean;
}

/** The opened run and the run next to it, or the sides of the lens's diff; nothing if the answer lacks a side. */
export function sidesOf(
  { runs }: Pick<Hierarchy, 'runs'>,
  { run, otherRun, isDiff, a, b }: Selection,
): Sides | undefined {
  const sideOf = (name: string, ids: readonly string[]): Side => ({
    name,
    places: ids.map((id) => runs.indexOf(id)).filter((at) => at >= 0),
  });
  let sides: Sides | undefined;
  if (run !== '') sides = [sideOf(run, [run]), sideOf(otherRun, [otherRun])];
  else if (isDiff && a && b) sides = [sideOf(a.name, a.runs), sideOf(b.name, b.runs)];
  return sides?.every(({ places }) => places.length > 0) ? sides : undefined;
}

/** Means of both sides in a context; absent on a side of which no run has it. */
export function pairOf(site: Site | undefined, scope: Scope, [a, b]: Sides): Pair {
  const values = site?.[`${scope}_by_run`] ?? [];
  return { a: meanOfSide(values, a.places), b: meanOfSide(values, b.places) };
}

/** Difference of the means, in which an absent context counts as zero; NaN if no side has it. */
export function deltaOf(pair: Pair): number {
  return absentSide(pair) === 'both' ? NaN : (pair.b ?? 0) - (pair.a ?? 0);
}

/** The value that colours a context: one that is on one side only has all of its value as difference. */
export function changeOf(pair: Pair, comparison: Comparison): number {
  const absent = absentSide(pair);
  if (absent === 'both') return NaN;
  if (absent && comparison.mode === 'relative') return absent === 'a' ? 1 : -1;
  return differenceIn({ a: pair.a ?? 0, b: pair.b ?? 0 }, comparison) ?? NaN;
}

/** The comparison of the contexts, which are parallel to those of the tree; `what` is what the colour shows. */
export function comparedOf(
  sites: readonly (Site | undefined)[],
  sides: Sides,
  what: { readonly scope: Scope; readonly unit: string; readonly metric: string },
  { comparison, metric }: Selection,
): Compared {
  const mode = comparison?.mode ?? 'absolute';
  // The inclusive value of the root is the total of a side.
  const totals = pairOf(sites[0], 'inclusive', sides);
  const shares =
    totals.a !== null && totals.b !== null ? { totals: { a: totals.a, b: totals.b } } : {};
  const terms: Comparison = { mode, unit: what.unit, ...shares };
  const pairs = sites.map((site) => pairOf(site, what.scope, sides));
  const isMean = sides.some(({ places }) => places.length > 1);
  return {
    ...terms,
    sides,
    pairs,
    bound: boundOf(
      pairs.map((pair) => changeOf(pair, terms)).filter((value) => !Number.isNaN(value)),
      mode,
    ),
    quantity: [`${what.scope} ${what.metric}`.trim(), formulaOf(mode), isMean && 'mean over runs']
      .filter(Boolean)
      .join(', '),
    worseIsUp: metric?.direction !== 'higher_is_better',
  };
}

/** Classes of a legend on a symmetric domain, from the largest decrease to the largest increase. */
export const CHANGES = 5;

/** Middle of a class, -1..1. */
export function middleOf(index: number): number {
  return (index / (CHANGES - 1)) * 2 - 1;
}

/** Class of the legend that a difference is in; -1 for an absent one. */
export function changeClass(value: number, bound: number): number {
  if (Number.isNaN(value) || bound <= 0) return -1;
  const share = Math.min(1, Math.max(-1, value / bound));
  return Math.round(((share + 1) / 2) * (CHANGES - 1));
}
