import { describe, expect, it } from 'vitest';
import type { Group, Groups, Tree } from '../api.ts';
import { conditionOf, groupTree, pathTo, pathToWorst } from './group-tree.ts';
import { badges, MAX_NODES, type NodeSizes, STRIP_FROM, visibleNodes } from './open-groups.ts';
import { FORK, LEAF, SERIES, STRIP } from './series-parallel.ts';

const SIZES: NodeSizes = { size: (_, isBar) => (isBar ? [4, 5] : [100, 30]), isFramed: true };

/** A group as the service states it. */
function group(
  number: number,
  parent: number | undefined,
  kind: Group['kind'],
  children: number,
  more: Record<string, unknown> = {},
): Group {
  return {
    group: number,
    ...(parent === undefined ? {} : { parent }),
    depth: 0,
    kind,
    grains: 1,
    children,
    nodes: 1 + children,
    is_critical: false,
    is_restructured: false,
    work_ns: 1,
    ...more,
  } as unknown as Group;
}

function tree(groups: readonly Group[]): Tree {
  return { run: 'r', groups } as unknown as Tree;
}

function page(of: Group, rows: readonly Group[], offset = 0): Groups {
  return { run: 'r', group: of, rows, offset, total: of.children } as unknown as Groups;
}

/** Kinds of the visible nodes, with the number of the group. */
function check(
  known: ReturnType<typeof groupTree>,
  isOpen: (group: Group) => boolean,
): readonly string[] {
  const nodes = visibleNodes(known, 0, isOpen, 'work_ns', SIZES);
  const names = { [LEAF]: 'leaf', [SERIES]: 'series', [FORK]: 'fork', [STRIP]: 'strip' };
  return nodes.groups.map(
    (one, at) => `${names[nodes.kind[at] as 0]} ${one?.group ?? '-'} in ${nodes.parent[at]}`,
  );
}

const ROOT = group(0, undefined, 'fork_join', 2, { has_problem: true, value: 3 });
const ROW = group(1, 0, 'linear', 2, { has_problem: true, value: 9 });
const SMALL = [
  ROOT,
  ROW,
  group(4, 0, 'grain', 0, { has_problem: true, value: 5 }),
  group(2, 1, 'grain', 0, { has_problem: false }),
  group(3, 1, 'grain', 0, { has_problem: true, value: 9 }),
];

describe('visibleNodes', () => {
  it('begins with one closed root', () => {
    expect(check(groupTree(tree(SMALL), []), () => false)).toEqual(['leaf 0 in -1']);
  });

  it('opens groups in program order', () => {
    expect(check(groupTree(tree(SMALL), []), () => true)).toEqual([
      'fork 0 in -1',
      'series 1 in 0',
      'leaf 2 in 1',
      'leaf 3 in 1',
      'leaf 4 in 0',
    ]);
  });

  it('leaves a group closed until its children are here', () => {
    const known = groupTree(tree([ROOT, ROW, SMALL[2] as Group]), []);
    const nodes = visibleNodes(known, 0, () => true, 'work_ns', SIZES);
    expect(nodes.missing).toEqual([1]);
    const more = groupTree(tree([ROOT, ROW, SMALL[2] as Group]), [page(ROW, SMALL.slice(3))]);
    expect(visibleNodes(more, 0, () => true, 'work_ns', SIZES).missing).toEqual([]);
  });

  it('puts the closed children of a wide fork into a strip', () => {
    const root = group(0, undefined, 'fork_join', STRIP_FROM + 2);
    const rows = Array.from({ length: STRIP_FROM + 2 }, (_, at) =>
      group(at + 1, 0, at === 3 ? 'linear' : 'grain', at === 3 ? 1 : 0),
    );
    const known = groupTree(tree([root]), [
      page(root, rows.slice(0, 30)),
      page(root, rows.slice(30), 30),
      page(rows[3] as Group, [group(99, 4, 'grain', 0)]),
    ]);
    const shown = check(known, (one) => one.children > 0);
    expect(shown.slice(0, 3)).toEqual(['fork 0 in -1', 'strip - in 0', 'leaf 1 in 1']);
    expect(shown.slice(-2)).toEqual(['series 4 in 0', 'leaf 99 in 43']);
  });

  it('waits for the page before a page', () => {
    const root = group(0, undefined, 'fork_join', 3);
    const known = groupTree(tree([root]), [page(root, [group(3, 0, 'grain', 0)], 2)]);
    expect(known.children.get(0) ?? []).toEqual([]);
  });

  it('draws a limited number of nodes', () => {
    const rows = Array.from({ length: 3 }, (_, at) => group(at + 1, 0, 'fork_join', MAX_NODES / 2));
    const root = group(0, undefined, 'linear', 3);
    const pages = rows.map((row) =>
      page(
        row,
        Array.from({ length: MAX_NODES / 2 }, (_, at) =>
          group(row.group * MAX_NODES + at, row.group, 'grain', 0),
        ),
      ),
    );
    const nodes = visibleNodes(
      groupTree(tree([root, ...rows]), pages),
      0,
      () => true,
      'work_ns',
      SIZES,
    );
    expect(nodes.isFull).toBe(true);
    expect(nodes.kind.length).toBeLessThanOrEqual(MAX_NODES + 3);
  });

  it('does not ask for children that have no room', () => {
    const rows = Array.from({ length: 100 }, (_, at) => group(at + 1, 0, 'fork_join', 100));
    const root = group(0, undefined, 'linear', 100);
    const nodes = visibleNodes(
      groupTree(tree([root, ...rows]), []),
      0,
      () => true,
      'work_ns',
      SIZES,
    );
    expect(nodes.isFull).toBe(true);
    expect(nodes.missing).toHaveLength(MAX_NODES / 100 - 2);
  });
});

describe('pathToWorst', () => {
  it('follows the worst value by the direction of the condition', () => {
    const known = groupTree(tree(SMALL), []);
    const worst = (text: string): number[] => [
      ...pathToWorst(known, 0, conditionOf(text) ?? { metric: '', isBelow: false, limit: '' }),
    ];
    expect(worst('value > 2')).toEqual([0, 1, 3]);
    expect(worst('value < 7')).toEqual([0, 4]);
  });

  it('reads conditions of one metric only', () => {
    expect(conditionOf('a_b < cores')).toEqual({ metric: 'a_b', isBelow: true, limit: 'cores' });
    expect(conditionOf('a > 1 and b > 2')).toBeUndefined();
  });
});

describe('badges', () => {
  it('gives a letter to structures that two visible groups have', () => {
    const of = (structure: string, children = 2): Group =>
      group(1, 0, 'linear', children, { structure });
    const letters = badges([of('x'), of('y'), of('z'), of('y'), of('x'), of('g', 0), of('g', 0)]);
    expect([...letters]).toEqual([
      ['x', 'A'],
      ['y', 'B'],
    ]);
  });
});

describe('pathTo', () => {
  it('lists the groups above', () => {
    expect(pathTo(groupTree(tree(SMALL), []), 3).map((one) => one.group)).toEqual([0, 1, 3]);
  });
});
