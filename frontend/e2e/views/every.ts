/** What holds for every view. */

import { check } from '../check.ts';
import type { Harness } from './harness.ts';
import { hostile } from './hostile.ts';
import type { Scene } from './page.ts';

const SIZES = [
  [1440, 900],
  [900, 900],
  [500, 900],
] as const;

/** Draws a view at all sizes and in both themes, walks through it by keyboard, exports and removes it. */
export async function everyView(harness: Harness, scene: Scene, name = scene.view): Promise<void> {
  const { page } = harness;
  for (const [width, height] of SIZES)
    for (const theme of ['light', 'dark'] as const) {
      await harness.show({ ...scene, width, height, theme });
      await harness.picture(`${name}-${width}-${theme}`);
      const over = await page.evaluate(() => {
        const root = document.querySelector('#host > *');
        return root ? root.scrollWidth - root.clientWidth : -1;
      });
      const wrong = await harness.violations(theme);
      await check(
        () => wrong.length === 0,
        `${name} at ${width} px, ${theme}: axe finds ${wrong.join('; ') || 'nothing'}`,
      );
      await check(() => over <= 1, `${name} at ${width} px does not scroll sideways (${over})`);
    }
  await harness.show(scene);
  await check(async () => (await page.evaluate(() => window.tests.rows())) > 0, `${name} has rows`);
  await check(
    async () => (await page.evaluate(() => window.tests.twin())).length > 20,
    `${name} has a table`,
  );
  await keyboard(harness, name);
  const svg = await page.evaluate(() => window.tests.svg());
  // Letters on a canvas have no meaning for readers of the screen.
  const written = svg.replace(/data:image\/png;base64,[^"]*/g, '');
  await check(
    () => svg.startsWith('<?xml') && svg.length > 500 && !/NaN|Infinity|undefined/.test(written),
    `${name} exports ${svg.length} bytes of SVG without holes`,
  );
  const isWellFormed = await page.evaluate((text) => {
    const parsed = new DOMParser().parseFromString(text, 'image/svg+xml');
    return parsed.querySelector('parsererror') === null;
  }, svg);
  await check(() => isWellFormed, `${name}'s SVG is well-formed`);
  await check(
    async () => (await page.evaluate(() => window.tests.destroy())) === 0,
    `${name} leaves nothing behind`,
  );
  await hostile(harness, scene, name);
  await harness.show(scene);
}

/** Tab reaches the marks, arrows move, and the mark with the focus is described. */
async function keyboard(harness: Harness, name: string): Promise<void> {
  const { page } = harness;
  const stops = await page.locator('#host [tabindex="0"]').count();
  await check(() => stops >= 1 && stops <= 12, `${name} has ${stops} tab stops`);
  const first = page.locator('#host [data-mark][tabindex="0"]').first();
  if ((await first.count()) === 0) return;
  await page.locator('#host').evaluate((host) => {
    host.tabIndex = -1;
    host.focus();
  });
  for (let left = 12; left > 0; left -= 1) {
    await page.keyboard.press('Tab');
    const isMark = await page.evaluate(() => document.activeElement?.hasAttribute('data-mark'));
    if (isMark) break;
  }
  await check(
    async () => (await page.locator('.gs-tooltip:not([hidden])').count()) === 1,
    `${name} describes the mark with the focus`,
  );
  const before = await page.evaluate(() => document.activeElement?.getAttribute('data-mark'));
  for (const key of ['ArrowRight', 'ArrowDown', 'ArrowLeft', 'ArrowUp']) {
    await page.keyboard.press(key);
    const now = await page.evaluate(() => document.activeElement?.getAttribute('data-mark'));
    if (now !== before) break;
  }
  await check(
    async () =>
      (await page.evaluate(() => document.activeElement?.getAttribute('data-mark'))) !== before,
    `arrow keys move in ${name}`,
  );
  const label = await page.evaluate(
    () =>
      document.activeElement?.getAttribute('aria-description') ??
      document.activeElement?.getAttribute('aria-label'),
  );
  await check(() => (label ?? '').length > 3, `${name} says "${(label ?? '').slice(0, 60)}"`);
}
