/** Numbers of the page: their units, what they are of, and that none is cut without a mark. */

import type { Page } from 'playwright-core';
import { check } from '../check.ts';
import { countOf, lensOf, type Pages, settle, textOf } from './harness.ts';

const TIME = /\d\s(ns|µs|ms|s)\b/;

export async function numbers(pages: Pages): Promise<void> {
  await unitsAreStated(pages);
  await metricOfTheSource(pages);
  await quantityIsWhole(pages);
  await unitIsAskedOnce(pages);
  await oneQuantityPerColour(pages);
  await numbersAreWhole(pages);
  await matchedWorkAndSigns(pages);
  await cutListsSayHowMuch(pages);
}

/** Without an answer that states the unit, no value has one: not while waiting, and not after a failure. */
async function unitsAreStated(pages: Pages): Promise<void> {
  const lulesh = await pages.visit('?v=1&store=lulesh');
  const shown = await textOf(lulesh, '.frame');
  await check(() => !TIME.test(shown), 'values of an unknown unit never print as a time');
  await lulesh.close();
  const failed = await pages.visit(`?v=1&store=lulesh&tab=runs&${lensOf('focus "nothing"')}`);
  const text = await textOf(failed, '.frame');
  await check(() => !TIME.test(text), 'nor do they next to a picture that failed');
  await check(() => !text.includes('work_ns'), 'and no metric is named that the runs do not have');
  await failed.close();
  pages.service.delay = 1_500;
  const slow = await pages.browser.newPage();
  await slow.goto(`${pages.service.url}/?v=1&store=gprof`);
  await slow.locator('.left-panel').waitFor();
  await check(
    async () => !TIME.test(await textOf(slow, '.frame')),
    'values that wait for their unit have none',
  );
  pages.service.delay = 0;
  await slow.close();
}

/** The default metric adds up, and its name does not contradict the scope. */
async function metricOfTheSource(pages: Pages): Promise<void> {
  const toolkit = await pages.visit('?v=1&store=hpct');
  const title = await textOf(toolkit, '.toolbar-title');
  await check(
    () => /^inclusive processor time/.test(title) && !/exclusive/.test(title),
    `the title of the picture states one scope: ${title}`,
  );
  await toolkit.close();
  const gprof = await pages.visit('?v=1&store=gprof');
  const own = await textOf(gprof, '.toolbar-title');
  await check(
    () => /^inclusive self seconds/.test(own),
    `a caller graph shows the time of functions, not that of its arcs: ${own}`,
  );
  await gprof.close();
}

/** The sentence that states the quantity is not cut, and the legend of the picture repeats it. */
async function quantityIsWhole(pages: Pages): Promise<void> {
  for (const store of ['threads', 'lulesh', 'raja', 'hpct'])
    for (const width of [1440, 1100]) {
      const page = await pages.visit(`?v=1&store=${store}`, { width });
      const title = page.locator('.pane-sankey .toolbar-title');
      const { text, isCut, lines } = await title.evaluate((element) => ({
        text: element.textContent ?? '',
        isCut:
          element.scrollWidth > element.clientWidth || element.scrollHeight > element.clientHeight,
        lines: Math.round(element.clientHeight / 15),
      }));
      await check(
        () => !isCut && lines <= 3 && text.includes(', by definition'),
        `${store}, ${width} px: the quantity is whole in ${lines} lines: ${text}`,
      );
      // A narrow picture has room for its scales only.
      const legend =
        width < 1440
          ? undefined
          : ((await page.locator('.view-sankey svg').first().textContent()) ?? '');
      const [what = ''] = text.split(',');
      await check(
        () =>
          legend === undefined ||
          (legend.includes(`height: ${what}`) && legend.includes('by definition')),
        `${store}, ${width} px: the legend of the picture states ${what}`,
      );
      await pages.shoot(page, `quantity-${store}-${width}`);
      await page.close();
    }
}

/** A unit that the files do not state is asked for once, and sent to the store. */
async function unitIsAskedOnce(pages: Pages): Promise<void> {
  const page = await pages.visit('?v=1&store=lulesh', { isRouted: true });
  const question = page.getByRole('button', { name: /^△ Unit of .* is unknown/ });
  const sent: unknown[] = [];
  await page.route('**/api/v1/units', async (route) => {
    sent.push(route.request().postDataJSON());
    await route.fulfill({ json: { schema: 'units/1', units: {} } });
  });
  await question.click();
  await page.getByRole('button', { name: 'Keep this unit' }).click();
  await check(() => sent.length === 0, 'no unit is suggested');
  await page.getByLabel('One of its values').selectOption('us');
  await pages.shoot(page, 'unit');
  const text = await textOf(page, '.dialog-unit');
  await check(() => TIME.test(text), `the dialog shows a value in the unit: ${text}`);
  await page.getByRole('button', { name: 'Keep this unit' }).click();
  await check(
    () =>
      JSON.stringify(sent) ===
      JSON.stringify([{ store: 'lulesh', metric: 'sum_time_duration', unit: 'us' }]),
    `the store receives the unit: ${JSON.stringify(sent)}`,
  );
  await check(
    async () => /The store keeps the unit/.test(await textOf(page, '.footer')),
    'the page confirms it',
  );
  await question.click();
  await page.getByRole('button', { name: 'I do not know it' }).click();
  await check(
    async () => (await question.count()) === 0,
    'who does not know it is not asked again',
  );
  await page.reload();
  await settle(page);
  await check(async () => (await question.count()) === 0, 'nor after a reload');
  await page.close();
}

/** Difference of the whole group in the picture, in the call tree and in the panel. */
async function oneQuantityPerColour(pages: Pages): Promise<void> {
  const page = await pages.visit(
    `?v=1&store=threads&tab=tree&${lensOf("diff 'threads = 1' to 'threads = 8'")}`,
  );
  const node = page.locator('.gs-node[aria-label^="sort_range"]').first();
  await node.click();
  await settle(page);
  await page.mouse.move(2, 2);
  const change = /[+−][\d.\u202f]+ (?:ns|µs|ms|s)/;
  const inPicture = change.exec(await textOf(page, '.verdict ~ .numbers'))?.[0];
  // The call tree has the group once per context: their differences add up to that of the group.
  const sites = page.locator('.gs-site[aria-label^="sort_range"]');
  let sum = 0;
  for (let at = 0; at < (await sites.count()); at += 1) {
    await sites.nth(at).hover();
    const shown = change.exec(await textOf(page, '.gs-tooltip:not([hidden])'))?.[0] ?? '';
    sum += millisecondsOf(shown);
    await page.mouse.move(2, 2);
  }
  await check(
    () => inPicture !== undefined && Math.abs(sum / millisecondsOf(inPicture) - 1) < 0.02,
    `in a diff, picture and call tree show the same quantity: ${inPicture} and ${sum.toFixed(1)} ms`,
  );
  await pages.shoot(page, 'diff-tree');
  await page.close();
}

function millisecondsOf(text: string): number {
  const [number = '', unit = ''] = text.replaceAll('\u202f', '').replace('−', '-').split(' ');
  return Number(number) * ({ s: 1e3, ms: 1, µs: 1e-3, ns: 1e-6 }[unit] ?? Number.NaN);
}

/** Ranks of a bin are listed whole, or what is left out is counted. */
async function numbersAreWhole(pages: Pages): Promise<void> {
  const page = await pages.visit('?v=1&store=lulesh&tab=distribution&distribution.mode=ranks');
  await page.locator('.gs-node[aria-label^="MPI_Allreduce"]').first().click();
  await settle(page);
  await page.locator('.gs-histogram text').nth(5).waitFor();
  const strips = await page.locator('.gs-histogram text').allTextContents();
  const cut = strips.filter((text) => /,\s*$/.test(text));
  await check(() => strips.length > 4, 'the distribution over ranks is drawn');
  await check(() => cut.length === 0, `no list of ranks ends in a comma ${cut.join(' | ')}`);
  await pages.shoot(page, 'ranks');
  await page.close();
}

/** Share of work that was matched, by tier, and the signs of verdicts are those of the command line. */
async function matchedWorkAndSigns(pages: Pages): Promise<void> {
  const page = await pages.visit(
    `?v=1&store=versions&layout=compare&${lensOf("diff 'version = 1' to 'version = 2'")}`,
  );
  const head = await textOf(page, '.change-structure');
  await check(
    () => /72\.9\s% inferred/.test(head) && /0\.423\s% not matched/.test(head),
    `work that is only inferred to match is stated: ${head.replaceAll('\n', ' ')}`,
  );
  const signs = await page.locator('.gs-diff-bars .gs-mark').allTextContents();
  const rows = await page.locator('.gs-diff-bars tbody tr').allInnerTexts();
  const isLike = (text: string): boolean =>
    !/≈/.test(text) && (!text.includes('inconclusive') || text.includes('?'));
  await check(
    () => signs.includes('▲') && rows.every(isLike),
    `verdicts have the signs of the command line: ${[...new Set(signs)].join(' ')}`,
  );
  await page.locator('.gs-diff-bars tbody tr', { hasText: ':139' }).first().click();
  await settle(page);
  const ways = await page
    .locator('.right-panel .steps .button', { hasText: 'next to' })
    .allInnerTexts();
  await check(
    () => ways.length === 1,
    `the selected group opens a run of each side: ${ways.join('; ')}`,
  );
  await isInside(page, '.right-panel .button');
  await page.close();
}

/** Lists that are cut state how much is left, and lead there. */
async function cutListsSayHowMuch(pages: Pages): Promise<void> {
  const page = await pages.visit('?v=1&store=raja&layout=compare');
  const options = await countOf(
    page,
    'select[aria-label="Candidate B"] optgroup[label=runs] option',
  );
  await check(() => options === 50, `each of 50 runs can be chosen as B: ${options}`);
  await check(
    async () => /\+ \d+ more/.test(await textOf(page, '.right-panel')),
    'parameters that are not listed are counted',
  );
  await isInside(page, '.state .button');
  await page.close();
}

/** Whether all of an element is in the window, with all of its text. */
async function isInside(page: Page, selector: string): Promise<void> {
  const over = await page.locator(selector).evaluateAll((elements) =>
    elements
      .filter((element) => {
        const box = element.getBoundingClientRect();
        const around = element
          .closest('.pane-body, .state, .pane, .right-panel')
          ?.getBoundingClientRect();
        return (
          element.scrollWidth > element.clientWidth + 1 || (around && box.right > around.right + 1)
        );
      })
      .map((element) => element.textContent),
  );
  await check(() => over.length === 0, `long names are not cut off in buttons ${over.join('; ')}`);
}
