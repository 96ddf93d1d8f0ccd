import { expect, test } from 'vitest';
import type { Hierarchy } from '../api.ts';
import { layoutIcicle } from '../logic/tree.ts';
import { hiddenText, type IcicleData, RunIndex, siteDifferences } from './model.ts';

const site = (values: (number | null)[]): unknown => ({
  inclusive_by_run: values.map((value) => (value === null ? null : value * 10)),
  exclusive_by_run: values,
});
const data: IcicleData = {
  hierarchy: {
    runs: ['a', 'b'],
    sites: [site([2, 6]), site([null, 3])],
  } as unknown as Hierarchy,
  scope: 'exclusive',
  comparison: {
    mode: 'relative',
    unit: 'count',
    a: ['a'],
    b: ['b'],
    quantity: '',
    worseIsUp: true,
    isUnsure: false,
  },
};

test('sites compare the scope of the diff, and an absent side is not zero', () => {
  const { of, bound } = siteDifferences(data, new RunIndex());
  expect(of.map(({ value, text }) => [value, text])).toEqual([
    [2, '+200 %'],
    [null, 'only in B, 3'],
  ]);
  expect(bound).toBe(1);
});

test('what is not drawn is counted', () => {
  const sites = [
    { max_inclusive: 1000, depth: 0 },
    { parent: 0, max_inclusive: 990, depth: 1 },
    { parent: 0, max_inclusive: 1, depth: 1 },
    { parent: 1, max_inclusive: 900, depth: 2 },
  ];
  const layout = layoutIcicle(sites, 0, 100, 'inclusive', 1, 2);
  expect(hiddenText(layout, 0)).toBe(
    'Call sites not shown: 1 too narrow to draw: zoom in; 1 in deeper rows.',
  );
  expect(hiddenText(layoutIcicle(sites, 1, 100, 'inclusive'), 0)).toBe('');
});
