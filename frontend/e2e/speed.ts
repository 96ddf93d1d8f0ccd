/**
 * Measures views of one run on generated answers, in Chromium: `node run.mjs speed.ts`.
 *
 * Figures are processor time of all tasks of the page's thread, so that a busy machine does not change them much, or wall
 * time, marked as such. Prints what BENCHMARKS.md reports, with the aim of each figure.
 */

import { join } from 'node:path';
import type { CDPSession } from 'playwright-core';
import { Harness } from './views/harness.ts';

const NODES = 5000;
const CHILDREN = 1000;
const GRAINS = 1_000_000;
/** Workers and parts of a window: what the service sends of 10^7 intervals. */
const WORKERS = 64;
const PARTS = 2400;
const ELAPSED = 1e9;
const FRAMES = 60;

const BASE = { selection: { run: 'a' }, width: 1400, height: 860 } as const;

/** Milliseconds of processor time that something takes on the page's thread, painting included. */
async function scriptOf(session: CDPSession, act: () => Promise<unknown>): Promise<number> {
  const read = async (): Promise<number> => {
    const { metrics } = await session.send('Performance.getMetrics');
    return 1000 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? NaN);
  };
  const before = await read();
  await act();
  return (await read()) - before;
}

/** The step that a tenth of all are faster than: the others were interrupted on a busy machine. */
function fastTenth(steps: readonly number[]): number {
  return [...steps].sort((a, b) => a - b)[Math.floor(steps.length / 10)] ?? NaN;
}

function print(what: string, figure: number, aim: number): void {
  const verdict = figure <= aim ? 'within' : 'above';
  console.log(`${what}: ${figure.toFixed(2)} ms, ${verdict} the aim of ${aim} ms`);
}

async function graphs(harness: Harness, session: CDPSession): Promise<void> {
  const { page } = harness;
  const layout = await page.evaluate((nodes) => window.tests.layout(nodes), NODES);
  print(`layout of ${layout.nodes} visible nodes`, layout.place, 5);
  print('their edges', layout.edges, 5);
  for (const [view, settings] of [
    ['groups', { opened: 'depth', depth: '64', problem: '-' }],
    ['dag', { depth: '64' }],
  ] as const) {
    const scene = { ...BASE, view, settings };
    await page.evaluate(
      ([given, nodes]) => window.tests.showGenerated(given, 'recursion', [nodes]),
      [scene, NODES] as const,
    );
    let steps: readonly number[] = [];
    const script = await scriptOf(session, async () => {
      steps = await page.evaluate((frames) => window.tests.pan(frames), FRAMES);
    });
    print(`${view}: frame of a pan, ${NODES} nodes, all in the window`, script / FRAMES, 4);
    print(`${view}: script of it, fastest tenth, wall time`, fastTenth(steps), 4);
  }
  const closed = { ...BASE, view: 'groups', settings: { problem: '-' } };
  await page.evaluate(
    ([given, children]) => window.tests.showGenerated(given, 'fork', [children]),
    [closed, CHILDREN] as const,
  );
  const open = { ...closed, settings: { problem: '-', hand: '0' } };
  const script = await scriptOf(session, () =>
    page.evaluate((given) => window.tests.redrawGenerated(given), open),
  );
  print(`groups: open a group of ${CHILDREN} children, answer here`, script, 100);
}

async function recount(harness: Harness, session: CDPSession): Promise<void> {
  const { page } = harness;
  const scene = { ...BASE, view: 'grain-graph' };
  const problem = {
    condition: 'parallel_benefit < 1',
    metric: 'parallel_benefit',
    limit: 1,
    grains: 100_000,
    direction: 'higher_is_better',
  };
  await page.evaluate(
    async ([given, grains, one]) => {
      const { tests } = window;
      await tests.showGenerated({ ...given, view: 'groups' }, 'fork', [200]);
      const rest = {
        tree: tests.generatedAnswers()['tree'],
        problems: { run: 'a', problems: [one], not_checked: [] },
      };
      await tests.showGenerated(given, 'values', [grains], rest);
    },
    [scene, GRAINS, problem] as const,
  );
  const limits = ['0.5', '2', '3', '4', '5'];
  const script = await scriptOf(session, async () => {
    for (const limit of limits)
      await page.evaluate((given) => window.tests.redrawGenerated(given), {
        ...scene,
        settings: { limit },
      });
  });
  print(`grain graph: a moved limit over ${GRAINS} grains`, script / limits.length, 200);
}

async function zoom(harness: Harness, session: CDPSession): Promise<void> {
  const { page } = harness;
  const scene = { ...BASE, view: 'timeline' };
  await page.evaluate(([given, sizes]) => window.tests.showGenerated(given, 'timeline', sizes), [
    scene,
    [WORKERS, PARTS, ELAPSED],
  ] as const);
  const frames: number[] = [];
  for (let at = 0; at < 2 * FRAMES; at += 1) {
    const factor = at < FRAMES ? 1.15 : 1 / 1.15;
    frames.push(
      await scriptOf(session, () => page.evaluate((by) => window.tests.zoom(by), factor)),
    );
  }
  const mean = frames.reduce((sum, one) => sum + one, 0) / frames.length;
  const parts = `${WORKERS * PARTS} parts of ${WORKERS} workers`;
  print(`time line: frame of a zoom over ${parts}, mean`, mean, 50);
  print('time line: the longest of these frames', Math.max(...frames), 50);
}

export async function main(): Promise<number> {
  const harness = await Harness.open(join(import.meta.dirname, 'shots/views'));
  try {
    const session = await harness.page.context().newCDPSession(harness.page);
    await session.send('Performance.enable', { timeDomain: 'threadTicks' });
    await graphs(harness, session);
    await recount(harness, session);
    await zoom(harness, session);
    for (const fault of harness.faults) console.log(`fault: ${fault}`);
  } finally {
    await harness.close();
  }
  return 0;
}
