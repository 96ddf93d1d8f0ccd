/** Views of runs among runs on recorded answers: similarity and projection. */

import { check } from '../check.ts';
import { everyView } from './every.ts';
import { type Harness, recorded } from './harness.ts';
import type { Scene } from './page.ts';

export async function similarity(harness: Harness): Promise<void> {
  const { page } = harness;
  const raja: Scene = {
    view: 'similarity',
    answers: { similar: await recorded('similar-raja') },
    width: 1440,
    height: 900,
  };
  await everyView(harness, { ...raja, answers: { similar: await recorded('similar-versions') } });
  await harness.show(raja);
  await harness.picture('similarity-raja');
  await page.getByRole('button', { name: 'Keep only these' }).first().click();
  const events = await harness.events();
  await check(
    () => events[0]?.type === 'keep-runs' && events[0].runs.length === 10,
    'a cluster of 10 runs is kept',
  );
  const canvas = page.locator('.gs-heat canvas');
  await canvas.focus();
  await page.keyboard.press('ArrowRight');
  await check(
    async () =>
      /similarity 0\.\d+, clusters 1/.test((await page.locator('[aria-live]').textContent()) ?? ''),
    'the cursor on the matrix speaks',
  );
  await page.keyboard.press('Enter');
  await check(
    async () => (await harness.events()).filter(({ type }) => type === 'set-side').length === 2,
    'Enter compares the two runs of a cell',
  );
  await page.keyboard.press('o');
  const box = await canvas.boundingBox();
  const { similar } = raja.answers as { similar: { runs: readonly { readonly run: string }[] } };
  const cell = (box?.width ?? 0) / similar.runs.length;
  await canvas.dblclick({ position: { x: 2.5 * cell, y: 2.5 * cell } });
  const opened = (await harness.events()).filter((event) => event.type === 'open-run');
  const [first, second, third] = similar.runs.map(({ run }) => run);
  await check(
    () =>
      opened[0]?.run === first &&
      opened[0]?.patch?.otherRun === second &&
      opened[1]?.run === third &&
      opened[1]?.patch?.otherRun === '',
    `O opens both runs of a cell, a double click on the diagonal one: ${JSON.stringify(opened)}`,
  );
  await check(
    async () => (await harness.events()).filter(({ type }) => type === 'set-target').length === 1,
    'and makes it the target once',
  );
}

export async function projection(harness: Harness): Promise<void> {
  const { page } = harness;
  const raja: Scene = {
    view: 'projection',
    answers: { projection: await recorded('projection-raja') },
    width: 1200,
    height: 760,
  };
  await everyView(harness, raja);
  const dot = page.locator('.gs-plot [data-mark]').first();
  await dot.dispatchEvent('click', { detail: 2 });
  await dot.focus();
  await page.keyboard.press('o');
  const opened = (await harness.events()).filter(({ type }) => type === 'open-run');
  const key = await dot.getAttribute('data-mark');
  await check(
    () => opened.length === 2 && opened.every((one) => 'run' in one && one.run === key),
    'a double click and O open the run of a dot',
  );
  await harness.show(raja);
  const box = await page.locator('.gs-plot').boundingBox();
  if (!box) return;
  const corners = [
    [0.7, 0.2],
    [0.97, 0.2],
    [0.97, 0.8],
    [0.7, 0.8],
  ] as const;
  const at = ([x, y]: readonly [number, number]): [number, number] => [
    box.x + x * box.width,
    box.y + y * box.height,
  ];
  await page.mouse.move(...at(corners[0]));
  await page.mouse.down();
  for (const corner of corners) await page.mouse.move(...at(corner), { steps: 4 });
  await page.mouse.up();
  const [event] = await harness.events();
  const runs = event?.type === 'select' ? (event.patch.runs ?? []) : [];
  await check(() => runs.length === 10, `a lasso around clang chooses ${runs.length} runs`);
  await harness.update({ ...raja, selection: { runs } });
  await check(
    async () => (await page.locator('.gs-contrasts td').first().textContent()) !== '',
    'what distinguishes them is listed',
  );
  await harness.picture('projection-chosen');
  await page.getByRole('button', { name: 'Exclude' }).click();
  await check(
    async () =>
      (await harness.events()).some(({ type, ...rest }) => {
        const kept = rest as { runs?: readonly string[] };
        return type === 'keep-runs' && kept.runs?.length === 40;
      }),
    'they can be excluded',
  );
  await harness.update({ ...raja, settings: { colour: 'cmake_cxx_flags' } });
  await harness.picture('projection-coloured');
}
