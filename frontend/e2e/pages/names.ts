/** Names in the picture and the panels: all that differ look different, none lies over another. */

import type { Page } from 'playwright-core';
import { check } from '../check.ts';
import { countOf, type Pages, settle } from './harness.ts';

export async function names(pages: Pages): Promise<void> {
  for (const store of ['threads', 'lulesh', 'raja', 'hpct', 'dag', 'taskflow'])
    await picture(pages, store);
  for (const store of ['raja', 'hpct', 'lulesh']) await whole(pages, store);
  await picture(pages, 'threads', 1024, 768);
  await runs(pages);
  await hostile(pages);
}

interface Label {
  readonly text: string;
  readonly of: string;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

function boxesOf(page: Page, selector: string): Promise<Label[]> {
  return page.locator(selector).evaluateAll((elements) =>
    elements.map((element) => {
      const { left, right, top, bottom } = element.getBoundingClientRect();
      // The kind of a group is a sign of its own after the name.
      const text = [...element.querySelectorAll('text')]
        .map((line) => line.firstChild?.textContent ?? '')
        .join('');
      return { text, of: element.getAttribute('data-label-of') ?? '', left, right, top, bottom };
    }),
  );
}

function overlapsOf(boxes: readonly Label[], slack: number): string[] {
  return boxes.flatMap((a, at) =>
    boxes
      .slice(at + 1)
      .filter(
        (b) =>
          a.left < b.right - slack &&
          b.left < a.right - slack &&
          a.top < b.bottom - slack &&
          b.top < a.bottom - slack,
      )
      .map((b) => `${a.text} / ${b.text}`),
  );
}

/** Nodes and names of a picture at its first size and zoomed in. */
async function picture(pages: Pages, store: string, width = 1440, height = 900): Promise<void> {
  const page = await pages.visit(`?v=1&store=${store}`, { width, height });
  await page.locator('.gs-node').first().waitFor();
  const where = `${store} at ${width} px`;
  const nodes = await boxesOf(page, '.gs-node .gs-shape');
  const over = overlapsOf(nodes, 2);
  await check(() => over.length === 0, `${where}: ${over.length} of ${nodes.length} nodes overlap`);
  const labels = await boxesOf(page, '[data-label-of]');
  const shown = labels.filter((label) => label.right > label.left);
  const lying = overlapsOf(shown, 4);
  await check(() => lying.length === 0, `${where}: no name lies over another ${lying.join('; ')}`);
  const real = shown.filter((label) => !label.text.startsWith('others ('));
  const short = real.filter((label) => /…/.test(label.text) && label.text.length < 6);
  await check(
    () => short.length === 0,
    `${where}: no name is cut to under 6 characters ${short.map(({ text }) => text).join('; ')}`,
  );
  // The same name in one column stands for different groups only if the groups have the same name.
  const full = await page
    .locator('.gs-node')
    .evaluateAll((elements) =>
      elements.map((element) => [
        element.getAttribute('data-node') ?? element.getAttribute('data-id') ?? '',
        element.querySelector('title')?.textContent ?? element.getAttribute('aria-label') ?? '',
      ]),
    );
  const nameOf = new Map(full.map(([id = '', name = '']) => [id, name.split(',')[0] ?? '']));
  const alike = real.flatMap((a, at) =>
    real
      .slice(at + 1)
      .filter(
        (b) =>
          a.text === b.text &&
          Math.abs(a.left - b.left) < 20 &&
          nameOf.get(a.of.split(' ')[0] ?? '') !== nameOf.get(b.of.split(' ')[0] ?? ''),
      )
      .map((b) => `${a.text} for ${nameOf.get(a.of)} and ${nameOf.get(b.of)}`),
  );
  await check(
    () => alike.length === 0,
    `${where}: groups of a column have different names ${alike.join('; ')}`,
  );
  await check(
    () => nameOf.size > 0 && [...nameOf.values()].every((name) => name.trim() !== ''),
    `${where}: every node has a name`,
  );
  await check(
    async () => (await page.locator('.gs-node[aria-label^="others (1)"]').count()) === 0,
    `${where}: a single collected group keeps its name`,
  );
  for (const key of ['w', 'w']) await page.keyboard.press(key);
  await page.waitForTimeout(250);
  const zoomed = (await boxesOf(page, '[data-label-of]')).filter(({ left, right }) => right > left);
  const then = overlapsOf(zoomed, 4);
  await check(() => then.length === 0, `${where}: nor does any when zoomed ${then.join('; ')}`);
  await pages.shoot(page, `zoomed-${store}-${width}`);
  await page.close();
}

/** Nodes that are not all in the part of the picture above the legends. */
function outside(page: Page): Promise<string[]> {
  return page.locator('.gs-sankey').evaluate((picture) => {
    const around = picture.getBoundingClientRect();
    return [...picture.querySelectorAll('.gs-node')]
      .filter((node) => {
        const box = (node.querySelector('.gs-shape') ?? node).getBoundingClientRect();
        return (
          box.left < around.left ||
          box.right > around.right ||
          box.top < around.top ||
          box.bottom > around.bottom - 50
        );
      })
      .map((node) => node.getAttribute('aria-label')?.split(',')[0] ?? '');
  });
}

/** Fitting and zooming out show every node; width and height fit on their own. */
async function whole(pages: Pages, store: string): Promise<void> {
  const page = await pages.visit(`?v=1&store=${store}`);
  await page.locator('.gs-node').first().waitFor();
  const press = async (keys: string): Promise<string[]> => {
    for (const key of keys) await page.keyboard.press(key);
    await page.waitForTimeout(250);
    return outside(page);
  };
  if (store !== 'hpct') {
    const first = await outside(page);
    await check(
      () => first.length === 0,
      `${store}: the first picture is whole ${first.join('; ')}`,
    );
  }
  const far = await press('ww0');
  await check(() => far.length === 0, `${store}: no node is outside after 0 ${far.join('; ')}`);
  const labels = await boxesOf(page, '[data-label-of]');
  const lying = overlapsOf(labels, 4);
  await check(
    () => lying.length === 0 && (store === 'hpct' || labels.length > 10),
    `${store}: ${labels.length} names are shown then, none over another ${lying.join('; ')}`,
  );
  const out = await press('ww--------');
  await check(() => out.length === 0, `${store}: nor after zooming out ${out.join('; ')}`);
  await pages.shoot(page, `whole-${store}`);
  await page.close();
}

/** Rows of runs and cohorts look different, and there is a way to widen their panel. */
async function runs(pages: Pages): Promise<void> {
  for (const store of ['lulesh', 'raja', 'gprof', 'hpct']) {
    const page = await pages.visit(`?v=1&store=${store}`);
    const rows = page.locator('.left-panel .run-name bdi, .left-panel .cohort-name bdi');
    const texts = await rows.allInnerTexts();
    const cut = await rows.evaluateAll((elements) =>
      elements
        .filter((element) => {
          const around = element.parentElement ?? element;
          return around.scrollWidth > around.clientWidth + 1;
        })
        .map((element) => element.textContent),
    );
    await check(
      () => texts.length > 1 && new Set(texts).size === texts.length && cut.length === 0,
      `${store}: runs and cohorts look different in their panel: ${texts.join(', ')}`,
    );
    if (store === 'gprof')
      await check(
        () => texts.includes('demo-k20'),
        `what distinguishes runs for people is shown, not their id: ${texts.join(', ')}`,
      );
    await page.close();
  }
  const page = await pages.visit('?v=1&store=raja');
  const panel = page.locator('.left-panel');
  const before = (await panel.boundingBox())?.width ?? 0;
  await page.locator('.left-panel [role=separator]').focus();
  for (let i = 0; i < 4; i += 1) await page.keyboard.press('ArrowRight');
  const after = (await panel.boundingBox())?.width ?? 0;
  await check(() => after > before + 20, `the panel of runs can be widened: ${before} to ${after}`);
  await page.close();
}

/** A name of 10,000 characters leaves room for the numbers; text from right to left stays in its place. */
async function hostile(pages: Pages): Promise<void> {
  const page = await pages.visit('?v=1&store=hostile');
  const count = await countOf(page, '.gs-node');
  await check(() => count > 1, `hostile names make ${count} nodes`);
  for (let at = 0; at < Math.min(count, 8); at += 1) {
    await page.locator('.gs-node').nth(at).click({ force: true });
    await settle(page);
    const box = await page.locator('.right-panel .numbers').first().boundingBox();
    const name = await page.locator('.right-panel h2.name').evaluate((element) => ({
      direction: getComputedStyle(element).unicodeBidi,
      isIsolated: element.querySelector('bdi') !== null,
      text: element.textContent ?? '',
    }));
    await check(
      () => box !== null && box.y < 500,
      `the first number is in sight next to a name of ${name.text.length} characters`,
    );
    await check(
      () => name.isIsolated || name.direction.startsWith('isolate'),
      'a name cannot turn the direction of its surroundings',
    );
  }
  await pages.shoot(page, 'hostile');
  await page.close();
}
