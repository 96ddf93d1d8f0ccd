/**
 * Clicks through the page that the real service serves: `node run.mjs real.ts URL SHOTS TRACE`.
 *
 * URL is the link that `grainsheaf serve` printed for a store with runs at several thread counts,
 * TRACE a recorded trace that the store does not have.
 */

import { mkdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { chromium, type Page } from 'playwright-core';
import { choose, drag, summary } from './adding.ts';
import { check, conclude } from './check.ts';

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** The picture as text. Attributes are in the order in which they were set, which is no part of it. */
const pictureOf = (page: Page): Promise<string> =>
  page.locator('.gs-sankey').evaluate((element) =>
    new XMLSerializer()
      .serializeToString(element)
      .replace(/sankey-\d+/g, 'sankey')
      .replace(/(?: [\w:-]+="[^"]*")+/g, (all) => {
        const attributes = all.match(/ [\w:-]+="[^"]*"/g) ?? [];
        return attributes.sort().join('');
      }),
  );

async function settle(page: Page): Promise<void> {
  await page.waitForLoadState('networkidle');
  await page.waitForTimeout(300);
}

/** The picture once it stays the same, with the mouse away from everything: on a busy machine it may still change. */
async function stillPictureOf(page: Page): Promise<string> {
  await page.mouse.move(0, 0);
  for (let last = '', left = 20; ; left -= 1) {
    const picture = await pictureOf(page);
    if (picture === last || left === 0) return picture;
    last = picture;
    await page.waitForTimeout(1_000);
  }
}

/** Loads the page again and checks that it has the same picture. */
async function reloadSame(page: Page, what: string): Promise<void> {
  const before = await stillPictureOf(page);
  await page.reload();
  await settle(page);
  await check(async () => (await pictureOf(page)) === before, what);
  const after = await pictureOf(page);
  if (after === before) return;
  const at = [...before].findIndex((letter, index) => letter !== after[index]);
  for (const picture of [before, after])
    console.log(`     ${picture.slice(Math.max(0, at - 200), at + 200)}`);
}

async function sankeyAndTarget(page: Page, shots: string): Promise<void> {
  const nodes = await page.locator('.gs-node').count();
  await check(() => nodes >= 4, `the picture of the recorded program has ${nodes} nodes`);
  await page.screenshot({ path: join(shots, '1-overview.png') });
  await page.locator('.gs-node').last().click();
  await settle(page);
  await check(() => page.url().includes('group='), 'a picked node is in the address');
  await check(
    async () => (await page.locator('.right-panel h2.name').count()) === 1,
    'the selection is described',
  );
  await page.locator('.run-row .pick-target').first().click();
  await settle(page);
  await check(async () => (await page.locator('.gs-target').count()) >= 4, 'the target has lines');
  await page.screenshot({ path: join(shots, '2-target.png') });
  await reloadSame(page, 'the address gives the same picture of the target');
}

async function difference(page: Page, shots: string): Promise<void> {
  await page.keyboard.press('Escape');
  await page.locator('.cohort-row .pick-a').first().click();
  await page.locator('.cohort-row .pick-b').last().click();
  await page.keyboard.press('2');
  await settle(page);
  await check(
    () => decodeURIComponent(page.url()).includes('diff'),
    'the difference is in the address',
  );
  await check(
    async () => (await page.locator('.gs-diff-bars tbody tr').count()) >= 4,
    'differences are listed',
  );
  await page.locator('.gs-diff-bars tbody tr').first().click();
  await settle(page);
  await check(async () => (await page.locator('.verdict').count()) === 1, 'a verdict is given');
  await page.screenshot({ path: join(shots, '3-diff.png') });
  await reloadSame(page, 'the address gives the same picture of the difference');
  await page.locator('[role=tab]', { hasText: 'Distribution' }).click();
  await settle(page);
  await page.screenshot({ path: join(shots, '4-distribution.png') });
}

/** Adds the trace twice, by choosing and by dropping, and a file that is no run. */
async function addFiles(page: Page, shots: string, trace: string): Promise<void> {
  await page.keyboard.press('Escape');
  const count = async (): Promise<number> =>
    Number(/^\d+/.exec((await page.locator('.footer span').first().textContent()) ?? '')?.[0]);
  await page.locator('.footer span').first().click();
  const before = await count();
  await page.keyboard.press('Shift+A');
  await choose(page, 'Choose files', trace);
  await page.locator('.import-params .link').click();
  // The new row takes the focus a moment later.
  await page.locator('.import-params input:focus').waitFor();
  await page.keyboard.type('origin');
  await page.keyboard.press('Tab');
  await page.keyboard.type('page');
  await page.keyboard.press('Enter');
  await page.locator('.import-summary').waitFor();
  await check(async () => (await summary(page)) === '1 run added', 'a chosen trace is added');
  await page.screenshot({ path: join(shots, '5-added.png') });
  await page.locator('.import-foot .primary').click();
  await settle(page);
  await check(async () => (await count()) === 1, 'the new run can be shown by itself');
  await check(async () => (await page.locator('.gs-node').count()) > 1, 'and has a picture');
  await page.goBack();
  await settle(page);
  await check(async () => (await count()) === before + 1, 'the store has one run more');
  const text = [...(await readFile(trace))].map((byte) => String.fromCharCode(byte)).join('');
  await page.keyboard.press('Shift+A');
  await page.locator('.import-foot button', { hasText: 'Add more' }).click();
  await drag(page, 'dragover');
  await page.screenshot({ path: join(shots, '6-dragging.png') });
  await drag(page, 'drop', { [`again-${basename(trace)}`]: text, 'notes.txt': 'no run\n' }, true);
  await page.locator('.import-files li').nth(1).waitFor();
  await page.locator('.import-foot .primary').click();
  await page.locator('.import-summary').waitFor();
  await check(
    async () => (await summary(page)) === '1 already present, 1 refused',
    `the same again is present: ${await summary(page)}`,
  );
  const reason = (await page.locator('.report-refused .report-reason').textContent()) ?? '';
  await check(() => reason.includes('format'), `a text is refused: ${reason}`);
  await page.screenshot({ path: join(shots, '7-present-refused.png') });
  await page.keyboard.press('Escape');
}

export async function main([url = '', shots = '.', trace = '']: string[]): Promise<number> {
  await mkdir(shots, { recursive: true });
  const browser = await chromium.launch({
    executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
    args: FLAGS,
  });
  try {
    const page = await browser.newPage({
      viewport: { width: 1440, height: 900 },
      reducedMotion: 'reduce',
    });
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(String(error)));
    page.on('console', (message) => {
      if (message.type() === 'error') errors.push(message.text());
    });
    await page.addInitScript(() => localStorage.setItem('grainsheaf.visited', 'yes'));
    await page.goto(url);
    await settle(page);
    await check(() => !page.url().includes('token='), 'the token left the address');
    await sankeyAndTarget(page, shots);
    await difference(page, shots);
    await page.goto(new URL(page.url()).origin);
    await settle(page);
    await addFiles(page, shots, trace);
    await check(() => errors.length === 0, `no errors on the page ${errors.join('; ')}`);
  } finally {
    await browser.close();
  }
  return conclude();
}
