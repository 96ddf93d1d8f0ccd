import { describe, expect, it } from 'vitest';
import { type ContextTree, linesOf, MAX_SHOWN, prune, quartiles, type Rule } from './prune.ts';

const NONE: ReadonlySet<number> = new Set();

/** A root with ten children, of which one has a child that stands out. */
const TREE: ContextTree = {
  parent: Int32Array.from([-1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3]),
  value: Float64Array.from([1, 1, 2, 1.5, 1, 2, 1, 1.5, 2, 1, NaN, 90]),
  inclusive: Float64Array.from([104, 1, 2, 91.5, 1, 2, 1, 1.5, 2, 1, NaN, 90]),
};

/** Rows as text: `node`, or `+hidden (sum) of node`. */
function check(tree: ContextTree, rule: Rule, open = NONE, shut = NONE): readonly string[] {
  return prune(tree, rule, open, shut).rows.map(({ node, isSurrogate, hidden, sum, parent }) =>
    isSurrogate ? `+${hidden} (${sum}) of ${node}` : `${node} in ${parent}`,
  );
}

describe('prune', () => {
  it('keeps outliers and what is above them; surrogates count what is hidden', () => {
    expect(check(TREE, { kind: 'outliers' })).toEqual([
      '0 in -1',
      '3 in 0',
      '11 in 1',
      '+9 (11.5) of 0',
    ]);
  });

  it('says so if no context has a value', () => {
    const absent = { ...TREE, value: new Float64Array(12).fill(NaN) };
    const { fallback } = prune(absent, { kind: 'outliers' }, NONE, NONE);
    expect(fallback).toBe('no context has a value');
  });

  it('opens and closes single contexts', () => {
    const opened = check(TREE, { kind: 'outliers' }, new Set([0]));
    expect(opened.length).toBe(12);
    expect(check(TREE, { kind: 'outliers' }, NONE, new Set([3]))).toEqual([
      '0 in -1',
      '3 in 0',
      '+1 (90) of 3',
      '+9 (11.5) of 0',
    ]);
  });

  it('falls back to the largest contexts when there are no outliers', () => {
    const even = { ...TREE, value: TREE.value.map(() => 5) };
    const pruned = prune(even, { kind: 'outliers' }, NONE, NONE);
    expect(pruned.fallback).toBe('half of the contexts have the same value');
    expect(pruned.shown).toBe(11);
    const spread = { ...TREE, value: TREE.value.map((_, at) => at) };
    expect(prune(spread, { kind: 'outliers' }, NONE, NONE).fallback).toBe(
      'no context is an outlier',
    );
  });

  it('keeps a range of values', () => {
    expect(check(TREE, { kind: 'range', from: 50, to: 100 })).toEqual(
      check(TREE, { kind: 'outliers' }),
    );
  });

  it('draws a limited number of contexts, and loses none of their number', () => {
    const count = 100_000;
    const big: ContextTree = {
      parent: Int32Array.from({ length: count }, (_, at) => (at === 0 ? -1 : (at - 1) >> 1)),
      value: Float64Array.from({ length: count }, (_, at) => at % 97),
      inclusive: Float64Array.from({ length: count }, (_, at) => count - at),
    };
    const pruned = prune(big, { kind: 'all' }, NONE, NONE);
    expect(pruned.shown).toBeLessThanOrEqual(MAX_SHOWN);
    expect(pruned.shown + pruned.hidden).toBe(count);
  });
});

describe('linesOf', () => {
  it('puts parents in the middle of their children', () => {
    const { rows } = prune(TREE, { kind: 'outliers' }, NONE, NONE);
    expect([...linesOf(rows)]).toEqual([0.5, 0, 0, 1]);
  });
});

describe('quartiles', () => {
  it('ignores what is absent', () => {
    expect(quartiles(Float64Array.from([4, NaN, 1, 2, 3]))).toEqual([1.75, 3.25]);
    expect(quartiles(Float64Array.from([NaN]))).toBeUndefined();
  });
});
