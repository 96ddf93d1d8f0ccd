/** The way into one run and out of it, and the views along its time. */

import type { Page } from 'playwright-core';
import { check } from '../check.ts';
import { countOf, type Pages, settle, textOf } from './harness.ts';
import { savedForms } from './saved.ts';

/** Each step of the row above the views, and the way from a definition of the run to all runs. */
async function crumbs(pages: Pages, page: Page, address: string): Promise<void> {
  const asks = (name: string): string => new URL(page.url()).searchParams.get(name) ?? '';
  await page.goto(`${pages.service.url}/${address}`);
  await settle(page);
  const path = await textOf(page, '.run-path');
  await check(
    () => /▸[^▸]*sort-[^▸]*▸\s*sort\s[^▸]*▸\s*group 3\s*▸\s*grain 4/.test(path),
    `the way leads from the ensemble to the grain: ${path.replace(/\s+/g, ' ')}`,
  );
  await page.getByRole('button', { name: 'group 3' }).click();
  await settle(page);
  await check(
    () => asks('grain') === '' && asks('groups.root') === '3',
    'a step leads to its group',
  );
  await page.getByRole('button', { name: 'over all runs' }).click();
  await settle(page);
  await check(
    async () =>
      asks('run') === '' &&
      asks('group') + asks('search') !== '' &&
      (await textOf(page, '.right-panel h2.name')).includes('sort'),
    `the definition is selected over all runs: ${asks('group')}${asks('search')}`,
  );
  await pages.shoot(page, 'inside-definition');
  const ways = await textOf(page, '.right-panel [aria-label="Open runs at this group"]');
  await check(() => /open in sort-t/.test(ways), `and leads into a run again: ${ways}`);
}

export async function inside(pages: Pages): Promise<void> {
  const page = await pages.visit('?v=1&store=threads&layout=run&panes=(runs/40/timeline)');
  const asks = (name: string): string => new URL(page.url()).searchParams.get(name) ?? '';
  await page.locator('[data-pick="open"]').first().click();
  await settle(page);
  const run = asks('run');
  await check(
    async () =>
      /^[0-9a-f]{32}$/.test(run) &&
      asks('layout') === 'run' &&
      (await countOf(page, '.gs-timeline canvas')) === 1,
    `a run of the table opens: ${run}`,
  );
  await check(
    async () => (await countOf(page, '.left-panel')) === 0,
    'inside a run the picture has the room of the list of runs',
  );
  await page.keyboard.press(']');
  await settle(page);
  const name = await textOf(page, '.run-path [aria-current]');
  await check(() => asks('run') !== run && name !== '', `key ] opens the next run, ${name}`);
  const grain = `?v=1&store=threads&layout=run&panes=(parallelism/45/timeline)&run=${asks('run')}&grain=4&time=0-20000000`;
  await page.goto(pages.service.url + '/' + grain);
  await settle(page);
  await check(
    async () => (await textOf(page, '.right-panel h2.name')).length > 2,
    'a link leads to a grain of a run, with its metrics',
  );
  await pages.shoot(page, 'inside-1440');
  for (const view of ['parallelism', 'timeline']) await savedForms(page, view);
  await page.keyboard.press('Escape');
  await settle(page);
  await check(
    () => asks('grain') === '' && asks('time') === '0-20000000',
    'Escape clears the grain',
  );
  await crumbs(pages, page, `${grain}&definition=sort&groups.root=3`);
  await page.goto(`${pages.service.url}/${grain}`);
  await settle(page);
  await page.locator('.run-other select').selectOption({ index: 3 });
  await settle(page);
  await check(
    async () =>
      asks('otherRun') !== '' &&
      (await countOf(page, '.gs-timeline-axis text[font-weight="700"]')) === 2,
    'a second run lies below the first, on one axis',
  );
  await pages.shoot(page, 'inside-two');
  await page.keyboard.press('Shift+O');
  await settle(page);
  await check(
    async () =>
      asks('run') === '' && asks('otherRun') === '' && (await countOf(page, '.left-panel')) === 1,
    'Shift O leads back to the ensemble',
  );
  await page.goto(`${pages.service.url}/?v=1&store=gprof&layout=run&panes=timeline`);
  await settle(page);
  await page.locator('.left-panel .run-name').first().click();
  await settle(page);
  const state = await textOf(page, '.pane-timeline .state');
  await check(
    () => /call profile has no times/.test(state) && /record/.test(state),
    `a run without times says what to do: ${state.slice(0, 80)}`,
  );
  await page.close();
}
