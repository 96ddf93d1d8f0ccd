/** A lasso selection of the projection gets a name, by which the page knows its runs from then on. */

import { check } from '../check.ts';
import { type Pages, settle, textOf } from './harness.ts';

export async function subsets(pages: Pages): Promise<void> {
  const page = await pages.visit('?v=1&store=threads&panes=projection');
  await page.locator('.gs-legend-entry').first().click();
  await settle(page);
  const count = Number(/(\d+) run/.exec(await textOf(page, '.gs-side h3'))?.[1] ?? NaN);
  await page.getByLabel('Name of this subset').fill('slow <b>;:');
  await page.keyboard.press('Enter');
  await settle(page);
  const named = page.locator('.gs-subsets li');
  await check(
    async () => (await named.count()) === 1 && (await named.innerText()).includes(`${count} run`),
    `a subset of ${count} runs has a name`,
  );
  await pages.shoot(page, 'subset');
  const row = page.locator('.left-panel .cohort-row').first();
  await check(async () => {
    const text = (await row.innerText()).replaceAll(/\s+/g, ' ');
    return text.includes('slow <b>;:') && text.includes(String(count));
  }, 'the list of runs begins with it');
  await named.getByRole('button', { name: 'Baseline A' }).click();
  await settle(page);
  const pressed = row.getByRole('button', { name: 'Baseline A' });
  await check(
    async () => (await pressed.getAttribute('aria-pressed')) === 'true',
    'it becomes side A of a comparison',
  );
  const again = await pages.visit(`/${new URL(page.url()).search}`);
  await check(
    async () =>
      (await again.locator('.left-panel .cohort-row').first().innerText()).includes('slow'),
    'a link contains the name',
  );
  await again.getByRole('button', { name: 'Forget this name' }).click();
  await settle(again);
  await check(
    async () => (await again.locator('.gs-subsets').count()) === 0,
    'and the name can be forgotten',
  );
  await page.close();
  await again.close();
}
