/** Opened runs leave nothing behind when they are closed. */

import { check } from '../check.ts';
import { type Pages, settle } from './harness.ts';

const RUN = 'e528e9baeb8ad56c7470c08f9f0ea42d';
/** Times that a run is opened, walked through and left; each time is ten interactions. */
const ROUNDS = 50;
/** Growth of heap, elements and listeners at most. */
const GROWTH = 1.15;

export async function leaks(pages: Pages): Promise<void> {
  const page = await pages.visit(
    `?v=1&store=threads&layout=run&panes=(grain-graph/60/timeline)&run=${RUN}&grain-graph.problem=-`,
  );
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable');
  const read = async (): Promise<readonly number[]> => {
    for (let i = 0; i < 3; i += 1) await session.send('HeapProfiler.collectGarbage');
    const { metrics } = await session.send('Performance.getMetrics');
    return ['JSHeapUsedSize', 'Nodes', 'JSEventListeners'].map(
      (name) => metrics.find((one) => one.name === name)?.value ?? NaN,
    );
  };
  const round = async (): Promise<void> => {
    await page.goBack();
    await page.locator('.gs-grains .gs-graph').focus();
    for (const key of ['ArrowDown', 'ArrowDown', 'j', '.', '.', '0', 'Enter'])
      await page.keyboard.press(key);
    await page.keyboard.press('Shift+O');
    await page.locator('.left-panel').waitFor();
  };
  await page.keyboard.press('Shift+O');
  await settle(page);
  for (let at = 0; at < 10; at += 1) await round();
  await settle(page);
  const before = await read();
  for (let at = 0; at < ROUNDS; at += 1) await round();
  await settle(page);
  const after = await read();
  await check(
    () => after.every((value, at) => value <= (before[at] ?? 0) * GROWTH),
    `${10 * ROUNDS} interactions: heap, elements, listeners ${before.join(', ')} become ${after.join(', ')}`,
  );
  await page.close();
}
