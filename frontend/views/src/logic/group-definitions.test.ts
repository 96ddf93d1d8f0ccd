import { expect, it } from 'vitest';
import type { Hierarchy } from '../api.ts';
import { definitionsIn, runsByValue } from './group-definitions.ts';

it('lists each definition of a module once, but not the module', () => {
  const sites = [
    { name: 'merge', kind: 'group', max_exclusive: 0 },
    { name: 'merge_ranges', kind: 'task', max_exclusive: 2 },
    { name: 'merge_quarters', kind: 'task', max_exclusive: 1 },
    { name: 'merge_quarters', kind: 'task', max_exclusive: 7 },
  ] as unknown as Hierarchy['sites'];
  expect(definitionsIn({ sites })).toEqual(['merge_quarters', 'merge_ranges']);
});

it('orders runs by their values, without those that lack the group', () => {
  expect(runsByValue(['x', 'y', 'z', 'w'], [1, null, 3, NaN])).toEqual([
    { run: 'z', value: 3 },
    { run: 'x', value: 1 },
  ]);
});
