/** The keyboard alone: few stops to the picture, the focus comes back, the keys of the help work. */

import type { Page } from 'playwright-core';
import { check } from '../check.ts';
import { countOf, type Pages, settle } from './harness.ts';

export async function keyboard(pages: Pages): Promise<void> {
  await stops(pages);
  await keys(pages);
  await inside(pages);
  await palette(pages);
  await lost(pages);
}

const focused = (page: Page): Promise<string> =>
  page.evaluate(
    () => document.activeElement?.getAttribute('class') ?? document.activeElement?.tagName ?? '',
  );

/** Presses of Tab until the picture has the focus; the first stop skips everything before it. */
async function stops(pages: Pages): Promise<void> {
  for (const store of ['threads', 'raja']) {
    const page = await pages.visit(`?v=1&store=${store}`);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await check(
      async () => (await focused(page)).includes('gs-node'),
      `${store}: the first stop of Tab leads to the picture`,
    );
    await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
    await page.reload();
    await settle(page);
    let count = 0;
    while (count < 60 && !(await focused(page)).includes('gs-node')) {
      await page.keyboard.press('Tab');
      count += 1;
    }
    await check(() => count <= 32, `${store}: ${count} stops of Tab before the picture`);
    for (const [opens, what] of [
      ['?', 'the help'],
      ['Control+k', 'the palette'],
      ['Shift+A', 'the panel of imports'],
    ] as const) {
      await page.keyboard.press(opens);
      await check(
        async () => !(await focused(page)).includes('gs-node'),
        `${store}: ${what} takes the focus`,
      );
      await page.keyboard.press('Escape');
      await check(
        async () => (await focused(page)).includes('gs-node'),
        `${store}: after ${what} the focus is in the picture again`,
      );
    }
    await page.close();
  }
}

/** The palette shows a view by its title, and Enter takes what is typed even if the list is not drawn yet. */
async function palette(pages: Pages): Promise<void> {
  const page = await pages.visit('?v=1&store=threads');
  await page.keyboard.press('Control+k');
  await page.locator('.palette-input:focus').evaluate((element) => {
    const input = element as HTMLInputElement;
    input.value = 'view: runs';
    input.dispatchEvent(new Event('input', { bubbles: true }));
    input.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }));
  });
  await check(
    async () => (await countOf(page, '[role="tab"][aria-selected="true"]:text("Runs")')) === 1,
    'the palette shows the view Runs',
  );
  await page.close();
}

/** Keys of the specification do what they say, and none does two things. */
/** H, V and 0 fit the width, the height and all of a picture that has more of either than the window. */
async function sides(pages: Pages): Promise<void> {
  const seen = async (store: string, key: string): Promise<string> => {
    const page = await pages.visit(`?v=1&store=${store}`);
    await page.locator('.gs-node').first().waitFor();
    for (const one of ['w', 'w', key]) await page.keyboard.press(one);
    await page.waitForTimeout(400);
    const boxes = await page
      .locator('.gs-node .gs-shape')
      .evaluateAll((nodes) =>
        nodes
          .map((node) => node.getBoundingClientRect())
          .map(({ left, right, top, bottom }) => ({ left, right, top, bottom })),
      );
    const size = [
      Math.max(...boxes.map(({ right }) => right)) - Math.min(...boxes.map(({ left }) => left)),
      Math.max(...boxes.map(({ bottom }) => bottom)) - Math.min(...boxes.map(({ top }) => top)),
    ];
    await page.close();
    return size.map(Math.round).join(' x ');
  };
  const [all, width, height] = [
    await seen('raja', '0'),
    await seen('raja', 'h'),
    await seen('raja', 'v'),
  ];
  await check(
    () => all === height && all !== width,
    `a high picture fits by V and not by H: ${all}, ${width}, ${height}`,
  );
  const [wide, byWidth, byHeight] = [
    await seen('hpct', '0'),
    await seen('hpct', 'h'),
    await seen('hpct', 'v'),
  ];
  await check(
    () => wide === byWidth && wide !== byHeight,
    `a wide picture fits by H and not by V: ${wide}, ${byWidth}, ${byHeight}`,
  );
}

async function keys(pages: Pages): Promise<void> {
  const page = await pages.visit('?v=1&store=threads');
  const place = (): Promise<string> =>
    page
      .locator('.gs-node')
      .nth(3)
      .evaluate((element) => {
        const { x, width, height } = element.getBoundingClientRect();
        return [x, width, height].map(Math.round).join(' ');
      });
  const moved = async (key: string, what: string): Promise<void> => {
    const before = await place();
    await page.keyboard.press(key);
    await page.waitForTimeout(120);
    await check(async () => (await place()) !== before, `${key} ${what}`);
  };
  await moved('w', 'zooms in');
  await moved('w', 'zooms in further');
  await moved('d', 'pans to the right');
  await moved('a', 'pans to the left');
  await moved('s', 'zooms out');
  await moved('0', 'fits everything');
  await sides(pages);
  await check(
    async () => (await countOf(page, 'dialog[open]')) === 0 && !page.url().includes('diff'),
    'A opens no dialog and D no diff',
  );
  await page.locator('.gs-node[tabindex="0"]').focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  await check(() => page.url().includes('group='), 'Enter selects in the picture');
  await page.keyboard.press('x');
  await settle(page);
  const url = page.url();
  await check(() => /reveal|tree|split/.test(url), 'X splits the selection or opens its tree');
  await page.keyboard.press('c');
  await settle(page);
  await check(() => !/reveal/.test(page.url()), 'C takes the split back');
  for (const [key, layout] of [
    ['3', 'runs'],
    ['4', 'spread'],
    ['5', 'scaling'],
    ['6', 'history'],
    ['7', 'run'],
    ['1', ''],
  ] as const) {
    await page.keyboard.press(key);
    await settle(page);
    await check(
      () => (new URL(page.url()).searchParams.get('layout') ?? '') === layout,
      `${key} loads the layout ${layout || 'overview'}`,
    );
  }
  await settle(page);
  await page.close();
}

/** Inside a run: the group with the cursor opens and closes, the cursor moves, and keys lead on and back. */
async function inside(pages: Pages): Promise<void> {
  const run = 'ed2b863e5514fa4ddf9361a2d2aa3965';
  const page = await pages.visit(`?v=1&store=threads&layout=run&panes=groups&run=${run}`);
  const asks = (name: string): string => new URL(page.url()).searchParams.get(name) ?? '';
  const graph = page.locator('.gs-groups .gs-graph');
  const voice = page.locator('.gs-groups [aria-live]').first();
  const count = async (): Promise<string> =>
    (await page.locator('.gs-groups-counts b').first().textContent()) ?? '';
  const closed = await count();
  await graph.focus();
  await page.keyboard.press('Enter');
  await settle(page);
  await check(
    async () => asks('groups.hand') === '0' && (await count()) !== closed,
    `Enter opens the group with the cursor: ${closed}, then ${await count()} nodes`,
  );
  await graph.focus();
  const root = await voice.textContent();
  await page.keyboard.press('ArrowDown');
  await check(
    async () => (await voice.textContent()) !== root,
    'an arrow moves the cursor to another group',
  );
  await page.keyboard.press('Control+z');
  await settle(page);
  await check(async () => (await count()) === closed, 'Control Z closes the group again');
  await page.keyboard.press(']');
  await settle(page);
  await check(() => asks('run') !== run && asks('run') !== '', '] opens the next run');
  await page.keyboard.press('[');
  await settle(page);
  await check(() => asks('run') === run, '[ opens the run before it');
  await page.keyboard.press('Shift+O');
  await settle(page);
  await check(() => asks('run') === '', 'Shift O leads back to the ensemble');
  await page.close();
}

/** A dialog whose code does not arrive says so in a dialog, which Escape closes. */
async function lost(pages: Pages): Promise<void> {
  const page = await pages.visit('?v=1&store=threads', { isRouted: true });
  await page.route('**/assets/panel-*.js', (route) => route.abort());
  await page.keyboard.press('Shift+A');
  await page.locator('dialog[open] h2', { hasText: 'did not arrive' }).waitFor();
  await pages.shoot(page, 'lost-dialog');
  await page.keyboard.press('Escape');
  await check(
    async () => (await countOf(page, 'dialog')) === 0 && (await countOf(page, '.gs-node')) > 3,
    'Escape closes a dialog without code',
  );
  await page.close();
}
