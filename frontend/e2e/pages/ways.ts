/** Groups without the problem put aside, similar groups of another run, and ways of marks into runs. */

import type { Page } from 'playwright-core';
import { check } from '../check.ts';
import { type Pages, settle, textOf } from './harness.ts';

const RUN = 'e528e9baeb8ad56c7470c08f9f0ea42d';

/** What has no problem becomes one group, so that fewer nodes are visible while all problems are. */
async function separated(pages: Pages): Promise<void> {
  const page = await pages.visit(
    `?v=1&store=threads&layout=run&panes=groups&run=${RUN}&groups.opened=problems`,
  );
  const counts = async (): Promise<string> =>
    (await textOf(page, '.gs-groups-counts')).replace(/\s/g, ' ');
  const shownIn = (text: string): number =>
    Number(/nodes: (\d+(?: \d{3})?) of/.exec(text)?.[1]?.replace(' ', ''));
  // On a busy machine the open groups arrive after the first picture.
  await page.locator('.gs-groups-counts', { hasText: 'grains with the problem' }).waitFor();
  const before = await counts();
  await page.locator('.pane-main').getByRole('button', { name: 'separate' }).click();
  await settle(page);
  const after = await counts();
  await pages.shoot(page, 'ways-separate');
  await check(
    () => shownIn(after) > 1 && shownIn(after) < shownIn(before),
    `separation leaves fewer visible nodes: ${before} becomes ${after}`,
  );
  await check(
    () => / 193 grains with the problem/.test(before) && / 193 grains with the problem/.test(after),
    'and the same grains with the problem',
  );
  await page.close();
}

/** Groups that look like one are found in another run, which opens at the chosen one. */
async function similar(pages: Pages): Promise<void> {
  const page = await pages.visit(
    `?v=1&store=threads&layout=run&panes=groups&run=${RUN}&groups.problem=-&groups.hand=0,1,3,4&groups.similar=6`,
  );
  await page.locator('[data-control="similar-in"]').selectOption({ label: 'sort-t1-r1' });
  await settle(page);
  const rows = page.locator('.gs-groups-similar tbody tr');
  const first = (await rows.first().innerText()).replace(/\s+/g, ' ');
  await check(
    () => /^(1|0\.\d+)/.test(first) && !first.includes('itself'),
    `another run has similar groups: ${first}`,
  );
  await pages.shoot(page, 'ways-similar');
  await rows.first().locator('button').click();
  await settle(page);
  const asks = new URL(page.url()).searchParams;
  await check(
    () => asks.get('run') !== RUN && Number(asks.get('groups.root')) > 0,
    `a click opens the other run at the group: ${asks.get('run')}, ${asks.get('groups.root')}`,
  );
  await page.close();
}

async function checkOpened(page: Page, what: string): Promise<void> {
  const asks = new URL(page.url()).searchParams;
  await check(
    () => /^[0-9a-f]{32}$/.test(asks.get('run') ?? '') && asks.get('layout') === 'run',
    `${what}: ${asks.get('run')}`,
  );
}

/** A page on which the first mark was clicked twice. */
async function openMark(pages: Pages, query: string, mark: string): Promise<Page> {
  const page = await pages.visit(`?v=1&store=threads&${query}`);
  await page.locator(mark).first().dblclick({ force: true });
  await settle(page);
  return page;
}

/** A bin, a dot and a mark of the time strip open their runs. */
async function marks(pages: Pages): Promise<void> {
  for (const [view, query, mark] of [
    ['time-strip', 'panes=time-strip', '.gs-time-strip [data-mark]'],
    ['scatter', 'panes=scatter', '.gs-scatter [data-mark]'],
    [
      'histogram',
      'tab=distribution&group=c7aedc1313f9d4f9bcbd7960e1855d73',
      '.gs-histogram .gs-bin',
    ],
  ] as const) {
    const page = await pages.visit(`?v=1&store=threads&${query}`);
    await pages.shoot(page, `ways-${view}`);
    const first = page.locator(mark).first();
    // The first of two clicks may draw all marks anew before the second one comes.
    await first.dispatchEvent('click', { detail: 1 });
    await settle(page);
    await first.dispatchEvent('click', { detail: 2 });
    await settle(page);
    await checkOpened(page, `two slow clicks on a mark of the ${view} open its run`);
    await page.close();
    let another = await openMark(pages, query, mark);
    // On a busy machine the clicks can be too far apart for a double click.
    for (let turn = 0; turn < 3 && !new URL(another.url()).searchParams.has('run'); turn += 1) {
      await another.close();
      another = await openMark(pages, query, mark);
    }
    await checkOpened(another, `a mark of the ${view} opens its run`);
    await another.close();
  }
}

export async function ways(pages: Pages): Promise<void> {
  await separated(pages);
  await similar(pages);
  await marks(pages);
}
