/** The unreduced grain graph: fragments between task switches as nodes of their own. */

import { check } from '../check.ts';
import { type Pages, settle, textOf } from './harness.ts';

const RUN = 'e528e9baeb8ad56c7470c08f9f0ea42d';

export async function fragments(pages: Pages): Promise<void> {
  const page = await pages.visit(
    `?v=1&store=threads&layout=run&panes=grain-graph&run=${RUN}&grain-graph.problem=-`,
  );
  const head = '.gs-grains-head';
  const reduced = await textOf(page, head);
  await page.locator('.pane-main').getByRole('button', { name: 'fragments' }).click();
  await settle(page);
  const fine = await textOf(page, head);
  const [before, after] = [reduced, fine].map((text) =>
    Number(/drawn ([\d\s]+)/.exec(text)?.[1]?.replace(/\s/g, '')),
  );
  await check(
    () => before === 551 && after === 1369 && /fragments of 551 grains/.test(fine),
    `fragments are nodes: ${reduced} becomes ${fine}`,
  );
  await pages.shoot(page, 'fragments');
  await page.locator('.gs-grains .gs-graph').focus();
  const voice = page.locator('.gs-grains-box [aria-live]');
  await page.keyboard.press('Home');
  await page.keyboard.press('.');
  const said = (await voice.textContent()) ?? '';
  await check(() => /fragment \d/.test(said), `a fragment is described: ${said}`);
  await page.keyboard.press('Enter');
  await settle(page);
  const asks = new URL(page.url()).searchParams;
  await check(
    () => asks.get('grain') !== null && asks.get('grain-graph.fragments') === '1',
    `Enter selects its grain: ${page.url()}`,
  );
  await page.close();
}
