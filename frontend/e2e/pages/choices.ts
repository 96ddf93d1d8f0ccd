/** Settings that name a metric or a parameter are chosen from lists; unknown ones of an address give a message. */

import { check } from '../check.ts';
import { type Pages, settle } from './harness.ts';

export async function choices(pages: Pages): Promise<void> {
  const page = await pages.visit('?v=1&store=versions&panes=time-strip&time-strip.along=nonsense');
  const message = page.locator('.pane-head [role=status]');
  await check(
    async () => (await message.innerText()) === 'no run has nonsense',
    'an unknown parameter of the address gives a message',
  );
  await check(
    async () => (await page.locator('.gs-plot').count()) > 0,
    'and the view shows its default',
  );
  const along = page.getByLabel('along');
  const options = await along.locator('option').allInnerTexts();
  await check(
    () => options[0] === 'time' && options.includes('version'),
    `parameters are offered: ${options.join(', ')}`,
  );
  await along.selectOption('version');
  await settle(page);
  await check(
    async () => page.url().includes('time-strip.along=version') && (await message.count()) === 0,
    'a choice goes to the address',
  );
  await pages.shoot(page, 'choices');
  await page.close();
}
