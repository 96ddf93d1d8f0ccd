/** A notebook in JupyterLab: its cells, its kernel, and the widgets that it shows. */

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Browser, chromium, type Locator, type Page } from 'playwright-core';

/** A message of a kernel, as far as it is read here. */
interface Heard {
  readonly header: { readonly msg_type: string };
  readonly content: { readonly text?: string; readonly evalue?: string };
}

interface Kernel {
  requestExecute(content: { code: string; store_history: boolean }): {
    onIOPub: (message: Heard) => void;
    readonly done: Promise<unknown>;
  };
}

interface Panel {
  readonly context: { readonly ready: Promise<void>; readonly path: string };
  readonly content: { activeCellIndex: number };
  readonly sessionContext: {
    readonly ready: Promise<void>;
    readonly session: { readonly kernel: Kernel | null } | null;
    shutdown(): Promise<void>;
  };
}

declare global {
  interface Window {
    /** JupyterLab shows it if it is started with `expose_app_in_browser`. */
    jupyterapp: {
      readonly restored: Promise<void>;
      readonly commands: { execute(id: string, args?: object): Promise<unknown> };
      readonly shell: { readonly currentWidget: Panel | null };
    };
  }
}

export class Lab {
  readonly page: Page;
  readonly faults: string[] = [];
  readonly #browser: Browser;
  readonly #shots: string;

  private constructor(browser: Browser, page: Page, shots: string) {
    this.#browser = browser;
    this.page = page;
    this.#shots = shots;
    // Those of JupyterLab itself are not of interest.
    page.on('pageerror', ({ stack = '' }) => {
      if (stack.includes('blob:')) this.faults.push(stack);
    });
  }

  /** Opens the address of a notebook. */
  static async open(address: string, shots: string): Promise<Lab> {
    await mkdir(shots, { recursive: true });
    const browser = await chromium.launch({
      executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
      args: ['--no-sandbox', '--disable-gpu', '--no-first-run'],
    });
    const page = await browser.newPage({ viewport: { width: 1200, height: 1500 } });
    const lab = new Lab(browser, page, shots);
    await page.goto(address);
    await lab.#ready();
    return lab;
  }

  /** Closes the notebook without a word, as a reader who closes the tab, and opens it again. */
  async reopen(): Promise<void> {
    await this.page.reload();
    await this.#ready();
  }

  async #ready(): Promise<void> {
    await this.page.waitForFunction(() => 'jupyterapp' in window);
    await this.page.evaluate(() => window.jupyterapp.restored);
    await this.page.waitForFunction(() =>
      window.jupyterapp.shell.currentWidget?.context?.path.endsWith('.ipynb'),
    );
    await this.page.evaluate(async () => {
      const panel = window.jupyterapp.shell.currentWidget;
      await panel?.context.ready;
      await panel?.sessionContext.ready;
    });
  }

  async command(id: string, args: object = {}): Promise<void> {
    await this.page.evaluate(
      async ([name, given]) => {
        await window.jupyterapp.commands.execute(name, given);
      },
      [id, args] as const,
    );
  }

  async runCell(index: number): Promise<void> {
    await this.page.evaluate((at) => {
      const panel = window.jupyterapp.shell.currentWidget;
      if (panel) panel.content.activeCellIndex = at;
    }, index);
    await this.command('notebook:run-cell');
  }

  /** What Python prints in the kernel of the notebook, without a cell. */
  async python(code: string): Promise<string> {
    const printed = await this.page.evaluate(async (given) => {
      const kernel = window.jupyterapp.shell.currentWidget?.sessionContext.session?.kernel;
      if (!kernel) return 'there is no kernel';
      const future = kernel.requestExecute({ code: given, store_history: false });
      let text = '';
      future.onIOPub = ({ header, content }) => {
        if (header.msg_type === 'stream') text += content.text ?? '';
        if (header.msg_type === 'error') text += content.evalue ?? '';
      };
      await future.done;
      return text;
    }, code);
    return printed.trim();
  }

  /** Ends the kernel, as the menu does. */
  async shutdown(): Promise<void> {
    await this.page.evaluate(() =>
      window.jupyterapp.shell.currentWidget?.sessionContext.shutdown(),
    );
  }

  /** The widget in a cell. */
  widget(index: number): Locator {
    return this.page.locator('.jp-CodeCell').nth(index).locator('.grainsheaf-widget');
  }

  /** Takes a picture for people, if they want any. */
  async picture(name: string): Promise<void> {
    if (!process.env['PICTURES']) return;
    await this.page.screenshot({ path: join(this.#shots, `${name}.png`) });
  }

  async close(): Promise<void> {
    await this.#browser.close();
  }
}
