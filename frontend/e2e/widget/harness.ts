/** Opens widgets in Chromium, with answers that were recorded from a service. */

import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { type Browser, chromium, type Locator, type Page, type Route } from 'playwright-core';
import { build } from 'vite';
import type { Notebook, Recorded, Traits } from './kernel.ts';

const HERE = import.meta.dirname;
const RECORDING = join(HERE, '../recorded/widget.json.gz');
const ORIGIN = 'http://notebook.test';
const START = `
  import widget from '/widget.js';
  import { Notebook } from '/kernel.js';
  window.notebook = new Notebook(widget, await (await fetch('/recording')).json());
`;

declare global {
  interface Window {
    notebook: Notebook;
  }
}

/** Output of a build in memory. */
async function chunk(options: Parameters<typeof build>[0]): Promise<string> {
  const built = await build({
    ...options,
    logLevel: 'error',
    build: { ...options?.build, write: false },
  });
  const outputs = (Array.isArray(built) ? built : [built]).flatMap((one) =>
    'output' in one ? one.output : [],
  );
  return outputs.find((one) => one.type === 'chunk')?.code ?? '';
}

/** The module as the wheel has it. */
export const widgetModule = (): Promise<string> =>
  chunk({ configFile: join(HERE, '../../widget/vite.config.ts') });

const kernelModule = (): Promise<string> =>
  chunk({
    configFile: false,
    root: HERE,
    build: { lib: { entry: join(HERE, 'kernel.ts'), formats: ['es'], fileName: 'kernel' } },
  });

export class Harness {
  readonly page: Page;
  readonly module: string;
  readonly faults: string[] = [];
  readonly #browser: Browser;
  readonly #recording: Record<string, Recorded>;
  readonly #shots: string;

  private constructor(
    browser: Browser,
    page: Page,
    module: string,
    recording: Record<string, Recorded>,
    shots: string,
  ) {
    this.#browser = browser;
    this.page = page;
    this.module = module;
    this.#recording = recording;
    this.#shots = shots;
    page.on('pageerror', (error) => this.faults.push(error.stack ?? error.message));
    page.on('console', (message) => {
      if (message.type() === 'error') this.faults.push(message.text());
    });
  }

  static async open(shots: string): Promise<Harness> {
    await mkdir(shots, { recursive: true });
    const [module, kernel] = await Promise.all([widgetModule(), kernelModule()]);
    const packed = process.env['RECORD'] ? undefined : await readFile(RECORDING);
    const recording = (packed ? JSON.parse(gunzipSync(packed).toString('utf8')) : {}) as Record<
      string,
      Recorded
    >;
    const browser = await chromium.launch({
      executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
      args: ['--no-sandbox', '--disable-gpu', '--no-first-run'],
    });
    const page = await browser.newPage({ viewport: { width: 1000, height: 700 } });
    const harness = new Harness(browser, page, module, recording, shots);
    await page.route('**/*', (route) => harness.#route(route, kernel));
    return harness;
  }

  /** A new notebook without cells. */
  async restart(): Promise<void> {
    await this.page.goto(ORIGIN);
    const isReady = this.page.waitForFunction(() => 'notebook' in window);
    await isReady.catch((error: unknown) => {
      throw new Error(`the notebook does not start: ${this.faults.join('; ')}`, { cause: error });
    });
  }

  /** Nothing is loaded but the module: a wheel works without a network. */
  async #route(route: Route, kernel: string): Promise<void> {
    const { pathname, search } = new URL(route.request().url());
    const scripts: Record<string, string> = {
      '/widget.js': this.module,
      '/kernel.js': kernel,
      '/start.js': START,
    };
    const body = scripts[pathname];
    if (body !== undefined) return route.fulfill({ body, contentType: 'text/javascript' });
    if (pathname === '/recording') return route.fulfill({ json: this.#recording });
    if (pathname === '/')
      return route.fulfill({
        body: '<!doctype html><html lang="en"><title>notebook</title><script type="module" src="/start.js"></script><body></body></html>',
        contentType: 'text/html',
        headers: {
          'content-security-policy': `default-src 'none'; script-src ${ORIGIN}; connect-src ${ORIGIN}; img-src data:`,
        },
      });
    const service = process.env['RECORD'];
    if (pathname === '/favicon.ico') return route.fulfill({ status: 204 });
    if (!service) {
      this.faults.push(`not recorded: ${pathname}${search}`);
      return route.abort();
    }
    const answer = await fetch(`${service}${pathname}${search}`);
    const json: Recorded = {
      status: answer.status,
      type: answer.headers.get('content-type') ?? '',
      base64: Buffer.from(await answer.arrayBuffer()).toString('base64'),
    };
    this.#recording[`${pathname}${search}`] = json;
    return route.fulfill({ json });
  }

  async show(cell: string, id: string, traits: Traits = {}, mood = 'answers'): Promise<Locator> {
    await this.page.evaluate(([a, b, c, d]) => window.notebook.show(a, b, c, d as 'answers'), [
      cell,
      id,
      traits,
      mood,
    ] as const);
    return this.page.locator(`#${cell}`);
  }

  /** Assigns traits from the side of Python. */
  async assign(id: string, traits: Traits): Promise<void> {
    await this.page.evaluate(([a, b]) => window.notebook.model(a).assign(b), [id, traits] as const);
  }

  async trait(id: string, name: string): Promise<unknown> {
    return this.page.evaluate(([a, b]) => window.notebook.model(a).get(b), [id, name] as const);
  }

  /** Traits of every message that went to Python, without pictures. */
  async saved(id: string): Promise<Traits[]> {
    return this.page.evaluate((a) => {
      const all = window.notebook.model(a).saved;
      return all.filter((one) => !('_picture' in one)).map((one) => ({ ...one }));
    }, id);
  }

  /** Takes a picture for people, if they want any. */
  async picture(name: string): Promise<void> {
    if (!process.env['PICTURES']) return;
    await this.page.screenshot({ path: join(this.#shots, `${name}.png`) });
  }

  async close(): Promise<void> {
    await this.#browser.close();
    if (process.env['RECORD'])
      await writeFile(RECORDING, gzipSync(JSON.stringify(this.#recording), { level: 9 }));
  }
}
