/** Takes the pictures of the guide from the built page with recorded answers: `node run.mjs pictures.ts [NAME …]`. */

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { smaller } from './fixture/palette-png.ts';
import { Pages, lensOf, settle } from './pages/harness.ts';

const IMAGES = join(import.meta.dirname, '../../docs/images');
const SIZE = { width: 1280, height: 800 };

interface Picture {
  readonly name: string;
  readonly query: string;
  /** Group that is selected, by the start of its name. */
  readonly group?: string;
  readonly row?: string;
}

const PICTURES: readonly Picture[] = [
  { name: 'page', query: '?v=1&store=threads&tab=distribution', group: 'sort_range' },
  {
    name: 'tour-versions',
    query: `?v=1&store=versions&layout=compare&${lensOf("diff 'version = 1' to 'version = 2'")}`,
    row: 'sort_range',
  },
  { name: 'tour-threads', query: '?v=1&store=threads&tab=boxes', group: 'sort_range' },
  { name: 'tour-scaling', query: '?v=1&store=threads&layout=scaling&scaling.by=threads' },
  {
    name: 'looking-loop',
    query: `?v=1&store=stories&layout=run&panes=groups&run=8318cc4ce32556608488d1cb6f72bbc6&grain=3&groups.opened=worst&groups.problem=${encodeURIComponent('chunk_chain_balance > 1')}`,
  },
  {
    name: 'looking-fine',
    query: `?v=1&store=stories&layout=run&panes=grain-graph&run=d7d20884dd7a6697cea685e1ac9127f8&grain-graph.problem=${encodeURIComponent('parallel_benefit_of_creation < 1')}`,
  },
  {
    name: 'looking-leaves',
    query: `?v=1&store=threads&layout=run&panes=grain-graph&run=e528e9baeb8ad56c7470c08f9f0ea42d&definition=${encodeURIComponent('sort_range (task)')}&grain-graph.reference=1df06aade229f0d1b58fc7832c46948d&grain-graph.problem=${encodeURIComponent('work_deviation > 2')}`,
  },
  {
    name: 'looking-renamed',
    query: `?v=1&store=versions&layout=run&panes=grain-graph&run=733dbe9e8bc67ccf43ed90ac5b8a14c7&otherRun=fd3a69d0d100211fe7c2d64717861f81&definition=${encodeURIComponent('sort_range (task)')}&grain-graph.compared=deviation&${lensOf('diff "version == 1" to "version == 2"')}`,
  },
];

async function take(page: Page, picture: Picture): Promise<void> {
  if (picture.group) await page.locator(`.gs-node[aria-label^="${picture.group}"]`).first().click();
  if (picture.row)
    await page.locator('.gs-diff-bars tbody tr', { hasText: picture.row }).first().click();
  await settle(page);
  // Away from everything that would be described.
  await page.mouse.move(2, SIZE.height - 2);
  await settle(page);
  const png = await page.screenshot();
  // The page's policy allows no data from elsewhere: an empty page has no policy.
  const empty = await page.context().browser()?.newPage();
  if (!empty) throw new Error('no browser');
  await writeFile(join(IMAGES, `${picture.name}.png`), await smaller(empty, png));
  await empty.close();
}

export async function main(words: string[]): Promise<number> {
  const pages = await Pages.open(IMAGES);
  try {
    for (const picture of PICTURES) {
      if (words.length > 0 && !words.includes(picture.name)) continue;
      const page = await pages.visit(picture.query, SIZE);
      await take(page, picture);
      await page.close();
    }
    const faults = [...pages.faults, ...pages.service.missing];
    for (const fault of faults) console.log(fault);
    return faults.length === 0 ? 0 : 1;
  } finally {
    await pages.close();
  }
}
