import { expect, test } from 'vitest';
import type { Sankey } from '../api.ts';
import lulesh from './fixture/lulesh.json' with { type: 'json' };
import threads from './fixture/threads.json' with { type: 'json' };
import { arrange, layOut, withLayout } from './layout.ts';
import { step, type Stop } from './walk.ts';

function laid(given: unknown): Sankey {
  const sankey = given as Sankey;
  return withLayout(sankey, layOut(sankey, arrange(sankey), { width: 900, height: 500 }));
}

test('arrow keys lead from a node to its edge, and on to the callee', () => {
  const sankey = laid(lulesh);
  const main = sankey.nodes.findIndex((node) => node.name === 'main');
  const out = step(sankey, { node: main }, 'ArrowRight');
  expect(out).toMatchObject({ end: 'source' });
  const edge = sankey.edges[out && 'edge' in out ? out.edge : -1];
  expect(edge?.source).toBe(main);
  const callee = step(sankey, out as Stop, 'ArrowRight');
  expect(callee).toEqual({ node: edge?.target });
  expect(step(sankey, out as Stop, 'ArrowLeft')).toEqual({ node: main });
  const back = step(sankey, callee as Stop, 'ArrowLeft');
  expect(back).toMatchObject({ end: 'target' });
});

test('up and down lead through all edges of the node, each once', () => {
  const sankey = laid(lulesh);
  const main = sankey.nodes.findIndex((node) => node.name === 'main');
  const own = sankey.edges.filter((edge) => edge.source === main && edge.band.length > 0).length;
  let at = step(sankey, { node: main }, 'ArrowRight');
  for (let up = at; up; up = step(sankey, up, 'ArrowUp')) at = up;
  const seen = new Set<number>();
  for (let next = at; next; next = step(sankey, next, 'ArrowDown'))
    if ('edge' in next) seen.add(next.edge);
  expect(seen.size).toBe(own);
});

test('every edge that is drawn can be reached', () => {
  for (const sankey of [laid(lulesh), laid(threads)]) {
    const seen = new Set<string>();
    const queue: Stop[] = [{ node: 0 }];
    for (const stop of queue) {
      const key = 'edge' in stop ? `e${stop.edge}${stop.end}` : `n${stop.node}`;
      if (seen.has(key)) continue;
      seen.add(key);
      for (const arrow of ['ArrowRight', 'ArrowLeft', 'ArrowUp', 'ArrowDown']) {
        const next = step(sankey, stop, arrow, true);
        if (next) queue.push(next);
      }
    }
    const edges = new Set([...seen].flatMap((key) => /^e(\d+)/.exec(key)?.[1] ?? []));
    const drawn = sankey.edges.filter((edge) =>
      edge.kind === 'forward' ? edge.band.length > 0 : edge.source !== edge.target,
    ).length;
    expect(edges.size).toBeGreaterThanOrEqual(
      sankey.edges.filter((edge) => edge.band.length > 0).length,
    );
    expect(edges.size).toBeLessThanOrEqual(drawn);
  }
});

test('nodes of a chain lead to each other without an edge between them', () => {
  const sankey = laid(threads);
  const at = sankey.nodes.findIndex((node) => node.name === 'sort');
  expect(step(sankey, { node: at }, 'ArrowRight')).toHaveProperty('node');
});
