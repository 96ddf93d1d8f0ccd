/** Layouts of recorded answers: columns wide enough, nothing over anything, names unique, few crossings. */

import { expect, test } from 'vitest';
import type { Sankey } from '../api.ts';
import dag from './fixture/dag.json' with { type: 'json' };
import dag4 from './fixture/dag4.json' with { type: 'json' };
import gprof from './fixture/gprof.json' with { type: 'json' };
import hpct from './fixture/hpct.json' with { type: 'json' };
import lulesh from './fixture/lulesh.json' with { type: 'json' };
import raja from './fixture/raja.json' with { type: 'json' };
import threads from './fixture/threads.json' with { type: 'json' };
import versions from './fixture/versions.json' with { type: 'json' };
import { countCrossings } from './order.ts';
import { fitZooms, LEAST_PITCH, LINE, NODE } from './frame.ts';
import { arrange, layOut, type Layout, withLayout } from './layout.ts';

const RECORDED = { threads, versions, lulesh, raja, hpct, dag, dag4, gprof };
type Name = keyof typeof RECORDED;
const NAMES = Object.keys(RECORDED) as Name[];

function recorded(name: Name): Sankey {
  return RECORDED[name] as unknown as Sankey;
}

const ROOMS = [
  { width: 880, height: 463 },
  { width: 600, height: 240 },
  { width: 2000, height: 1100 },
];

interface Area {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

function labelAreas(layout: Layout): Area[] {
  return layout.labels.map((label) => ({
    x: label.x,
    y: label.y - LINE / 2,
    width: Math.max(...label.lines.map((line) => line.length)) * 6.7,
    height: label.lines.length * LINE,
  }));
}

function overlaps(areas: readonly Area[]): number {
  let count = 0;
  areas.forEach((a, i) => {
    for (const b of areas.slice(i + 1)) {
      const isApart =
        a.x + a.width <= b.x + 0.01 ||
        b.x + b.width <= a.x + 0.01 ||
        a.y + a.height <= b.y + 0.01 ||
        b.y + b.height <= a.y + 0.01;
      if (!isApart) count += 1;
    }
  });
  return count;
}

for (const name of NAMES) {
  test(`${name}: no node or name lies over another at any size and zoom`, () => {
    const sankey = recorded(name);
    const arrangement = arrange(sankey);
    for (const room of ROOMS) {
      for (const zoom of [0.15, 0.6, 1, 2.5]) {
        const layout = layOut(sankey, arrangement, { ...room, zoom });
        expect(overlaps(layout.nodes)).toBe(0);
        expect(overlaps(labelAreas(layout))).toBe(0);
        if (zoom >= 1) expect(layout.pitch).toBeGreaterThanOrEqual(LEAST_PITCH);
        for (const node of layout.nodes) {
          expect(node.y).toBeGreaterThanOrEqual(-0.01);
          expect(node.y + node.height).toBeLessThanOrEqual(layout.height + 0.01);
        }
      }
    }
  });

  test(`${name}: at the zoom that fits, everything is in the window`, () => {
    const sankey = recorded(name);
    const arrangement = arrange(sankey);
    for (const room of ROOMS) {
      const fit = fitZooms(sankey, arrangement.columns, arrangement.order, room);
      const layout = layOut(sankey, arrangement, {
        ...room,
        zoom: Math.min(fit.width, fit.height),
      });
      expect(layout.width).toBeLessThanOrEqual(room.width + 0.01);
      expect(layout.height).toBeLessThanOrEqual(room.height + 0.01);
      const further = layOut(sankey, arrangement, { ...room, zoom: 0.15 });
      expect([further.width, further.height]).toEqual([layout.width, layout.height]);
      const lowest = layOut(sankey, arrangement, { ...room, zoom: 0.9 });
      expect(lowest.height).toBeLessThanOrEqual(layOut(sankey, arrangement, room).height);
    }
  });

  test(`${name}: every unit has a name, and no two of a column the same`, () => {
    const sankey = recorded(name);
    const layout = layOut(sankey, arrange(sankey), ROOMS[0] ?? { width: 1, height: 1 });
    const named = new Set(layout.labels.flatMap((label) => label.nodes));
    expect(named.size).toBe(sankey.nodes.length);
    const texts = layout.labels.map((label) => {
      const members = label.nodes.map((node) => sankey.nodes[node]);
      const column = layout.column[label.nodes[0] ?? 0] ?? 0;
      const full = members.map((node) => [node?.name, ...(node?.members ?? [])].join()).join('>');
      return { full, text: `${column} ${label.glyph} ${label.lines.join('')}` };
    });
    const byText = new Map(texts.map(({ full, text }) => [text, full]));
    expect(byText.size).toBe(new Set(texts.map(({ full, text }) => `${text[0]} ${full}`)).size);
  });
}

// The figures to beat were 3, 17, 14, 33 and 20.
test('edges cross no more than they have to', () => {
  const crossings = Object.fromEntries(
    (['threads', 'lulesh', 'raja', 'dag', 'dag4'] as const).map((name) => {
      const { columns, order } = arrange(recorded(name));
      return [name, countCrossings(columns, order)];
    }),
  );
  expect(crossings).toEqual({ threads: 2, lulesh: 15, raja: 8, dag: 31, dag4: 18 });
});

test('chains of single callees are one unit', () => {
  const { columns } = arrange(recorded('threads'));
  expect(columns.units[0]?.nodes.length).toBe(3);
  expect(columns.columns.length).toBe(5);
});

test('a moved node is where it was put, and the others make room', () => {
  const sankey = recorded('lulesh');
  const arrangement = arrange(sankey);
  const room = { width: 880, height: 463 };
  const id = sankey.nodes.find((node) => node.name === 'MPI_Allreduce')?.id ?? '';
  const layout = layOut(sankey, arrangement, { ...room, moved: new Map([[id, 0.7]]) });
  const at = sankey.nodes.findIndex((node) => node.id === id);
  expect(layout.nodes[at]?.y).toBeCloseTo(0.7 * layout.height, 0);
  expect(overlaps(layout.nodes)).toBe(0);
});

test('bands begin and end at their nodes', () => {
  const sankey = recorded('lulesh');
  const laid = withLayout(sankey, layOut(sankey, arrange(sankey), { width: 880, height: 463 }));
  for (const edge of laid.edges.filter((one) => one.band.length > 0)) {
    const [from, to] = [laid.nodes[edge.source]?.geometry, laid.nodes[edge.target]?.geometry];
    const [first, last] = [edge.band[0], edge.band[edge.band.length - 1]];
    expect(first?.x).toBeCloseTo((from?.x ?? 0) + (from?.width ?? NODE));
    expect(last?.x).toBeCloseTo(to?.x ?? -1);
    expect((last?.y ?? 0) + (last?.height ?? 0)).toBeLessThanOrEqual(
      (to?.y ?? 0) + (to?.height ?? 0) + 0.01,
    );
  }
});
