import { expect, test } from 'vitest';
import type { Group } from '../api.ts';
import { decodeSettings } from '../registry/settings.ts';
import { type Answers, groups, type Settings } from './definition.ts';
import { modelOf, partsOf } from './model.ts';

const RUN = 'a';

/** A linear root of two forks; the run's critical path goes through the second fork and its second grain. */
function answers(paths: readonly number[] | undefined): Answers {
  const group = (number: number, parent: number | null, kind: string, isCritical = false): Group =>
    ({
      group: number,
      parent,
      depth: number === 0 ? 0 : parent === 0 ? 1 : 2,
      kind,
      grains: 1,
      children: kind === 'grain' ? 0 : 2,
      nodes: kind === 'grain' ? 1 : 3,
      is_critical: isCritical,
      work_ns: 10,
    }) as unknown as Group;
  const tree = {
    run: RUN,
    unit: 'ns',
    grains: 4,
    is_separated: false,
    metrics: [{ name: 'work_ns' }],
    groups: [
      group(0, null, 'linear', true),
      group(1, 0, 'fork_join'),
      group(4, 0, 'fork_join', true),
      group(2, 1, 'grain'),
      group(3, 1, 'grain'),
      group(5, 4, 'grain'),
      group(6, 4, 'grain', true),
    ],
  };
  const local = paths && { run: RUN, rows: [], groups: paths, span: 10, work: 20, unit: 'ns' };
  return { tree, ...(local ? { paths: local } : {}) } as unknown as Answers;
}

const settingsOf = (texts: Readonly<Record<string, string>>): Settings =>
  decodeSettings(groups.settings, texts) as unknown as Settings;

/** Numbers of the visible groups that the drawn path runs through. */
function onPath(given: Answers, settings: Settings): number[] {
  const model = modelOf(given, settings);
  return model.nodes.groups.flatMap((group, node) =>
    group && model.isOnPath(node) ? [group.group] : [],
  );
}

test.each<[string, Readonly<Record<string, string>>, number[] | undefined, number[]]>([
  ['of the run', { opened: 'depth', depth: '9' }, undefined, [0, 4, 6]],
  ['of a chosen group', { opened: 'depth', depth: '9', local: '1' }, [1, 2], [1, 2]],
  [
    'of the run until the local one is known',
    { opened: 'depth', local: '1' },
    undefined,
    [0, 4, 6],
  ],
  ['of the group that is shown alone', { root: '1', hand: '1' }, [1, 3], [1, 3]],
  ['and opens its groups', { opened: 'critical', local: '1' }, [0, 1, 2], [0, 1, 2]],
])('the drawn path is that %s', (_, texts, paths, expected) => {
  const settings = settingsOf({ problem: '-', ...texts });
  expect(onPath(answers(paths), settings)).toEqual(expected);
});

test.each([
  [{ local: '1' }, 1],
  [{ local: '1', root: '4' }, 1],
  [{ root: '4' }, 4],
  [{}, undefined],
] as const)('with %j the path of group %j is asked for', (texts, expected) => {
  const settings = settingsOf({ problem: '-', ...texts });
  const { paths } = partsOf(answers(undefined), settings, [RUN, '']);
  expect(paths?.query['group']).toBe(expected);
});

/** A group of a binary tree of forks: its children are `2n + 1` and `2n + 2`, grains at the given depth. */
function binary(number: number, depth: number): Group {
  const own = Math.floor(Math.log2(number + 1));
  return {
    group: number,
    parent: number === 0 ? null : Math.floor((number - 1) / 2),
    depth: own,
    kind: own === depth ? 'grain' : 'fork_join',
    grains: 1,
    children: own === depth ? 0 : 2,
    nodes: 1,
    work_ns: 1,
  } as unknown as Group;
}

test.each([
  ['a few', 4, ''],
  ['about as many as have structures', 6, ''],
  ['more than have structures', 8, ''],
  ['a problem', 8, 'x > 1'],
])('questions for the children of %s open groups come to an end', (_, depth, problem) => {
  const tree = {
    run: RUN,
    unit: 'ns',
    grains: 2 ** depth,
    is_separated: false,
    metrics: [{ name: 'work_ns' }],
    groups: [0, 1, 2].map((number) => binary(number, depth)),
  };
  const settings = settingsOf({ problem: problem || '-', opened: 'depth', depth: '64' });
  const held = new Map<string, unknown>();
  let asked = 0;
  let names: string[] = [];
  while (asked < 1000) {
    const given = { tree, marked: problem ? tree : undefined } as Record<string, unknown>;
    for (const name of names) given[name] = held.get(name);
    const parts = partsOf(given as unknown as Answers, settings, [RUN, '']);
    names = Object.keys(parts).filter((name) => name.startsWith('page '));
    for (const name of held.keys()) if (!names.includes(name)) held.delete(name);
    // The service answers one question at a time.
    const next = names.find((name) => !held.has(name));
    if (next === undefined) break;
    const number = Number(parts[next]?.query['group']);
    const rows = [1, 2].map((at) => binary(2 * number + at, depth));
    held.set(next, { run: RUN, group: binary(number, depth), offset: 0, rows });
    asked += 1;
  }
  expect(asked).toBeLessThan(2 ** depth);
  expect(held.size).toBeGreaterThan(2 ** depth - 5);
});
