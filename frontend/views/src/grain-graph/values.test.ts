import { describe, expect, it } from 'vitest';
import type { Columns } from '../data/columns.ts';
import { binsOf, countBeyond, shareOf, valueAt, valuesOf, worstRows } from './values.ts';

/** A page of grains of two definitions; NaN is absent. */
function page(first: readonly number[], second?: readonly number[], from = 0): Columns {
  return {
    schema: 'columns/1',
    rows: first.length,
    columns: {
      grain: Float64Array.from(first, (_, at) => from + at),
      work_ns: Float64Array.from(first, (_, at) => 10 * (from + at + 1)),
      definition: first.map((_, at) => (at % 2 === 0 ? 'even' : 'odd')),
      path: first.map((_, at) => `root[0] / leaf[${from + at}]`),
      metric: Float64Array.from(first),
      ...(second ? { other: Float64Array.from(second) } : {}),
    },
  };
}

describe('countBeyond', () => {
  const values = valuesOf(
    [page([3, 1, NaN], [0, 0, 9]), page([5, 4], [9, 0], 3)],
    'work_ns',
    'metric',
    'other',
  );
  if (!values) throw new Error('no values');
  const above = { isBelow: false, limit: 2 };

  it('counts what is beyond the limit; absent values never are', () => {
    const counts = countBeyond(values, above, undefined, true);
    expect([counts.checked, counts.grains, counts.work, counts.totalWork]).toEqual([
      4, 3, 100, 150,
    ]);
    expect(
      counts.byDefinition.map((one) => [one.definition, one.grains, one.all, one.work]),
    ).toEqual([
      ['even', 2, 3, 50],
      ['odd', 1, 2, 50],
    ]);
    expect(countBeyond(values, { isBelow: true, limit: 2 }, undefined, true).grains).toBe(1);
  });

  it('joins two conditions by and, and by or', () => {
    const other = { isBelow: false, limit: 5 };
    expect([...countBeyond(values, above, other, true).rows]).toEqual([3]);
    expect([...countBeyond(values, above, other, false).rows]).toEqual([0, 2, 3, 4]);
  });

  it('lists the worst first, over pages', () => {
    const counts = countBeyond(values, above, undefined, true);
    expect(worstRows(values, counts, false, 2)).toEqual([3, 4]);
    expect(values.path(4)).toBe('root[0] / leaf[4]');
  });
});

describe('binsOf', () => {
  it('gives a bin to each of few whole numbers', () => {
    const bins = binsOf(Float64Array.from([1, 1, 2, 4, NaN]));
    expect(bins?.counts).toEqual([2, 1, 0, 1]);
    expect(bins?.isWhole).toBe(true);
  });

  it('has a logarithmic axis for values over several decades, and finds them again', () => {
    const bins = binsOf(Float64Array.from([0.5, 3.5, 4000.5]));
    if (!bins) throw new Error('no bins');
    expect(bins.isLog).toBe(true);
    expect(bins.counts.reduce((sum, count) => sum + count)).toBe(3);
    for (const value of [1, 12, 100])
      expect(valueAt(bins, shareOf(bins, value))).toBeCloseTo(value, 6);
  });

  it('has no bins without values', () => {
    expect(binsOf(Float64Array.from([NaN]))).toBeUndefined();
  });
});
