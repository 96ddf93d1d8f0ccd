/** The run table in the page: picked runs, and changes of the store, with a service that takes them. */

import { check } from '../check.ts';
import { countOf, holdRequests, type Pages, settle, textOf } from './harness.ts';

export async function runs(pages: Pages): Promise<void> {
  await picked(pages);
  await changed(pages);
  await gained(pages);
}

/** Picked runs and the look of the groups are in the address; the lens can keep or exclude the runs. */
async function picked(pages: Pages): Promise<void> {
  const page = await pages.visit('?v=1&store=threads&layout=runs', { isRouted: true });
  const row = page.locator('.pane-runs [data-run] .gs-mono');
  await row.nth(0).click({ modifiers: ['Control'] });
  await row.nth(2).click({ modifiers: ['Shift'] });
  await page.locator('.pane-runs select').nth(1).selectOption('heat');
  await page.reload();
  await settle(page);
  await check(
    async () =>
      (await countOf(page, '.pane-runs [aria-selected=true]')) === 3 &&
      (await page.locator('.pane-runs select').nth(1).inputValue()) === 'heat',
    'a reload keeps picked runs and the heat map',
  );
  await check(
    async () => /3 of 20|3 runs/.test(await textOf(page, '.pane-projection')),
    'the projection shows the same runs as chosen',
  );
  await pages.shoot(page, 'runs-picked');
  // What the changed lens asks for is not recorded.
  const leave = await holdRequests(page);
  await page.getByRole('button', { name: 'Exclude' }).first().click();
  await check(
    () => /^where not \(run in \('/.test(new URL(page.url()).searchParams.get('lens') ?? ''),
    `picked runs are excluded by the lens: ${decodeURIComponent(page.url())}`,
  );
  await leave();
}

/** A run gets another name, and another is removed; both are taken back. */
async function changed(pages: Pages): Promise<void> {
  const page = await pages.visit('?v=1&store=threads&layout=runs', { isRouted: true });
  const sent: (readonly [string, unknown])[] = [];
  await page.route('**/runs/{rename,remove,restore}', async (route) => {
    const request = route.request();
    const path = new URL(request.url()).pathname;
    sent.push([path.replace('/api/v1/runs/', ''), request.postDataJSON()]);
    await route.fulfill({ json: {} });
  });
  const row = page.locator('.pane-runs [data-run]').first();
  const id = await row.getAttribute('data-run');
  const name = await row.locator('.gs-mono').innerText();
  await row.locator('[data-pick=pick]').click();
  const bar = page.getByRole('toolbar', { name: 'Picked runs' });
  const undo = page.locator('.footer').getByRole('button', { name: 'Undo' });
  const undone = page.locator('.said', { hasText: 'Taken back' });
  await bar.getByRole('button', { name: 'Rename…' }).click();
  await page.getByLabel(`New name of ${name}`).fill('first');
  await page.keyboard.press('Enter');
  await undo.click();
  await undone.waitFor();
  await bar.getByRole('button', { name: 'Remove from the store' }).click();
  await page.locator('.said', { hasText: `Removed ${name}` }).waitFor();
  await pages.shoot(page, 'runs-removed');
  await undo.click();
  await undone.waitFor();
  const expected = [
    ['rename', { store: 'threads', run: id, name: 'first' }],
    ['rename', { store: 'threads', run: id, name }],
    ['remove', { store: 'threads', runs: [id] }],
    ['restore', { store: 'threads', runs: [id] }],
  ];
  await check(
    () => JSON.stringify(sent) === JSON.stringify(expected),
    `a name and a removal are taken back: ${JSON.stringify(sent)}`,
  );
  await page.close();
}

/** Runs that the store gains wait in the status bar until the reader includes them. */
async function gained(pages: Pages): Promise<void> {
  const page = await pages.visit('?v=1&store=threads', { isRouted: true });
  await page.route('**/api/v1/**', async (route) => {
    const response = await route.fetch();
    const headers: Record<string, string> = {
      'content-type': response.headers()['content-type'] ?? '',
      'grainsheaf-revision': 'next',
    };
    if (!route.request().url().includes('/api/v1/store'))
      await route.fulfill({ response, headers });
    else {
      const info = (await response.json()) as { runs: number };
      await route.fulfill({ headers, json: { ...info, runs: info.runs + 3 } });
    }
  });
  const askedForRuns = (): number =>
    pages.service.asked.filter((one) => /\/api\/v1\/runs\?/.test(one)).length;
  const before = askedForRuns();
  await page.evaluate(() => window.dispatchEvent(new Event('focus')));
  const include = page.getByRole('button', { name: '3 new runs · include' });
  await include.waitFor();
  // Messages of the status bar go after four seconds; this one does not.
  await page.waitForTimeout(4_500);
  await check(
    async () => (await include.count()) === 1 && askedForRuns() === before,
    'new runs wait for the reader',
  );
  await pages.shoot(page, 'runs-new');
  await include.click();
  await settle(page);
  await check(
    async () => (await include.count()) === 0 && askedForRuns() === before + 1,
    'one click includes them',
  );
  await page.close();
}
