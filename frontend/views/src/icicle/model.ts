/** Model of the call tree. */

import type { Hierarchy, Site } from '../api.ts';
import {
  boundOf,
  type Comparison,
  differenceIn,
  differenceText,
  type Pair,
} from '../logic/difference.ts';
import type { Icicle } from '../logic/tree.ts';
import { meanOfSide, type Series } from '../logic/values.ts';
import type { Target } from '../ui/view.ts';

/** A comparison of two sets of runs, as the whole page states it. */
export interface TreeComparison extends Comparison {
  readonly a: readonly string[];
  readonly b: readonly string[];
  /** The sentence that states what is compared. */
  readonly quantity: string;
  readonly worseIsUp: boolean;
  /** Whether the difference of the whole group is inconclusive or not testable. */
  readonly isUnsure: boolean;
}

export interface IcicleData {
  readonly hierarchy: Hierarchy;
  readonly scope: 'inclusive' | 'exclusive';
  readonly comparison?: TreeComparison | undefined;
}

export interface IcicleSelection {
  readonly site: string;
  /** Site that fills the width; the first when empty or unknown. */
  readonly zoom: string;
  readonly isUniform: boolean;
  readonly target?: Target | undefined;
  /** Rows at most. */
  readonly depth?: number | undefined;
  /** Ids of sites that a search found. */
  readonly hits?: readonly string[] | undefined;
}

/** Both sides of a site, and what is shown of their difference. */
export interface SiteDifference extends Pair {
  /** The difference in the mode; null has no colour. */
  readonly value: number | null;
  readonly text: string;
}

/** Values per run of the scope that is shown. */
export function valuesOfSite(site: Site, { scope }: IcicleData): Series {
  return scope === 'inclusive' ? site.inclusive_by_run : site.exclusive_by_run;
}

/** Places of runs in the answer. */
export class RunIndex {
  #of: Hierarchy | undefined;
  #at: ReadonlyMap<string, number> = new Map();

  of(hierarchy: Hierarchy, runs: readonly string[]): number[] {
    if (this.#of !== hierarchy) {
      this.#of = hierarchy;
      this.#at = new Map(hierarchy.runs.map((run, index) => [run, index]));
    }
    return runs.map((run) => this.#at.get(run) ?? -1).filter((index) => index >= 0);
  }
}

/** Differences of all sites, with the end of their common domain of colours. */
export function siteDifferences(
  data: IcicleData,
  runs: RunIndex,
): { readonly of: readonly SiteDifference[]; readonly bound: number } {
  const { comparison, hierarchy } = data;
  if (!comparison) return { of: [], bound: 0 };
  const [a, b] = [runs.of(hierarchy, comparison.a), runs.of(hierarchy, comparison.b)];
  const found = hierarchy.sites.map((site) => {
    const values = valuesOfSite(site, data);
    const pair = { a: meanOfSide(values, a), b: meanOfSide(values, b) };
    return {
      ...pair,
      value: differenceIn(pair, comparison),
      text: differenceText(pair, comparison),
    };
  });
  const bound = boundOf(
    found.map(({ value }) => value),
    comparison.mode,
  );
  return { of: found, bound };
}

/** Cells that are merged or left out, in one sentence; empty if all are drawn. */
export function hiddenText(layout: Icicle, left: number): string {
  const narrow = [...layout.merged.values()].reduce((sum, { count }) => sum + count, left);
  const parts = [
    narrow > 0 ? `${narrow} too narrow to draw: zoom in` : '',
    layout.deeper > 0 ? `${layout.deeper} in deeper rows` : '',
  ].filter(Boolean);
  return parts.length > 0 ? `Call sites not shown: ${parts.join('; ')}.` : '';
}
