/** Clicks through the built page against the mock service and takes pictures of it. */

import { mkdir } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { adding } from './adding.ts';
import { foundations } from './foundations.ts';
import { picture } from './picture.ts';
import { check, conclude, until } from './check.ts';
import { forget } from './fixture/imports.ts';
import { holdFromStart } from './interception.ts';
import { startMock } from './fixture/server.ts';

const SHOTS = join(import.meta.dirname, 'shots');
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** First of the programs that is installed. */
function onPath(...names: readonly string[]): string {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const found = names
    .flatMap((name) => folders.map((folder) => join(folder, name)))
    .find((path) => existsSync(path));
  if (!found) throw new Error('no Chromium on the PATH; name one in CHROMIUM');
  return found;
}

export interface Visit {
  readonly theme?: 'light' | 'dark';
  readonly width?: number;
  readonly height?: number;
  readonly isFirst?: boolean;
}

async function open(
  browser: Browser,
  address: string,
  visit: Visit = {},
): Promise<{ page: Page; errors: string[] }> {
  const page = await browser.newPage({
    viewport: { width: visit.width ?? 1440, height: visit.height ?? 900 },
    colorScheme: visit.theme ?? 'light',
    reducedMotion: 'reduce',
  });
  await holdFromStart(page);
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error' && !/status of (401|422|500)/.test(message.text()))
      errors.push(message.text());
  });
  page.on('dialog', (dialog) => {
    errors.push(`a name became markup: ${dialog.message()}`);
    void dialog.dismiss();
  });
  if (!visit.isFirst)
    await page.addInitScript(() => localStorage.setItem('grainsheaf.visited', 'yes'));
  await page.goto(address);
  await page.waitForLoadState('networkidle');
  await page.waitForTimeout(250);
  return { page, errors };
}

/** Median time from the key to the next frame. */
async function stepTime(page: Page): Promise<number> {
  const times = await page.evaluate(async () => {
    const taken: number[] = [];
    for (let i = 0; i < 9; i += 1) {
      const from = performance.now();
      document.dispatchEvent(new KeyboardEvent('keydown', { key: ']', bubbles: true }));
      await new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)));
      taken.push(performance.now() - from);
    }
    return taken.sort((a, b) => a - b);
  });
  return Math.round(times[4] ?? 0);
}

const shoot = (page: Page, name: string): Promise<unknown> =>
  page.screenshot({ path: join(SHOTS, `${name}.png`) });
/** Where text that is typed goes. */
const FOCUSED = ':is(input, textarea):focus';
const node = (name: string): string => `.gs-node[aria-label^="${name},"]`;
const pictureOf = (page: Page): Promise<string> =>
  page
    .locator('.gs-sankey')
    .evaluate((element) =>
      new XMLSerializer().serializeToString(element).replace(/sankey-\d+/g, 'sankey'),
    );

export async function main(): Promise<number> {
  await mkdir(SHOTS, { recursive: true });
  const { server, url, behaviour } = await startMock(join(import.meta.dirname, '../dist'));
  const browser = await chromium.launch({
    executablePath:
      process.env['CHROMIUM'] ?? onPath('chromium', 'chromium-browser', 'google-chrome'),
    args: FLAGS,
  });
  const only = process.env['ONLY'] ?? '';
  try {
    for (const [name, scenario] of Object.entries(SCENARIOS)) {
      if (!name.includes(only)) continue;
      behaviour.delay = 0;
      behaviour.failure = '';
      Object.assign(behaviour.imports, { pause: 0, step: 0, hold: '', fault: '' });
      forget();
      await scenario(browser, url, behaviour);
    }
  } finally {
    await browser.close();
    server.close();
    server.closeAllConnections();
  }
  return conclude();
}

type Scenario = (
  browser: Browser,
  url: string,
  behaviour: Awaited<ReturnType<typeof startMock>>['behaviour'],
) => Promise<void>;

const SCENARIOS: Readonly<Record<string, Scenario>> = {
  async overview(browser, url, behaviour) {
    const { page, errors } = await open(browser, url);
    await check(async () => (await page.locator('.gs-node').count()) > 8, 'the picture has nodes');
    await shoot(page, '01-overview');
    await page.locator(node('merge')).click();
    await page.waitForLoadState('networkidle');
    await page.waitForTimeout(300);
    await check(() => page.url().includes('group='), 'a picked node is in the address');
    await check(
      async () => (await page.locator('.right-panel h2.name').textContent()) === 'merge',
      'the selection panel names it',
    );
    await page.mouse.move(5, 5);
    await shoot(page, '02-selected');
    await page.locator(node('merge')).click();
    await page.mouse.move(5, 5);
    await check(
      async () => (await page.locator('.gs-guides').count()) === 1,
      'a second click shows text guides',
    );
    await shoot(page, '03-guides');
    const before = behaviour.asked.filter((path) => /sankey|hierarchy/.test(path)).length;
    await page.locator('.run-row .pick-target').nth(16).click();
    await page.waitForTimeout(200);
    await page.keyboard.press(']');
    await page.waitForTimeout(300);
    await check(
      () => behaviour.asked.filter((path) => /sankey|hierarchy/.test(path)).length === before,
      'a change of target asks the service nothing',
    );
    await check(async () => (await page.locator('.gs-target').count()) > 8, 'the target has lines');
    await shoot(page, '04-target');
    const picture = await pictureOf(page);
    await page.reload();
    await page.waitForLoadState('networkidle');
    await page.waitForTimeout(400);
    await check(async () => (await pictureOf(page)) === picture, 'a reload gives the same picture');
    await page.locator('[role=tab]', { hasText: 'Distribution' }).click();
    await page.waitForTimeout(300);
    await shoot(page, '05-distribution');
    await page.locator('[role=tab]', { hasText: 'Runs' }).click();
    await page.waitForTimeout(300);
    await shoot(page, '06-runs');
    await page.goBack();
    await check(
      async () =>
        (await page.locator('[role=tab][aria-selected=true]').textContent()) === 'Distribution',
      'Back undoes navigation',
    );
    await page.locator('.cohort-row .pick-target').last().click();
    await page.waitForTimeout(300);
    await shoot(page, '07-cohort-target');
    await check(() => errors.length === 0, `no errors on the page ${errors.join('; ')}`);
    await page.close();
  },

  async keyboard(browser, url) {
    const { page, errors } = await open(browser, url);
    await page.locator('.gs-node[tabindex="0"]').focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowDown');
    await page.waitForTimeout(100);
    const label = await page.evaluate(
      () => document.activeElement?.getAttribute('aria-label') ?? '',
    );
    await check(() => label !== '', `arrow keys walk: ${label.slice(0, 40)}`);
    await shoot(page, '10-focus');
    await page.keyboard.press('Enter');
    await check(() => page.url().includes('group='), 'Enter selects');
    await page.keyboard.press('Escape');
    await check(() => !page.url().includes('group='), 'Escape clears');
    await page.keyboard.press('Control+k');
    await page.locator(FOCUSED).waitFor();
    await shoot(page, '11-palette');
    await page.keyboard.type('compare');
    await page.keyboard.press('Enter');
    await page.waitForTimeout(300);
    await check(() => page.url().includes('layout=compare'), 'the palette runs commands');
    await shoot(page, '12-compare-empty');
    await page.keyboard.press('?');
    await page.waitForTimeout(100);
    await shoot(page, '13-help');
    await page.keyboard.press('Escape');
    await page.keyboard.press('/');
    await page.locator(FOCUSED).waitFor();
    await page.keyboard.type('sort');
    await page.keyboard.press('Enter');
    await page.waitForTimeout(200);
    await shoot(page, '14-search');
    await page.keyboard.press('Escape');
    await page.keyboard.press('e');
    await page.locator(FOCUSED).waitFor();
    await page.keyboard.type('levle module');
    await page.waitForTimeout(400);
    await check(
      async () => (await page.locator('.lens-editor .lens-fault').count()) === 1,
      'a wrong lens is pointed at',
    );
    await shoot(page, '15-lens-fault');
    await check(() => errors.length === 0, `no errors on the page ${errors.join('; ')}`);
    await page.close();
  },

  async compare(browser, url) {
    const { page, errors } = await open(browser, `${url}/?v=1&store=versions`);
    await page.keyboard.press('b');
    await page.keyboard.press('2');
    await page.waitForLoadState('networkidle');
    await page.waitForTimeout(300);
    await check(
      async () => (await page.locator('.gs-diff-bars tbody tr').count()) > 8,
      'the diff lists differences',
    );
    await page.locator('.gs-diff-bars tbody tr').nth(4).click();
    await page.waitForTimeout(400);
    await check(async () => (await page.locator('.verdict').count()) === 1, 'a verdict is shown');
    await shoot(page, '20-diff');
    await page.locator('[role=tab]', { hasText: 'Distribution' }).click();
    await page.keyboard.press('t');
    await page.keyboard.press('t');
    await page.waitForTimeout(400);
    await check(
      async () => (await page.locator('html').getAttribute('data-theme')) === 'dark',
      'the theme changes',
    );
    await shoot(page, '21-diff-dark');
    await check(() => errors.length === 0, `no errors on the page ${errors.join('; ')}`);
    await page.close();
  },

  async dark(browser, url) {
    const { page, errors } = await open(
      browser,
      `${url}/?v=1&hot=1&lens=${encodeURIComponent('scope exclusive | target "sort-t8-r2"')}`,
      { theme: 'dark' },
    );
    await page.locator(node('msort')).click();
    await page.waitForTimeout(400);
    await page.locator(node('merge')).hover();
    await page.waitForTimeout(150);
    await shoot(page, '30-dark-target');
    await page.goto(`${url}/?v=1`);
    await page.waitForLoadState('networkidle');
    await page.waitForTimeout(300);
    await page.locator(node('insertion_sort')).click({ button: 'right' });
    await shoot(page, '31-dark-menu');
    await check(() => errors.length === 0, `no errors on the page ${errors.join('; ')}`);
    await page.close();
  },

  async narrow(browser, url) {
    const { page, errors } = await open(browser, url, { width: 800, height: 700 });
    await shoot(page, '40-narrow');
    const isWide = await page.evaluate(
      () => document.documentElement.scrollWidth > window.innerWidth,
    );
    await check(() => !isWide, 'nothing is wider than the window');
    await page.locator('.top-bar .tool', { hasText: 'Runs' }).click();
    await page.waitForTimeout(100);
    await shoot(page, '41-narrow-drawer');
    await check(
      async () => (await page.locator('.left-panel').count()) === 1,
      'the runs are in a drawer',
    );
    await check(() => errors.length === 0, `no errors on the page ${errors.join('; ')}`);
    await page.close();
  },

  async details(browser, url) {
    const { page, errors } = await open(browser, `${url}/?v=1&back=1`);
    await page.locator(node('sort')).click();
    await page.locator(node('sort')).click();
    await page.locator(node('msort')).click();
    await page.locator('[role=tab]', { hasText: 'Call tree' }).click();
    await page.waitForTimeout(300);
    await until(
      () => page.locator('.gs-site').nth(1).dblclick(),
      () => page.url().includes('zoom='),
    );
    await page.locator('.gs-site').first().hover();
    await page.waitForTimeout(200);
    await check(() => page.url().includes('zoom='), 'a double click zooms the call tree');
    await shoot(page, '60-guides-tree');
    await page.mouse.move(5, 5);
    await page.locator('.gs-swatch').nth(4).click();
    await page.waitForTimeout(150);
    await shoot(page, '61-legend');
    console.log(`     20 runs: a change of target is drawn within ${await stepTime(page)} ms`);
    await page.goto(
      `${url}/?v=1&tab=distribution&mode=workers&log=1&lens=${encodeURIComponent('level module | bins 12 | target "sort-t8-r2"')}`,
    );
    await page.waitForLoadState('networkidle');
    await page.waitForTimeout(200);
    await page.locator('.gs-node').nth(1).click();
    await page.waitForTimeout(400);
    await shoot(page, '62-modules-workers');
    await check(() => errors.length === 0, `no errors on the page ${errors.join('; ')}`);
    await page.close();
    const narrow = await open(
      browser,
      `${url}/?v=1&store=versions&layout=compare&lens=${encodeURIComponent('diff "version == \'1.2\'" to "version == \'1.3\'"')}`,
      { width: 800, height: 700 },
    );
    await shoot(narrow.page, '63-narrow-diff');
    await narrow.page.locator('.top-bar .tool', { hasText: 'Selection' }).click();
    await narrow.page.waitForTimeout(200);
    await shoot(narrow.page, '64-narrow-compare');
    await narrow.page.close();
  },

  async states(browser, url, behaviour) {
    const first = await open(browser, url, { isFirst: true });
    await shoot(first.page, '50-first-visit');
    await first.page.locator('.dialog .primary').click();
    await first.page.waitForTimeout(150);
    await shoot(first.page, '51-tour');
    await first.page.close();
    const empty = await open(browser, `${url}/?v=1&store=empty`);
    await shoot(empty.page, '52-empty-store');
    await empty.page.close();
    const none = await open(
      browser,
      `${url}/?v=1&lens=${encodeURIComponent('where threads > 64')}`,
    );
    await check(
      async () => (await none.page.locator('.state .button', { hasText: 'where' }).count()) > 0,
      'an empty ensemble offers to relax the lens',
    );
    await shoot(none.page, '53-no-runs');
    await none.page.close();
    const one = await open(browser, `${url}/?v=1&store=single`);
    await shoot(one.page, '54-one-run');
    await one.page.close();
    behaviour.failure = 'store';
    const broken = await open(browser, url);
    await shoot(broken.page, '55-error');
    await broken.page.close();
    behaviour.failure = 'unauthorised';
    const stranger = await open(browser, url);
    await check(
      async () => (await stranger.page.locator('text=needs the link').count()) > 0,
      'without a token the page says where to get one',
    );
    await shoot(stranger.page, '56-unauthorised');
    await stranger.page.close();
    behaviour.failure = '';
    behaviour.delay = 2500;
    const slow = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    await slow.addInitScript(() => localStorage.setItem('grainsheaf.visited', 'yes'));
    await slow.goto(url);
    await slow.waitForTimeout(1500);
    await shoot(slow, '57-loading');
    await check(
      async () => (await slow.locator('.waiting .button').count()) > 0,
      'long waits can be cancelled',
    );
    await slow.close();
    behaviour.delay = 0;
    const large = await open(browser, `${url}/?v=1&store=large&tab=runs`);
    await check(
      async () => (await large.page.locator('.gs-body .gs-row').count()) < 100,
      'the table draws only rows that are seen',
    );
    console.log(
      `     3000 runs: a change of target is drawn within ${await stepTime(large.page)} ms`,
    );
    await shoot(large.page, '58-large');
    await large.page.close();
  },

  foundations: (browser, url, behaviour) =>
    foundations(
      {
        open: (address, visit) => open(browser, address, visit),
        shoot,
        asked: () => behaviour.asked,
      },
      url,
    ),

  picture: (browser, url, behaviour) =>
    picture(
      {
        open: (address, visit) => open(browser, address, visit),
        shoot,
        asked: () => behaviour.asked,
      },
      url,
    ),

  adding: (browser, url, behaviour) =>
    adding(
      { open: (address, visit) => open(browser, address, visit), check, shoot },
      url,
      behaviour,
    ),

  async export(browser, url) {
    const { page, errors } = await open(
      browser,
      `${url}/?v=1&lens=${encodeURIComponent('target "sort-t8-r2"')}`,
    );
    for (const [label, ending] of [
      ['Picture as SVG', 'svg'],
      ['Picture as PNG', 'png'],
      ['Statistics of all groups as CSV', 'csv'],
    ] as const) {
      await page.keyboard.press('Control+s');
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        page.locator('.gs-menu button', { hasText: label }).click(),
      ]);
      await file.saveAs(join(SHOTS, `export.${ending}`));
      await check(async () => (await file.failure()) === null, `exports ${ending}`);
    }
    // No view of this page has a table, so the command saves that of the answer.
    await page.keyboard.press('Control+k');
    await page.locator(FOCUSED).waitFor();
    await page.keyboard.type('Export the table as CSV');
    const [file] = await Promise.all([page.waitForEvent('download'), page.keyboard.press('Enter')]);
    await check(async () => (await file.failure()) === null, 'the command exports a table');
    await check(() => errors.length === 0, `no errors on the page ${errors.join('; ')}`);
    await page.close();
  },
};
