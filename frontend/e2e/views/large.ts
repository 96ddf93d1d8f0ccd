/** Script of the Sankey of 500 nodes and of a scatter of 50,000 dots, on generated answers; see P14 of the targets. */

import { check } from '../check.ts';
import { leastCostOf, print } from '../speed.ts';
import type { Harness } from './harness.ts';
import { PICKS, show } from './own.ts';
import type { OwnScene } from './page-own.ts';
import type { Scene } from './page.ts';

const RUNS = Array.from({ length: 20 }, (_, run) => `run-${run}`);
const LEVELS = 10;
const FRAMES = 30;
/** How many times as much than linear growth a picture may cost: a shared machine disturbs the times. */
const SLACK = 3;

/** Values around a mean that differ from run to run. */
const valuesOf = (mean: number, seed: number, runs = RUNS.length): number[] =>
  Array.from({ length: runs }, (_, run) => mean * (0.8 + ((seed * 31 + run * 17) % 40) / 100));

/** Nodes on ten levels, each of which calls two of the next. */
function sankeyOf(count: number): OwnScene {
  const wide = count / LEVELS;
  const nodes = Array.from({ length: count }, (_, at) => {
    const level = Math.floor(at / wide);
    const values = valuesOf(1e9 / wide / (level + 1), at);
    return {
      id: `n${at}`,
      name: `function_${at} (task)`,
      kind: 'definition',
      level,
      inclusive_by_run: values,
      exclusive_by_run: values.map((value) => value / 3),
      max_inclusive: Math.max(...values),
      max_exclusive: Math.max(...values) / 3,
      present: RUNS.length,
      count: RUNS.length,
      histogram: { min: 0, max: 1e9, counts: [RUNS.length], bin_of: RUNS.map(() => 0) },
      entry_functions: [],
      entry_function_count: 0,
      is_recursive: false,
      members: [],
    };
  });
  const edges = nodes.flatMap((node, at) =>
    node.level === LEVELS - 1
      ? []
      : [0, 1].map((step) => {
          const target = (node.level + 1) * wide + ((at + step * 7) % wide);
          const values = node.inclusive_by_run.map((value) => value / 3);
          const most = Math.max(...values);
          const shares = { inclusive_by_run: values, max_inclusive: most, present: RUNS.length };
          return { source: at, target, kind: 'forward', ...shares };
        }),
  );
  const head = { schema: 'sankey/1', lens: '', runs: RUNS, metric: 'work_ns', unit: 'ns' };
  const sankey = {
    ...head,
    direction: 'higher_is_worse',
    grouped_by: 'definition',
    nodes,
    edges,
    levels: LEVELS,
    max_bin_count: RUNS.length,
    max_exclusive: 1e9,
    common_share: 1,
    hidden: 0,
    notes: [],
  };
  return {
    own: 'sankey',
    data: { sankey, scope: 'inclusive', runNames: [] },
    selection: PICKS,
    width: 1400,
    height: 860,
  };
}

/** A scatter with so many dots of 500 groups. */
function scatterOf(dots: number): Scene {
  const groups = 500;
  const runs = Array.from({ length: dots / groups }, (_, run) => `run-${run}`);
  const nodes = Array.from({ length: groups }, (_, at) => {
    const values = valuesOf(1e6 * (1 + ((at * 7919) % 997)), at, runs.length);
    const own = values.map((value) => value * (0.1 + (at % 9) / 10));
    return {
      id: `n${at}`,
      name: `function_${at}`,
      kind: 'definition',
      inclusive_by_run: values,
      exclusive_by_run: own,
    };
  });
  return {
    view: 'scatter',
    answers: { x: { runs, nodes, unit: 'ns' } },
    width: 1400,
    height: 860,
  };
}

export async function large(harness: Harness): Promise<void> {
  const { page } = harness;
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const sankeyCosts: number[] = [];
  for (const count of [50, 500]) {
    const scene = sankeyOf(count);
    await show(harness, scene);
    const { script } = await leastCostOf(session, () =>
      page.evaluate((given) => window.tests.inFrame(() => window.tests.showOwn(given)), scene),
    );
    const drawn = await page.locator('.gs-node').count();
    await check(() => drawn > 0.5 * count, `${drawn} of ${count} nodes are drawn`);
    const frame = await leastCostOf(session, () =>
      page.evaluate((frames) => window.tests.panOwn(frames), FRAMES),
    );
    print(`Sankey of ${count} nodes: script of layout and first picture`, script);
    print(`Sankey of ${count} nodes: script of a frame of a pan`, frame.script / FRAMES, 4);
    sankeyCosts.push(script);
    await harness.picture(`large-sankey-${count}`);
  }
  await grows('Sankey', sankeyCosts);
  const scatterCosts: number[] = [];
  for (const count of [5000, 50_000]) {
    await harness.show(scatterOf(count));
    const { script } = await leastCostOf(session, () =>
      page.evaluate(() => window.tests.inFrame(() => window.tests.again())),
    );
    const frame = await leastCostOf(session, () => page.evaluate(hover, FRAMES));
    print(`scatter of ${count} dots: script of a picture`, script);
    print(`scatter of ${count} dots: script of a frame with the pointer`, frame.script / FRAMES, 4);
    scatterCosts.push(script);
    await harness.picture(`large-scatter-${count}`);
  }
  await grows('scatter', scatterCosts);
}

async function grows(name: string, [few = NaN, many = NaN]: readonly number[]): Promise<void> {
  await check(
    () => many > 0 && many < 10 * SLACK * Math.max(few, 1),
    `ten times the marks of the ${name} cost ${(many / few).toFixed(1)} times as much`,
  );
}

/** Moves the pointer over the dots, once per frame. */
async function hover(frames: number): Promise<void> {
  const canvas = document.querySelector('canvas.gs-scatter-canvas');
  const box = canvas?.getBoundingClientRect();
  for (let at = 0; canvas && box && at < frames; at += 1)
    await new Promise<void>((done) => {
      requestAnimationFrame(() => {
        const clientX = box.left + (box.width * (at + 1)) / (frames + 2);
        const clientY = box.top + box.height / 2;
        canvas.dispatchEvent(new PointerEvent('pointermove', { clientX, clientY, bubbles: true }));
        done();
      });
    });
}
