import { expect, test } from 'vitest';
import type { GrainDiff, Stats, Timeline } from '../api.ts';
import type { Selection } from '../registry/selection.ts';
import { alignedParts } from './align.ts';
import type { Answers, Settings } from './definition.ts';
import { Names } from './names.ts';

type Named = readonly (readonly [group: string, name: string])[];

const head = (run: string, ...names: string[]): Timeline =>
  ({
    run,
    unit: 'ns',
    rows: names.map((definition, at) => ({ start: 0, end: 9 - at, busy: 1, definition })),
  }) as unknown as Timeline;
const stats = (named: Named): Stats =>
  ({ rows: named.map(([group, name]) => ({ group, path: [name] })) }) as unknown as Stats;
const renamed = (...pairs: [string, string][]): GrainDiff =>
  ({
    renames: pairs.map(([a, b]) => ({ group: b, names: [{ name: a }, { name: b }] })),
  }) as unknown as GrainDiff;

test('a definition that the second run calls differently is known by its first name', () => {
  const names = new Names({ renames: renamed(['range', 'block']) });
  expect(names.known(0, 'range')).toBe('range');
  expect(names.known(1, 'block')).toBe('range');
  expect(names.known(1, 'merge')).toBe('merge');
  expect(names.there('range')).toBe('block');
  expect([names.whole('range'), names.whole('merge')]).toEqual(['range → block', 'merge']);
  const heads = [head('a', 'range', 'merge'), head('b', 'block')];
  expect(names.definitionsOf(heads)).toEqual(['range', 'merge']);
  expect(new Names().known(1, 'block')).toBe('block');
});

test('a definition on other lines is the same one', () => {
  const definitions = stats([
    ['m', 'merge:10'],
    ['s', 'sort'],
  ]);
  const otherDefinitions = stats([
    ['m', 'merge:17'],
    ['s', 'sort'],
  ]);
  const names = new Names({ definitions, otherDefinitions });
  expect(names.known(1, 'merge:17')).toBe('merge:10');
  expect(names.whole('merge:10')).toBe('merge:10→17');
  expect(names.whole('sort')).toBe('sort');
});

test('a selected definition may have the name of either run', () => {
  const names = new Names({ renames: renamed(['range', 'block']) });
  const chosen = ['range', 'block', ''].map((name) => names.chosen(name));
  expect(chosen).toEqual(['range', 'range', '']);
});

test('a selected definition of several versions is that of the run', () => {
  const names = new Names({ definitions: stats([['m', 'merge:10 (task)']]) });
  expect(names.chosen('merge:10|17 (task)')).toBe('merge:10 (task)');
  expect(names.chosen('merge:11|17 (task)')).toBe('merge:11|17 (task)');
});

test('two definitions that swap their names stay two', () => {
  const names = new Names({ renames: renamed(['f', 'g'], ['g', 'f']) });
  expect([names.known(0, 'f'), names.known(1, 'g')]).toEqual(['f', 'f']);
  expect([names.known(0, 'g'), names.known(1, 'f')]).toEqual(['g', 'g']);
  expect(names.chosen('g')).toBe('g');
});

test('runs are matched only if each has a definition that the other has not', () => {
  const asks = (first: Named, second: Named): boolean => {
    const answers = {
      head: head('a'),
      otherHead: head('b'),
      definitions: stats(first),
      otherDefinitions: stats(second),
    };
    const selection = { run: 'a', otherRun: 'b' } as unknown as Selection;
    const settings = { align: '' } as Settings;
    return 'renames' in alignedParts(answers as unknown as Answers, settings, selection);
  };
  expect(asks([['r', 'range']], [['b', 'block']])).toBe(true);
  expect(asks([['m', 'merge:10']], [['m', 'merge:17']])).toBe(false);
  expect(
    asks(
      [['r', 'range']],
      [
        ['r', 'range'],
        ['n', 'new'],
      ],
    ),
  ).toBe(false);
});
