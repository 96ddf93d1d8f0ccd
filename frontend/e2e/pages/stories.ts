/** Problems of the sample programs, found by clicking; `docs/looking.md` describes the same steps. */

import type { Page } from 'playwright-core';
import { check } from '../check.ts';
import { type Pages, settle, textOf } from './harness.ts';

/** Opens a run by its name in the list of runs. */
async function openRun(pages: Pages, store: string, name: string): Promise<Page> {
  const page = await pages.visit(`?v=1&store=${store}`);
  const title = new RegExp(`^Open ${name}$`, 'm');
  await page.locator('.left-panel .run-name').and(page.getByTitle(title)).click();
  await settle(page);
  return page;
}

/** Shows a view in the main pane. */
async function showView(page: Page, title: string): Promise<void> {
  await page.locator('.pane-main .pane-title button').click();
  await page.getByRole('menuitem', { name: title, exact: true }).click();
  await settle(page);
}

const COUNT = '.gs-grains-count';
const DEFINITIONS = '.gs-grains-aside .gs-grains-table';

async function chooseProblem(page: Page, name: string): Promise<void> {
  await page.locator('.gs-grains-problems button', { hasText: name }).click();
  await settle(page);
}

/** A static loop gives one worker three times the work of the other. */
async function imbalancedLoop(pages: Pages): Promise<void> {
  const page = await openRun(pages, 'stories', 'imbalance-static');
  await page
    .locator('.gs-groups-tools select')
    .selectOption({ label: 'load balance of chunks > 1 (2)' });
  await settle(page);
  await page.getByRole('button', { name: 'to the worst' }).click();
  await settle(page);
  await page.locator('.gs-groups .gs-graph').focus();
  await page.keyboard.press('n');
  await page.keyboard.press('Enter');
  await settle(page);
  await pages.shoot(page, 'story-loop');
  const found = await textOf(page, '.right-panel h2.name');
  await check(
    () => found.startsWith('sum_static (loop)'),
    `the imbalanced loop is found: ${found}`,
  );
  await page.close();
}

/** Left, right, upper and lower room of what a canvas shows, in shares of its size. */
function roomOf(canvas: HTMLCanvasElement): readonly number[] {
  const { width, height } = canvas;
  const { data } = canvas.getContext('2d')?.getImageData(0, 0, width, height) ?? { data: [] };
  let [left, right, upper, lower] = [width, 0, height, 0];
  for (let at = 0; at < width * height; at += 1) {
    if ((data[4 * at + 3] ?? 0) === 0) continue;
    const [x, y] = [at % width, Math.floor(at / width)];
    [left, right] = [Math.min(left, x), Math.max(right, x)];
    [upper, lower] = [Math.min(upper, y), Math.max(lower, y)];
  }
  return [left / width, 1 - right / width, upper / height, 1 - lower / height];
}

/** A link to groups that are opened to the worst shows them in the middle, although they arrive in parts. */
async function worstIsInTheMiddle(pages: Pages): Promise<void> {
  const problem = encodeURIComponent('chunk_chain_balance > 1');
  const page = await pages.visit(
    `?v=1&store=stories&layout=run&panes=groups&run=8318cc4ce32556608488d1cb6f72bbc6&grain=3&groups.opened=worst&groups.problem=${problem}`,
  );
  const canvas = page.locator('.gs-groups .gs-graph');
  const room = await canvas.evaluate(roomOf);
  const [left = 0, right = 1, upper = 0, lower = 1] = room;
  await check(
    () => Math.abs(left - right) < 0.05 && Math.abs(upper - lower) < 0.05,
    `groups of a link are in the middle: ${room.map((share) => share.toFixed(2)).join(', ')}`,
  );
  await page.close();
}

/** Half of the tasks cost more to create than they save; with a cut-off none does. */
async function fineTasks(pages: Pages): Promise<void> {
  const page = await openRun(pages, 'stories', 'fib-fine');
  await showView(page, 'Grain graph');
  await chooseProblem(page, 'parallel benefit');
  const fine = await textOf(page, COUNT);
  const names = await textOf(page, DEFINITIONS);
  await check(
    () => /533 of 1.218 grains/.test(fine) && names.includes('fib:22') && names.includes('fib:24'),
    `the tasks that are too fine are found: ${fine}`,
  );
  await pages.shoot(page, 'story-fine');
  await page.getByRole('button', { name: 'Next run' }).click();
  await settle(page);
  const cut = await textOf(page, COUNT);
  await check(
    () => /✓ 0 of 66 grains/.test(cut),
    `the same program with a cut-off has none: ${cut}`,
  );
  await page.close();
}

/** On eight threads the leaves of the sort take longer than on one. */
async function inflation(pages: Pages): Promise<void> {
  const page = await openRun(pages, 'threads', 'sort-t8-r1');
  await showView(page, 'Grain graph');
  await page
    .locator('.gs-grains-aside select[data-control="reference"]')
    .selectOption({ label: 'sort-t1-r1' });
  await settle(page);
  await chooseProblem(page, 'work deviation');
  const count = await textOf(page, COUNT);
  await check(() => /28 of 542 grains/.test(count), `work inflates: ${count}`);
  const first = page.locator(`${DEFINITIONS} tbody tr`).first();
  await check(
    async () => (await first.innerText()).startsWith('sort_range'),
    `the leaves have most of the work: ${await first.innerText()}`,
  );
  await first.locator('button').click();
  await settle(page);
  await pages.shoot(page, 'story-leaves');
  await check(
    () => new URL(page.url()).searchParams.get('definition') === 'sort_range (task)',
    'a click marks the leaves in all views',
  );
  await page.close();
}

/** A task was renamed and became slower: from the comparison to its grains in both versions. */
async function renamedTask(pages: Pages): Promise<void> {
  const page = await pages.visit('?v=1&store=versions');
  await page.getByRole('button', { name: 'compare them' }).click();
  await settle(page);
  const row = page.locator('.gs-diff-bars tr[data-group]').first();
  const change = (await row.innerText()).replace(/\s+/g, ' ');
  await check(
    () => /^sort_range \(task\) → sort_block:139 \(task\).*×1\.83.*▲ ?slower/.test(change),
    `the largest change is of a renamed task: ${change}`,
  );
  await row.click();
  await settle(page);
  await page.locator('.right-panel').getByRole('button', { name: 'next to' }).click();
  await settle(page);
  await check(
    () => new URL(page.url()).searchParams.get('definition') === 'sort_range (task)',
    'a run of each side opens, at the name that the first has',
  );
  await showView(page, 'Grain graph');
  await page
    .locator('.pane-main select', { hasText: 'two runs' })
    .selectOption({ label: 'work deviation, two runs' });
  await settle(page);
  await pages.shoot(page, 'story-renamed');
  const list = page.locator('.gs-grains-aside .gs-grains-table tbody tr');
  const rows = (await list.allInnerTexts()).map((text) => text.replace(/\s+/g, ' '));
  await check(
    () => rows.length === 20 && rows.every((text) => text.includes(' sort_range ')),
    `the grains of the pair are listed: ${rows[0] ?? ''}`,
  );
  await check(
    () => rows.filter((text) => /×([2-9]|\d\d)/.test(text)).length >= 10,
    'most of them take more than twice as long',
  );
  await list.first().locator('button').click();
  await settle(page);
  const found = await textOf(page, '.right-panel h2.name');
  await check(() => found.startsWith('sort_range'), `a click selects a grain: ${found}`);
  await page.close();
}

export async function stories(pages: Pages): Promise<void> {
  await imbalancedLoop(pages);
  await worstIsInTheMiddle(pages);
  await fineTasks(pages);
  await inflation(pages);
  await renamedTask(pages);
}
