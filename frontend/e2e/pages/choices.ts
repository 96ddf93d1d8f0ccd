/** Settings that name a metric or a parameter are chosen from lists; unknown ones of an address give a message. */

import { check } from '../check.ts';
import { lensOf, type Pages, settle } from './harness.ts';

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

/** A clause that is too long for its chip can be read by keyboard as well. */
export async function chips(pages: Pages): Promise<void> {
  const names = Array.from({ length: 12 }, (_, at) => `'sort-t${at}-r1'`).join(', ');
  pages.service.held = '/api/';
  const page = await pages.visit(
    `?v=1&store=threads&${lensOf(`where name in (${names})`)}`,
    {},
    true,
  );
  const chip = page.locator('.chip-text').first();
  const cut = await chip.evaluate((text) => text.scrollWidth - text.clientWidth);
  await check(() => cut > 20, `a chip cuts its text by ${cut} px`);
  await chip.focus();
  await page.keyboard.press('Shift');
  const shown = await chip.evaluate((text) => {
    const style = getComputedStyle(text, '::before');
    return { text: style.content, position: style.position, height: parseFloat(style.height) };
  });
  await check(
    () => shown.text.includes('sort-t11-r1') && shown.position === 'fixed' && shown.height > 20,
    `the whole text is shown with the focus: ${shown.height} px`,
  );
  await pages.shoot(page, 'chip');
  pages.service.held = '';
  await page.close();
}
