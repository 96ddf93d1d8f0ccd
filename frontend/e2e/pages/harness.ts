/** Opens the built page on recorded answers, and measures what is on it. */

import { join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { type RecordedService, serveRecorded } from '../fixture/recorded.ts';

export interface Visit {
  readonly width?: number;
  readonly height?: number;
  readonly theme?: 'light' | 'dark';
  readonly isFirst?: boolean;
}

export const lensOf = (text: string): string => `lens=${encodeURIComponent(text)}`;

/** Text that a screen or a screen reader gives of the first match. */
export const textOf = async (page: Page, selector: string): Promise<string> =>
  (await page.locator(selector).first().innerText()) || '';

export const countOf = (page: Page, selector: string): Promise<number> =>
  page.locator(selector).count();

export const heightOf = async (page: Page, selector: string): Promise<number> =>
  (await page.locator(selector).first().boundingBox())?.height ?? 0;

/** Milliseconds without a change after which a page counts as drawn. */
const QUIET = 200;

/** Waits until nothing is asked and nothing changes any more. */
export async function settle(page: Page): Promise<void> {
  await page.waitForLoadState('networkidle');
  await page.evaluate(
    (quiet) =>
      new Promise<void>((done) => {
        let timer = setTimeout(done, quiet);
        const observer = new MutationObserver(() => {
          clearTimeout(timer);
          timer = setTimeout(done, quiet);
        });
        observer.observe(document.body, { subtree: true, childList: true, attributes: true });
        setTimeout(done, 5_000);
      }),
    QUIET,
  );
  // A view whose code or answer is under way has no content yet.
  await page
    .waitForFunction(() => document.querySelector('.skeleton, .waiting') === null, undefined, {
      timeout: 10_000,
    })
    .catch(() => undefined);
}

export class Pages {
  readonly faults: string[] = [];

  private constructor(
    readonly browser: Browser,
    readonly service: RecordedService,
    readonly shots: string,
  ) {}

  static async open(shots: string): Promise<Pages> {
    const service = await serveRecorded(join(import.meta.dirname, '../../dist'));
    const browser = await chromium.launch({
      executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
      args: ['--no-sandbox', '--disable-gpu', '--no-first-run', '--enable-precise-memory-info'],
    });
    return new Pages(browser, service, shots);
  }

  /** A page in a profile of its own; `query` begins with `?`. One that loads is not waited for. */
  async visit(query: string, visit: Visit = {}, isLoading = false): Promise<Page> {
    const page = await this.browser.newPage({
      viewport: { width: visit.width ?? 1440, height: visit.height ?? 900 },
      colorScheme: visit.theme ?? 'light',
      reducedMotion: 'reduce',
    });
    page.on('pageerror', (error) => this.faults.push(error.stack ?? error.message));
    page.on('console', (message) => {
      if (message.type() === 'error' && !/status of (4|5)\d\d|ERR_FAILED/.test(message.text()))
        this.faults.push(message.text());
    });
    page.on('dialog', (dialog) => {
      this.faults.push(`a name became markup: ${dialog.message()}`);
      void dialog.dismiss();
    });
    if (!visit.isFirst)
      await page.addInitScript(() => localStorage.setItem('grainsheaf.visited', 'yes'));
    await page.goto(this.service.url + (query.startsWith('/') ? query : `/${query}`));
    if (isLoading) await page.locator('.frame').waitFor();
    else await settle(page);
    return page;
  }

  async shoot(page: Page, name: string): Promise<void> {
    await page.screenshot({ path: join(this.shots, `${name}.png`) });
  }

  async close(): Promise<void> {
    await this.browser.close();
    this.service.server.close();
    this.service.server.closeAllConnections();
  }
}
