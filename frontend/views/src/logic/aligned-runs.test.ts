import { expect, test } from 'vitest';
import {
  aligned,
  counterpart,
  isOfFirst,
  pathToLargest,
  placeOf,
  unionOf,
} from './aligned-runs.ts';
import type { GroupTree } from './group-tree.ts';
import { treeOf } from './group-tree.fixture.ts';
import { visibleNodes } from './open-groups.ts';
import { place } from './series-parallel.ts';
import { partnersOf, type TwoRuns } from './two-runs.ts';

const SPACING = { along: 5, across: 5, band: 10, pad: 4, title: 8, bar: 1, row: 20 };

const FIRST = treeOf(
  '0 - linear main',
  '1 0 grain main k0 10',
  '2 0 fork_join work - 30',
  '3 2 grain work k1 20',
  '4 2 grain gone k2 7',
);
const SECOND = treeOf(
  '0 - linear main',
  '7 0 fork_join new - 5',
  '8 7 grain new k7 5',
  '1 0 grain main k0 10',
  '2 0 fork_join work - 90',
  '3 2 grain fresh k5 1',
  '5 2 grain work k1 80',
);

function joined(first: GroupTree, second: GroupTree, root = 0): TwoRuns {
  const union = unionOf(first, second, partnersOf(first, second), 'work_ns');
  const nodes = visibleNodes(union.tree, root, () => true, 'work_ns', {
    isFramed: true,
    size: (_, isBar, share) => (isBar ? [4 + 100 * share, 3] : [20, 10]),
  });
  return aligned(nodes, union);
}

test('children that only one run has stand where they stand there', () => {
  const { tree, first, second } = unionOf(FIRST, SECOND, partnersOf(FIRST, SECOND), 'work_ns');
  const names = [...tree.groups.keys()].map((number) => [
    isOfFirst(number),
    first.get(number)?.group,
    second.get(number)?.group,
  ]);
  expect(names).toEqual([
    [true, 0, 0],
    [false, undefined, 7],
    [true, 1, 1],
    [true, 2, 2],
    [false, undefined, 8],
    [false, undefined, 3],
    [true, 3, 5],
    [true, 4, undefined],
  ]);
  expect(tree.groups.get(2)).toMatchObject({ work_ns: 90, parent: 0 });
});

test('what corresponds has the same place in both runs, and gaps have places too', () => {
  const nodes = joined(FIRST, SECOND);
  const placed = place(nodes, SPACING);
  const [x, y] = [placed.x[1] ?? 0, placed.y[1] ?? 0];
  const [toX, toY] = [placed.x[nodes.second] ?? 0, placed.y[nodes.second] ?? 0];
  let gaps = 0;
  for (let node = 1; node < nodes.second; node += 1) {
    const other = counterpart(nodes, node);
    expect(placeOf(nodes, node)).toBe(placeOf(nodes, other));
    expect((placed.x[other] ?? 0) - toX).toBeCloseTo((placed.x[node] ?? 0) - x);
    expect((placed.y[other] ?? 0) - toY).toBeCloseTo((placed.y[node] ?? 0) - y);
    const [here, there] = [nodes.groups[node], nodes.groups[other]];
    if (!here || !there) gaps += 1;
    else expect(here.path_key).toBe(there.path_key);
  }
  expect(gaps).toBe(4);
});

test('the bars of strips are in the same order in both runs', () => {
  const wide = (factor: (at: number) => number): GroupTree =>
    treeOf(
      '0 - fork_join main',
      ...Array.from({ length: 60 }, (_, at) => `${at + 1} 0 grain leaf k${at} ${factor(at)}`),
    );
  const nodes = joined(
    wide((at) => at + 1),
    wide((at) => 60 - at),
  );
  const placed = place(nodes, SPACING);
  const shift = (placed.y[nodes.second] ?? 0) - (placed.y[1] ?? 0);
  for (let node = 3; node < nodes.second; node += 1) {
    const other = counterpart(nodes, node);
    expect((placed.y[other] ?? 0) - (placed.y[node] ?? 0)).toBeCloseTo(shift);
    expect(nodes.groups[other]?.path_key).toBe(nodes.groups[node]?.path_key);
  }
});

test('the way to the largest difference', () => {
  const union = unionOf(FIRST, SECOND, partnersOf(FIRST, SECOND), 'work_ns');
  expect([...pathToLargest(union, 'work_ns')]).toEqual([0, 2, 3]);
  const same = unionOf(FIRST, FIRST, partnersOf(FIRST, FIRST), 'work_ns');
  expect([...pathToLargest(same, 'work_ns')]).toEqual([0]);
});
