/**
 * Opens reports from disk, without a network: `node run.mjs report.ts SHOTS REPORT …`.
 *
 * `mock` stands for what the page exports from the mock service, in several layouts.
 *
 * A report whose file name begins with `hostile` has names that try to become markup, scripts or directions.
 */

import { mkdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Browser, chromium, type Page } from 'playwright-core';
import { check, conclude } from './check.ts';
import { startMock } from './fixture/server.ts';

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
const SIZES = [1440, 900, 500] as const;
/** Characters that steer the direction of writing, or are not seen. */
const INVISIBLE = /[\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]/;

interface Opened {
  readonly page: Page;
  readonly name: string;
  readonly faults: string[];
  readonly requests: string[];
  close(): Promise<void>;
}

async function open(
  browser: Browser,
  file: string,
  visit: { theme?: 'light' | 'dark'; hasScript?: boolean; hasAxe?: boolean; width?: number } = {},
): Promise<Opened> {
  const context = await browser.newContext({
    viewport: { width: visit.width ?? 1440, height: 900 },
    colorScheme: visit.theme ?? 'light',
    javaScriptEnabled: visit.hasScript ?? true,
    // As an extension of the browser would run it.
    bypassCSP: visit.hasAxe ?? false,
    reducedMotion: 'reduce',
  });
  const page = await context.newPage();
  const faults: string[] = [];
  const requests: string[] = [];
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(message.text());
  });
  page.on('dialog', (dialog) => {
    faults.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('request', (request) => requests.push(request.url()));
  await page.goto(pathToFileURL(file).href);
  if (visit.hasAxe) await page.addScriptTag({ path: AXE });
  const name = basename(file, '.html');
  return { page, name, faults, requests, close: () => context.close() };
}

const pictures = (page: Page): Promise<string[]> =>
  page
    .locator('[role=tab]')
    .evaluateAll((tabs) => tabs.map((tab) => tab.id.replace('report-tab-', '')));

async function show(page: Page, picture: string): Promise<void> {
  await page.locator(`#report-tab-${picture}`).click();
  await page.locator(`#report-picture.report-${picture} > *`).first().waitFor();
}

async function violations(page: Page, theme: 'light' | 'dark'): Promise<string[]> {
  return page.evaluate(async (isDark) => {
    const { violations } = await window.axe.run('html', {
      // Contrast is the only rule that depends on the theme.
      ...(isDark ? { runOnly: ['color-contrast'] } : {}),
      resultTypes: ['violations'],
      preload: false,
    });
    return violations.map(
      ({ id, impact, nodes }) => `${id} (${impact}): ${nodes[0]?.html.slice(0, 160) ?? ''}`,
    );
  }, theme === 'dark');
}

/** Waits until the page has drawn twice: what follows a change of its size or its picture. */
async function twoFrames(page: Page): Promise<void> {
  await page.evaluate(
    () =>
      new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(null)))),
  );
}

async function looks(browser: Browser, file: string, shots: string): Promise<void> {
  for (const theme of ['light', 'dark'] as const) {
    const { page, name, close } = await open(browser, file, { theme, hasAxe: true });
    for (const width of SIZES) {
      await page.setViewportSize({ width, height: 900 });
      for (const picture of await pictures(page)) {
        await show(page, picture);
        await twoFrames(page);
        if (process.env['PICTURES'])
          await page.screenshot({
            path: join(shots, `${name}-${picture}-${width}-${theme}.png`),
            fullPage: picture === 'sankey' || width !== 1440,
          });
      }
      const over = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      );
      await check(() => over <= 0, `${name} does not scroll sideways at ${width} px (${over})`);
      const [first] = await pictures(page);
      if (first !== undefined) await show(page, first);
      const found = await violations(page, theme);
      await check(
        () => found.length === 0,
        `${name} at ${width} px, ${theme}: axe finds ${found.join('; ') || 'nothing'}`,
      );
    }
    await close();
  }
}

/** By keyboard alone: the skip link, the tabs, a mark of a picture, the theme. */
async function keyboard(browser: Browser, file: string): Promise<void> {
  const { page, name, close } = await open(browser, file);
  await page.keyboard.press('Tab');
  const focus = (): Promise<string> =>
    page.evaluate(() => document.activeElement?.textContent?.trim() ?? '');
  await check(async () => (await focus()).startsWith('Skip'), `${name} begins with a skip link`);
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  const [first = '', second = ''] = await pictures(page);
  const shown = (): Promise<string> =>
    page.locator('[role=tab][aria-selected=true]').evaluate((tab) => tab.id);
  await check(
    async () => (await page.evaluate(() => document.activeElement?.id)) === `report-tab-${first}`,
    `Tab reaches the pictures of ${name}`,
  );
  await page.keyboard.press('ArrowRight');
  await check(
    async () => (await shown()) === `report-tab-${second}`,
    'arrow keys choose a picture',
  );
  await page.keyboard.press('1');
  await check(async () => (await shown()) === `report-tab-${first}`, 'digits choose a picture');
  const themeOf = (): Promise<string> =>
    page.evaluate(() => document.documentElement.dataset['theme'] ?? '');
  await page.keyboard.press('t');
  await page.keyboard.press('t');
  await check(async () => (await themeOf()) === 'dark', 'T changes the theme');
  await close();
}

async function sankey(browser: Browser, file: string): Promise<void> {
  const { page, name, close } = await open(browser, file);
  if (!(await pictures(page)).includes('sankey')) return close();
  await show(page, 'sankey');
  await page.locator('.gs-node').first().waitFor();
  for (let left = 12; left > 0; left -= 1) {
    await page.keyboard.press('Tab');
    if (await page.evaluate(() => document.activeElement?.classList.contains('gs-node'))) break;
  }
  await check(
    async () => (await page.locator('.gs-tooltip:not([hidden])').count()) === 1,
    `a node of ${name} is described when it has the focus`,
  );
  await page.keyboard.press('Enter');
  const before = await page.evaluate(() => window.scrollY);
  await page.locator('.gs-sankey').hover();
  await page.mouse.wheel(0, 200);
  await check(
    async () => (await page.evaluate(() => window.scrollY)) > before,
    'the wheel over a picture scrolls the report',
  );
  await close();
}

/** On paper: light, the picture not wider than the sheet, no controls, all rows. */
async function print(browser: Browser, file: string, shots: string): Promise<void> {
  const { page, name, close } = await open(browser, file, { theme: 'dark' });
  if ((await pictures(page)).includes('sankey')) await show(page, 'sankey');
  await twoFrames(page);
  if (process.env['PICTURES'])
    await page.pdf({
      path: join(shots, `${name}.pdf`),
      preferCSSPageSize: true,
      printBackground: true,
    });
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  await page.setViewportSize({ width: 1032, height: 704 });
  await twoFrames(page);
  if (process.env['PICTURES'])
    await page.screenshot({ path: join(shots, `${name}-print.png`), fullPage: true });
  const ground = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  await check(() => ground === 'rgb(255, 255, 255)', `${name} is printed on white (${ground})`);
  const width = await page
    .locator('#report-picture')
    .evaluate((picture) => picture.firstElementChild?.getBoundingClientRect().width ?? 0);
  await check(() => width > 300 && width <= 1032, `its picture fits the sheet (${width} px)`);
  const wanted = (await page.locator('[role=tab]').count()) - 1;
  const others = page.locator('.report-printed > .report-picture');
  await check(
    async () => (await others.count()) === wanted,
    `the other ${wanted} pictures of ${name} are printed too`,
  );
  await check(
    async () =>
      await others.evaluateAll((places) =>
        places.every(
          (place) =>
            (place.firstElementChild?.getBoundingClientRect().height ?? 0) > 20 &&
            (place.textContent ?? '').length > 10,
        ),
      ),
    'each of them is drawn',
  );
  await check(
    async () => (await page.locator('.report-tabs:visible, .report-tools:visible').count()) === 0,
    'controls are not printed',
  );
  await page.emulateMedia({ media: 'screen', colorScheme: 'dark' });
  await check(
    async () => (await page.evaluate(() => document.documentElement.dataset['theme'])) === 'dark',
    'the theme is back after printing',
  );
  await check(async () => (await others.count()) === 0, 'the screen shows one picture again');
  await close();
}

/** Without scripts the tables are there, and no empty place for pictures. */
async function plain(browser: Browser, file: string): Promise<void> {
  const { page, name, close } = await open(browser, file, { hasScript: false });
  await check(
    async () => (await page.locator('table tbody tr').count()) > 3,
    `${name} has tables without scripts`,
  );
  await check(
    async () => (await page.locator('#report-pictures:visible').count()) === 0,
    'and no place for pictures',
  );
  await close();
}

/** Names become text, and nothing else: no script runs, no element is made, no direction turns. */
async function hostile(browser: Browser, file: string): Promise<void> {
  const { page, name, faults, close } = await open(browser, file, { width: 900 });
  for (const picture of await pictures(page)) {
    await show(page, picture);
    await twoFrames(page);
  }
  const made = await page.evaluate(() => ({
    title: document.title,
    elements: document.querySelectorAll('img, iframe, object, embed, link, base, form').length,
    scripts: document.scripts.length,
    ran: 'ran' in window,
    text: document.body.innerText,
  }));
  await check(() => !made.ran && !made.title.includes('ran'), `no script of ${name} runs`);
  await check(() => made.elements === 0 && made.scripts === 2, `no name of ${name} is an element`);
  await check(
    () => made.text.includes('</script><script>window.ran=1</script>'),
    'the name is read as it is',
  );
  await check(() => !INVISIBLE.test(made.text), 'no invisible character is left in the text');
  const long = page.locator('details.long-name').first();
  await long.locator('summary').focus();
  await page.keyboard.press('Enter');
  await check(
    async () => (await long.innerText()).includes('x'.repeat(9_000)),
    'a name of 10 kB is folded, and opens by keyboard',
  );
  await check(() => faults.length === 0, `no fault in ${name}: ${faults.join('; ')}`);
  await close();
}

/** Nothing is asked of anybody: the file is all that is read. */
async function offline(browser: Browser, file: string): Promise<void> {
  const { page, name, faults, requests, close } = await open(browser, file);
  for (const picture of await pictures(page)) await show(page, picture);
  await twoFrames(page);
  await check(
    () => requests.length === 1 && requests[0]?.startsWith('file://') === true,
    `${name} asks nothing: ${requests.slice(1).join(', ')}`,
  );
  const refused = await page.evaluate(() =>
    fetch('http://127.0.0.1:9/').then(
      () => 'answered',
      () => 'refused',
    ),
  );
  await check(
    () =>
      refused === 'refused' && faults.some((fault) => fault.includes('Content Security Policy')),
    'its policy forbids connections',
  );
  await check(
    () => faults.every((fault) => fault.includes('127.0.0.1:9')),
    `no other fault in ${name}: ${faults.join('; ')}`,
  );
  await close();
}

/** Exports what the page shows at an address. */
async function exported(browser: Browser, address: string, file: string): Promise<string> {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  await page.goto(address);
  await page.locator('.pane-body .view > *').first().waitFor();
  await page.waitForLoadState('networkidle');
  await page.keyboard.press('Control+s');
  const download = page.waitForEvent('download');
  await page.getByRole('menuitem', { name: 'Report of the page (HTML)' }).click();
  await (await download).saveAs(file);
  const shown = await page
    .locator('.change-total .big')
    .allInnerTexts()
    .then((texts) => texts.join(' '));
  await page.close();
  if (shown) {
    const text = await readFile(file, 'utf8');
    await check(
      () => text.includes('report-verdict'),
      `the report begins with verdicts (${shown})`,
    );
  }
  return file;
}

const LAYOUTS: Readonly<Record<string, string>> = {
  overview: '',
  compare: `&layout=compare&lens=${encodeURIComponent('diff "threads == 1" to "threads == 8"')}`,
  runs: '&layout=runs',
  spread: '&layout=spread',
};

/** Reports that the page makes of answers of the mock service. */
async function fromPage(browser: Browser, shots: string): Promise<string[]> {
  const { server, url } = await startMock(join(import.meta.dirname, '../dist'));
  const files: string[] = [];
  for (const [layout, query] of Object.entries(LAYOUTS)) {
    const file = join(shots, `page-${layout}.html`);
    files.push(await exported(browser, `${url}/?v=1${query}`, file));
  }
  server.close();
  return files;
}

export async function main([shots = '', ...files]: string[]): Promise<number> {
  await mkdir(shots, { recursive: true });
  const browser = await chromium.launch({
    executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--no-first-run'],
  });
  try {
    const all = await Promise.all(
      files.map((file) => (file === 'mock' ? fromPage(browser, shots) : [file])),
    );
    for (const file of all.flat()) {
      await offline(browser, file);
      await plain(browser, file);
      await keyboard(browser, file);
      await sankey(browser, file);
      await print(browser, file, shots);
      await looks(browser, file, shots);
      if (basename(file).startsWith('hostile')) await hostile(browser, file);
    }
  } finally {
    await browser.close();
  }
  await check(() => files.length > 0, 'there are reports');
  return conclude();
}
