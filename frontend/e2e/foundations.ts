/** Data layer, frame and names of the page, in Chromium against the mock service. */

import type { Page } from 'playwright-core';
import { check, until } from './check.ts';

export interface Tools {
  open(
    address: string,
    visit?: { width?: number; height?: number; theme?: 'light' | 'dark'; isFirst?: boolean },
  ): Promise<{ page: Page; errors: string[] }>;
  shoot(page: Page, name: string): Promise<unknown>;
  /** Paths that were asked so far. */
  asked(): readonly string[];
}

const API = '**/api/v1/**';
const lensOf = (text: string): string => `lens=${encodeURIComponent(text)}`;
const count = (page: Page, selector: string): Promise<number> => page.locator(selector).count();
const heightOf = async (page: Page, selector: string): Promise<number> =>
  (await page.locator(selector).first().boundingBox())?.height ?? 0;

/** Nothing is shown with a guessed unit: neither while the picture loads nor after it failed. */
async function units({ open }: Tools, url: string): Promise<void> {
  const { page } = await open('about:blank');
  await page.route('**/api/v1/sankey*', (route) => route.abort());
  await page.goto(`${url}/?v=1`);
  await page.locator('.left-panel .run-row').first().waitFor();
  await page.waitForTimeout(400);
  const text = await page.locator('.right-panel').innerText();
  await check(() => !/\d\s(ns|µs|ms|s)\b/.test(text), 'no value has a unit that no answer states');
  await page.close();
}

/** Answers are kept: next to an error, after undo, and until the service is back. */
async function kept({ open, asked }: Tools, url: string): Promise<void> {
  const { page } = await open(`${url}/?v=1`);
  await page.locator('.gs-node').first().waitFor();
  const sankeys = (): number => asked().filter((path) => path.includes('/sankey')).length;
  const before = sankeys();
  await page.setViewportSize({ width: 1200, height: 700 });
  await page.keyboard.press('Control+b');
  await page.keyboard.press('Control+Shift+b');
  await page.waitForTimeout(500);
  await check(() => sankeys() === before, 'sizes and panels ask the service nothing');
  await page.keyboard.press('i');
  await page.waitForFunction(() => location.search.includes('exclusive'));
  await page.waitForTimeout(300);
  const after = sankeys();
  await page.keyboard.press('Control+z');
  await page.waitForTimeout(300);
  await check(
    async () => sankeys() === after && (await count(page, '.gs-node')) > 8,
    'undo of a lens takes the answer from memory',
  );
  await page.locator('.gs-node[aria-label^="merge,"]').click();
  // The key acts on what is selected.
  await page.locator('.gs-node[aria-label^="merge,"][aria-label$=", selected"]').waitFor();
  await page.route(API, (route) => route.abort());
  await page.keyboard.press('Delete');
  await check(
    async () => (await page.locator('.over [role=alert]').count()) > 0,
    'a lost service is stated',
  );
  await check(
    async () => (await count(page, '.gs-node')) > 8,
    'and the picture stays next to the error',
  );
  await page.unroute(API);
  await check(
    async () => (await count(page, '.over [role=alert]')) === 0,
    'the page asks again when the service is back',
  );
  await check(() => page.url().includes('hide'), 'and keeps its view');
  await page.close();
}

/** Whether the sentence above the list of changes stands in the picture's legend too. */
async function statesQuantity(page: Page): Promise<boolean> {
  const caption = await page.locator('.gs-diff-bars caption').textContent();
  const legend = page.locator('.gs-sankey > g text', { hasText: caption ?? '?' });
  return (caption ?? '').includes('share of the side') && (await legend.count()) > 0;
}

/** The list of changes has height; the order is in the address. */
async function changes({ open, shoot }: Tools, url: string): Promise<void> {
  const address = `${url}/?v=1&store=versions&layout=compare&${lensOf(`diff "version == '1.2'" to "version == '1.3'"`)}`;
  const { page, errors } = await open(address);
  await page.locator('.gs-diff-bars tbody tr').first().waitFor();
  await check(
    async () => (await heightOf(page, '.change-list')) >= 160,
    'the list of changes is at least 160 px high',
  );
  await page.getByLabel('Order of the differences').selectOption('relative');
  await page.locator('.segments .tool', { hasText: 'normalised' }).click();
  await check(
    async () => /normalised/.test(page.url()) && (await statesQuantity(page)),
    'picture and list state the same quantity',
  );
  await page.reload();
  await page.locator('.gs-diff-bars tbody tr').first().waitFor();
  await check(
    async () =>
      (await page.getByLabel('Order of the differences').inputValue()) === 'relative' &&
      (await count(page, '.segments .tool[aria-pressed=true]:has-text("normalised")')) === 1 &&
      (await statesQuantity(page)),
    'a reload keeps the order of changes and how they are stated',
  );
  await page.locator('.gs-diff-bars tbody tr').nth(1).click();
  await shoot(page, '70-compare');
  await check(() => errors.length === 0, `no errors ${errors.join('; ')}`);
  await page.close();
}

/** Small windows and zoom keep a picture; nothing lies outside. */
async function windows({ open, shoot }: Tools, url: string): Promise<void> {
  for (const [width, height] of [
    [500, 900],
    [720, 450],
    [900, 700],
    [2560, 1300],
  ] as const) {
    const { page } = await open(`${url}/?v=1`, { width, height, theme: 'dark' });
    await page.locator('.gs-node').first().waitFor();
    await check(
      async () => (await heightOf(page, '.pane-main')) >= 240,
      `${width}x${height}: the picture is at least 240 px high`,
    );
    await check(
      () =>
        page.evaluate(() =>
          [...document.querySelectorAll('.top-bar > button')].every((element) => {
            const box = element.getBoundingClientRect();
            return box.left >= 0 && box.right <= window.innerWidth;
          }),
        ),
      `${width}x${height}: every button of the top bar is in the window`,
    );
    await shoot(page, `71-window-${width}`);
    await page.close();
  }
}

/** Panes are split, closed and loaded by keys, and links hold them. */
async function panes({ open, shoot }: Tools, url: string): Promise<void> {
  const { page, errors } = await open(`${url}/?v=1`);
  await page.locator('.gs-node').first().waitFor();
  await check(
    async () => (await count(page, '.top-groups tbody tr')) > 5,
    'the second pane is not empty',
  );
  await page.locator('.pane-main .pane-head .tool').last().click();
  await page.locator('.gs-menu button', { hasText: 'to the right' }).click();
  await check(async () => (await count(page, '.pane')) === 3, 'a pane is split');
  const splitter = page.locator('.splitter-beside').first();
  await splitter.focus();
  await page.keyboard.press('ArrowLeft');
  await check(() => page.url().includes('panes='), 'the arrangement is in the address');
  await page.reload();
  await page.locator('.gs-node').first().waitFor();
  await check(async () => (await count(page, '.pane')) === 3, 'a link holds the arrangement');
  await shoot(page, '72-panes');
  await page.keyboard.press('3');
  await check(async () => (await count(page, '.pane-runs')) === 1, 'key 3 loads a layout');
  await page.keyboard.press('1');
  await page.locator('.gs-node').first().waitFor();
  await check(async () => (await count(page, '.pane')) === 2, 'key 1 loads the overview');
  // The mock has no answers for the views of that layout.
  const faults = errors.filter((text) => !text.includes('404'));
  await check(() => faults.length === 0, `no errors ${faults.join('; ')}`);
  await page.close();
}

/** Few tab stops to the picture, a link that skips them, and the focus comes back. */
async function focus({ open }: Tools, url: string): Promise<void> {
  const { page } = await open(`${url}/?v=1`);
  await page.locator('.gs-node').first().waitFor();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await check(
    () => page.evaluate(() => document.activeElement?.classList.contains('gs-node') ?? false),
    'the first tab stop leads to the picture',
  );
  await page.keyboard.press('?');
  await page.locator('dialog[open]').waitFor();
  await page.keyboard.press('Escape');
  await check(
    () => page.evaluate(() => document.activeElement?.classList.contains('gs-node') ?? false),
    'after the help the focus is where it was',
  );
  const stops = await page.evaluate(
    () =>
      [
        ...document.querySelectorAll<HTMLElement>('.left-panel button, .left-panel [tabindex]'),
      ].filter((element) => element.tabIndex >= 0).length,
  );
  await check(() => stops <= 3, `the list of runs has ${stops} tab stops`);
  await page.locator('.left-panel .panel-body').focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await check(() => page.url() !== `${url}/?v=1`, 'arrow keys and Enter choose in it');
  const small = await page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>('.top-bar button, .pane button, .left-panel button')]
      .map((element) => [element, element.getBoundingClientRect()] as const)
      .filter(([, box]) => box.width > 0 && (box.width < 23.5 || box.height < 23.5))
      .map(([element, box]) => `${element.className} ${box.width}x${box.height}`),
  );
  await check(() => small.length === 0, `no button is smaller than 24 px ${small.join('; ')}`);
  await page.close();
}

/** Splitting works at the default level, or leads on. */
async function splitting({ open }: Tools, url: string): Promise<void> {
  const { page, errors } = await open(`${url}/?v=1`);
  const node = page.locator('.gs-node[aria-label^="merge,"]');
  await node.waitFor();
  await until(
    () => node.dblclick(),
    () => page.url().includes('reveal') || page.url().includes('tree'),
  );
  await check(
    () => page.url().includes('reveal') || page.url().includes('tree'),
    'a double click splits the node or opens its call tree',
  );
  await check(() => !page.url().includes('split'), 'and leaves no clause without effect');
  await check(() => errors.length === 0, `no errors ${errors.join('; ')}`);
  await page.close();
}

/** Names in the picture: unique in their column, none over another, also after zooming. */
async function names({ open, shoot }: Tools, url: string): Promise<void> {
  const { page } = await open(`${url}/?v=1`);
  await page.locator('.gs-node').first().waitFor();
  const overlaps = (): Promise<number> =>
    page.evaluate(() => {
      const boxes = [...document.querySelectorAll('[data-label-of]')]
        .map((element) => element.getBoundingClientRect())
        .filter((box) => box.width > 0);
      let found = 0;
      boxes.forEach((a, i) => {
        for (const b of boxes.slice(i + 1))
          if (
            a.left < b.right - 2 &&
            b.left < a.right - 2 &&
            a.top < b.bottom - 4 &&
            b.top < a.bottom - 4
          )
            found += 1;
      });
      return found;
    });
  await check(async () => (await overlaps()) === 0, 'no name lies over another');
  for (const key of ['w', 'w', 'w', 's']) await page.keyboard.press(key);
  await page.waitForTimeout(300);
  await check(async () => (await overlaps()) === 0, 'nor when zoomed');
  await check(
    async () => (await count(page, '.gs-minimap')) === 1,
    'a small map shows what is seen',
  );
  await shoot(page, '73-zoomed');
  await page.close();
}

/** A shared link is not covered by the welcome. */
async function welcome({ open }: Tools, url: string): Promise<void> {
  const { page } = await open(`${url}/?v=1&store=versions&tab=distribution`, { isFirst: true });
  await page.locator('.gs-node').first().waitFor();
  await check(async () => (await count(page, 'dialog[open]')) === 0, 'a link is not covered');
  await page.close();
}

export async function foundations(tools: Tools, url: string): Promise<void> {
  for (const scene of [units, kept, changes, windows, panes, focus, splitting, names, welcome])
    await scene(tools, url);
}
