/** Opens the built page on recorded answers, and measures what is on it. */

import { join } from 'node:path';
import { type Browser, chromium, type Page, type Route } from 'playwright-core';
import { type RecordedService, serveRecorded } from '../fixture/recorded.ts';
import { holdFromStart } from '../interception.ts';

export interface Visit {
  readonly width?: number;
  readonly height?: number;
  readonly theme?: 'light' | 'dark';
  readonly isFirst?: boolean;
  /** Whether the test answers some of its requests, or lets them fail. */
  readonly isRouted?: boolean;
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
const QUIET = 100;

/** Milliseconds after which a page that still changes counts as drawn. */
const PATIENCE = 10_000;

/** Requests under way of each page. Playwright's `networkidle` waits half a second longer than needed. */
const pending = new WeakMap<Page, Set<unknown>>();

/** Counts the requests of a page, so that {@link settle} can wait for them. */
function watch(page: Page): void {
  const under = new Set<unknown>();
  pending.set(page, under);
  page.on('request', (request) => under.add(request));
  page.on('requestfinished', (request) => under.delete(request));
  page.on('requestfailed', (request) => under.delete(request));
}

/** Waits until nothing is asked and nothing changes any more. */
export async function settle(page: Page): Promise<void> {
  if (!pending.has(page)) await page.waitForLoadState('networkidle');
  const under = pending.get(page) ?? new Set();
  const end = Date.now() + PATIENCE;
  do {
    while (under.size > 0 && Date.now() < end) await new Promise((done) => setTimeout(done, 10));
    await quiet(page);
    // The views that were drawn may have sent further requests.
  } while (under.size > 0 && Date.now() < end);
}

/** Waits until the document has not changed for {@link QUIET}, and no view waits for its code or its answer. */
async function quiet(page: Page): Promise<void> {
  await page.evaluate(
    ([wanted, most]) =>
      new Promise<void>((done) => {
        const start = performance.now();
        let timer = 0;
        const wait = (): void => {
          clearTimeout(timer);
          timer = window.setTimeout(() => {
            const isWaiting = document.querySelector('.skeleton, .waiting') !== null;
            if (isWaiting && performance.now() < start + most) wait();
            else done();
          }, wanted);
        };
        const observer = new MutationObserver(() => {
          if (performance.now() < start + most) wait();
        });
        observer.observe(document.body, { subtree: true, childList: true, attributes: true });
        wait();
      }),
    [QUIET, PATIENCE / 2] as const,
  );
}

/** Lets the requests of a page wait. The result closes it; a page that only closes would send them to the service. */
export async function holdRequests(page: Page): Promise<() => Promise<void>> {
  const held: Route[] = [];
  await page.route('**/api/v1/**', (route) => {
    held.push(route);
  });
  return async () => {
    await page.goto('about:blank');
    // The browser may not have dropped them yet.
    await Promise.all(held.map((route) => route.abort().catch(() => undefined)));
    await page.close();
  };
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
    watch(page);
    if (visit.isRouted) await holdFromStart(page);
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
      // An empty page has no storage.
      await page.addInitScript(() => {
        if (location.protocol !== 'about:') localStorage.setItem('grainsheaf.visited', 'yes');
      });
    await page.goto(this.service.url + (query.startsWith('/') ? query : `/${query}`));
    if (isLoading) await page.locator('.frame').waitFor();
    else await settle(page);
    return page;
  }

  /** Takes a picture for people, if they want any. */
  async shoot(page: Page, name: string): Promise<void> {
    if (!process.env['PICTURES']) return;
    await page.screenshot({ path: join(this.shots, `${name}.png`) });
  }

  async close(): Promise<void> {
    await this.browser.close();
    this.service.server.close();
    this.service.server.closeAllConnections();
  }
}
