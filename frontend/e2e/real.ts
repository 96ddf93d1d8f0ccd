/**
 * Clicks through the page that the real service serves: `node run.mjs real.ts URL SHOTS`.
 *
 * URL is the link that `grainsheaf serve` printed for a store with runs at several thread counts.
 */

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { chromium, type Page } from 'playwright-core';

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

let failures = 0;

function check(holds: boolean, what: string): void {
  console.log(`${holds ? 'ok  ' : 'FAIL'} ${what}`);
  if (!holds) failures += 1;
}

const pictureOf = (page: Page): Promise<string> =>
  page
    .locator('.gs-sankey')
    .evaluate((element) =>
      new XMLSerializer().serializeToString(element).replace(/sankey-\d+/g, 'sankey'),
    );

async function settle(page: Page): Promise<void> {
  await page.waitForLoadState('networkidle');
  await page.waitForTimeout(300);
}

async function sankeyAndTarget(page: Page, shots: string): Promise<void> {
  const nodes = await page.locator('.gs-node').count();
  check(nodes >= 4, `the picture of the recorded program has ${nodes} nodes`);
  await page.screenshot({ path: join(shots, '1-overview.png') });
  await page.locator('.gs-node').last().click();
  await settle(page);
  check(page.url().includes('group='), 'a picked node is in the address');
  check((await page.locator('.right-panel h2.name').count()) === 1, 'the selection is described');
  await page.locator('.run-row .pick-target').first().click();
  await settle(page);
  check((await page.locator('.gs-target').count()) >= 4, 'the target has lines');
  await page.screenshot({ path: join(shots, '2-target.png') });
  const before = await pictureOf(page);
  await page.reload();
  await settle(page);
  check((await pictureOf(page)) === before, 'the address gives the same picture of the target');
}

async function difference(page: Page, shots: string): Promise<void> {
  await page.keyboard.press('Escape');
  await page.locator('.cohort-row .pick-a').first().click();
  await page.locator('.cohort-row .pick-b').last().click();
  await page.keyboard.press('2');
  await settle(page);
  check(decodeURIComponent(page.url()).includes('diff'), 'the difference is in the address');
  check((await page.locator('.gs-diff-bars tbody tr').count()) >= 4, 'differences are listed');
  await page.locator('.gs-diff-bars tbody tr').first().click();
  await settle(page);
  check((await page.locator('.verdict').count()) === 1, 'a verdict is given');
  await page.screenshot({ path: join(shots, '3-diff.png') });
  const before = await pictureOf(page);
  await page.reload();
  await settle(page);
  check((await pictureOf(page)) === before, 'the address gives the same picture of the difference');
  await page.locator('[role=tab]', { hasText: 'Distribution' }).click();
  await settle(page);
  await page.screenshot({ path: join(shots, '4-distribution.png') });
}

export async function main([url = '', shots = '.']: string[]): Promise<number> {
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
    check(!page.url().includes('token='), 'the token left the address');
    await sankeyAndTarget(page, shots);
    await difference(page, shots);
    check(errors.length === 0, `no errors on the page ${errors.join('; ')}`);
  } finally {
    await browser.close();
  }
  console.log(failures === 0 ? 'all well' : `${failures} failures`);
  return failures === 0 ? 0 : 1;
}
