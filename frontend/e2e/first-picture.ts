/**
 * Measures the first picture of a large run in the page: `node run.mjs first-picture.ts URL RUN`.
 *
 * URL is a service without a token, RUN the id of a run. The page is at the overview and opens the run, five times. The
 * first time includes what the service reads of the run. Times are wall times from the click to the drawn groups.
 */

import { chromium } from 'playwright-core';

const ROUNDS = 5;

export async function main([url = '', run = '']: string[]): Promise<number> {
  const browser = await chromium.launch({
    executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--no-first-run'],
  });
  try {
    for (let round = 0; round < ROUNDS; round += 1) {
      const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
      await page.goto(`${url}?v=1&layout=runs`);
      await page.waitForLoadState('networkidle', { timeout: 600_000 });
      const address = `?v=1&layout=run&panes=groups&run=${run}&groups.problem=-`;
      const took = await page.evaluate(async (to) => {
        const start = performance.now();
        history.pushState(null, '', to);
        dispatchEvent(new PopStateEvent('popstate'));
        const isDrawn = (): boolean =>
          document.querySelector('.gs-groups canvas') !== null &&
          document.querySelector('.pane-main .waiting, .pane-main .skeleton') === null;
        while (!isDrawn()) await new Promise((done) => requestAnimationFrame(done));
        await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
        return performance.now() - start;
      }, address);
      console.log(`round ${round + 1}: the groups are drawn after ${Math.round(took)} ms`);
      if (round === 0)
        await page.screenshot({ path: process.env['PICTURE'] ?? '/tmp/first-picture.png' });
      await page.close();
    }
    return 0;
  } finally {
    await browser.close();
  }
}
