import { expect, test } from 'vitest';
import type { GroupTree } from './group-tree.ts';
import { treeOf } from './group-tree.fixture.ts';
import { visibleNodes } from './open-groups.ts';
import { edgesOf } from './series-parallel-edges.ts';
import { place } from './series-parallel.ts';
import { followedBy, nextToEachOther, partnersOf } from './two-runs.ts';

const FIRST = treeOf(
  '0 - linear main',
  '1 0 grain main k0',
  '2 0 fork_join work',
  '3 2 grain work k1',
  '4 2 grain work k2',
);
const SECOND = treeOf(
  '0 - linear main',
  '1 0 grain main k0',
  '2 0 fork_join work',
  '3 2 grain work k2',
  '4 2 grain work k3',
  '5 2 grain work k1',
  '6 0 fork_join more',
);

test('groups correspond by the paths of their grains, and by kind and order', () => {
  const partners = partnersOf(FIRST, SECOND);
  expect([...partners.second]).toEqual([
    [0, 0],
    [1, 1],
    [2, 2],
    [3, 5],
    [4, 3],
  ]);
  expect([...partners.onlyFirst]).toEqual([]);
  expect([...partners.onlySecond]).toEqual([6, 4]);
  const turned = partnersOf(SECOND, FIRST);
  expect([...turned.onlyFirst]).toEqual([6, 4]);
  expect(turned.second).toEqual(partners.first);
});

test('what a renamed definition creates corresponds by kind and order', () => {
  const first = treeOf('0 - linear main', '1 0 grain old k1', '2 0 grain same k2');
  const second = treeOf('0 - linear main', '1 0 grain new k3', '2 0 grain same k2');
  expect(partnersOf(first, second).second.size).toBe(2);
  const renames = new Map([
    ['old', 'new'],
    ['new', 'new'],
  ]);
  const partners = partnersOf(first, second, renames);
  expect(partners.second.get(1)).toBe(1);
  expect(partners.onlyFirst.size + partners.onlySecond.size).toBe(0);
});

test('below a renamed definition, a definition on another line is the same if it is elsewhere', () => {
  const first = treeOf(
    '0 - linear main',
    '1 0 linear old k1',
    '2 0 grain x:1 k2',
    '3 1 grain x:1 k3',
  );
  const second = treeOf(
    '0 - linear main',
    '1 0 linear new k4',
    '2 0 grain x:9 k2',
    '3 1 grain x:9 k5',
  );
  const renames = new Map([
    ['old', 'new'],
    ['new', 'new'],
  ]);
  expect(partnersOf(first, second, renames).second.get(3)).toBe(3);
});

test('a group whose partner may not be read yet is not called missing', () => {
  const root = SECOND.groups.get(2);
  const cut: GroupTree = {
    groups: SECOND.groups,
    children: new Map(SECOND.children).set(2, (SECOND.children.get(2) ?? []).slice(0, 1)),
  };
  expect(root?.children).toBe(3);
  expect(partnersOf(FIRST, cut).onlyFirst.size).toBe(0);
});

test('what a group of one run contains is of that run only', () => {
  const more = treeOf(
    '0 - linear main',
    '1 0 grain main k0',
    '2 0 fork_join extra',
    '3 2 grain e k9',
  );
  const less = treeOf('0 - linear main', '1 0 grain main k0');
  expect([...partnersOf(less, more).onlySecond]).toEqual([2, 3]);
});

test('what is open in one run is open in the other', () => {
  const partners = partnersOf(FIRST, SECOND);
  const isOpen = followedBy(
    partners,
    FIRST,
    (group) => group.group === 2,
    (group) => group.group === 6,
  );
  const open = [...SECOND.groups.values()].filter((group) => isOpen(group));
  expect(open.map(({ group }) => group)).toEqual([2, 6]);
});

test('two runs lie next to each other, and each is placed as it is alone', () => {
  const nodesOf = (tree: GroupTree) =>
    visibleNodes(tree, 0, () => true, 'work', { isFramed: true, size: () => [20, 10] });
  const spacing = { along: 5, across: 4, band: 6, pad: 2, title: 0, bar: 1, row: 10 };
  const [one, other] = [nodesOf(FIRST), nodesOf(SECOND)];
  const both = nextToEachOther(one, other);
  const placed = place(both, spacing);
  const alone = place(other, spacing);
  const [dx, dy] = [
    (placed.x[both.second] ?? 0) - (alone.x[0] ?? 0),
    (placed.y[both.second] ?? 0) - (alone.y[0] ?? 0),
  ];
  for (let node = 0; node < other.kind.length; node += 1) {
    expect(placed.x[both.second + node]).toBeCloseTo((alone.x[node] ?? 0) + dx);
    expect(placed.y[both.second + node]).toBeCloseTo((alone.y[node] ?? 0) + dy);
  }
  const end = (placed.y[1] ?? 0) + (placed.across[1] ?? 0);
  expect(placed.y[both.second]).toBeGreaterThan(end);
  const { node } = edgesOf(both, placed, spacing);
  expect(node.every((at) => at < both.kind.length)).toBe(true);
});
