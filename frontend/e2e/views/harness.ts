/** Builds the page for tests of views, and opens it in Chromium. */

import { mkdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { build } from 'vite';
import { type Browser, chromium, type Page } from 'playwright-core';
import type { ViewEvent } from '@grainsheaf/views';
import type { Scene, Tests } from './page.ts';

const HERE = import.meta.dirname;
const STYLES = ['base.css', 'floating.css', 'views.css'];

declare global {
  interface Window {
    tests: Tests;
    axe: {
      run(
        within: string,
        options?: { runOnly?: string[]; resultTypes?: string[]; preload?: boolean },
      ): Promise<{
        readonly violations: readonly {
          readonly id: string;
          readonly impact?: string | null;
          readonly nodes: readonly { readonly html: string }[];
        }[];
      }>;
    };
  }
}

/** Script and styles of all registered views. */
async function bundle(): Promise<{ script: string; style: string }> {
  const built = await build({
    root: HERE,
    configFile: false,
    logLevel: 'error',
    build: {
      write: false,
      minify: false,
      target: 'es2022',
      cssCodeSplit: false,
      lib: { entry: join(HERE, 'page.ts'), formats: ['iife'], name: 'page', fileName: 'page' },
      rolldownOptions: { output: { codeSplitting: false } },
    },
  });
  const outputs = (Array.isArray(built) ? built : [built]).flatMap((one) =>
    'output' in one ? one.output : [],
  );
  const script = outputs.find((one) => one.type === 'chunk')?.code ?? '';
  const styles = outputs.flatMap((one) =>
    one.type === 'asset' && one.fileName.endsWith('.css') ? [String(one.source)] : [],
  );
  return { script, style: styles.join('\n') };
}

export class Harness {
  readonly page: Page;
  readonly faults: string[] = [];
  readonly #browser: Browser;
  readonly #shots: string;

  private constructor(browser: Browser, page: Page, shots: string) {
    this.#browser = browser;
    this.page = page;
    this.#shots = shots;
    page.on('pageerror', (error) => this.faults.push(error.stack ?? error.message));
    page.on('console', (message) => {
      if (message.type() === 'error') this.faults.push(message.text());
    });
  }

  static async open(shots: string): Promise<Harness> {
    await mkdir(shots, { recursive: true });
    const styles = await Promise.all(
      STYLES.map((name) => readFile(join(HERE, '../../app/src/style', name), 'utf8')),
    );
    const { script, style } = await bundle();
    const browser = await chromium.launch({
      executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
      args: ['--no-sandbox', '--disable-gpu', '--no-first-run'],
    });
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    const harness = new Harness(browser, page, shots);
    await page.setContent(
      '<!doctype html><html lang="en"><title>views</title><div id="host"></div></html>',
    );
    await page.addStyleTag({ content: `${styles.join('\n')}\n${style}` });
    await page.addScriptTag({ content: script });
    await page.addScriptTag({
      path: createRequire(import.meta.url).resolve('axe-core/axe.min.js'),
    });
    return harness;
  }

  async show(scene: Scene): Promise<void> {
    await this.page.evaluate((given) => window.tests.show(given), scene);
  }

  async update(scene: Scene): Promise<void> {
    await this.page.evaluate((given) => window.tests.update(given), scene);
  }

  async events(): Promise<ViewEvent[]> {
    return this.page.evaluate(() => window.tests.events);
  }

  /** What axe finds wrong in the view. */
  async violations(theme: 'light' | 'dark' = 'light'): Promise<string[]> {
    return this.page.evaluate(async (isDark) => {
      const { violations } = await window.axe.run('#host', {
        // Contrast is the only rule that depends on the theme.
        ...(isDark ? { runOnly: ['color-contrast'] } : {}),
        resultTypes: ['violations'],
        preload: false,
      });
      return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 120) ?? ''}`);
    }, theme === 'dark');
  }

  /** Takes a picture for people, if they want any. */
  async picture(name: string): Promise<void> {
    if (!process.env['PICTURES']) return;
    await this.page.locator('#host').screenshot({ path: join(this.#shots, `${name}.png`) });
  }

  async close(): Promise<void> {
    await this.#browser.close();
  }
}

/** A recorded answer of the service. */
export async function recorded<T = unknown>(name: string): Promise<T> {
  const packed = await readFile(join(HERE, '../recorded', `${name}.json.gz`));
  return JSON.parse(gunzipSync(packed).toString('utf8')) as T;
}
