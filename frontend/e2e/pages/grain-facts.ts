/** What the page states of the selected grain: its source, its siblings and its problems. */

import { check } from '../check.ts';
import { type Pages, settle, textOf } from './harness.ts';

const RUN = 'e528e9baeb8ad56c7470c08f9f0ea42d';

export async function grainFacts(pages: Pages): Promise<void> {
  for (const theme of ['light', 'dark'] as const) {
    const page = await pages.visit(
      `?v=1&store=threads&layout=run&panes=(grain-graph/60/timeline)&run=${RUN}&grain=532`,
      { theme },
    );
    const panel = await textOf(page, '.right-panel');
    await check(
      () => /programs\/sort\.c:125/.test(panel) && /median of 8 siblings/.test(panel),
      `the panel has the place and the siblings of a grain: ${panel.slice(0, 300)}`,
    );
    const problems = await textOf(page, '[aria-label="Problems of the grain"]');
    await check(
      () => /▲ instantaneous parallelism < cores/.test(problems) && !/creation/.test(problems),
      `and the problems that it has: ${problems}`,
    );
    await pages.shoot(page, `grain-facts-${theme}`);
    await page.locator('.fragments summary').click();
    await page.locator('.fragments tbody tr').first().waitFor();
    const fragments = await textOf(page, '.fragments');
    await check(
      () => /worker\s+begin\s+length\s+ended by/.test(fragments) && /\bend\s*$/.test(fragments),
      `its fragments end with its end: ${fragments.replace(/\s+/g, ' ').slice(0, 200)}`,
    );
    await pages.shoot(page, `grain-fragments-${theme}`);
    await page.getByRole('button', { name: 'open source' }).click();
    await settle(page);
    const source = await textOf(page, '.gs-source');
    await check(
      () => /sort_range \(task\)/.test(source) && /programs\/sort\.c:125/.test(source),
      `the view of the source follows the grain: ${source.slice(0, 120)}`,
    );
    await pages.shoot(page, `grain-source-${theme}`);
    await page.close();
  }
}

interface Remark {
  readonly run: string;
  readonly path_key?: string;
  readonly text?: string;
}

/** A remark is kept, shown again and taken back. The service is a list in this test. */
export async function remarks(pages: Pages): Promise<void> {
  let kept: Remark[] = [];
  const page = await pages.browser.newPage({ viewport: { width: 1440, height: 900 } });
  await page.addInitScript(() => localStorage.setItem('grainsheaf.visited', 'yes'));
  await page.route('**/api/v1/remarks*', async (route) => {
    const request = route.request();
    if (request.method() === 'POST') {
      const remark = request.postDataJSON() as Remark;
      kept = kept.filter(({ path_key: key }) => key !== remark.path_key);
      if (remark.text !== undefined) kept = [...kept, remark];
    }
    await route.fulfill({ json: { schema: 'remarks/1', remarks: kept } });
  });
  await page.goto(
    `${pages.service.url}/?v=1&store=threads&layout=run&panes=(grain-graph/60/timeline)&run=${RUN}&grain=532`,
  );
  const field = page.getByLabel('Remark on this grain', { exact: true });
  await page.locator('summary', { hasText: 'remark on this grain' }).click();
  await field.fill('waits for <b>the merge</b>');
  const grain = page.locator('.remark', { has: field });
  await grain.getByRole('button', { name: 'Keep in the store' }).click();
  await page.waitForFunction(() => document.body.innerText.includes('The store keeps the remark'));
  await check(
    () =>
      kept.length === 1 && kept[0]?.run === RUN && /^[0-9a-f]{16}$/.test(kept[0].path_key ?? ''),
    `the remark is sent with the path of the grain: ${JSON.stringify(kept)}`,
  );
  await page.reload();
  await field.waitFor();
  await check(
    async () => (await field.inputValue()) === 'waits for <b>the merge</b>',
    'the remark is shown as text when the page is opened again',
  );
  await pages.shoot(page, 'grain-remark');
  await field.fill('');
  await grain.getByRole('button', { name: 'Remove' }).click();
  await page.waitForFunction(() => document.body.innerText.includes('The remark is removed'));
  await check(() => kept.length === 0, 'an empty remark is removed');
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.waitForFunction(() => document.body.innerText.includes('The store keeps the remark'));
  await check(() => kept.length === 1, 'and Undo restores it');
  await page.close();
}
