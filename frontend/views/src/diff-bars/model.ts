/** Rows of the list of differences: which are shown, in which order, and on which scale. */

import type { Diff, DiffRow, Sankey } from '../api.ts';
import {
  boundOf,
  type Comparison,
  differenceIn,
  differenceText,
  type DiffMode,
  type Pair,
} from '../logic/difference.ts';
import { sortRows } from '../logic/table.ts';
import type { Verdict } from '../logic/verdicts.ts';

export interface DiffBarsData {
  readonly diff: Diff;
  readonly mode: DiffMode;
  /** The sentence that states what is compared. */
  readonly quantity: string;
  /** Values of groups by run, where they are known. */
  readonly values?: Pick<Sankey, 'runs' | 'nodes'> | undefined;
  readonly runNames?: ReadonlyMap<string, string>;
}

export interface DiffBarsSelection {
  readonly group: string;
  readonly sort: 'absolute' | 'relative' | 'significance';
  /** Verdict that shown rows have; missing or empty for all. */
  readonly verdict?: string;
  /** Text that names of shown rows contain, in any case. */
  readonly find?: string;
  /** Whether the selected row shows its details; missing where rows do not open. */
  readonly isOpen?: boolean;
}

/** Verdicts that state a change. The others are not shown to differ from noise. */
const CHANGES: readonly Verdict[] = ['slower', 'faster', 'appeared', 'vanished'];

/** Rows that fit the choice of verdict and the text, in the order that the reader chose. */
export function shownDifferences(data: DiffBarsData, selection: DiffBarsSelection): DiffRow[] {
  const { verdict = '', find = '' } = selection;
  const text = find.trim().toLowerCase();
  return sortDifferences(data, selection.sort).filter(
    (row) =>
      (verdict === '' || row.verdict === verdict) &&
      row.path.join('/').toLowerCase().includes(text),
  );
}

/** The group of the next change after the selected row; of the next row if no row has changed. */
export function nextChange(
  rows: readonly DiffRow[],
  selected: string,
  step: number,
): string | undefined {
  const changed = rows.filter((row) => CHANGES.includes(row.verdict));
  const isStop = (row: DiffRow): boolean => changed.length === 0 || changed.includes(row);
  const { length } = rows;
  const at = rows.findIndex((row) => row.group === selected);
  const start = at < 0 ? (step > 0 ? -1 : length) : at;
  for (let by = 1; by <= length; by += 1) {
    const row = rows[(start + by * step + 2 * length) % length];
    if (row && isStop(row)) return row.group;
  }
  return undefined;
}

/** Largest first by what is asked for; rows without it last. */
export function sortDifferences(data: DiffBarsData, by: DiffBarsSelection['sort']): DiffRow[] {
  const { rows } = data.diff;
  if (by === 'significance') return sortRows(rows, (row) => row.q ?? row.p, false);
  if (by === 'relative')
    return sortRows(rows, (row) => sizeOf(row, { ...data, mode: 'relative' }), true);
  return sortRows(rows, (row) => sizeOf(row, data), true);
}

export function pairOf(row: DiffRow): Pair {
  return { a: row.a ?? null, b: row.b ?? null, delta: row.delta };
}

function comparisonOf({ diff, mode }: DiffBarsData): Comparison {
  return { mode, unit: diff.unit, totals: diff.totals };
}

/** The difference in the mode; null without one. */
export function valueOf(row: DiffRow, data: DiffBarsData): number | null {
  return differenceIn(pairOf(row), comparisonOf(data));
}

export function textOf(row: DiffRow, data: DiffBarsData): string {
  return differenceText(pairOf(row), comparisonOf(data));
}

/** Key that rows are sorted by: a group on one side only counts with its value. */
function sizeOf(row: DiffRow, data: DiffBarsData): number | null {
  const value = valueOf(row, data);
  if (value !== null) return Math.abs(value);
  return data.mode === 'absolute' ? Math.abs(row.delta ?? row.a ?? row.b ?? 0) : null;
}

export function nameOf(row: DiffRow): string {
  return row.path[row.path.length - 1] ?? row.group;
}

/** A side of a row as its bar shows it: its value, or its share of the side's total when those are compared. */
export function lengthOf(row: DiffRow, side: 'a' | 'b', data: DiffBarsData): number | null {
  const value = row[side] ?? null;
  if (data.mode !== 'normalised' || value === null) return value;
  const total = data.diff.totals?.[side] ?? 0;
  return total > 0 ? value / total : null;
}

/**
 * Ends of the whisker at the bar of B: A and the interval of the difference. An interval of shares is not in the answer.
 */
export function whiskerOf(row: DiffRow, data: DiffBarsData): [number, number] | undefined {
  const { a } = row;
  const [low, high] = row.shift_ci ?? [];
  if (data.mode === 'normalised' || typeof a !== 'number') return undefined;
  if (low === undefined || high === undefined) return undefined;
  return [Math.max(0, a + low), Math.max(0, a + high)];
}

/** What all rows share: the colours' domain, and the value that fills a track. It does not depend on the filters. */
export function scaleOf(data: DiffBarsData): { readonly bound: number; readonly end: number } {
  const { rows } = data.diff;
  return {
    bound: boundOf(
      rows.map((row) => valueOf(row, data)),
      data.mode,
    ),
    end: Math.max(
      0,
      ...rows.flatMap((row) => [
        lengthOf(row, 'a', data) ?? 0,
        lengthOf(row, 'b', data) ?? 0,
        whiskerOf(row, data)?.[1] ?? 0,
      ]),
    ),
  };
}
