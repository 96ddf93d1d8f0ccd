import { expect, test } from 'vitest';
import { inflatedGroups } from './inflation.ts';
import type { SeriesData } from './model.ts';

const group = (name: string, inflation: number, ratio?: number, interval?: number[]) => ({
  group: name,
  path: [name],
  lost: 0,
  losses: [
    { p: 1, inflation: 0, inflation_ratio: 1 },
    { p: 8, inflation, inflation_ratio: ratio, inflation_interval: interval },
  ],
});

test('groups that inflate are those with certain additional work, most first', () => {
  const series = {
    losses: [{ p: 1 }, { p: 8, area: 1000 }],
    groups: [
      group('small', 5, 2.8, [1.2, 4.7]),
      group('large', 90, 1.7, [1.3, 1.8]),
      group('uncertain', 30, 1.6, [0.5, 2.4]),
      group('shrinks', -9, 0.9),
      group('hardly', 40, 1.02),
      group('tiny', 0.5, 4.8),
      group('without repeats', 7, 1.5),
      group('without a reference', 0),
    ],
  } as unknown as SeriesData;
  expect(inflatedGroups(series).map(({ group }) => group.group)).toEqual([
    'large',
    'without repeats',
    'small',
  ]);
});
