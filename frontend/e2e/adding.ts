/** Walks through adding files: drag, pick, send, follow, report, and what goes wrong on the way. */

import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import type { check } from './check.ts';
import type { Behaviour } from './fixture/server.ts';
import type { Visit } from './smoke.ts';

interface Tools {
  open(address: string, visit?: Visit): Promise<{ page: Page; errors: string[] }>;
  check: typeof check;
  shoot(page: Page, name: string): Promise<unknown>;
}

type DragEventName = 'dragover' | 'dragleave' | 'drop';

/**
 * What a browser does when files are dragged over its page; there is no way to move real ones.
 * Of binary files each character is a byte.
 */
export async function drag(
  page: Page,
  name: DragEventName,
  files: Readonly<Record<string, string>> = { 'a.gstrace': 'x' },
  isBinary = false,
): Promise<void> {
  const data = await page.evaluateHandle(
    ([content, isBytes]) => {
      const transfer = new DataTransfer();
      for (const [path, text] of Object.entries(content)) {
        const bytes = Uint8Array.from(text, (character) => character.charCodeAt(0));
        transfer.items.add(new File([isBytes ? bytes : text], path));
      }
      return transfer;
    },
    [files, isBinary] as const,
  );
  await page.dispatchEvent('body', name, { dataTransfer: data });
}

/** Answers the next request for files with these. */
export async function choose(page: Page, label: string, paths: string | string[]): Promise<void> {
  const [field] = await Promise.all([
    page.waitForEvent('filechooser'),
    page.locator('.dialog-import button', { hasText: label }).click(),
  ]);
  await field.setFiles(paths);
}

export const summary = (page: Page): Promise<string | null> =>
  page.locator('.import-summary strong').textContent();
const go = (page: Page): Promise<void> => page.locator('.import-foot .primary').click();

export async function adding(tools: Tools, url: string, behaviour: Behaviour): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'adding-'));
  try {
    await mkdir(join(folder, 'sweep/t4'), { recursive: true });
    await writeFile(join(folder, 'sweep/t4/a.gstrace'), 'a');
    await writeFile(join(folder, 'sweep/t4/cut.gstrace'), 'b');
    await writeFile(join(folder, 'large.gstrace'), Buffer.alloc(24 << 20));
    await writeFile(join(folder, 'other.gstrace'), Buffer.alloc(12 << 20));
    await writeFile(join(folder, 'notes.txt'), 'hello');
    await dropping(tools, url, folder);
    await goingOn(tools, url, behaviour, folder);
    await troubles(tools, url, behaviour, folder);
    await places(tools, url, behaviour);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** From the veil to the report, and the same again. */
async function dropping({ open, check, shoot }: Tools, url: string, folder: string): Promise<void> {
  const { page, errors } = await open(url);
  await drag(page, 'dragover');
  await page.waitForTimeout(50);
  await check(
    async () => (await page.locator('.drop-veil').count()) === 1,
    'dragged files are awaited',
  );
  await shoot(page, '70-dragging');
  await drag(page, 'dragleave');
  await check(async () => (await page.locator('.drop-veil').count()) === 0, 'leaving ends that');
  await drag(page, 'dragover');
  await drag(page, 'drop', {
    'msort-t4.gstrace': 'x'.repeat(30_000),
    'msort-t8-cut.gstrace': 'y'.repeat(50_000),
    'notes.txt': 'hello',
  });
  await page.waitForTimeout(150);
  await check(
    async () => (await page.locator('.import-files li').count()) === 3,
    'dropped files are listed',
  );
  await check(
    async () =>
      (await page.evaluate(() => document.activeElement?.classList.contains('primary'))) === true,
    'Enter would add them',
  );
  await page.locator('.import-params .link').click();
  // The new row takes the focus a moment later.
  await page.locator('.import-params input:focus').waitFor();
  await page.keyboard.type('version');
  await page.keyboard.press('Tab');
  await page.keyboard.type('1.20');
  await check(
    async () => (await page.locator('.import-type').textContent()) === 'text 1.20',
    'the type of a parameter is shown',
  );
  await shoot(page, '71-picked');
  await choose(page, 'Choose a folder', join(folder, 'sweep'));
  await page.waitForTimeout(150);
  await check(
    async () =>
      (await page.locator('.import-files .mono').allTextContents()).includes(
        'sweep/t4/cut.gstrace',
      ),
    'files of a folder keep their paths',
  );
  await go(page);
  await page.locator('.import-summary').waitFor();
  await check(async () => (await summary(page)) === '4 runs added, 1 refused', 'the report counts');
  await check(
    async () =>
      (await page.locator('.report-refused .report-reason').textContent())?.includes(
        'not recognised',
      ) === true,
    'a refused file has its reason',
  );
  await shoot(page, '72-report');
  await page.locator('.import-foot .primary').click();
  await check(
    () => decodeURIComponent(page.url()).replaceAll('+', ' ').includes('where run in ('),
    'the new runs can be shown',
  );
  await page.keyboard.press('Shift+A');
  await page.locator('.import-foot button', { hasText: 'Add more' }).click();
  await drag(page, 'drop', { 'msort-t4.gstrace': 'x' });
  await page.waitForTimeout(100);
  await page.keyboard.press('Enter');
  await page.locator('.import-summary').waitFor();
  await check(
    async () => (await summary(page)) === '1 already present',
    'the same again is present',
  );
  await check(() => errors.length === 0, `no errors on the page ${errors.join('; ')}`);
  await page.close();
}

/** Progress, in the panel and in the footer; cancelling. */
async function goingOn(
  { open, check, shoot }: Tools,
  url: string,
  behaviour: Behaviour,
  folder: string,
): Promise<void> {
  const { page, errors } = await open(url);
  await page.keyboard.press('Shift+A');
  await shoot(page, '73-empty-panel');
  Object.assign(behaviour.imports, { pause: 8, step: 250, hold: 'waiting' });
  await choose(page, 'Choose files', [
    join(folder, 'large.gstrace'),
    join(folder, 'other.gstrace'),
  ]);
  await page.waitForTimeout(100);
  await go(page);
  await page.waitForTimeout(1500);
  const now = (await page.locator('.import-now').textContent()) ?? '';
  await check(() => /Sending.*MB.*\/s/.test(now), `sending tells how far: ${now}`);
  await shoot(page, '74-sending');
  await page.keyboard.press('Escape');
  await check(
    async () => (await page.locator('.import-job').count()) === 1,
    'the footer has the job',
  );
  await shoot(page, '75-background');
  await page.locator('.import-job .link').first().click();
  behaviour.imports.pause = 0;
  await page.locator('.import-now strong', { hasText: 'Waiting' }).waitFor();
  behaviour.imports.hold = 'running';
  await page.locator('.import-now', { hasText: 'MB of' }).locator('text=Reading').waitFor();
  await shoot(page, '76-reading');
  await page.locator('.import-foot button', { hasText: 'Cancel' }).click();
  await page.locator('.import-summary').waitFor();
  await check(
    async () => (await summary(page)) === 'Cancelled',
    'an import that is read can be cancelled',
  );
  behaviour.imports.hold = '';
  await shoot(page, '77-cancelled');
  await check(() => errors.length === 0, `no errors on the page ${errors.join('; ')}`);
  await page.close();
}

/** Files that fail, a full disk, a service that is gone and comes back. */
async function troubles(
  { open, check, shoot }: Tools,
  url: string,
  behaviour: Behaviour,
  folder: string,
): Promise<void> {
  const { page } = await open(url);
  Object.assign(behaviour.imports, { pause: 0, step: 0, fault: 'too_large' });
  await page.keyboard.press('Shift+A');
  await choose(page, 'Choose files', [
    join(folder, 'large.gstrace'),
    join(folder, 'other.gstrace'),
  ]);
  await page.waitForTimeout(100);
  await go(page);
  await page.locator('.import-failed').waitFor();
  await check(
    async () => (await page.locator('.import-failed').textContent())?.includes('1000') === true,
    'a file that is too large says so',
  );
  await check(
    async () => (await page.locator('.import-foot .primary').textContent()) === 'Add the others',
    'sending it again is not proposed',
  );
  await shoot(page, '78-too-large');
  await page.locator('.import-foot button', { hasText: 'Add the others' }).click();
  await page.locator('.import-summary').waitFor();
  await check(async () => (await summary(page)) === '1 run added', 'the others can be added');
  await page.locator('.import-foot button', { hasText: 'Add more' }).click();
  behaviour.imports.fault = 'gone';
  await drag(page, 'drop', { 'later.gstrace': 'x' });
  await page.waitForTimeout(100);
  await go(page);
  await page.locator('.import-trouble').waitFor();
  await check(
    async () =>
      (await page.locator('.import-trouble').textContent())?.includes('does not answer') === true,
    'a service that is gone is told of',
  );
  await shoot(page, '79-gone');
  behaviour.imports.fault = 'full';
  await page.locator('.import-foot button', { hasText: 'Try again' }).click();
  await page.locator('.import-trouble', { hasText: 'no space' }).waitFor();
  behaviour.imports.fault = '';
  await page.locator('.import-foot button', { hasText: 'Try again' }).click();
  await page.locator('.import-summary').waitFor();
  await check(async () => (await summary(page)) === '1 run added', 'trying again goes on');
  await page.close();
}

/** Dark, narrow, the empty store, a first visit, a service that takes nothing. */
async function places(
  { open, check, shoot }: Tools,
  url: string,
  behaviour: Behaviour,
): Promise<void> {
  const files = {
    'sweep-t16-r1.gstrace': 'x',
    'sweep-t16-cut.gstrace': 'y',
    'a/very/long/path/of/folders/that/does/not/fit/into/one/line/of/any/report/run.gstrace': 'x',
    '<img src=x onerror=alert(1)>.txt': 'z',
  };
  const dark = await open(`${url}/?v=1&store=empty`, { theme: 'dark', isFirst: true });
  await shoot(dark.page, '80-first-visit-empty');
  await drag(dark.page, 'dragover');
  await dark.page.waitForTimeout(50);
  await shoot(dark.page, '81-dragging-dark');
  await drag(dark.page, 'drop', files);
  await dark.page.waitForTimeout(100);
  await go(dark.page);
  await dark.page.locator('.import-summary').waitFor();
  await shoot(dark.page, '82-report-dark');
  await dark.page.close();
  await check(() => dark.errors.length === 0, `no errors on the page ${dark.errors.join('; ')}`);
  const narrow = await open(`${url}/?v=1&store=empty`, { width: 420, height: 760 });
  await shoot(narrow.page, '83-narrow-empty');
  await check(
    async () =>
      (await narrow.page.locator('.state .primary').first().textContent()) === 'Add files…',
    'an empty store offers to add files',
  );
  await narrow.page.locator('.state .primary').first().click();
  await shoot(narrow.page, '84-narrow-panel');
  await drag(narrow.page, 'drop', files);
  await narrow.page.waitForTimeout(100);
  await narrow.page.locator('.import-params .link').click();
  await narrow.page.locator('.import-params input:focus').waitFor();
  await narrow.page.keyboard.type('version');
  await shoot(narrow.page, '85-narrow-picked');
  await narrow.page.locator('.import-params .chip-remove').click();
  await go(narrow.page);
  await narrow.page.locator('.import-summary').waitFor();
  await shoot(narrow.page, '86-narrow-report');
  const isWide = await narrow.page.evaluate(() => {
    const box = document.querySelector('.dialog-import');
    return box !== null && box.scrollWidth > box.clientWidth;
  });
  await check(() => !isWide, 'nothing is wider than a narrow dialog');
  await narrow.page.close();
  behaviour.imports.fault = 'read_only';
  const closed = await open(url);
  await drag(closed.page, 'dragover');
  await closed.page.waitForTimeout(50);
  await shoot(closed.page, '87-read-only');
  await check(
    async () =>
      (await closed.page.locator('.drop-veil').textContent())?.includes('read-only') === true,
    'a read-only service says so',
  );
  await drag(closed.page, 'drop');
  await check(
    async () => (await closed.page.locator('.dialog-import').count()) === 0,
    'and takes nothing',
  );
  await closed.page.close();
}
