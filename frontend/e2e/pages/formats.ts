/** Runs of other tools open: each view draws what their files have, or states what they lack. */

import type { Page } from 'playwright-core';
import { check } from '../check.ts';
import { type Pages, settle, textOf } from './harness.ts';

interface Format {
  readonly run: string;
  /** Text of the head of the grain graph. */
  readonly grains: RegExp;
  /** Workers of its time line; 0 if the source has no times. */
  readonly workers: number;
}

const FORMATS: readonly Format[] = [
  { run: 'graphml', grains: /drawn \d+ of \d+ grains/, workers: 0 },
  { run: 'mir', grains: /drawn \d+ of \d+ grains/, workers: 0 },
  { run: 'taskflow', grains: /drawn \d+ of \d+ grains/, workers: 2 },
  { run: 'work', grains: /drawn \d+ of \d+ grains/, workers: 2 },
];

async function showView(page: Page, title: string): Promise<void> {
  await page.locator('.pane-main .pane-title button').click();
  await page.getByRole('menuitem', { name: title, exact: true }).click();
  await settle(page);
}

async function opened(pages: Pages, { run, grains, workers }: Format): Promise<void> {
  const page = await pages.visit('?v=1&store=samples');
  const title = new RegExp(`^Open ${run}`, 'm');
  await page.locator('.left-panel .run-name').and(page.getByTitle(title)).click();
  await settle(page);
  const counts = await textOf(page, '.gs-groups-counts');
  await check(() => /visible nodes: 1 of \d+/.test(counts), `${run}: groups, ${counts}`);
  await showView(page, 'Grain graph');
  const head = await textOf(page, '.gs-grains-head');
  await check(() => grains.test(head), `${run}: grain graph, ${head}`);
  await pages.shoot(page, `formats-${run}`);
  await showView(page, 'Task graph');
  await check(
    async () => (await page.locator('.gs-dag .gs-graph').getAttribute('aria-label')) !== null,
    `${run}: task graph`,
  );
  await showView(page, 'Time line');
  const canvas = page.locator('.pane-main .gs-timeline canvas');
  const line =
    workers === 0
      ? await textOf(page, '.pane-main .state')
      : ((await canvas.getAttribute('aria-label')) ?? '');
  const expected = workers === 0 ? /no times[^]*grainsheaf record|no times/ : `${workers} workers`;
  await check(() => new RegExp(expected).test(line), `${run}: time line, ${line.slice(0, 90)}`);
  await page.close();
}

export async function formats(pages: Pages): Promise<void> {
  for (const format of FORMATS) await opened(pages, format);
}
