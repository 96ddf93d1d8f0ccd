/** Gradients and text guides of histograms. */

import { type Series, valueAt } from './values.ts';

/** Counts in equal bins between two values. */
export interface Counts {
  readonly min: number;
  readonly max: number;
  readonly counts: readonly number[];
  readonly bin_of: readonly (number | null)[];
}

/**
 * The bin of each run. If the answer does not list them, they follow from the values: in ascending order they fill
 * the bins as the counts say.
 */
export function binsOf(histogram: Counts, values: Series): readonly (number | null)[] {
  if (histogram.bin_of.length > 0 || values.length === 0) return histogram.bin_of;
  const order: number[] = [];
  for (let run = 0; run < values.length; run += 1)
    if (valueAt(values, run) !== null) order.push(run);
  order.sort((a, b) => (values[a] ?? 0) - (values[b] ?? 0));
  const bins: (number | null)[] = Array.from({ length: values.length }, () => null);
  let next = 0;
  histogram.counts.forEach((count, bin) => {
    for (const run of order.slice(next, next + count)) bins[run] = bin;
    next += count;
  });
  return bins;
}

/** A stop of a gradient. */
export interface Stop {
  /** Place along the gradient, 0..1. */
  readonly at: number;
  readonly count: number;
}

/** What a histogram looks like as a gradient. */
export type Gradient =
  | { readonly kind: 'empty' }
  | { readonly kind: 'constant'; readonly count: number }
  | { readonly kind: 'stops'; readonly stops: readonly Stop[] };

/** One stop in the middle of each bin; a single value gives a flat band instead. */
export function gradientOf(histogram: Counts): Gradient {
  const bins = histogram.counts.length;
  const total = histogram.counts.reduce((sum, count) => sum + count, 0);
  if (bins === 0 || total === 0) return { kind: 'empty' };
  if (bins === 1 || !(histogram.max > histogram.min)) return { kind: 'constant', count: total };
  return {
    kind: 'stops',
    stops: histogram.counts.map((count, bin) => ({ at: (bin + 0.5) / bins, count })),
  };
}

/** A row of a node's text guides. */
export interface Guide {
  /** Boundaries of the row, 0..1 along the node. */
  readonly from: number;
  readonly to: number;
  /** Who is in it. */
  readonly who: string;
  /** Indices of the runs in it. */
  readonly runs: readonly number[];
  /** Value at the upper boundary, with `Min.` or `Max.` where it is one. */
  readonly value: number;
  readonly mark: '' | 'Min.' | 'Max.';
}

/**
 * Rows of text guides: non-empty bins, neighbours joined until each row has `leastShare` of the
 * node, so that no two texts lie over one another.
 */
export function guidesOf(histogram: Counts, names: readonly string[], leastShare: number): Guide[] {
  const bins = histogram.counts.length;
  if (bins === 0) return [];
  if (bins === 1 || !(histogram.max > histogram.min)) {
    const runs = histogram.bin_of.flatMap((bin, run) => (bin === null ? [] : [run]));
    return [
      { from: 0.5, to: 0.5, who: describe(runs, names), runs, value: histogram.min, mark: '' },
    ];
  }
  const perRow = Math.max(1, Math.ceil(leastShare * bins - 1e-9));
  const width = (histogram.max - histogram.min) / bins;
  const rows: Guide[] = [];
  for (let first = 0; first < bins; first += perRow) {
    const isLast = first + 2 * perRow > bins;
    const end = isLast ? bins : first + perRow;
    const runs = histogram.bin_of.flatMap((bin, run) =>
      bin !== null && bin >= first && bin < end ? [run] : [],
    );
    if (runs.length > 0) {
      rows.push({
        from: first / bins,
        to: end / bins,
        who: describe(runs, names),
        runs,
        value: histogram.min + width * first,
        mark: first === 0 ? 'Min.' : '',
      });
    }
    if (isLast) break;
  }
  return rows;
}

function describe(runs: readonly number[], names: readonly string[]): string {
  if (runs.length > 3) return `${runs.length} runs`;
  return runs.map((run) => names[run] ?? `run ${run + 1}`).join(', ');
}
