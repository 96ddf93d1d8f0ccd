/** Ways from a picture of all runs into one run, each by clicking. */

import type { Page } from 'playwright-core';
import { check } from '../check.ts';
import { lensOf, type Pages, settle, textOf } from './harness.ts';

const asks = (page: Page, name: string): string => new URL(page.url()).searchParams.get(name) ?? '';

const WAYS = '.right-panel [aria-label="Open runs at this group"]';

/** A module has several definitions: a menu offers them, and the run has grains of the chosen one. */
async function fromModule(pages: Pages): Promise<void> {
  const page = await pages.visit(
    `?v=1&store=threads&layout=table&${lensOf('level module')}&group=p:merge`,
  );
  const ways = page.locator(WAYS);
  await ways.getByRole('button', { name: 'another run' }).click();
  const runs = await page.getByRole('menuitem').allInnerTexts();
  await check(
    () => runs.length === 20 && runs.every((text) => /^sort-t\d.*, [\d.]+ ms$/.test(text)),
    `every run that has the module is offered with its value: ${runs[0] ?? ''}`,
  );
  await pages.shoot(page, 'openings-runs');
  await page.getByRole('menuitem').nth(1).click();
  await settle(page);
  const names = await page.getByRole('menuitem').allInnerTexts();
  await check(
    () => names.length === 4 && names.every((name) => /^merge_.*\(task\)$/.test(name)),
    `definitions of the module are offered: ${names.join(', ')}`,
  );
  await pages.shoot(page, 'openings-definitions');
  await page.getByRole('menuitem').first().click();
  await settle(page);
  await check(
    () => asks(page, 'run') !== '' && asks(page, 'definition') === names[0],
    `the run opens at ${asks(page, 'definition')}`,
  );
  await pages.shoot(page, 'openings-run');
  const path = await textOf(page, '.run-path');
  await check(() => path.includes(names[0] ?? '?'), `and the path names it: ${path}`);
  await page.close();
}

/** A call site leads into a run with its context selected. */
async function fromSite(pages: Pages): Promise<void> {
  const group = '0c3b86b5ac485a9ef255c5033f00c2c4';
  const page = await pages.visit(`?v=1&store=threads&panes=(sankey/60/tree)&group=${group}`);
  await page.locator('.pane-tree .gs-icicle [data-mark], .pane-tree [data-site]').nth(1).click();
  await settle(page);
  const site = asks(page, 'site');
  await check(() => /^[0-9a-f]{32}$/.test(site), `a call site is selected: ${site}`);
  await page
    .locator('[aria-label="Open runs at this call site"] button', { hasText: 'open in sort' })
    .first()
    .click();
  await settle(page);
  await check(
    () =>
      asks(page, 'run') !== '' &&
      asks(page, 'site') === site &&
      asks(page, 'definition').includes('(task)'),
    `its run opens at the call site of ${asks(page, 'definition')}`,
  );
  await page.close();
}

/** The sides of a diff are shown by the runs with their median totals. */
async function fromDiff(pages: Pages): Promise<void> {
  const lens = lensOf('diff "version == 1" to "version == 2"');
  const page = await pages.visit(
    `?v=1&store=versions&layout=table&${lens}&group=86df7f71120d2d389e2d43d9ddc18091`,
  );
  const button = page.locator(WAYS).getByRole('button', { name: 'next to' });
  const text = await button.innerText();
  await check(
    () => /median of 7 runs of A, median of 7 runs of B/.test(text),
    `the button says which runs it opens: ${text}`,
  );
  await pages.shoot(page, 'openings-diff');
  const title = (await button.getAttribute('title')) ?? '';
  await button.click();
  await settle(page);
  await check(
    () => asks(page, 'run') !== '' && asks(page, 'otherRun') !== '' && title.includes('median'),
    `both runs open: ${title}`,
  );
  await page.close();
}

/** A definition on other lines in each version is marked in the views of a run, and leads back to its group. */
async function fromVersions(pages: Pages): Promise<void> {
  const group = '4df6b71112d35b44b5c20737ea8372e9';
  const page = await pages.visit(`?v=1&store=versions&group=${group}`);
  await page.locator(WAYS).getByRole('button', { name: 'another run' }).click();
  await page.getByRole('menuitem', { name: /1-t4-r6,/ }).click();
  await settle(page);
  const name = 'merge_quarters:110|117 (task)';
  await check(() => asks(page, 'definition') === name, `it opens at ${asks(page, 'definition')}`);
  const legend = page.locator('.gs-timeline .gs-legend [aria-pressed="true"]');
  await check(
    async () => (await legend.allInnerTexts()).join().trim() === 'merge_quarters:110 (task)',
    `the time line marks it: ${(await legend.allInnerTexts()).join()}`,
  );
  await page.locator('.pane-main .pane-title button').click();
  await page.getByRole('menuitem', { name: 'Grain graph', exact: true }).click();
  await settle(page);
  const row = page.locator('.gs-grains-table button[aria-pressed="true"]');
  await check(
    async () => (await row.allInnerTexts()).join() === 'merge_quarters:110',
    `the grain graph marks it: ${(await row.allInnerTexts()).join()}`,
  );
  await pages.shoot(page, 'openings-versions');
  await row.click();
  await row.waitFor({ state: 'detached' });
  await page.locator('.gs-grains-table button', { hasText: 'merge_quarters:110' }).first().click();
  await settle(page);
  await page.getByRole('button', { name: 'over all runs' }).click();
  await page.locator('.left-panel').waitFor();
  await settle(page);
  await check(
    () => asks(page, 'run') === '' && asks(page, 'group') === group,
    `its name in one run leads to the group: ${asks(page, 'group')}${asks(page, 'search')}`,
  );
  await page.close();
}

export async function openings(pages: Pages): Promise<void> {
  await fromModule(pages);
  await fromSite(pages);
  await fromDiff(pages);
  await fromVersions(pages);
}
