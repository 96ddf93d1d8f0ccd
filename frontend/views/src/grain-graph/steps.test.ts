import { describe, expect, it } from 'vitest';
import type { Group } from '../api.ts';
import { nextToEachOther } from '../logic/two-runs.ts';
import type { VisibleNodes } from '../logic/open-groups.ts';
import { FORK, LEAF, SERIES } from '../logic/series-parallel.ts';
import { stepOf, type Stops, stopsOf } from './steps.ts';

/** Nodes by depth: `~` is the sequence of a grain, `=` a fork with a name, numbers are grains, `*` on the critical path. */
const RUN = `
= all
  ~ 1
    1*
    = outer
      ~ 3
        3
        = inner
          4
          5
      6*
    = last
      7*`;

function nodesOf(text: string): VisibleNodes {
  const rows = text.trim().split('\n');
  const kind: number[] = [];
  const parent: number[] = [];
  const groups: Group[] = [];
  const open: number[] = [];
  rows.forEach((row, at) => {
    const depth = (row.length - row.trimStart().length) / 2;
    const [sign = '', of = ''] = row.trim().split(' ');
    kind.push(sign === '~' ? SERIES : sign === '=' ? FORK : LEAF);
    parent.push(depth === 0 ? -1 : (open[depth - 1] ?? -1));
    open[depth] = at;
    const name = of || sign;
    groups.push({
      group: at,
      kind: sign === '~' ? 'linear' : sign === '=' ? 'fork_join' : 'grain',
      grain: sign === '=' ? undefined : Number.parseInt(name),
      definition: name,
      is_critical: name.endsWith('*'),
      children: kind[at] === LEAF ? 0 : 2,
    } as Group);
  });
  return {
    kind: Uint8Array.from(kind),
    parent: Int32Array.from(parent),
    along: new Float64Array(kind.length),
    across: new Float64Array(kind.length),
    framed: new Uint8Array(kind.length),
    groups,
    isOpen: new Uint8Array(kind.length),
    missing: [],
    cut: [],
    isFull: false,
  };
}

/** Name of a stop: the grain of a leaf, or the end of a fork and its grain. */
function nameOf({ nodes, forks }: Stops, stop: number | undefined): string {
  if (stop === undefined) return '';
  const place = stop - nodes.kind.length;
  const end = place < 0 ? '' : place % 2 === 1 ? 'join ' : 'fork ';
  const group = nodes.groups[place < 0 ? stop : (forks[place >> 1] ?? 0)];
  return `${end}${group?.grain ?? group?.definition}`;
}

const stops = stopsOf(nodesOf(RUN));
const leaf = (grain: number): number =>
  stops.nodes.groups.findIndex((group) => group?.kind === 'grain' && group.grain === grain);

/** Names of the stops that keys lead to one after the other. */
function walk(from: number, ...keys: string[]): string[] {
  let at: number | undefined = from;
  return keys.map((key) => {
    at = at === undefined ? undefined : stepOf(stops, at, key);
    return nameOf(stops, at);
  });
}

describe('stepOf', () => {
  it('leads to the first child and back to the creator', () => {
    const there = walk(leaf(1), 'ArrowDown', 'ArrowDown', 'ArrowUp', 'ArrowUp');
    expect(there).toEqual(['3', '4', '3', '1']);
    expect(walk(leaf(4), 'ArrowDown')).toEqual(['']);
    expect(walk(leaf(1), 'ArrowUp')).toEqual(['']);
  });

  it('leads to siblings, over joins too', () => {
    expect(walk(leaf(4), 'ArrowRight', 'ArrowLeft', 'ArrowLeft')).toEqual(['5', '4', '']);
    expect(walk(leaf(3), 'ArrowRight', 'ArrowRight', 'ArrowLeft')).toEqual(['6', '7', '6']);
  });

  it('leads to the join and the fork around a grain, then outwards', () => {
    const out = walk(leaf(4), 'j', 'k', 'j', 'j');
    expect(out).toEqual(['join inner', 'fork inner', 'join inner', 'join outer']);
    expect(walk(leaf(5), 'k', 'k', 'k', 'k')).toEqual(['fork inner', 'fork outer', 'fork all', '']);
  });

  it('leads from forks and joins to the grains next to them', () => {
    expect(walk(leaf(4), 'k', 'ArrowUp')).toEqual(['fork inner', '3']);
    expect(walk(leaf(5), 'k', 'ArrowDown')).toEqual(['fork inner', '4']);
    expect(walk(leaf(4), 'j', 'ArrowUp')).toEqual(['join inner', '5']);
    expect(walk(leaf(6), 'j', 'ArrowDown')).toEqual(['join outer', '7']);
    expect(walk(leaf(7), 'j', 'ArrowDown')).toEqual(['join last', '']);
    expect(walk(leaf(6), 'j', 'ArrowLeft')).toEqual(['join outer', '']);
  });

  it('follows the critical path both ways, from grains off it too', () => {
    expect(walk(leaf(1), '.', '.', '.')).toEqual(['6', '7', '']);
    expect(walk(leaf(4), '.')).toEqual(['6']);
    expect(walk(leaf(7), ',', ',', ',')).toEqual(['6', '1', '']);
  });

  it('stays in one of two runs', () => {
    const two = nextToEachOther(nodesOf(RUN), nodesOf(RUN));
    const both = stopsOf(two, two.second);
    const last = two.groups.findIndex((group) => group?.grain === 7);
    expect(stepOf(both, last, '.')).toBeUndefined();
    expect(both.forks.length).toBe(8);
  });

  it('leads from the whole picture to the first grain', () => {
    expect(walk(0, 'ArrowDown')).toEqual(['1']);
  });
});
