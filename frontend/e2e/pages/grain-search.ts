/** The search inside a run: grains by name, number and expression. */

import { check } from '../check.ts';
import { countOf, type Pages, settle, textOf } from './harness.ts';

const RUN = 'e528e9baeb8ad56c7470c08f9f0ea42d';

export async function grainSearch(pages: Pages): Promise<void> {
  const page = await pages.visit(
    `?v=1&store=threads&layout=run&panes=(groups/60/timeline)&run=${RUN}`,
  );
  const asks = (name: string): string => new URL(page.url()).searchParams.get(name) ?? '';
  const hits = '.grain-hits button';
  await page.keyboard.press('/');
  await page.keyboard.insertText('merge_ranges:98');
  await check(async () => (await countOf(page, hits)) === 100, 'the first grains are listed');
  const status = await textOf(page, '.grain-hits [role="status"]');
  await check(
    () => /^first 100 of \d+ grains$/.test(status),
    `the list says that it is cut: ${status}`,
  );
  await pages.shoot(page, 'grain-search');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  const text = await page.evaluate(() => document.activeElement?.textContent ?? '');
  await page.keyboard.press('Enter');
  await settle(page);
  const grain = /^#(\d+) merge_ranges:98/.exec(text)?.[1] ?? 'none';
  await check(() => asks('grain') === grain, `Enter selects the hit: ${text}`);
  await check(
    async () =>
      asks('groups.hand').split(',').length > 5 &&
      (await textOf(page, '.right-panel h2.name')).includes('merge_ranges:98'),
    `the groups around it are open: ${asks('groups.hand')}`,
  );
  await pages.shoot(page, 'grain-search-chosen');
  await page.keyboard.press('Escape');
  await check(
    () => page.evaluate(() => document.activeElement?.id === 'search'),
    'Escape leads from the list to the box',
  );
  await page.keyboard.press('Enter');
  await settle(page);
  await check(() => asks('grain') !== grain, 'Enter in the box selects the next hit');
  for (const [written, expected] of [
    ['#42', /^1 grain$/],
    ['work_ns > 10000000', /^\d+ grains$/],
    ['no such name', /^0 grains$/],
    ['grain >', /expected/],
  ] as const) {
    const { length } = pages.service.asked;
    await page.locator('#search').fill(written);
    const isAsked = (): boolean => pages.service.asked.length > length;
    const found = (): Promise<string> => textOf(page, '.grain-hits [role="status"]');
    await check(
      async () => isAsked() && expected.test(await found()),
      `${written} is answered as expected`,
    );
  }
  await page.locator('.right-panel').click();
  await check(
    async () => !(await page.locator('.grain-hits').isVisible()),
    'a click closes the list',
  );
  await page.close();
}
