import { describe, expect, it } from 'vitest';
import type { Hierarchy, Site } from '../api.ts';
import type { Selection } from '../registry/selection.ts';
import {
  changeClass,
  changeOf,
  comparedOf,
  deltaOf,
  middleOf,
  pairOf,
  type Sides,
  sidesOf,
} from './compared.ts';

const RUNS = { runs: ['w', 'x', 'y', 'z'] } as const;
const SELECTION = { run: '', otherRun: '', isDiff: false } as Selection;

/** A context with these exclusive values of the runs; the inclusive ones are ten times as large. */
function siteOf(...values: (number | null)[]): Site {
  const inclusive = values.map((value) => (value === null ? null : value * 10));
  return { exclusive_by_run: values, inclusive_by_run: inclusive } as unknown as Site;
}

const SIDES: Sides = [
  { name: 'old', places: [0, 1] },
  { name: 'new', places: [2, 3] },
];

describe('sidesOf', () => {
  const sides = (
    patch: Partial<Selection>,
    answer: Pick<Hierarchy, 'runs'> = { runs: [...RUNS.runs] },
  ) => sidesOf(answer, { ...SELECTION, ...patch });

  it('compares the sides of a diff, or the opened run with the one next to it', () => {
    const [a, b] = [
      { name: 'old', runs: ['w', 'x'] },
      { name: 'new', runs: ['y', 'z'] },
    ];
    expect(sides({ isDiff: true, a, b })).toEqual(SIDES);
    expect(sides({ run: 'y', otherRun: 'w', isDiff: true, a, b })).toEqual([
      { name: 'y', places: [2] },
      { name: 'w', places: [0] },
    ]);
  });

  it('compares nothing without a diff or a second run, or if the answer lacks a side', () => {
    expect(sides({})).toBeUndefined();
    expect(sides({ run: 'y' })).toBeUndefined();
    expect(sides({ run: 'y', otherRun: 'w' }, { runs: ['y'] })).toBeUndefined();
  });
});

describe('comparedOf', () => {
  const sites = [siteOf(1, 3, 6, 6), siteOf(4, 4, null, null), siteOf(null, null, 5, 3)];
  const what = { scope: 'exclusive', unit: 'ns', metric: 'work' } as const;
  const compared = (mode: string) =>
    comparedOf(sites, SIDES, what, { ...SELECTION, comparison: { mode } } as Selection);

  it('subtracts means of the sides, and counts an absent context as zero', () => {
    const { pairs, bound, quantity } = compared('absolute');
    expect(pairs).toEqual([
      { a: 2, b: 6 },
      { a: 4, b: null },
      { a: null, b: 4 },
    ]);
    expect(pairs.map(deltaOf)).toEqual([4, -4, 4]);
    expect(bound).toBe(4);
    expect(quantity).toBe('exclusive work, B − A, mean over runs');
  });

  it('has the modes of all differences', () => {
    const relative = compared('relative');
    expect(relative.pairs.map((pair) => changeOf(pair, relative))).toEqual([2, -1, 1]);
    expect(relative.bound).toBe(1);
    // The root has 20 of A and 60 of B.
    const shares = compared('normalised');
    expect(shares.pairs.map((pair) => changeOf(pair, shares))).toEqual([0, -0.2, 4 / 60]);
  });

  it('has no difference where no side has the context', () => {
    const pair = pairOf(undefined, 'exclusive', SIDES);
    expect([deltaOf(pair), changeOf(pair, { mode: 'absolute', unit: 'ns' })]).toEqual([NaN, NaN]);
  });
});

it('divides the symmetric domain into classes around their middles', () => {
  expect([0, 1, 2, 3, 4].map(middleOf)).toEqual([-1, -0.5, 0, 0.5, 1]);
  expect([-9, -8, -4, -1, 0, 1.9, 2.1, 8, 80, NaN].map((value) => changeClass(value, 8))).toEqual([
    0, 0, 1, 2, 2, 2, 3, 4, 4, -1,
  ]);
});
