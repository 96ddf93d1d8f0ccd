/** The link of the source pane to the reader's editor: made by a template, kept, and never a script. */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { check } from '../check.ts';
import { countOf, type Pages, settle, textOf } from './harness.ts';

const FIELD = 'Address of your editor';

/** Types a template as a reader does, and leaves the field. */
async function type(page: Page, template: string): Promise<void> {
  const field = page.getByLabel(FIELD);
  if (!(await field.isVisible())) await page.locator('.gs-source summary').click();
  await field.fill('');
  await field.focus();
  await page.keyboard.type(template);
  await page.keyboard.press('Enter');
}

export async function editor(pages: Pages): Promise<void> {
  const packed = await readFile(join(import.meta.dirname, '../recorded/source-versions.json.gz'));
  const answer = JSON.parse(gunzipSync(packed).toString('utf8')) as { readonly file: string };
  const page = await pages.visit('?v=1&store=threads&panes=(sankey/50/source)', { isRouted: true });
  await page.route('**/api/v1/source?*', (route) => route.fulfill({ json: answer }));
  await page.locator('.gs-node').nth(1).click();
  await page.locator('.gs-source-lines').waitFor();
  await settle(page);
  const link = page.getByRole('link', { name: 'Open in editor' });
  await check(
    async () =>
      (await link.count()) === 0 && (await textOf(page, '.gs-source .gs-title')).includes('editor'),
    'without a template there is no link, and the field for one',
  );
  const before = page.url();
  await type(page, 'vscode://file/{path}:{line}');
  await check(
    async () =>
      (await link.getAttribute('href')) === `vscode://file/${answer.file.replace(/^\//, '')}:139`,
    `a template makes the link: ${await link.getAttribute('href')}`,
  );
  await check(() => page.url() === before, 'letters in the field are no keys of the page');
  await pages.shoot(page, 'editor');
  await page.reload();
  await page.locator('.gs-source-lines').waitFor();
  await settle(page);
  await check(
    async () => (await link.getAttribute('href'))?.endsWith(':139') === true,
    'the link is there after a reload',
  );
  for (const template of ['javascript:alert("{path}")', 'data:text/html,{path}', '{path}']) {
    await type(page, template);
    await check(
      async () => (await link.count()) === 0 && (await countOf(page, '.gs-source a')) === 0,
      `${template} makes no link`,
    );
  }
  await page.close();
}
