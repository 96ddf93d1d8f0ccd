/** Views of a run saved in every form, and the page with them as one report. */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { check } from '../check.ts';
import { type Pages, settle } from './harness.ts';

const RUN = 'e528e9baeb8ad56c7470c08f9f0ea42d';
const VIEWS = ['groups', 'grain-graph', 'dag', 'timeline', 'parallelism', 'delays', 'contexts'];

/** Every form of a view, from the menu of its pane. */
export async function savedForms(page: Page, view: string): Promise<void> {
  for (const [label, form, begin] of [
    ['Picture as SVG', 'svg', '<?xml'],
    ['Picture as PNG, twice the size', 'png', '\x89PNG'],
    ['Table as CSV', 'csv', '# lens'],
    ['Table as Arrow', 'arrow', 'ARROW1'],
    ['Report (HTML)', 'html', '<!doctype html>'],
  ] as const) {
    await page.locator(`.pane-${view} .pane-head > button[aria-haspopup]`).last().click();
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: label, exact: true }).click(),
    ]);
    const content = await readFile(await file.path(), 'latin1');
    await check(
      () =>
        file.suggestedFilename().endsWith(`-${view}.${form}`) &&
        content.toLowerCase().startsWith(begin.toLowerCase()) &&
        content.length > (form === 'csv' ? 250 : 1000),
      `${file.suggestedFilename()} has ${content.length} bytes`,
    );
  }
}

/** A layout with views of a run becomes one file that draws each of them without a service. */
async function report(pages: Pages): Promise<void> {
  const page = await pages.visit(
    `?v=1&store=threads&layout=run&panes=(groups/40/(grain-graph/50/timeline))&run=${RUN}&grain=4&groups.opened=critical`,
  );
  await page.keyboard.press('Control+s');
  const download = page.waitForEvent('download');
  await page.getByRole('menuitem', { name: 'Report of the page (HTML)' }).click();
  const file = join(pages.shots, 'run-report.html');
  await (await download).saveAs(file);
  await page.close();
  const opened = await pages.browser.newPage({ viewport: { width: 1440, height: 900 } });
  const faults: string[] = [];
  opened.on('pageerror', (error) => faults.push(error.message));
  opened.on('request', (request) => {
    if (!request.url().startsWith('file:')) faults.push(request.url());
  });
  await opened.goto(pathToFileURL(file).href);
  const tabs = opened.getByRole('tab');
  const names = await tabs.allInnerTexts();
  const inked: string[] = [];
  for (let at = 0; at < names.length; at += 1) {
    await tabs.nth(at).click();
    await opened.waitForTimeout(400);
    await opened.screenshot({ path: join(pages.shots, `run-report-${at}.png`) });
    for (const view of ['groups', 'grains', 'timeline'])
      if ((await opened.locator(`.gs-${view} canvas:visible`).count()) > 0) inked.push(view);
  }
  await check(
    () => ['groups', 'grains', 'timeline'].every((view) => inked.includes(view)),
    `the report draws the views of a run: ${names.join(', ')}: ${inked.join(', ')}`,
  );
  await opened.getByRole('tab', { name: 'Grain graph' }).click();
  const count = (await opened.locator('.gs-grains-count').innerText()).replace(/\s+/g, ' ');
  await check(() => /193 of 542 grains/.test(count), `with the values of grains: ${count}`);
  await check(() => faults.length === 0, `and asks nobody: ${faults.join('; ')}`);
  await opened.close();
}

export async function saved(pages: Pages): Promise<void> {
  for (const view of VIEWS) {
    const page = await pages.visit(
      `?v=1&store=threads&layout=run&panes=${view}&run=${RUN}&groups.opened=critical`,
    );
    await settle(page);
    await savedForms(page, view);
    await page.close();
  }
  await report(pages);
}
