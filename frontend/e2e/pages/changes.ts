/** The compare page: both sides on one scale, filters in the address, steps from change to change. */

import type { Page } from 'playwright-core';
import { check } from '../check.ts';
import { countOf, lensOf, type Pages, settle, textOf } from './harness.ts';

const COMPARED = `?v=1&store=versions&layout=compare&${lensOf("diff 'version = 1' to 'version = 2'")}`;
const ROW = '.gs-diff-bars tr[data-group]';

export async function changes(pages: Pages): Promise<void> {
  const page = await pages.visit(COMPARED);
  await rows(page);
  await pages.shoot(page, 'changes');
  await filters(page);
  await steps(page);
  await details(pages);
  await page.close();
  const dark = await pages.visit(`${COMPARED}&changes.verdict=slower`, {
    width: 1024,
    theme: 'dark',
  });
  await check(async () => (await countOf(dark, ROW)) === 1, 'the address holds the verdict');
  await pages.shoot(dark, 'changes-dark');
  await dark.close();
  await total(pages);
}

const widthOf = async (page: Page, selector: string): Promise<number> =>
  (await page.locator(selector).first().boundingBox())?.width ?? 0;

async function rows(page: Page): Promise<void> {
  const slowest = await textOf(page, ROW);
  await check(
    () => /×1\.83\s+1\.50 to 2\.05/.test(slowest) && slowest.includes('0.0035'),
    `a row has ratio, interval and q: ${slowest.replaceAll('\n', ' ')}`,
  );
  const [a, b, whisker] = await Promise.all([
    widthOf(page, `${ROW} .gs-pair:nth-child(1) .gs-bar`),
    widthOf(page, `${ROW} .gs-pair:nth-child(2) .gs-bar`),
    widthOf(page, `${ROW} .gs-whisker`),
  ]);
  await check(
    () => Math.abs(b / a - 292.49 / 163.21) < 0.02 && whisker > 0.2 * b,
    `A and B have one scale, and B a whisker: ${a}, ${b} and ${whisker} px`,
  );
  await check(
    async () => (await countOf(page, `${ROW} .gs-pair:nth-child(1) .gs-bar`)) === 8,
    'the side without a group has no bar',
  );
}

async function filters(page: Page): Promise<void> {
  await page.getByLabel('Verdict of the differences').selectOption('slower');
  await settle(page);
  await check(
    async () => (await countOf(page, ROW)) === 1 && page.url().includes('changes.verdict=slower'),
    'a verdict can be chosen',
  );
  await page.getByLabel('Filter the differences by name').fill('merge');
  await settle(page);
  await check(
    async () => (await textOf(page, '.gs-diff-bars tbody')).includes('9 groups without them'),
    'an empty list says why',
  );
  await page.getByLabel('Verdict of the differences').selectOption('');
  await settle(page);
  await check(
    async () => (await countOf(page, ROW)) === 4 && page.url().includes('changes.find=merge'),
    'a text filters the groups',
  );
  await page.getByLabel('Filter the differences by name').fill('');
  await settle(page);
}

async function steps(page: Page): Promise<void> {
  const selected = `${ROW}[aria-selected="true"]`;
  await page.locator('.change-head').click();
  const visited: string[] = [];
  for (const key of ['n', 'n', 'n', 'p']) {
    await page.keyboard.press(key);
    await settle(page);
    visited.push((await textOf(page, selected)).split('\n')[0] ?? '');
  }
  await check(
    () =>
      /139/.test(visited[0] ?? '') &&
      /144/.test(visited[1] ?? '') &&
      visited[2] === visited[0] &&
      visited[3] === visited[1],
    `N and P go from change to change: ${visited.join(', ')}`,
  );
}

/** The head has the verdict on the whole run. */
async function total(pages: Pages): Promise<void> {
  const page = await pages.browser.newPage({ viewport: { width: 1440, height: 900 } });
  await page.addInitScript(() => localStorage.setItem('grainsheaf.visited', 'yes'));
  await page.goto(`${pages.service.url}/${COMPARED}`);
  await page.locator('.change-verdict').waitFor();
  const head = (await textOf(page, '.change-total')).replaceAll('\n', ' ');
  await check(
    () => /▲ slower typical ratio ×1\.\d+, ×1\.\d+ to ×1\.\d+, p 0\.\d+/.test(head),
    `the total has the verdict of its test: ${head}`,
  );
  await pages.shoot(page, 'changes-total');
  await page.close();
}

/** Ticks of runs in the strip of the first row. */
async function ticksOf(page: Page): Promise<number> {
  const paths = page.locator(`${ROW} .gs-strip`).first().locator('path');
  const texts = await paths.evaluateAll((all) => all.map((one) => one.getAttribute('d') ?? ''));
  return texts.join('').split('M').length - 1;
}

/** Each row has the values of its runs; an opened one leads to the median runs. */
async function details(pages: Pages): Promise<void> {
  const page = await pages.visit(COMPARED);
  await check(
    async () =>
      (await countOf(page, `${ROW} .gs-strip`)) >= 8 &&
      (await ticksOf(page)) > 8 &&
      (await ticksOf(page)) <= 14,
    'a row has a tick per run of both sides; equal ones are one',
  );
  const row = page.locator(ROW).first();
  const opened = page.locator('.gs-opened');
  await row.click();
  await settle(page);
  await row.click();
  await settle(page);
  await check(
    async () =>
      (await opened.count()) === 1 &&
      (await row.getAttribute('aria-expanded')) === 'true' &&
      page.url().includes('changes.open=1'),
    'a second click opens the row, in the address',
  );
  await pages.shoot(page, 'changes-opened');
  await row.focus();
  await page.keyboard.press('Enter');
  await settle(page);
  await check(async () => (await opened.count()) === 0, 'Enter closes it');
  await page.keyboard.press('Enter');
  await settle(page);
  const buttons = await opened.getByRole('button').allInnerTexts();
  await check(
    () => buttons.length === 4 && /^Median run of A, [\d.]+ ms$/.test(buttons[0] ?? ''),
    `Enter opens it again: ${buttons.join('; ')}`,
  );
  // The run itself is not looked at here.
  pages.service.broken = '/runs/';
  await opened.getByRole('button').nth(1).focus();
  await page.keyboard.press('Enter');
  const address = new URL(page.url()).searchParams;
  await check(
    () =>
      address.get('layout') === 'run' &&
      /^[0-9a-f]{32}$/.test(address.get('run') ?? '') &&
      address.get('definition') === 'sort_block:139 (task)',
    `and its buttons lead into the median run of a side: ${page.url()}`,
  );
  await settle(page);
  await page.close();
  pages.service.broken = '';
}
