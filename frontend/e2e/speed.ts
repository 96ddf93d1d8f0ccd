/**
 * Measures views of one run on generated answers, in Chromium: `node run.mjs speed.ts`.
 *
 * Figures are processor time of the page's thread, of script or of all tasks, so that a busy machine does not change them
 * much; the layout alone has wall time. Prints what BENCHMARKS.md reports, with the aim of each figure.
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
const ROUNDS = 5;

const BASE = { selection: { run: 'a' }, width: 1400, height: 860 } as const;

/** Milliseconds of processor time on the page's thread: of script alone, and of all tasks, painting included. */
export interface Cost {
  readonly script: number;
  readonly task: number;
}

async function costOf(session: CDPSession, act: () => Promise<unknown>): Promise<Cost> {
  const read = async (): Promise<Cost> => {
    const { metrics } = await session.send('Performance.getMetrics');
    const of = (wanted: string): number =>
      1000 * (metrics.find(({ name }) => name === wanted)?.value ?? NaN);
    return { script: of('ScriptDuration'), task: of('TaskDuration') };
  };
  const before = await read();
  await act();
  const after = await read();
  return { script: after.script - before.script, task: after.task - before.task };
}

/** The shortest of several rounds. The other rounds were slowed down by other programs. */
export async function leastCostOf(session: CDPSession, act: () => Promise<unknown>): Promise<Cost> {
  let least: Cost = { script: Infinity, task: Infinity };
  for (let round = 0; round < ROUNDS; round += 1) {
    const { script, task } = await costOf(session, act);
    least = { script: Math.min(least.script, script), task: Math.min(least.task, task) };
  }
  return least;
}

export function print(what: string, figure: number, aim?: number): void {
  const verdict =
    aim === undefined ? '' : `, ${figure <= aim ? 'within' : 'above'} the aim of ${aim} ms`;
  console.log(`${what}: ${figure.toFixed(2)} ms${verdict}`);
}

async function graphs(harness: Harness, session: CDPSession): Promise<void> {
  const { page } = harness;
  const layout = await page.evaluate((nodes) => window.tests.layout(nodes), NODES);
  print(`layout of ${layout.nodes} visible nodes`, layout.place, 5);
  print('their edges', layout.edges, 5);
  const problems = { run: 'a', problems: [], not_checked: [] };
  for (const [view, settings] of [
    ['groups', { opened: 'depth', depth: '64', problem: '-' }],
    ['dag', { depth: '64' }],
    ['grain-graph', {}],
  ] as const) {
    const scene = { ...BASE, view, settings };
    await page.evaluate(
      ([given, nodes, rest]) => window.tests.showGenerated(given, 'recursion', [nodes], rest),
      [scene, NODES, { problems }] as const,
    );
    const { script, task } = await leastCostOf(session, () =>
      page.evaluate((frames) => window.tests.pan(frames), FRAMES),
    );
    print(`${view}: script of a frame of a pan, ${NODES} nodes in the window`, script / FRAMES, 4);
    print(`${view}: the whole frame`, task / FRAMES);
  }
  const closed = { ...BASE, view: 'groups', settings: { problem: '-' } };
  await page.evaluate(
    ([given, children]) => window.tests.showGenerated(given, 'fork', [children]),
    [closed, CHILDREN] as const,
  );
  const open = { ...closed, settings: { problem: '-', hand: '0' } };
  const { task } = await costOf(session, () =>
    page.evaluate((given) => window.tests.redrawGenerated(given), open),
  );
  print(`groups: open a group of ${CHILDREN} children, answer here`, task, 100);
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
  const { task } = await costOf(session, async () => {
    for (const limit of limits)
      await page.evaluate((given) => window.tests.redrawGenerated(given), {
        ...scene,
        settings: { limit },
      });
  });
  print(`grain graph: a moved limit over ${GRAINS} grains`, task / limits.length, 200);
}

async function zoom(harness: Harness, session: CDPSession): Promise<void> {
  const { page } = harness;
  const scene = { ...BASE, view: 'timeline' };
  await page.evaluate(([given, sizes]) => window.tests.showGenerated(given, 'timeline', sizes), [
    scene,
    [WORKERS, PARTS, ELAPSED],
  ] as const);
  const frames: Cost[] = [];
  for (let at = 0; at < 2 * FRAMES; at += 1) {
    const factor = at < FRAMES ? 1.15 : 1 / 1.15;
    frames.push(await costOf(session, () => page.evaluate((by) => window.tests.zoom(by), factor)));
  }
  const mean = frames.reduce((sum, { script }) => sum + script, 0) / frames.length;
  const parts = `${WORKERS * PARTS} parts of ${WORKERS} workers`;
  print(`time line: script of a frame of a zoom over ${parts}, mean`, mean);
  print('time line: the longest of these', Math.max(...frames.map(({ script }) => script)), 50);
  print('time line: the longest whole frame', Math.max(...frames.map(({ task }) => task)));
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
