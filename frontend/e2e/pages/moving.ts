/** Views of a run that follow each other and move: highlights between views, the way of groups to their places. */

import type { Locator, Page } from 'playwright-core';
import { check } from '../check.ts';
import { type Pages, settle } from './harness.ts';

const RUN = 'e528e9baeb8ad56c7470c08f9f0ea42d';
const GRAPH = '.gs-grains .gs-graph';
const LINE = '.gs-timeline canvas';

const pixelsOf = (canvas: Locator): Promise<string> =>
  canvas.evaluate((one) => (one instanceof HTMLCanvasElement ? one.toDataURL() : ''));

/** Moves the pointer over a canvas until a tooltip names a grain; the number of the grain. */
async function findGrain(page: Page, canvas: Locator): Promise<string> {
  const box = await canvas.boundingBox();
  if (!box) return '';
  for (let y = 20; y < box.height; y += 9)
    for (let x = 150; x < box.width - 180; x += 23) {
      await page.mouse.move(box.x + x, box.y + y);
      const tip = page.locator('.gs-tooltip:visible');
      const text = (await tip.count()) > 0 ? await tip.first().innerText() : '';
      const grain = /(?:#|grain\s+)(\d+)/.exec(text)?.[1];
      if (grain !== undefined) return grain;
    }
  return '';
}

/** The grain under the pointer in one view is marked in the other. */
async function highlights(pages: Pages): Promise<void> {
  const page = await pages.visit(
    `?v=1&store=threads&layout=run&panes=(grain-graph/60/timeline)&run=${RUN}&grain-graph.problem=-`,
  );
  // All grains are in the window.
  await page.locator(GRAPH).focus();
  await page.keyboard.press('0');
  for (const [from, to] of [
    [GRAPH, LINE],
    [LINE, GRAPH],
  ] as const) {
    await page.mouse.move(2, 2);
    await settle(page);
    const other = page.locator(to);
    const before = await pixelsOf(other);
    const grain = await findGrain(page, page.locator(from));
    const during = await pixelsOf(other);
    await pages.shoot(page, `highlight-${from === GRAPH ? 'graph' : 'line'}`);
    await page.mouse.move(2, 2);
    await settle(page);
    const after = await pixelsOf(other);
    await check(
      () => grain !== '' && during !== before && after === before,
      `grain ${grain} under the pointer of ${from} is marked in ${to}, and no longer afterwards`,
    );
  }
  await page.close();
}

interface Frame {
  readonly left: number;
  readonly top: number;
  readonly right: number;
}

/** Places of what a canvas shows, in each frame until `done` milliseconds have passed. */
function record(canvas: HTMLCanvasElement | SVGElement, done: number): Promise<Frame[]> {
  const frames: Frame[] = [];
  const ratio = window.devicePixelRatio;
  const look = (): Frame => {
    const { width, height } = canvas as HTMLCanvasElement;
    const context = (canvas as HTMLCanvasElement).getContext('2d');
    const { data } = context?.getImageData(0, 0, width, height) ?? { data: [] };
    let [left, top, right] = [width, height, 0];
    for (let at = 0; at < width * height; at += 1) {
      if ((data[4 * at + 3] ?? 0) < 40) continue;
      const x = at % width;
      left = Math.min(left, x);
      right = Math.max(right, x);
      top = Math.min(top, Math.floor(at / width));
    }
    return { left: left / ratio, top: top / ratio, right: right / ratio };
  };
  return new Promise((resolve) => {
    const end = performance.now() + done;
    const step = (): void => {
      frames.push(look());
      if (performance.now() < end) requestAnimationFrame(step);
      else resolve(frames);
    };
    step();
  });
}

/** A group that opens moves the others; its own corner stays in place in every frame. */
async function animation(pages: Pages): Promise<void> {
  const page = await pages.browser.newPage({
    viewport: { width: 1440, height: 900 },
    reducedMotion: 'no-preference',
  });
  await page.addInitScript(() => localStorage.setItem('grainsheaf.visited', 'yes'));
  await page.goto(
    `${pages.service.url}/?v=1&store=threads&layout=run&panes=groups&run=${RUN}&groups.problem=-`,
  );
  await page.locator('.gs-groups .gs-graph').waitFor();
  await settle(page);
  const canvas = page.locator('.gs-groups .gs-graph');
  const [closed] = await canvas.evaluate(record, 0);
  const box = await canvas.boundingBox();
  if (!closed || !box) throw new Error('no picture');
  const corner = [box.x + closed.left + 12, box.y + closed.top + 12] as const;
  // The children are read when the group is opened for the first time; then it is opened again.
  await page.mouse.dblclick(...corner);
  await settle(page);
  await page.getByRole('button', { name: 'close all' }).click();
  await page.waitForTimeout(500);
  const [first = closed] = await canvas.evaluate(record, 0);
  const recording = canvas.evaluate(record, 900);
  await page.mouse.dblclick(...corner);
  const frames = await recording;
  await settle(page);
  await pages.shoot(page, 'animation');
  const widths = new Set(frames.map(({ right }) => Math.round(right)));
  const drift = Math.max(
    ...frames.map(({ left, top }) => Math.hypot(left - first.left, top - first.top)),
  );
  await check(() => widths.size >= 4, `the group opens in ${widths.size} steps`);
  await check(() => drift <= 4, `its corner moves by ${drift.toFixed(1)} px at most`);
  await page.close();
}

export async function moving(pages: Pages): Promise<void> {
  await highlights(pages);
  await animation(pages);
}
