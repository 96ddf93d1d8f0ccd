/** Counts of grains beyond limits, in columns of values. No DOM here. */

import type { Columns } from '../data/columns.ts';

/** Values of grains, parallel columns; NaN is absent. */
export interface Values {
  readonly grain: Float64Array;
  readonly work: Float64Array;
  readonly first: Float64Array;
  /** Values of the second condition's metric, if there is one. */
  readonly second: Float64Array | undefined;
  /** Places in `definitions`. */
  readonly definition: Int32Array;
  readonly definitions: readonly string[];
  /** Whether a grain is here: tasks and chunks are, members of teams are not. */
  has(grain: number): boolean;
  path(row: number): string;
}

/** Joins the pages of an answer; nothing while a column is missing. */
export function valuesOf(
  pages: readonly Columns[],
  work: string,
  first: string,
  second: string | undefined,
): Values | undefined {
  if (pages.length === 0) return undefined;
  const numbers = (name: string): Float64Array | undefined => joined(pages, name);
  const [grain, works, firsts] = [numbers('grain'), numbers(work), numbers(first)];
  const seconds = second === undefined ? undefined : numbers(second);
  if (!grain || !works || !firsts || (second !== undefined && !seconds)) return undefined;
  const places = new Map<string, number>();
  const definition = new Int32Array(grain.length);
  let at = 0;
  for (const page of pages) {
    const names = page.columns['definition'] ?? [];
    for (let row = 0; row < page.rows; row += 1, at += 1) {
      const name = String(names[row] ?? '');
      let place = places.get(name);
      if (place === undefined) {
        place = places.size;
        places.set(name, place);
      }
      definition[at] = place;
    }
  }
  const here = new Uint8Array(grain.reduce((most, one) => Math.max(most, one), 0) + 1);
  for (const one of grain) here[one] = 1;
  return {
    grain,
    has: (one) => here[one] === 1,
    work: works,
    first: firsts,
    second: seconds,
    definition,
    definitions: [...places.keys()],
    path(row) {
      let left = row;
      for (const page of pages) {
        if (left < page.rows) return String(page.columns['path']?.[left] ?? '');
        left -= page.rows;
      }
      return '';
    },
  };
}

function joined(pages: readonly Columns[], name: string): Float64Array | undefined {
  const total = pages.reduce((sum, page) => sum + page.rows, 0);
  const all = new Float64Array(total).fill(NaN);
  let at = 0;
  for (const page of pages) {
    const column = page.columns[name];
    // A column in which everything is absent is a list.
    if (column instanceof Float64Array) all.set(column, at);
    else if (column === undefined) return undefined;
    at += page.rows;
  }
  return all;
}

/** One condition on a column. */
export interface Test {
  readonly isBelow: boolean;
  readonly limit: number;
}

/** Which values a condition holds for; never for absent ones. */
export function isBeyond(value: number, { isBelow, limit }: Test): boolean {
  return isBelow ? value < limit : value > limit;
}

export interface Counts {
  /** Grains that have a value. */
  readonly checked: number;
  readonly grains: number;
  readonly work: number;
  readonly totalWork: number;
  /** Rows of the grains, unsorted. */
  readonly rows: Int32Array;
  /** Grains with the problem, all grains and work with it, by definition. */
  readonly byDefinition: readonly {
    readonly definition: string;
    readonly grains: number;
    readonly all: number;
    readonly work: number;
  }[];
}

/** Counts the grains that conditions hold for; the definition with most of them first. */
export function countBeyond(
  values: Values,
  first: Test,
  second: Test | undefined,
  isAnd: boolean,
): Counts {
  const { length } = values.first;
  const rows = new Int32Array(length);
  const kinds = values.definitions.length;
  const grains = new Float64Array(kinds);
  const all = new Float64Array(kinds);
  const works = new Float64Array(kinds);
  let [found, checked, work, totalWork] = [0, 0, 0, 0];
  for (let row = 0; row < length; row += 1) {
    const value = values.first[row] ?? NaN;
    const own = values.work[row] ?? NaN;
    const kind = values.definition[row] ?? 0;
    all[kind] = (all[kind] ?? 0) + 1;
    if (own > 0) totalWork += own;
    if (!Number.isNaN(value)) checked += 1;
    let is = isBeyond(value, first);
    if (second && values.second) {
      const other = isBeyond(values.second[row] ?? NaN, second);
      is = isAnd ? is && other : is || other;
    }
    if (!is) continue;
    rows[found] = row;
    found += 1;
    grains[kind] = (grains[kind] ?? 0) + 1;
    if (own > 0) {
      work += own;
      works[kind] = (works[kind] ?? 0) + own;
    }
  }
  const byDefinition = values.definitions
    .map((definition, kind) => ({
      definition,
      grains: grains[kind] ?? 0,
      all: all[kind] ?? 0,
      work: works[kind] ?? 0,
    }))
    .sort(
      (a, b) => b.grains - a.grains || b.work - a.work || a.definition.localeCompare(b.definition),
    );
  return { checked, grains: found, work, totalWork, rows: rows.subarray(0, found), byDefinition };
}

/** The rows with the worst values, worst first; equal ones by work. */
export function worstRows(
  values: Values,
  counts: Counts,
  isBelow: boolean,
  most: number,
): number[] {
  const value = (row: number): number => {
    const own = values.first[row] ?? NaN;
    return Number.isNaN(own) ? (isBelow ? Infinity : -Infinity) : own;
  };
  const compare = (a: number, b: number): number =>
    (isBelow ? value(a) - value(b) : value(b) - value(a)) ||
    (values.work[b] ?? 0) - (values.work[a] ?? 0) ||
    a - b;
  // Only a part is sorted when there are very many.
  if (counts.rows.length <= 20_000) return [...counts.rows].sort(compare).slice(0, most);
  const best: number[] = [];
  for (const row of counts.rows) {
    const last = best[best.length - 1];
    if (best.length === most && last !== undefined && compare(row, last) >= 0) continue;
    best.push(row);
    best.sort(compare);
    if (best.length > most) best.pop();
  }
  return best;
}

/** Bins of a metric, and where its values lie on a scale. */
export interface Bins {
  /** Edges; one more than counts. */
  readonly edges: readonly number[];
  readonly counts: readonly number[];
  /** Values are whole numbers, and each has a bin. */
  readonly isWhole: boolean;
  readonly isLog: boolean;
}

const BINS = 32;

/** Bins of the values that are there; nothing if there are none. */
export function binsOf(values: Float64Array): Bins | undefined {
  let [low, high, isWhole] = [Infinity, -Infinity, true];
  for (const value of values) {
    if (Number.isNaN(value) || !Number.isFinite(value)) continue;
    low = Math.min(low, value);
    high = Math.max(high, value);
    if (isWhole && !Number.isInteger(value)) isWhole = false;
  }
  if (!(high >= low)) return undefined;
  const isFew = isWhole && high - low < BINS;
  const isLog = !isFew && low > 0 && high / low > 50;
  const edges = isFew
    ? Array.from({ length: high - low + 2 }, (_, at) => low - 0.5 + at)
    : Array.from({ length: BINS + 1 }, (_, at) =>
        isLog ? low * (high / low || 1) ** (at / BINS) : low + ((high - low || 1) * at) / BINS,
      );
  const counts = new Array<number>(edges.length - 1).fill(0);
  const [start, end] = [edges[0] ?? 0, edges[edges.length - 1] ?? 1];
  for (const value of values) {
    if (Number.isNaN(value) || !Number.isFinite(value)) continue;
    const share = isLog
      ? Math.log(value / start) / Math.log(end / start)
      : (value - start) / (end - start);
    const at = Math.min(counts.length - 1, Math.max(0, Math.floor(share * counts.length)));
    counts[at] = (counts[at] ?? 0) + 1;
  }
  return { edges, counts, isWhole: isFew, isLog };
}

/** Share of the axis at which a value lies, 0 to 1. */
export function shareOf(bins: Bins, value: number): number {
  const [start, end] = [bins.edges[0] ?? 0, bins.edges[bins.edges.length - 1] ?? 1];
  const share = bins.isLog
    ? Math.log(Math.max(value, Number.MIN_VALUE) / start) / Math.log(end / start)
    : (value - start) / (end - start);
  return Math.min(1, Math.max(0, share));
}

/** The value at a share of the axis, with three digits; half numbers between whole ones. */
export function valueAt(bins: Bins, share: number): number {
  const [start, end] = [bins.edges[0] ?? 0, bins.edges[bins.edges.length - 1] ?? 1];
  if (bins.isWhole) return Math.round(start + (end - start) * share + 0.5);
  const value = bins.isLog ? start * (end / start) ** share : start + (end - start) * share;
  return Number(value.toPrecision(3));
}
