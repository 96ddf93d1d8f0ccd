import { expect, it } from 'vitest';
import type { Group } from '../api.ts';
import type { Columns } from '../data/columns.ts';
import type { GroupTree } from '../logic/group-tree.ts';
import { fragmentAt, fragmentsOf, unreduced } from './fragments.ts';

/** A tree from lines `NUMBER PARENT KIND GRAIN`. */
function treeOf(...lines: readonly string[]): GroupTree {
  const groups = new Map<number, Group>();
  const children = new Map<number, Group[]>();
  for (const line of lines) {
    const [number, parent = '', kind, grain = ''] = line.split(' ');
    const known = { group: Number(number), kind, grain: Number(grain), children: 0, work_ns: 100 };
    const group = { ...known, parent: parent === '-' ? null : Number(parent) } as unknown as Group;
    groups.set(group.group, group);
    const siblings = children.get(Number(parent));
    if (siblings) siblings.push(group);
    else if (parent !== '-') children.set(Number(parent), [group]);
  }
  for (const [parent, own] of children)
    Object.assign(groups.get(parent) ?? {}, { children: own.length });
  return { groups, children };
}

const columns = (rows: readonly Readonly<Record<string, number>>[]): Columns => ({
  schema: 'columns/1',
  rows: rows.length,
  columns: Object.fromEntries(
    Object.keys(rows[0] ?? {}).map((name) => [
      name,
      Float64Array.from(rows, (row) => row[name] ?? NaN),
    ]),
  ),
});

/** Intervals `GRAIN from-to from-to …`. */
const intervals = (...lines: readonly string[]): Columns =>
  columns(
    lines.flatMap((line) => {
      const [grain, ...times] = line.split(' ');
      return times.map((time) => {
        const [start = 0, end = 0] = time.split('-').map(Number);
        return { grain: Number(grain), start, end, intervals: 1 };
      });
    }),
  );

/** Grains `[grain, created, start]`. */
const grains = (...rows: readonly (readonly [number, number, number])[]): Columns =>
  columns(rows.map(([grain, created, start]) => ({ grain, created, start })));

/** The tree as text: `g.n` is fragment n of grain g, `( | )` a fork, `[ ]` a sequence. */
function textOf(tree: GroupTree, number = 0): string {
  const group = tree.groups.get(number);
  const children = tree.children.get(number) ?? [];
  const parts = children.map((child) => textOf(tree, child.group));
  if (parts.length !== (group?.children ?? 0)) return 'children are missing';
  if (parts.length > 0)
    return group?.kind === 'linear' ? `[${parts.join(' ')}]` : `(${parts.join(' | ')})`;
  const fragment = group && fragmentAt(group);
  return `${group?.grain}${fragment === undefined ? '' : `.${fragment}`}`;
}

const TREE = treeOf(
  '0 - linear 0',
  '1 0 grain 0',
  '2 0 fork_join 0',
  '5 0 fork_join 0',
  '3 2 grain 1',
  '4 2 grain 2',
  '6 5 grain 3',
);
const CREATED = grains([0, NaN, 0], [1, 10, 11], [2, 20, 21], [3, 60, 61]);

it('a creation forks the created grain from what its creator does next, up to the wait', () => {
  const found = fragmentsOf(
    intervals('0 0-5 5-10 10-20 20-25 50-60 60-62 80-90', '1 11-40', '2 21-30 33-45', '3 61-70'),
    CREATED,
  );
  const made = found && unreduced(TREE, 'work_ns', found);
  expect(made && textOf(made)).toBe(
    '[0.1 0.2 (1 | [0.3 ([2.1 2.2] | [0.4])]) 0.5 (3 | [0.6]) 0.7]',
  );
  const works = [...(made?.groups.values() ?? [])].filter((group) => fragmentAt(group));
  const work = works.map((group) => (group as unknown as { work_ns: number }).work_ns);
  expect(work.reduce((sum, one) => sum + one, 0)).toBe(5 + 5 + 10 + 5 + 10 + 2 + 10 + 9 + 12);
});

it('children that another grain created, or that begin together, stay one fork', () => {
  const found = fragmentsOf(
    intervals('0 0-8 50-60', '1 11-40', '2 21-30', '3 61-70'),
    grains([0, NaN, 0], [1, NaN, 11], [2, NaN, 21], [3, NaN, 61]),
  );
  expect(found && textOf(unreduced(TREE, 'work_ns', found))).toBe('[0.1 (1 | 2) 0.2 (3)]');
});

it('intervals that stand for several fragments are no fragments', () => {
  const rows = columns([{ grain: 0, start: 0, end: 5, intervals: 3 }]);
  expect(fragmentsOf(rows, CREATED)).toBeUndefined();
});
