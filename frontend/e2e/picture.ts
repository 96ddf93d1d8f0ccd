/** Checks that the address holds the state of picture and panels, with Back and Forward. */

import type { Page } from 'playwright-core';
import { check } from './check.ts';
import type { Tools } from './foundations.ts';

const settingOf = (page: Page, name: string): string =>
  new URL(page.url()).searchParams.get(name) ?? '';
const placeOf = (page: Page): Promise<string | null> =>
  page.locator('.gs-sankey > g').first().getAttribute('transform');

/** Zoom and pan: one step of the history each, the same picture after a reload. */
async function place({ open }: Tools, url: string): Promise<void> {
  const { page, errors } = await open(`${url}/?v=1`);
  await page.locator('.gs-node').first().waitFor();
  const home = await placeOf(page);
  for (const key of ['w', 'w', 'w']) await page.keyboard.press(key);
  await check(() => settingOf(page, 'at') !== '', 'zoom is in the address');
  const near = await placeOf(page);
  const at = settingOf(page, 'at');
  await page.reload();
  await page.locator('.gs-node').first().waitFor();
  await check(async () => (await placeOf(page)) === near, 'a reload shows the same part');
  await page.waitForTimeout(500);
  await check(() => settingOf(page, 'at') === at, 'and leaves the address as it is');
  await page.goBack();
  await check(
    async () => (await placeOf(page)) === home && settingOf(page, 'at') === '',
    'Back shows the whole picture',
  );
  await page.goForward();
  await check(async () => (await placeOf(page)) === near, 'Forward shows the part again');
  await page.keyboard.press('0');
  await check(() => settingOf(page, 'at') === '', 'to fit everything needs no word in the address');
  await check(() => errors.length === 0, `no errors ${errors.join('; ')}`);
  await page.close();
}

/** Legend class, order of columns, moved nodes, hot path, widths of panels, order of the runs. */
async function settings({ open, shoot }: Tools, url: string): Promise<void> {
  const { page, errors } = await open(`${url}/?v=1`);
  await page.locator('.gs-node').first().waitFor();
  await page.locator('.gs-swatch').nth(1).click();
  await check(() => settingOf(page, 'legend') !== '', 'a class of the legend is in the address');
  await page.getByLabel('Order of the nodes in each column').selectOption('name');
  await check(() => settingOf(page, 'order') === 'name', 'the order of columns is');
  await page.keyboard.press('Shift+H');
  const share = page.locator('.hot-share');
  await share.fill('20');
  await share.press('Enter');
  await share.blur();
  await check(() => settingOf(page, 'hotShare') === '20', 'the threshold of the hot path is');
  const node = page.locator('.gs-node').last();
  await node.focus();
  await page.keyboard.press('Alt+ArrowUp');
  await check(() => settingOf(page, 'moved').includes(':'), 'the place of a moved node is');
  await page.getByLabel('Width of the left panel').focus();
  await page.keyboard.press('ArrowRight');
  await check(() => settingOf(page, 'widths') === '264-320', 'the widths of the panels are');
  await page.getByLabel('Order of the runs').click();
  await check(() => settingOf(page, 'runOrder') === 'name', 'the order of the runs is');
  await shoot(page, '80-settings');
  const address = page.url();
  await page.reload();
  await page.locator('.gs-node').first().waitFor();
  await check(
    async () =>
      page.url() === address &&
      (await page.locator('.gs-swatch[aria-pressed=true]').count()) === 1 &&
      (await page.locator('.hot-share').inputValue()) === '20' &&
      Math.round((await page.locator('.left-panel').boundingBox())?.width ?? 0) === 264,
    'a reload keeps all of them',
  );
  await page.getByRole('button', { name: 'reset places' }).click();
  await check(() => settingOf(page, 'moved') === '', 'moved nodes are reset');
  for (const name of ['moved', 'runOrder', 'widths']) {
    const before = page.url();
    await page.keyboard.press('Control+z');
    await check(() => page.url() !== before, `undo changes "${name}"`);
  }
  await check(
    () => settingOf(page, 'widths') === '' && settingOf(page, 'moved') !== '',
    'Back undoes one change after the other',
  );
  await check(() => errors.length === 0, `no errors ${errors.join('; ')}`);
  await page.close();
}

/** Targets are listed by their totals, and stepped through in that order. */
async function targets({ open }: Tools, url: string): Promise<void> {
  const { page } = await open(`${url}/?v=1&lens=${encodeURIComponent('where threads == 8')}`);
  await page.locator('.run-row').first().waitFor();
  const totals = await page.evaluate(async () => {
    const answer = await fetch('/api/v1/runs?lens=where%20threads%20%3D%3D%208');
    const { runs } = (await answer.json()) as { runs: { name: string; total: number }[] };
    return runs.sort((a, b) => b.total - a.total).map(({ name }) => name);
  });
  await page.keyboard.press(']');
  await check(
    () => page.url().includes(totals[0] ?? '?'),
    'the first target has the largest total',
  );
  await page.keyboard.press(']');
  await check(() => page.url().includes(totals[1] ?? '?'), 'the next one the next largest');
  await page.close();
}

/** A group that cannot be split says why, and offers a next step. */
async function splits({ open }: Tools, url: string): Promise<void> {
  const { page, errors } = await open(`${url}/?v=1&lens=level%20context`);
  await page.locator('.gs-node').first().click();
  await page.getByRole('button', { name: 'split', exact: true }).click();
  const step = page.locator('.said button');
  await check(
    async () => (await step.count()) === 1,
    'a group of one context offers a further step',
  );
  await check(
    async () => /nothing to split/.test((await page.locator('.said').textContent()) ?? ''),
    'and says why it is not split',
  );
  await check(() => !page.url().includes('split'), 'and no clause is left');
  await step.click();
  await check(() => page.url().includes('focus'), 'the step leads on');
  await check(() => errors.length === 0, `no errors ${errors.join('; ')}`);
  await page.close();
}

/** Rows and hits of the call tree. */
async function tree({ open, shoot }: Tools, url: string): Promise<void> {
  const { page, errors } = await open(`${url}/?v=1&panes=(sankey/50/tree)`);
  await page.locator('.gs-node[aria-label^="sort,"]').click();
  await page.locator('.gs-site').first().waitFor();
  const slider = page.locator('.depth');
  await slider.focus();
  await page.keyboard.press('Home');
  await page.keyboard.press('ArrowRight');
  await check(
    () => settingOf(page, 'depth') === '2',
    'the rows of the call tree are in the address',
  );
  await page.keyboard.press('End');
  await check(() => settingOf(page, 'depth') === '', 'all rows need no word');
  await page.locator('#search').fill('merge');
  await check(
    async () => (await page.locator('.gs-hit').count()) > 0,
    'the search marks call sites',
  );
  await page.getByLabel('Next hit').click();
  await check(() => settingOf(page, 'site') !== '', 'and leads from one to the next');
  await shoot(page, '81-tree-hits');
  await check(() => errors.length === 0, `no errors ${errors.join('; ')}`);
  await page.close();
}

export async function picture(tools: Tools, url: string): Promise<void> {
  for (const scene of [place, settings, targets, splits, tree]) await scene(tools, url);
}
