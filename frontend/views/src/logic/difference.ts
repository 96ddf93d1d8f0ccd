/** A difference of two sides in one of three modes: its value, its text, and the sentence that states it. */

import {
  ABSENT,
  formatChange,
  formatDelta,
  formatNumber,
  formatShare,
  formatValue,
} from './format.ts';

/** `relative` divides by A of the group; `normalised` subtracts shares of each side's total. */
export const DIFF_MODES = ['absolute', 'relative', 'normalised'] as const;
export type DiffMode = (typeof DIFF_MODES)[number];

/** Means of both sides; `null` on a side on which the group is absent or not measured. */
export interface Pair {
  readonly a: number | null;
  readonly b: number | null;
  /** B − A as the service states it; missing: of the means. */
  readonly delta?: number | null | undefined;
}

/** Properties that all differences of a picture share. */
export interface Comparison {
  readonly mode: DiffMode;
  readonly unit: string;
  /** Totals of the sides; without them nothing is normalised. */
  readonly totals?: { readonly a: number; readonly b: number } | null | undefined;
}

/** From this relative change on colours no longer change: small groups would take the whole scale. */
const MOST_CHANGE = 1;

export function diffModeOf(text: string): DiffMode {
  return DIFF_MODES.find((mode) => mode === text) ?? 'absolute';
}

/** The side without the group, if there is one. */
export function absentSide({ a, b }: Pair): 'a' | 'b' | 'both' | undefined {
  if (a === null) return b === null ? 'both' : 'a';
  return b === null ? 'b' : undefined;
}

/** The difference in the mode; `null` if a side is absent or there is nothing to divide by. */
export function differenceIn(pair: Pair, { mode, totals }: Comparison): number | null {
  const { a, b } = pair;
  if (a === null || b === null) return null;
  const delta = pair.delta ?? b - a;
  if (mode === 'absolute') return delta;
  if (mode === 'relative') return a === 0 ? null : delta / Math.abs(a);
  if (!totals || totals.a <= 0 || totals.b <= 0) return null;
  return b / totals.b - a / totals.a;
}

/** End of the symmetric domain of colours. */
export function boundOf(values: readonly (number | null)[], mode: DiffMode): number {
  const bound = Math.max(0, ...values.map((value) => Math.abs(value ?? 0)));
  return mode === 'relative' ? Math.min(bound, MOST_CHANGE) : bound;
}

/** A difference with the sign and the unit of its mode; shares differ by percentage points. */
export function formatDifference(value: number | null, { mode, unit }: Comparison): string {
  if (value === null) return ABSENT;
  if (mode === 'absolute') return formatDelta(value, unit);
  if (mode === 'relative') return formatChange(value);
  return `${value > 0 ? '+' : ''}${formatNumber(value * 100)} points`;
}

/** A side's value in the mode's terms: itself, or its share of the side's total. */
export function formatSide(value: number | null, side: 'a' | 'b', comparison: Comparison): string {
  const text = formatValue(value, comparison.unit);
  const total = comparison.totals?.[side];
  if (comparison.mode !== 'normalised' || value === null || !total) return text;
  return `${text} · ${formatShare(value / total)} of ${side.toUpperCase()}`;
}

/** The difference, or the side that alone has the group, with its value. */
export function differenceText(pair: Pair, comparison: Comparison): string {
  const absent = absentSide(pair);
  if (absent === 'both') return 'measured on no side';
  if (absent) {
    const side = absent === 'a' ? 'b' : 'a';
    return `only in ${side.toUpperCase()}, ${formatSide(pair[side], side, comparison)}`;
  }
  const value = differenceIn(pair, comparison);
  if (value !== null) return formatDifference(value, comparison);
  return comparison.mode === 'relative' ? 'A is 0' : 'no total';
}

const FORMULAS: Readonly<Record<DiffMode, string>> = {
  absolute: 'B − A',
  relative: '(B − A) ∕ A',
  normalised: 'share of the side’s total, B − A',
};

/** The difference of a mode as a formula. */
export function formulaOf(mode: DiffMode): string {
  return FORMULAS[mode];
}

/** The one sentence that states what is compared, such as `exclusive work, B − A, mean over runs`. */
export function comparedQuantity(what: string, mode: DiffMode, over = ''): string {
  return [what, FORMULAS[mode], 'mean over runs', over].filter(Boolean).join(', ');
}
