/** Functions, utilisation and the strip of runs on recorded answers. */

import type { Cohort, Run } from '@grainsheaf/views';
import { check } from '../check.ts';
import { everyView } from './every.ts';
import { type Harness, recorded } from './harness.ts';
import type { Scene } from './page.ts';

export async function functions(harness: Harness): Promise<void> {
  const { page } = harness;
  const scene: Scene = {
    view: 'functions',
    answers: {
      exclusive: await recorded('stats-lulesh-exclusive'),
      inclusive: await recorded('stats-lulesh'),
      contexts: await recorded('stats-lulesh-contexts'),
    },
    width: 1300,
    height: 600,
  };
  await everyView(harness, scene);
  await check(
    async () =>
      (await page.locator('.gs-butterfly h3').textContent())?.startsWith(
        'CalcHourglassControlForElems',
      ) === true,
    'callers and callees of the largest function are shown first',
  );
  const cells = page.locator('.gs-butterfly [data-mark^="up"]');
  await check(async () => (await cells.count()) === 6, 'it has a chain of six callers');
  await cells.first().click();
  await check(
    async () => (await harness.events()).some(({ type }) => type === 'select-group'),
    'a caller is selected by a click',
  );
  await page.locator('.gs-grid').focus();
  await page.keyboard.press('End');
  await page.keyboard.press('Enter');
  await check(
    async () => (await harness.events()).filter(({ type }) => type === 'select-group').length === 2,
    'and a row by keyboard',
  );
  await harness.show({ ...scene, settings: { inverted: '1' } });
  await harness.picture('functions-inverted');
  const inverted = (await page.locator('.gs-butterfly').textContent()) ?? '';
  await check(
    async () =>
      inverted.startsWith('bottom-up') &&
      (await page.locator('.gs-butterfly [data-mark^="up 1 "]').count()) > 5,
    `a bottom-up tree has all functions: ${inverted.slice(0, 60)}`,
  );
  await compared(harness);
}

/** A comparison: A, B and their difference in one row, also of a function that was renamed. */
async function compared(harness: Harness): Promise<void> {
  const { page } = harness;
  const scene: Scene = {
    view: 'functions',
    answers: await recorded('functions-versions'),
    selection: { isDiff: true },
    width: 1300,
    height: 420,
  };
  await everyView(harness, scene);
  const lines = await page.locator('.gs-grid .gs-body [role=row]').allTextContents();
  const renamed = lines.filter((line) => /sort_range/.test(line));
  await check(
    () =>
      renamed.length === 1 &&
      /sort_block:139.*163.*292.*\+129 ms.*slower.*7 : 7/.test(renamed[0] ?? ''),
    `a renamed function is one row with A, B and B − A: ${renamed.join(' | ')}`,
  );
  await check(
    async () =>
      (await page.locator('.gs-grid .gs-body [role=row] svg rect').count()) > lines.length,
    'both sides have a box over their runs',
  );
  const head = (await page.locator('.gs-butterfly h3').textContent()) ?? '';
  await check(
    () => head.startsWith('sort_block:139') && head.includes('both sides'),
    `its callers are those of B: ${head}`,
  );
}

export async function utilisation(harness: Harness): Promise<void> {
  const { page } = harness;
  const scene: Scene = {
    view: 'utilisation',
    answers: { scale: await recorded('scale-runtimes') },
    width: 1200,
    height: 560,
  };
  await everyView(harness, { ...scene, answers: { scale: await recorded('scale-threads') } });
  await harness.show(scene);
  await harness.picture('utilisation-runtimes');
  await check(
    async () => (await page.locator('.gs-utilisation-legend > span').count()) === 3,
    'each runtime has a colour and a shape',
  );
  await page.locator('[data-mark="2-2"]').click({ modifiers: ['Shift'] });
  const [event] = await harness.events();
  await check(() => event?.type === 'set-side' && event.side === 'a', 'Shift and click make A');
}

export async function timeStrip(harness: Harness): Promise<void> {
  const { page } = harness;
  const versions = await recorded<{ runs: Run[] }>('runs-versions');
  const metric = { name: 'work_ns', label: 'work', unit: 'ns', direction: undefined };
  const scene: Scene = {
    view: 'time-strip',
    answers: {},
    runs: versions.runs,
    selection: { metric },
    width: 1100,
    height: 220,
  };
  await everyView(harness, scene);
  const box = await page.locator('.gs-plot').boundingBox();
  if (!box) return;
  await page.mouse.move(box.x + 60, box.y + 30);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.45, box.y + 60, { steps: 4 });
  await page.mouse.up();
  const [event] = await harness.events();
  const chosen = event?.type === 'select' ? (event.patch.runs ?? []) : [];
  await check(
    () => chosen.length > 1 && chosen.length < 14,
    `${chosen.length} runs are dragged over`,
  );
  await harness.update({ ...scene, selection: { metric, runs: chosen } });
  await page.getByRole('button', { name: 'A', exact: true }).click();
  const others = versions.runs.map(({ run }) => run).filter((run) => !chosen.includes(run));
  await harness.update({ ...scene, selection: { metric, runs: others } });
  await page.getByRole('button', { name: 'B, compare' }).click();
  await check(
    async () =>
      (await harness.events()).some(
        (one) => one.type === 'add-clause' && one.clause.startsWith('diff "run in ('),
      ),
    'two ranges are compared',
  );
  const threads = await recorded<{ runs: Run[]; cohorts: Cohort[] }>('runs-threads');
  await harness.show({ ...scene, runs: threads.runs, cohorts: threads.cohorts, theme: 'dark' });
  await harness.picture('time-strip-threads');
}
