/** Sizes: small windows, zoomed pages, and panels that do not push each other around. */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { check } from '../check.ts';
import { countOf, heightOf, lensOf, type Pages, settle, textOf } from './harness.ts';

/** A graph that is shown whole is shown whole in a narrower window, too. */
async function refitted(pages: Pages): Promise<void> {
  const page = await pages.visit(
    '?v=1&store=threads&layout=run&run=ed2b863e5514fa4ddf9361a2d2aa3965',
  );
  const canvas = page.locator('.pane-groups canvas.gs-graph');
  await canvas.waitFor();
  await page.setViewportSize({ width: 500, height: 900 });
  await settle(page);
  const [left, right] = await canvas.evaluate((element) => {
    const { width, height } = element as HTMLCanvasElement;
    const pixels = (element as HTMLCanvasElement)
      .getContext('2d')
      ?.getImageData(0, 0, width, height);
    const painted = (x: number): boolean => {
      for (let y = 0; y < height; y += 1) if (pixels?.data[4 * (y * width + x) + 3]) return true;
      return false;
    };
    const columns = Array.from({ length: width }, (_, x) => x).filter(painted);
    return [(columns[0] ?? 0) / width, ((columns.at(-1) ?? width) + 1) / width];
  });
  await check(
    () => left > 0.05 && right < 0.95 && Math.abs(left + right - 1) < 0.05,
    `the groups are in the middle of a narrower window: ${left} to ${right}`,
  );
  await page.close();
}

export async function windows(pages: Pages): Promise<void> {
  await refitted(pages);
  await changes(pages);
  await zoomed(pages);
  await narrow(pages);
  await jumps(pages);
  await heads(pages);
  await lines(pages);
  await chips(pages);
  await escape(pages);
  await whole(pages);
  await apart(pages);
}

/** In a narrow window, names and numbers of the compared picture do not overlap. */
async function apart(pages: Pages): Promise<void> {
  const compare = `layout=compare&${lensOf('diff "version == 1" to "version == 2"')}`;
  const page = await pages.visit(`?v=1&store=versions&${compare}`, { width: 500 });
  const overlaps = await page.locator('.gs-sankey [data-label-of]').evaluateAll((labels) => {
    const boxes = labels.map((label) => label.getBoundingClientRect());
    return labels.flatMap((label, at) =>
      boxes
        .slice(at + 1)
        .filter(
          (other) =>
            (boxes[at]?.right ?? 0) > other.left + 1 &&
            other.right > (boxes[at]?.left ?? 0) + 1 &&
            (boxes[at]?.bottom ?? 0) > other.top + 2 &&
            other.bottom > (boxes[at]?.top ?? 0) + 2,
        )
        .map(() => label.textContent),
    );
  });
  await check(
    () => overlaps.length === 0,
    `names and numbers do not overlap ${overlaps.join('; ')}`,
  );
  await page.close();
}

/** In a narrow pane, the legend and the small picture next to it do not overlap, and names of a list are whole. */
async function whole(pages: Pages): Promise<void> {
  const compare = `layout=compare&${lensOf('diff "version == 1" to "version == 2"')}`;
  for (const query of [`store=versions&${compare}`, 'store=lulesh']) {
    const page = await pages.visit(`?v=1&${query}`, { width: 900 });
    const covered = await page.evaluate(() => {
      const map = document.querySelector('.gs-minimap')?.getBoundingClientRect();
      return [...document.querySelectorAll('.gs-sankey > g > text')]
        .filter((text) => {
          const box = text.getBoundingClientRect();
          return map && box.right > map.left && box.bottom > map.top && box.top < map.bottom;
        })
        .map((text) => text.textContent);
    });
    await check(() => covered.length === 0, `no legend is covered ${covered.join('; ')}`);
    const cut = await page
      .locator('.gs-diff-bars .gs-cut')
      .evaluateAll((all) =>
        all
          .filter(
            (name) =>
              name.scrollWidth > name.clientWidth || name.scrollHeight > name.clientHeight + 2,
          )
          .map((name) => name.textContent),
      );
    await check(() => cut.length === 0, `no name in the list of changes is cut ${cut.join('; ')}`);
    await check(
      async () => !/different programs/.test(await textOf(page, '.footer')),
      'renamed groups that are matched are no other program',
    );
    await page.close();
  }
}

/** Heads of panes have two lines at most; controls without room there are below a button. */
export async function lines(pages: Pages): Promise<void> {
  const compare = `store=versions&layout=compare&${lensOf('diff "version == 1" to "version == 2"')}`;
  const packed = await readFile(join(import.meta.dirname, '../recorded/locations-lulesh.json.gz'));
  const located: unknown = JSON.parse(gunzipSync(packed).toString('utf8'));
  for (const [query, control] of [
    [compare, 'Order of the differences'],
    ['store=lulesh', 'columns'],
  ] as const)
    for (const width of [1440, 900, 500]) {
      const page = await pages.visit(`?v=1&${query}`, { width, isRouted: true });
      if (query === 'store=lulesh') {
        await page.route('**/api/v1/locations?*', (route) => route.fulfill({ json: located }));
        if (width < 900) await page.getByRole('button', { name: 'Selection' }).click();
        await page.getByRole('button', { name: 'Which ranks are imbalanced?' }).click();
        if (width < 900) await page.getByRole('button', { name: 'Selection' }).click();
        await settle(page);
      }
      const heights = (): Promise<number[]> =>
        page.locator('.pane-head').evaluateAll((all) => all.map((one) => one.clientHeight));
      await check(
        async () => (await heights()).every((height) => height <= 60),
        `heads of panes have two lines at most at ${width} px: ${(await heights()).join(', ')}`,
      );
      const select = page.getByLabel(control).and(page.locator('select'));
      if (!(await select.isVisible())) {
        await page.locator('[data-folded] > .pane-unfold').focus();
        await page.keyboard.press('Enter');
      }
      await check(() => select.isVisible(), `and ${control} can be reached`);
      await pages.shoot(page, `head-${width}-${control.length}`);
      await page.close();
    }
}

/** Texts of the clauses that can be read in the bar. */
function readable(page: Page): Promise<string[]> {
  return page.locator('.chips .chip').evaluateAll((all) =>
    all.flatMap((chip) => {
      const box = chip.getBoundingClientRect();
      const list = chip.parentElement?.getBoundingClientRect() ?? box;
      const isWhole = box.right <= list.right + 1 && box.bottom <= list.bottom + 1;
      return isWhole && box.width > 0 && getComputedStyle(chip).visibility === 'visible'
        ? [chip.textContent ?? '']
        : [];
    }),
  );
}

/** Clauses without room in the bar are counted, and a button shows all. */
export async function chips(pages: Pages): Promise<void> {
  const lens = lensOf('where threads >= 1 | by threads | scope exclusive | below 2% | bins 20');
  for (const width of [2400, 1440, 900, 500]) {
    const page = await pages.visit('?v=1&store=threads', { width, isRouted: true });
    // The clauses matter here, and not what they select.
    await page.route(/api\/v1\/.*lens=/, (route) =>
      route.continue({
        url: route
          .request()
          .url()
          .replace(/lens=[^&]*/, ''),
      }),
    );
    await page.goto(`${pages.service.url}/?v=1&store=threads&${lens}`);
    await settle(page);
    const all = await page
      .locator('.chips .chip')
      .evaluateAll((chips) => chips.filter((chip) => chip.getClientRects().length > 0).length);
    const row = await readable(page);
    const more = page.locator('.lens-bar > button', { hasText: '▾' });
    const counted = async (): Promise<number> =>
      (await more.count()) > 0 ? Number.parseInt(await more.innerText(), 10) : 0;
    await check(
      async () => (await counted()) === all - row.length && (width > 2000 || (await counted()) > 0),
      `${width} px: ${await counted()} of ${all} clauses are counted, not shown: ${row.join('; ')}`,
    );
    await pages.shoot(page, `chips-${width}`);
    const add = await page.getByRole('button', { name: 'Add a clause' }).boundingBox();
    const bar = await page.locator('.lens-bar').boundingBox();
    await check(
      () => (add?.x ?? Infinity) + (add?.width ?? 0) <= (bar?.x ?? 0) + (bar?.width ?? 0) + 1,
      'there is room for the button that adds one',
    );
    if ((await counted()) > 0) {
      await more.focus();
      await page.keyboard.press('Enter');
      await check(async () => (await readable(page)).length === all, 'a key shows all clauses');
      await pages.shoot(page, `chips-${width}-all`);
      await page.keyboard.press('Escape');
      await check(async () => (await counted()) > 0, 'Escape hides them again');
    }
    await page.close();
  }
}

/** Escape closes the list of warnings first, and the selection after it. */
async function escape(pages: Pages): Promise<void> {
  const page = await pages.visit('?v=1&store=versions');
  await page.locator('.gs-node').nth(2).click();
  await settle(page);
  await page.locator('.footer button', { hasText: 'warning' }).click();
  await page.keyboard.press('Escape');
  await check(async () => (await countOf(page, '.warnings')) === 0, 'Escape closes warnings');
  await check(() => page.url().includes('group='), 'and keeps the selection');
  await page.close();
}

/** Every control of the head of a pane is inside of it, and so is the tab of its view. */
async function heads(pages: Pages): Promise<void> {
  const compare = `layout=compare&${lensOf('diff "version == 1" to "version == 2"')}`;
  for (const query of [`store=versions&${compare}`, 'store=threads', 'store=threads&layout=runs'])
    for (const width of [1440, 900, 500]) {
      const page = await pages.visit(`?v=1&${query}`, { width });
      const lost = await page
        .locator('.pane-head button, .pane-head select, .pane-head input')
        .evaluateAll((all) =>
          all
            .map((one) => [one, one.getBoundingClientRect()] as const)
            .filter(([one, box]) => {
              const head = one.closest('.pane-head')?.getBoundingClientRect();
              return box.width > 0 && head && (box.right > head.right + 1 || box.left < head.left);
            })
            .map(([one]) => one.getAttribute('aria-label') ?? one.textContent ?? ''),
        );
      await check(
        () => lost.length === 0,
        `all controls of panes are visible at ${width} px ${lost.join('; ')}`,
      );
      await page.close();
    }
}

/** Many parameters that differ leave room for the list of changes. */
async function changes(pages: Pages): Promise<void> {
  for (const [width, height] of [
    [1440, 900],
    [1920, 1080],
  ] as const) {
    const page = await pages.visit(
      `?v=1&store=raja&layout=compare&${lensOf('diff "compiler = clang++-14.0.6" to "compiler = g++-10.3.1"')}`,
      { width, height },
    );
    const tall = await heightOf(page, '.change-list');
    await check(
      () => tall >= 160,
      `the list of changes is ${Math.round(tall)} px high at ${width} px, with 11 parameters that differ`,
    );
    const wide = await page
      .locator('.change-head')
      .evaluate((element) => element.scrollWidth - element.clientWidth);
    await check(() => wide <= 1, `values of parameters stay in their pane at ${width} px`);
    await pages.shoot(page, `changes-${width}`);
    await page.close();
  }
}

/** A page at 200 % of 1440 x 900, and at 150 %. */
async function zoomed(pages: Pages): Promise<void> {
  for (const [width, height] of [
    [720, 450],
    [960, 540],
  ] as const)
    for (const store of ['threads', 'lulesh']) {
      const page = await pages.visit(`?v=1&store=${store}`, { width, height });
      const tall = await heightOf(page, '.gs-sankey');
      await check(
        () => tall >= 160,
        `${store} at ${width}x${height}: the picture is ${Math.round(tall)} px high`,
      );
      const nodes = await countOf(page, '.gs-node');
      await check(() => nodes > 3, `and has ${nodes} nodes`);
      await pages.shoot(page, `zoom-${store}-${width}`);
      await page.close();
    }
}

/** Elements that people use and that lie outside of a window of 500 px. */
function outside(page: Page, selector: string): Promise<string[]> {
  return page.locator(selector).evaluateAll((elements) =>
    elements
      .map((element) => [element, element.getBoundingClientRect()] as const)
      .filter(([, box]) => box.width > 0 && (box.left < -1 || box.right > window.innerWidth + 1))
      .map(([element]) => element.getAttribute('aria-label') ?? element.textContent ?? ''),
  );
}

/** At 500 px help, theme, numbers of the selection and the list of changes can be reached. */
async function narrow(pages: Pages): Promise<void> {
  const page = await pages.visit('?v=1&store=threads', { width: 500, height: 900 });
  const lost = await outside(page, '.top-bar button, .top-bar select, .top-bar input');
  await check(() => lost.length === 0, `500 px: no control lies outside ${lost.join('; ')}`);
  const menu = async (label: RegExp): Promise<void> => {
    await page.locator('.top-bar [aria-label="More commands"]').click();
    await page.locator('.gs-menu button', { hasText: label }).click();
  };
  const covered = await page.locator('.footer > *').evaluateAll((all) => {
    const boxes = all.map((one) => one.getBoundingClientRect()).filter(({ width }) => width > 0);
    return boxes.filter((box, at) => box.left < (boxes[at - 1]?.right ?? -1) - 1).length;
  });
  await check(() => covered === 0, '500 px: texts of the status bar do not cover each other');
  await menu(/Keys and help/);
  await check(async () => (await countOf(page, 'dialog[open]')) === 1, '500 px: help opens');
  await page.keyboard.press('Escape');
  const theme = await page.locator('html').getAttribute('data-theme');
  for (let i = 0; i < 2; i += 1) await menu(/Theme/);
  await check(
    async () => (await page.locator('html').getAttribute('data-theme')) !== theme,
    '500 px: the theme changes',
  );
  await page.locator('.gs-node').nth(2).click();
  await settle(page);
  await page.locator('.top-bar button', { hasText: 'Selection' }).click();
  await settle(page);
  await check(
    async () => await page.locator('.right-panel .numbers').first().isVisible(),
    '500 px: numbers of the selection are shown',
  );
  const cut = await outside(page, '.right-panel dd, .right-panel button');
  await check(() => cut.length === 0, `500 px: all of them ${cut.join('; ')}`);
  await pages.shoot(page, 'narrow-selection');
  await page.close();
  const diff = await pages.visit(
    `?v=1&store=threads&layout=compare&${lensOf("diff 'threads = 1' to 'threads = 8'")}`,
    { width: 500, height: 900 },
  );
  await check(
    async () =>
      (await heightOf(diff, '.change-list')) >= 120 &&
      (await countOf(diff, '.gs-diff-bars tbody tr')) > 3,
    '500 px: the list of changes has room',
  );
  const wide = await diff.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  await check(() => wide <= 0, '500 px: the page does not scroll sideways');
  const last = diff.locator('.gs-diff-bars tbody tr').last();
  await last.scrollIntoViewIfNeeded();
  await last.click();
  await check(() => diff.url().includes('group='), '500 px: the last change can be selected');
  await pages.shoot(diff, 'narrow-changes');
  await diff.close();
}

/** The picture stays where it is when the lens is edited, warnings arrive and nodes are selected. */
async function jumps(pages: Pages): Promise<void> {
  const page = await pages.visit('?v=1&store=hpct');
  const place = async (): Promise<string> =>
    JSON.stringify(await page.locator('.gs-sankey').boundingBox());
  await page.locator('.gs-node').first().waitFor();
  const before = await place();
  await page.keyboard.press('e');
  await page.waitForTimeout(200);
  await check(async () => (await place()) === before, 'editing the lens does not move the picture');
  await page.keyboard.press('Escape');
  await page
    .locator('.footer', { hasText: 'warning' })
    .locator('button', { hasText: 'warning' })
    .click();
  await page.waitForTimeout(200);
  await check(async () => (await place()) === before, 'warnings do not move the picture');
  await page.keyboard.press('Escape');
  await page.locator('.gs-node').nth(1).click();
  await settle(page);
  await check(async () => (await place()) === before, 'nor does a selection');
  await page.close();
}
