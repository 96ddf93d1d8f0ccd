/** The widget in marimo: `node run.mjs marimo.ts ADDRESS`; `test_marimo.py` starts it and has the notebook. */

import { chromium } from 'playwright-core';
import { check, conclude } from './check.ts';

export async function main([address]: string[]): Promise<number> {
  if (address === undefined) throw new Error('usage: node run.mjs marimo.ts ADDRESS');
  const browser = await chromium.launch({
    executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--no-first-run'],
  });
  try {
    const page = await browser.newPage({ viewport: { width: 1200, height: 1000 } });
    await page.goto(address);
    const cell = page.locator('.grainsheaf-widget');
    await check(async () => (await cell.locator('.gs-node').count()) > 0, 'the Sankey is drawn');
    await cell.locator('.gs-node').nth(1).click();
    const printed = page.getByText(/Python has the group [0-9a-f]{8}/);
    await check(async () => (await printed.count()) > 0, 'a click runs the cells that use it');
    await page.locator('button', { hasText: 'From four threads on' }).click();
    await check(
      async () =>
        (await cell.locator('.gs-lens').inputValue()) === 'where threads >= 4 | by threads',
      'a query that Python assigns is shown in place',
    );
    await check(
      async () => (await cell.getAttribute('data-theme')) === 'dark',
      'the widget is dark, as the notebook',
    );
    if (process.env['PICTURES']) await page.screenshot({ path: 'shots/marimo.png' });
  } finally {
    await browser.close();
  }
  return conclude();
}
