/** Delays of grains: bins of a log axis, and sums by definition. Pure. */

import type { Columns } from '../data/columns.ts';
import type { IsNamed } from '../logic/definition-names.ts';

export interface Delays {
  /** Delay of each grain; NaN if it is absent. */
  readonly delay: ArrayLike<number>;
  readonly definition: readonly (string | null)[];
  /** Whether another worker finished the grain than its creator; false if one of them is not known. */
  readonly moved: Uint8Array;
  readonly grain: ArrayLike<number>;
}

/** Reads the columns of grains with a metric of delays. */
export function delaysOf({ rows, columns }: Columns, unit: string): Delays {
  const numbers = (name: string): ArrayLike<number> =>
    (columns[name] as ArrayLike<number> | undefined) ?? new Float64Array(rows).fill(NaN);
  const [grain, parent] = [numbers('grain'), numbers('parent')];
  const [rank, thread] = [numbers('rank'), numbers('thread')];
  const places = new Map<number, number>();
  for (let at = 0; at < rows; at += 1) places.set(grain[at] ?? NaN, at);
  const moved = new Uint8Array(rows);
  for (let at = 0; at < rows; at += 1) {
    const from = places.get(parent[at] ?? NaN);
    if (from === undefined) continue;
    const isKnown = isNumber(thread[at]) && isNumber(thread[from]);
    const isSame = thread[at] === thread[from] && (rank[at] ?? 0) === (rank[from] ?? 0);
    moved[at] = isKnown && !isSame ? 1 : 0;
  }
  return {
    delay: numbers(`delay_${unit}`),
    definition: (columns['definition'] as readonly (string | null)[] | undefined) ?? [],
    moved,
    grain,
  };
}

export interface Bin {
  readonly from: number;
  readonly to: number;
  readonly count: number;
  /** Of these, grains of the selected definition. */
  readonly selected: number;
}

export interface Bins {
  /** Grains that began at once; a log axis has no place for them. */
  readonly zero: Bin;
  /** Four per power of ten. */
  readonly bins: readonly Bin[];
  readonly total: number;
  /** Grains without a delay. */
  readonly absent: number;
}

const PER_DECADE = 4;

/** Largest delay above zero. */
export function largestDelay({ delay }: Delays): number {
  let most = 0;
  for (let at = 0; at < delay.length; at += 1) {
    const value = delay[at] ?? NaN;
    if (value > most) most = value;
  }
  return most;
}

/** Counts grains in bins from one unit of time to at least `most`. */
export function binsOf(
  { delay, definition, moved }: Delays,
  isMovedOnly: boolean,
  isNamed: IsNamed,
  most: number,
): Bins {
  const count = Math.max(1, Math.floor(Math.log10(Math.max(1, most)) * PER_DECADE) + 1);
  const counts = new Float64Array(count);
  const chosen = new Float64Array(count);
  const zeros = [0, 0];
  let [total, absent] = [0, 0];
  for (let at = 0; at < delay.length; at += 1) {
    if (isMovedOnly && moved[at] !== 1) continue;
    const value = delay[at] ?? NaN;
    if (!isNumber(value)) {
      absent += 1;
      continue;
    }
    total += 1;
    const isChosen = isNamed(definition[at]) ? 1 : 0;
    if (value < 1) {
      zeros[0] = (zeros[0] ?? 0) + 1;
      zeros[1] = (zeros[1] ?? 0) + isChosen;
      continue;
    }
    const bin = Math.min(count - 1, Math.floor(Math.log10(value) * PER_DECADE + 1e-9));
    counts[bin] = (counts[bin] ?? 0) + 1;
    chosen[bin] = (chosen[bin] ?? 0) + isChosen;
  }
  const edge = (index: number): number => 10 ** (index / PER_DECADE);
  return {
    zero: { from: 0, to: 1, count: zeros[0] ?? 0, selected: zeros[1] ?? 0 },
    bins: Array.from(counts, (own, index) => ({
      from: edge(index),
      to: edge(index + 1),
      count: own,
      selected: chosen[index] ?? 0,
    })),
    total,
    absent,
  };
}

export interface ByDefinition {
  readonly definition: string;
  readonly grains: number;
  readonly moved: number;
  readonly median: number;
  readonly sum: number;
}

/** Delays of each definition, the largest sum first. */
export function byDefinition(
  { delay, definition, moved }: Delays,
  isMovedOnly: boolean,
): readonly ByDefinition[] {
  const found = new Map<string, { values: number[]; moved: number }>();
  for (let at = 0; at < delay.length; at += 1) {
    const value = delay[at] ?? NaN;
    const name = definition[at];
    if (!isNumber(value) || typeof name !== 'string' || (isMovedOnly && moved[at] !== 1)) continue;
    const own = found.get(name) ?? { values: [], moved: 0 };
    own.values.push(value);
    own.moved += moved[at] ?? 0;
    found.set(name, own);
  }
  return [...found]
    .map(([name, own]) => {
      const values = Float64Array.from(own.values).sort();
      const half = values.length >> 1;
      const upper = values[half] ?? 0;
      return {
        definition: name,
        grains: values.length,
        moved: own.moved,
        median: values.length % 2 === 1 ? upper : ((values[half - 1] ?? 0) + upper) / 2,
        sum: values.reduce((sum, one) => sum + one, 0),
      };
    })
    .sort((a, b) => b.sum - a.sum || (a.definition < b.definition ? -1 : 1));
}

function isNumber(value: number | undefined): value is number {
  return value !== undefined && value !== null && !Number.isNaN(value);
}
