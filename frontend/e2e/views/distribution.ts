/** The distribution of a group on recorded answers, in its modes. */

import { check } from '../check.ts';
import { everyView } from './every.ts';
import { type Harness, recorded } from './harness.ts';
import type { Scene } from './page.ts';

export async function distribution(harness: Harness): Promise<void> {
  const { page } = harness;
  const scene = async (mode: string): Promise<Scene> => ({
    view: 'distribution',
    answers: { distribution: await recorded(`distribution-lulesh-${mode}`) },
    settings: { mode },
    width: 900,
    height: 320,
  });
  for (const mode of ['call_sites', 'ranks']) {
    await harness.show(await scene(mode));
    await harness.picture(`distribution-${mode}`);
  }
  await everyView(harness, await scene('runs'));
  const box = await page.locator('.gs-histogram').boundingBox();
  if (!box) return;
  await page.mouse.move(box.x + box.width * 0.5, box.y + 60);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width - 20, box.y + 90, { steps: 4 });
  await page.mouse.up();
  const events = await harness.events();
  const [event] = events;
  const runs = event?.type === 'select' ? (event.patch.runs ?? []) : [];
  await check(
    () => events.length === 1 && runs.length > 0 && runs.length < 8,
    `dragging over bins chooses ${runs.length} of 7 runs, and nothing else`,
  );
}

/** The rule of the bins, and steps to outliers. */
export async function bins(harness: Harness): Promise<void> {
  const { page } = harness;
  const fixed: Scene = {
    view: 'distribution',
    answers: { distribution: await recorded('distribution-lulesh-ranks') },
    settings: { mode: 'ranks' },
    selection: { lens: 'bins 20' },
    width: 900,
    height: 320,
  };
  const rule = page.locator('.gs-rule');
  await harness.show(fixed);
  await check(
    async () =>
      (await rule.textContent()) === '20 bins' &&
      (await page.evaluate(() => Object.keys(window.tests.parts()))).length === 0,
    'a clause `bins` of the lens comes before the rule',
  );
  const free: Scene = { ...fixed, selection: {} };
  await harness.show(free);
  const asked = await page.evaluate(() => window.tests.parts());
  const wanted = Number(/bins (\d+)/.exec(JSON.stringify(asked))?.[1] ?? NaN);
  await check(() => wanted > 20 && wanted <= 200, `the rule asks for ${wanted} bins`);
  const { distribution: answer } = fixed.answers as { distribution: Binned };
  const [first] = answer.bins;
  const many = Array.from({ length: wanted }, () => first);
  await harness.show({
    ...free,
    answers: { distribution: answer, binned: { ...answer, bins: many } },
  });
  await check(
    async () => (await rule.textContent()) === `${wanted} bins by Freedman–Diaconis`,
    'the picture states the rule of its bins',
  );
  await check(
    async () => (await page.locator('[data-bin]').count()) === wanted,
    'and has the bins of the second answer',
  );
  await harness.show(free);
  const said: string[] = [];
  for (const by of [1, 1, -1]) {
    await page.evaluate((step) => window.tests.step(step), by);
    const last = (await harness.events()).pop();
    said.push(last?.type === 'say' ? last.text : '');
  }
  const [worst, next, back] = said;
  await check(
    () =>
      /^Outlier 1 of 13: rank .*interquartile ranges away$/.test(worst ?? '') &&
      (next ?? '').startsWith('Outlier 2 of 13') &&
      back === worst,
    `N and P lead to outliers: ${said.join('; ')}`,
  );
  await check(
    async () =>
      (await page.evaluate(() => document.activeElement?.getAttribute('data-bin'))) === '0',
    'the bin of the outlier has the focus',
  );
  await harness.picture('distribution-outlier');
}

interface Binned {
  readonly bins: readonly object[];
}
