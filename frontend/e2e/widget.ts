/** The widget of notebooks with a mock model: `node run.mjs widget.ts`; with `RECORD=URL`, answers are recorded anew. */

import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { check, conclude } from './check.ts';
import { Harness } from './widget/harness.ts';

const isShown = (page: Page, selector: string) => async (): Promise<boolean> =>
  (await page.locator(selector).count()) > 0;

const json = JSON.stringify;

/** Each action of the reader reaches Python once. A value that Python assigns is shown and not sent back. */
async function bothWays(harness: Harness): Promise<void> {
  const { page } = harness;
  await harness.restart();
  const cell = await harness.show('a', '1');
  await check(isShown(page, '#a .gs-node'), 'the Sankey is drawn');
  await harness.picture('sankey');
  await cell.locator('.gs-node').nth(1).click();
  const group = await page.evaluate(
    () => (window.notebook.model('1').get('selection') as { group?: string }).group ?? '',
  );
  await check(() => /^[0-9a-f]{8,}$/.test(group), `a click selects a group in Python (${group})`);
  await cell.locator('[data-setting="target"]').selectOption({ label: 'threads=4 (5)' });
  await check(
    async () => (await harness.trait('1', 'lens')) === 'target "threads == 4"',
    'the target of the list is in the lens of Python',
  );
  await cell.locator('.gs-lens').fill('where threads >= 4');
  await cell.locator('.gs-lens').press('Enter');
  await check(
    async () => (await harness.trait('1', 'lens')) === 'where threads >= 4',
    'a typed lens reaches Python',
  );
  const before = await harness.saved('1');
  await check(
    () => json(before.map((one) => Object.keys(one))) === json([['selection'], ['lens'], ['lens']]),
    `each step is one message (${json(before)})`,
  );
  await harness.assign('1', { lens: 'where threads >= 4 | target "sort-t4-r2"', selection: {} });
  await check(
    async () => (await cell.locator('[data-setting="target"]').inputValue()) === 'sort-t4-r2',
    'a target of Python is shown',
  );
  await harness.assign('1', { view: 'boxes', settings: { 'boxes.log': '1' } });
  await check(isShown(page, '#a .gs-boxes'), 'a view of Python is shown in the same cell');
  await check(
    async () => (await cell.locator('[aria-pressed="true"]', { hasText: 'log' }).count()) === 1,
    'a setting of Python is shown',
  );
  await cell.locator('.tool', { hasText: 'Undo' }).click();
  await check(isShown(page, '#a .gs-sankey'), 'Undo takes an assignment of Python back');
  const after = await harness.saved('1');
  await check(
    () => json(after.slice(before.length)) === json([{ view: 'sankey', settings: {} }]),
    `only the step back is sent, as one message (${json(after.slice(before.length))})`,
  );
  await cell.locator('.tool', { hasText: 'Copy as code' }).click();
  const code = (await cell.locator('.gs-code pre').textContent()) ?? '';
  await check(
    () => code.includes('gs.open("study").where("threads >= 4").target("sort-t4-r2")'),
    `the code gives the state: ${code}`,
  );
  await harness.picture('code');
}

/** The calling-context tree: pruning by outliers, by range, surrogates, undo. */
async function pruning(harness: Harness): Promise<void> {
  const { page } = harness;
  await harness.restart();
  const cell = await harness.show('a', '1', { view: 'contexts' });
  const count = async (): Promise<string> =>
    (await cell.locator('.gs-contexts b, .gs-contexts strong').first().textContent()) ?? '';
  await check(isShown(page, '#a .gs-contexts svg'), 'the tree of contexts is drawn');
  const metric = cell.locator('select[data-setting="metric"]').last();
  const metrics = await metric.locator('option').allInnerTexts();
  await check(
    () => metrics[0] === 'the same' && metrics.length > 2,
    `a setting that names a metric is a list: ${metrics.slice(0, 4).join(', ')}`,
  );
  await harness.picture('contexts');
  const pruned = await count();
  await cell.locator('[data-setting="prune"]').selectOption('all');
  await check(async () => (await count()) !== pruned, `all contexts are shown (${pruned})`);
  await check(
    async () => json(await harness.trait('1', 'settings')) === json({ 'contexts.prune': 'all' }),
    'pruning is a setting of Python',
  );
  await harness.assign('1', { settings: {} });
  await check(async () => (await count()) === pruned, 'Python prunes in place');
  const surrogate = cell.locator('[data-mark^="+"], [data-mark*="hidden"], .gs-surrogate').first();
  await check(async () => (await surrogate.count()) > 0, 'hidden contexts have a surrogate');
  await surrogate.click();
  await check(
    async () => 'contexts.open' in ((await harness.trait('1', 'settings')) as object),
    'a click on a surrogate opens it in Python',
  );
  await cell.locator('.tool', { hasText: 'Undo' }).click();
  await check(async () => (await count()) === pruned, 'Undo hides the contexts again');
}

async function themes(harness: Harness): Promise<void> {
  const { page } = harness;
  await harness.restart();
  await harness.show('a', '1');
  await harness.show('b', '2', { theme: 'light' });
  await check(isShown(page, '#a .gs-node'), 'a widget of a light notebook is drawn');
  const theme = (cell: string): Promise<string | null> =>
    page.locator(`#${cell} .grainsheaf-widget`).getAttribute('data-theme');
  const ground = (): Promise<string> =>
    page.locator('#a .gs-widget').evaluate((one) => getComputedStyle(one).backgroundColor);
  await check(async () => (await ground()) === 'rgb(255, 255, 255)', 'light is white');
  await page.evaluate(() => (document.body.dataset['jpThemeLight'] = 'false'));
  await check(async () => (await ground()) === 'rgb(16, 20, 24)', 'JupyterLab turns it dark');
  await check(async () => (await theme('b')) === 'light', 'a theme of Python stays');
  await harness.picture('dark');
  await page.evaluate(() => {
    delete document.body.dataset['jpThemeLight'];
    document.body.className = 'vscode-light';
  });
  await check(async () => (await theme('a')) === 'light', 'VS Code turns it light');
  await page.evaluate(() => (document.body.className = 'vscode-dark'));
  await check(async () => (await theme('a')) === 'dark', 'VS Code turns it dark');
  await page.evaluate(() => (document.body.className = ''));
  await page.emulateMedia({ colorScheme: 'dark' });
  await check(async () => (await theme('a')) === 'dark', 'without a word, the reader decides');
  await page.emulateMedia({ colorScheme: 'light' });
}

/** Two widgets know nothing of each other; two cells of one widget show the same. */
async function several(harness: Harness): Promise<void> {
  const { page } = harness;
  await harness.restart();
  const one = await harness.show('a', '1');
  const other = await harness.show('b', '2');
  const again = await harness.show('c', '1');
  await check(isShown(page, '#c .gs-node'), 'a second cell of a widget is drawn');
  await one.locator('.gs-node').nth(1).click();
  const selected = '.gs-node[aria-label$=", selected"]';
  await check(
    async () =>
      json(await harness.trait('2', 'selection')) === '{}' &&
      (await other.locator(selected).count()) === 0,
    'a selection stays in its widget',
  );
  await check(
    async () =>
      (await again.locator(selected).count()) === (await one.locator(selected).count()) &&
      (await one.locator(selected).count()) > 0,
    'both cells of a widget show its selection',
  );
  const asked = await page.evaluate(() => window.notebook.model('1').asked);
  await check(() => new Set(asked).size === asked.length, 'two cells ask once');
  await page.evaluate(() => window.notebook.close('c'));
  await one.locator('.gs-node').nth(2).hover();
  await check(
    async () => (await page.locator('.gs-tooltip:not([hidden])').count()) === 1,
    'a tooltip floats over the notebook',
  );
  const outside = await page.evaluate(
    () => document.head.querySelectorAll('style,link').length + document.adoptedStyleSheets.length,
  );
  await check(() => outside === 0, 'no style leaves the widget');
  await page.evaluate(() => ['a', 'b'].forEach((cell) => window.notebook.close(cell)));
  await check(
    async () => (await page.locator('.grainsheaf-layer').count()) === 0,
    'closed cells leave nothing',
  );
}

async function gone(harness: Harness): Promise<void> {
  const { page } = harness;
  await harness.restart();
  const still =
    '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="30"><rect width="40" height="30" fill="teal"/></svg>';
  const saved = { _picture: still, _version: '0.0.9' };
  const cell = await harness.show('a', '1', saved, 'gone');
  const notice = cell.locator('.gs-notice');
  await check(
    async () => /kernel does not answer/.test((await notice.textContent()) ?? ''),
    'a kernel that is gone is reported',
  );
  await check(
    async () =>
      (await cell
        .locator('.gs-still')
        .evaluate((one) => (one as HTMLImageElement).naturalWidth)) === 40,
    'the picture of the saved notebook is shown',
  );
  const text = (await notice.textContent()) ?? '';
  await check(
    () => /drawn by Grainsheaf \S+, the Python package is 0\.0\.9: reload this page/.test(text),
    `versions that differ are one line: ${text}`,
  );
  await harness.picture('gone');
  await page.evaluate(() => {
    window.notebook.model('1').mood = 'answers';
    window.notebook.model('1').fire('comm_live_update');
  });
  await check(isShown(page, '#a .gs-node'), 'a new kernel draws the picture');
  await check(
    async () => !/kernel/.test((await notice.textContent()) ?? ''),
    'and is not reported any more',
  );
  await check(
    async () => /one tick per run/.test(String(await harness.trait('1', '_picture'))),
    'the notebook keeps the latest picture',
  );
  await page.evaluate(() => (window.notebook.model('1').mood = 'hears'));
  await cell.locator('[data-setting="view"]').selectOption('boxes');
  await check(isShown(page, '#a .waiting'), 'a kernel that computes is waited for');
  await page.waitForTimeout(500);
  await check(
    async () => !/kernel/.test((await notice.textContent()) ?? ''),
    'a kernel that computes is not gone',
  );
}

/** A notebook that refuses messages is one whose kernel is gone; the picture stays. */
async function refused(harness: Harness): Promise<void> {
  const { page } = harness;
  await harness.restart();
  const cell = await harness.show('a', '1');
  await check(isShown(page, '#a .gs-node'), 'a picture is drawn before the end of the kernel');
  await page.evaluate(() => (window.notebook.model('1').mood = 'refuses'));
  await cell.locator('.gs-lens').fill('where threads >= 4');
  await cell.locator('.gs-lens').press('Enter');
  await check(
    async () =>
      /kernel does not answer/.test((await cell.locator('.gs-notice').textContent()) ?? ''),
    'a kernel that is refused is reported',
  );
  await check(
    async () =>
      (await cell.locator('.gs-node').count()) > 0 && (await cell.locator('.state').count()) === 0,
    'the picture before stays',
  );
  await page.evaluate(() => (window.notebook.model('1').mood = 'answers'));
  await cell.locator('.gs-notice .link').click();
  await check(
    async () => (await cell.locator('.gs-notice').textContent()) === '',
    'a kernel that is asked again answers',
  );
}

/** Names that are markup stay texts, below the policy of the page. */
async function hostile(harness: Harness): Promise<void> {
  const { page } = harness;
  await harness.restart();
  const markup = '<img src=x onerror="alert(1)">';
  const traits = { lens: `hide '${markup}'`, _source: '"); import os #', view: markup };
  const cell = await harness.show('a', '1', traits);
  await check(
    async () => ((await cell.locator('.gs-said').textContent()) ?? '').includes(markup),
    'a hostile view is a text',
  );
  await harness.assign('1', { view: 'runs' });
  await check(isShown(page, '#a .gs-row'), 'a lens with a hostile name is answered');
  await cell.locator('.tool', { hasText: 'Copy as code' }).click();
  const images = await cell.locator('img:not(.gs-still)').count();
  await check(() => images === 0, 'no markup of names');
  const code = (await cell.locator('.gs-code pre').textContent()) ?? '';
  await check(() => code.includes('gs.open("\\"); import os #")'), `code keeps quotes: ${code}`);
}

const SCENES = { bothWays, pruning, themes, several, gone, refused, hostile };

export async function main(words: string[]): Promise<number> {
  const harness = await Harness.open(join(import.meta.dirname, 'shots/widget'));
  try {
    for (const [name, scene] of Object.entries(SCENES))
      if (words.length === 0 || words.includes(name)) await scene(harness);
    await check(() => harness.faults.length === 0, `no fault: ${harness.faults.join('\n')}`);
  } finally {
    await harness.close();
  }
  return conclude();
}
