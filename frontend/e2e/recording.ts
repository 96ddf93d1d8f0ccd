/**
 * Measures a time line of a real recording in the page: `node run.mjs recording.ts URL RUN`.
 *
 * URL is a service without a token, RUN the id of a run. The wheel zooms from the whole run to less than a microsecond.
 * A step ends when its answer is drawn. Figures are processor time of the page's thread and include the answer, which
 * comes frames later than the first picture of a step.
 */

import { chromium, type CDPSession, type Page } from 'playwright-core';

const STEPS = 80;
const NANOSECONDS = 1000;

interface Cost {
  readonly script: number;
  readonly task: number;
}

/** Milliseconds of script and of all tasks of the page so far. */
async function read(session: CDPSession): Promise<Cost> {
  const { metrics } = await session.send('Performance.getMetrics');
  const of = (wanted: string): number =>
    1000 * (metrics.find(({ name }) => name === wanted)?.value ?? NaN);
  return { script: of('ScriptDuration'), task: of('TaskDuration') };
}

/** Waits until nothing is asked and two frames passed. */
async function quiet(page: Page): Promise<void> {
  await page.waitForLoadState('networkidle', { timeout: 600_000 });
  await page.waitForFunction(() => document.querySelector('.waiting, .skeleton') === null, null, {
    timeout: 600_000,
  });
  await page.evaluate(
    () =>
      new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(null)))),
  );
}

/** Nanoseconds that the window shows, from the address; absent where it shows the whole run. */
function shownTime(page: Page): number | undefined {
  const range = /^(\d+)-(\d+)$/.exec(new URL(page.url()).searchParams.get('time') ?? '');
  return range === null ? undefined : Number(range[2]) - Number(range[1]);
}

export async function main([url = '', run = '']: string[]): Promise<number> {
  const browser = await chromium.launch({
    executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--no-first-run'],
  });
  try {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    const session = await page.context().newCDPSession(page);
    await session.send('Performance.enable', { timeDomain: 'threadTicks' });
    const asked = performance.now();
    await page.goto(`${url}?v=1&layout=run&panes=timeline&run=${run}`);
    const canvas = page.locator('.gs-timeline canvas');
    await canvas.first().waitFor({ timeout: 600_000 });
    await quiet(page);
    console.log(`drawn after ${Math.round(performance.now() - asked)} ms`);
    const box = await canvas.first().boundingBox();
    if (box === null) throw new Error('the time line has no picture');
    await page.mouse.move(box.x + box.width / 3, box.y + box.height / 2);
    const costs: Cost[] = [];
    while (costs.length < STEPS && (shownTime(page) ?? Infinity) > NANOSECONDS) {
      const before = await read(session);
      await page.mouse.wheel(0, -240);
      await quiet(page);
      const after = await read(session);
      costs.push({ script: after.script - before.script, task: after.task - before.task });
    }
    const max = (of: (cost: Cost) => number): string => Math.max(...costs.map(of)).toFixed(1);
    const sum = costs.reduce((all, { script }) => all + script, 0);
    console.log(`${costs.length} steps, down to ${shownTime(page) ?? NaN} ns`);
    console.log(`script of a step: mean ${(sum / costs.length).toFixed(1)} ms`);
    console.log(`longest: script ${max((it) => it.script)} ms, all ${max((it) => it.task)} ms`);
    await page.screenshot({ path: process.env['PICTURE'] ?? '/tmp/time-line.png' });
    return 0;
  } finally {
    await browser.close();
  }
}
