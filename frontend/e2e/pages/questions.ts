/** What a newcomer does first: the questions of the right panel, and grouping by a parameter. */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { check } from '../check.ts';
import { type Pages, settle, textOf } from './harness.ts';

const RANKS = 'Which ranks are imbalanced?';

/** The question about ranks needs values by rank; a number of ranks is not enough. */
async function ranks(pages: Pages): Promise<void> {
  const page = await pages.visit('?v=1&store=lulesh', { isRouted: true });
  const question = page.getByRole('button', { name: RANKS });
  await check(async () => (await question.count()) === 1, 'runs with values by rank: asked');
  await question.click();
  await settle(page);
  await pages.shoot(page, 'questions-ranks');
  const head = await textOf(page, '.gs-locations-highest');
  await check(
    () => /^EvalEOSForElems: ranks with most of the mean: (\d+ ×1\.\d+(, )?){8}$/.test(head),
    `the answer names ranks: ${head}`,
  );
  await check(
    async () =>
      (await page.locator('.gs-locations').boundingBox())?.y !== undefined &&
      ((await page.locator('.gs-locations').boundingBox())?.y ?? 0) <
        ((await page.locator('.gs-sankey').boundingBox())?.y ?? 0),
    'the answer is above the picture of the ensemble',
  );
  await page.locator('.gs-locations-names .gs-locations-line').nth(1).click();
  await settle(page);
  const next = await textOf(page, '.gs-locations-highest');
  await check(
    () => next !== head && page.url().includes('group='),
    `a click on a name selects its group: ${next}`,
  );
  await page.route('**/api/v1/runs?*', async (route) => {
    const response = await route.fetch();
    const table = (await response.json()) as { runs: { workers?: number }[] };
    for (const run of table.runs) delete run.workers;
    await route.fulfill({ response, json: table });
  });
  await page.reload();
  await settle(page);
  await check(async () => (await question.count()) === 0, 'one value for all ranks: not asked');
  await page.close();
}

/** One compiler is isolated from the list of parameters, and two are compared with the same options. */
async function compilers(pages: Pages): Promise<void> {
  const page = await pages.visit('?v=1&store=raja');
  await page.getByRole('button', { name: /^Which groups depend on Compiler_path_version/ }).click();
  await settle(page);
  const worst = await page.locator('.gs-boxes .gs-body .gs-row').first().innerText();
  await check(
    () => /MASS3DEA[^]*×10\.\d[^]*×1\.00/.test(worst),
    `the kernel that depends most on the compiler is on top: ${worst.replaceAll('\n', ' ')}`,
  );
  await pages.shoot(page, 'questions-ratios');
  await page.goBack();
  await settle(page);
  await page.getByRole('button', { name: /^Only runs with a value of compiler:/ }).click();
  await pages.shoot(page, 'questions-values');
  await page.getByRole('menuitem', { name: 'only g++-10.3.1' }).click();
  await settle(page);
  const ensemble = await textOf(page, '.right-panel .block');
  await check(
    () => /40 runs/.test(ensemble) && /compiler == 'g\+\+-10.3.1'/.test(ensemble),
    `only the runs of one compiler are shown: ${ensemble.replaceAll('\n', ' ')}`,
  );
  await check(
    async () => /-O0 to .*-O3\?/.test(await textOf(page, '.questions')),
    'their options are what differs next',
  );
  await page.getByRole('button', { name: 'show all runs' }).click();
  await settle(page);
  await page
    .locator('.left-panel')
    .getByRole('button', { name: /^Target: .*gcc/ })
    .click();
  await page.getByRole('button', { name: 'only these' }).click();
  await settle(page);
  await check(
    async () => /40 runs/.test(await textOf(page, '.right-panel .block')),
    'a cohort is isolated from the list of runs',
  );
  await page.getByRole('button', { name: 'show all runs' }).click();
  await settle(page);
  await page.getByRole('button', { name: /^What changed from clang/ }).click();
  await settle(page);
  await differing(page);
  await page.getByRole('button', { name: /^compare only .*-O3$/ }).click();
  await settle(page);
  await check(
    async () => /10 : 10 runs/.test(await textOf(page, '.change-total')),
    'compilers are compared with the same options',
  );
  await pages.shoot(page, 'questions-compilers');
  await page.close();
}

/** Long values show where they differ, whole; what identifies a launch is not shown as configuration. */
async function differing(page: Page): Promise<void> {
  const flags = await textOf(page, '.right-panel .parameter-values[aria-label*="cmake_cxx_flags"]');
  await check(
    () => /-O0, .*-O1 \+2/.test(flags.replaceAll('\n', ' ')),
    `the values of a parameter show where they differ: ${flags}`,
  );
  const chips = page.locator('.change-environment .chip');
  const closed = await chips.allInnerTexts();
  await check(
    () => closed.length === 3 && !/cmdline|launchdate|libraries/.test(closed.join()),
    `the environment is the configuration: ${closed.join('; ')}`,
  );
  await page.locator('.change-environment button').click();
  const open = await chips.allInnerTexts();
  const launch = await textOf(page, '.change-environment');
  await check(
    () => open.length > 3 && /of the launches[^]*launchdate/.test(launch),
    'what identifies the launches follows if one asks for all',
  );
  const cut = await page
    .locator('.change-environment .chip, .parameter-values bdi')
    .evaluateAll((all) =>
      all.filter((one) => one.scrollWidth > one.clientWidth + 1).map((one) => one.textContent),
    );
  await check(() => cut.length === 0, `no value is cut ${cut.join('; ')}`);
  const changed = open.find((text) => text.startsWith('cmake_cxx_flags')) ?? '';
  await check(
    () => /-O3 → .*-O0, .*-O1, .*-O2, .*-O3$/.test(changed),
    `all options of a side are shown: ${changed}`,
  );
  const sides = open.map((text) => text.replace(/^\S+ /, '').split(' → '));
  await check(
    () => sides.every(([a, b]) => a !== b),
    `the sides look different: ${open.join('; ')}`,
  );
}

/** Versions of one program are not called different programs, and their comparison is offered. */
async function overview(versions: Page): Promise<void> {
  const footer = await textOf(versions, '.footer');
  await check(
    () => /differ between versions of sort/.test(footer) && !/different programs/.test(footer),
    `versions of one program are not called different programs: ${footer.replaceAll('\n', ' ')}`,
  );
  await versions.getByRole('button', { name: 'compare them' }).click();
  await settle(versions);
  await check(
    async () => /7 : 7 runs/.test(await textOf(versions, '.change-total')),
    'the warning leads to their comparison',
  );
  await versions.goBack();
  await settle(versions);
}

export async function questions(pages: Pages): Promise<void> {
  await ranks(pages);
  await compilers(pages);
  const threads = await pages.visit('?v=1&store=threads');
  await threads.getByRole('button', { name: 'Which groups inflate with threads?' }).click();
  await settle(threads);
  await check(
    async () => /at threads 8/.test(await textOf(threads, '.gs-scaling')),
    'the scaling page chooses the number in which the runs differ',
  );
  const inflation = await textOf(threads, '.gs-inflation');
  await check(
    () => /sort_range \(task\) ×1\.\d+ \(1\.\d+ to 1\.\d+\)/.test(inflation.replaceAll('\n', ' ')),
    `it names the groups that inflate, the worst first: ${inflation.replaceAll('\n', ' ')}`,
  );
  await threads.getByRole('button', { name: /^Overview/ }).click();
  await settle(threads);
  await threads.getByRole('button', { name: 'Which grains of sort-t2-r1 have problems?' }).click();
  await settle(threads);
  const problems = await textOf(threads, '.gs-grains-problems');
  await check(
    () => /parallel benefit/.test(problems) && /▲ \d/.test(problems),
    `the problems of a run on all processors are counted: ${problems.replaceAll('\n', ' ')}`,
  );
  await pages.shoot(threads, 'questions-problems');
  await threads.close();
  const versions = await pages.visit('?v=1&store=versions', { isRouted: true });
  await overview(versions);
  const packed = await readFile(join(import.meta.dirname, '../recorded/explain-versions.json.gz'));
  const causes = JSON.parse(gunzipSync(packed).toString('utf8')) as { notes: unknown };
  causes.notes = [{ code: 'few_runs', values: {}, text: 'there are few runs' }];
  await versions.route('**/api/v1/explain?*', (route) => route.fulfill({ json: causes }));
  await versions.getByRole('button', { name: 'Why did the time change?' }).click();
  await settle(versions);
  const cause = await textOf(versions, '.gs-explain-ways');
  await check(
    () => /take 32.3 ms longer/.test(cause) && /Grain graph/.test(cause),
    `the causes begin with the largest, and lead into the runs: ${cause.replaceAll('\n', ' ')}`,
  );
  const notes = versions.locator('.pane-notes');
  await notes.locator('summary').click();
  const box = await notes.locator('li').last().boundingBox();
  await check(
    () => box !== null && box.y + box.height < 880,
    'notes of an answer can be read next to its picture',
  );
  await pages.shoot(versions, 'questions-causes');
  await versions.close();
  const raja = await pages.visit('?v=1&store=raja');
  await raja
    .locator('.right-panel .numbers button', { hasText: 'rajaperf_compiler_options' })
    .click();
  await settle(raja);
  const names = await raja.locator('.left-panel .cohort-name bdi').allInnerTexts();
  await check(
    () => names.length === 5 && new Set(names).size === 5,
    `a parameter groups the runs, and long values look different: ${names.join(', ')}`,
  );
  await raja.close();
}
