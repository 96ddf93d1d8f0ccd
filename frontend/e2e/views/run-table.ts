/** The run table: order, groups, keys, picked runs, 10,000 rows. */

import type { Run, Runs, Sankey, ViewEvent } from '@grainsheaf/views';
import { check } from '../check.ts';
import { type Harness, recorded } from './harness.ts';
import { everyState, events, show, update } from './own.ts';
import type { OwnScene } from './page-own.ts';

const NOTHING = {
  sort: '',
  isFolded: true,
  groupBy: '',
  a: [],
  b: [],
  runs: [],
  mark: 'bars',
  group: '',
  canEdit: true,
};

const GRID = '.gs-run-table';

async function sceneOf(rest: object = {}): Promise<OwnScene> {
  const runs = await recorded<Runs>('runs-threads');
  const sankey = await recorded<Sankey>('sankey-threads');
  return {
    own: 'run-table',
    data: { runs, metric: 'work_ns', sankey },
    selection: { ...NOTHING, ...rest },
    width: 1300,
    height: 560,
  };
}

export async function runTable(harness: Harness): Promise<void> {
  await drawing(harness);
  await order(harness);
  await picking(harness);
  await acting(harness);
  await editing(harness);
  await manyRows(harness);
}

const namesOf = (harness: Harness): Promise<string[]> =>
  harness.page.locator(`${GRID} [data-run] .gs-mono`).allInnerTexts();

async function last(harness: Harness): Promise<ViewEvent | undefined> {
  return (await events(harness)).at(-1);
}

/** Bars and cells of the groups, in both themes, with the same colours in the legend. */
async function drawing(harness: Harness): Promise<void> {
  const { page } = harness;
  for (const mark of ['bars', 'heat'] as const)
    await everyState(harness, await sceneOf({ mark }), `run-table-${mark}`);
  await show(harness, await sceneOf());
  const fills = await page
    .locator(`${GRID} [data-run] svg`)
    .first()
    .locator('rect[height="16"]')
    .evaluateAll((all) => all.map((one) => one.getAttribute('fill')));
  const keys = await page.locator('.gs-group-key [aria-hidden]').evaluateAll((all) =>
    all.map((one) => {
      const [r = 0, g = 0, b = 0] = getComputedStyle(one).color.match(/\d+/g)?.map(Number) ?? [];
      return `#${[r, g, b].map((part) => part.toString(16).padStart(2, '0')).join('')}`;
    }),
  );
  const drawn = fills.map((fill) => fill?.toLowerCase());
  await check(
    () => keys.length > 3 && keys.some((key) => drawn.includes(key)),
    `the legend has the colours of the bars: ${keys.join(' ')}`,
  );
  const text = await page.locator(`${GRID} [data-run] svg title`).first().textContent();
  await check(() => /sort_range.*: .*ms, .*%/.test(text ?? ''), `a bar has its numbers: ${text}`);
  await page.locator('.gs-group-key').first().click();
  await check(
    async () => (await last(harness))?.type === 'select-group',
    'a name of the legend selects the group',
  );
}

async function order(harness: Harness): Promise<void> {
  const { page } = harness;
  await show(harness, await sceneOf());
  await page.locator('[data-column=total]').click();
  await check(
    async () => JSON.stringify(await last(harness)) === '{"type":"sort","column":"total"}',
    'a head sorts',
  );
  await update(harness, { ...NOTHING, sort: '-total' });
  const totals = await page
    .locator(`${GRID} [data-run]`)
    .evaluateAll((rows) =>
      rows.map((row) => (row.querySelector('.gs-cell-bar') as HTMLElement).style.width),
    );
  const sizes = totals.map((width) => Number.parseFloat(width));
  await check(
    () => sizes.length > 10 && sizes.every((size, at) => size <= (sizes[at - 1] ?? 100)),
    'rows come by descending totals',
  );
  await update(harness, { ...NOTHING, groupBy: 'threads' });
  const title = await page.locator('.gs-group').first().innerText();
  await check(() => title === 'threads = 1 · 5', `rows have a title per value: ${title}`);
  await page
    .locator('.gs-group')
    .first()
    .click({ modifiers: ['Control'] });
  const event = await last(harness);
  await check(
    () => event?.type === 'select' && event.patch.runs?.length === 5,
    'Ctrl and a click on a title pick its group',
  );
}

/** Picked runs by mouse and by keys: they are those of the page, not of the table. */
async function picking(harness: Harness): Promise<void> {
  const { page } = harness;
  await show(harness, await sceneOf());
  const rows = page.locator(`${GRID} [data-run]`);
  const ids = await rows.evaluateAll((all) => all.map((row) => row.getAttribute('data-run') ?? ''));
  const picked = async (): Promise<readonly string[]> => {
    const event = await last(harness);
    const runs = event?.type === 'select' ? (event.patch.runs ?? []) : [];
    await update(harness, { ...NOTHING, runs });
    return runs;
  };
  const isFrom = async (from: number, to: number): Promise<boolean> =>
    JSON.stringify(await picked()) === JSON.stringify(ids.slice(from, to));
  await rows
    .nth(1)
    .locator('.gs-mono')
    .click({ modifiers: ['Control'] });
  await check(() => isFrom(1, 2), 'Ctrl and a click pick a run');
  await rows
    .nth(4)
    .locator('.gs-mono')
    .click({ modifiers: ['Shift'] });
  await check(() => isFrom(1, 5), 'Shift and a click pick a range');
  await check(
    async () => (await page.locator(`${GRID} [aria-selected=true]`).count()) === 4,
    'picked rows are shown as such',
  );
  await rows.nth(1).locator('[data-pick=pick]').click();
  await check(() => isFrom(2, 5), 'the box of a row drops it');
  await page.locator(GRID).focus();
  await page.keyboard.press('Escape');
  await check(() => isFrom(0, 0), 'Escape drops all');
  for (const key of ['Home', 'ArrowDown', 'Space', 'Shift+ArrowDown', 'Shift+ArrowDown'])
    await page.keyboard.press(key);
  await check(() => isFrom(1, 4), 'Space picks, and Shift with arrows picks a range');
  await harness.picture('run-table-picked');
}

/** What the bar and the menu do with picked runs. */
async function acting(harness: Harness): Promise<void> {
  const { page } = harness;
  const scene = await sceneOf();
  const ids = (scene.data as { runs: Runs }).runs.runs.slice(0, 3).map(({ run }) => run);
  await show(harness, await sceneOf({ runs: ids }));
  const bar = page.getByRole('toolbar', { name: 'Picked runs' });
  const said = await bar.innerText();
  await check(() => said.includes('3 runs picked'), `the bar counts them: ${said}`);
  for (const [label, type] of [
    ['Keep only', 'keep-runs'],
    ['Exclude', 'exclude-runs'],
    ['Baseline A', 'set-side-runs'],
    ['Candidate B', 'set-side-runs'],
    ['Copy ids', 'copy'],
  ] as const) {
    await bar.getByRole('button', { name: label, exact: true }).click();
    const event = await last(harness);
    const text = JSON.stringify(event);
    await check(
      () => event?.type === type && ids.every((id) => text.includes(id)),
      `"${label}" is for all picked runs`,
    );
  }
  await page.locator(`${GRID} [data-run]`).nth(6).locator('.gs-mono').click({ button: 'right' });
  const items = await page.getByRole('menuitem').allInnerTexts();
  await check(
    () => items.includes('Copy id') && items.includes('Rename…'),
    `a right click has the same for the run below it: ${items.join(', ')}`,
  );
  await page.keyboard.press('Escape');
  await page.locator(GRID).focus();
  await page.keyboard.press('Home');
  await page.keyboard.press('Shift+F10');
  const own = await page.getByRole('menuitem').allInnerTexts();
  await check(() => own.includes('Copy ids'), 'the key of the menu has that of the picked runs');
  await page.keyboard.press('Escape');
}

/** Another name, and removal, if the service takes changes. */
async function editing(harness: Harness): Promise<void> {
  const { page } = harness;
  const { data } = await sceneOf();
  const [first] = (data as { runs: Runs }).runs.runs as [Run];
  await show(harness, await sceneOf({ runs: [first.run] }));
  const bar = page.getByRole('toolbar', { name: 'Picked runs' });
  await bar.getByRole('button', { name: 'Rename…' }).click();
  await page.getByLabel(`New name of ${first.name}`).fill('fast one');
  await harness.picture('run-table-rename');
  await page.keyboard.press('Enter');
  const renamed = await last(harness);
  await check(
    () =>
      renamed?.type === 'edit' &&
      renamed.edit.route === 'runs/rename' &&
      renamed.edit.name === 'fast one' &&
      renamed.edit.before === first.name,
    `a run is renamed: ${JSON.stringify(renamed)}`,
  );
  await bar.getByRole('button', { name: 'Remove from the store' }).click();
  const removed = await last(harness);
  await check(
    () => removed?.type === 'edit' && removed.edit.route === 'runs/remove',
    `a run is removed: ${JSON.stringify(removed)}`,
  );
  await show(harness, await sceneOf({ runs: [first.run], canEdit: false }));
  await check(
    async () => !/Rename|Remove/.test(await bar.innerText()),
    'a service that takes no changes offers none',
  );
}

/** Only seen rows are in the document; keys reach the last of 10,000. */
async function manyRows(harness: Harness): Promise<void> {
  const { page } = harness;
  const scene = await sceneOf();
  const { runs } = scene.data as { runs: Runs };
  const many = Array.from({ length: 10_000 }, (_, at) => {
    const run = runs.runs[at % runs.runs.length] as Run;
    return { ...run, run: `run-${at}`, name: `run ${at}`, total: 1e6 + at };
  });
  await show(harness, {
    ...scene,
    data: { runs: { ...runs, runs: many }, metric: 'work_ns' },
    selection: { ...NOTHING, sort: '-total' },
  });
  const count = await page.locator(`${GRID} [data-run]`).count();
  await check(() => count > 10 && count < 80, `${count} of 10,000 rows are in the document`);
  await page.locator(GRID).focus();
  await page.keyboard.press('End');
  const names = await namesOf(harness);
  await check(() => names.includes('run 0'), `End shows the last row: ${names.at(-1)}`);
  await page.keyboard.press('Shift+Home');
  const event = await last(harness);
  await check(
    () => event?.type === 'select' && event.patch.runs?.length === 10_000,
    'a range over all rows has all runs',
  );
}
