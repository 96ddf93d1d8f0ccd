/** The scaling page on recorded answers. */

import { check } from '../check.ts';
import { everyView } from './every.ts';
import { type Harness, recorded } from './harness.ts';
import type { Scene } from './page.ts';

interface Scaleish {
  readonly points: readonly { readonly p: number; readonly run: string }[];
}

export async function scaling(harness: Harness): Promise<void> {
  const { page } = harness;
  const lulesh: Scene = {
    view: 'scaling',
    answers: { scale: await recorded('scale-lulesh') },
    width: 1440,
    height: 900,
  };
  await everyView(harness, lulesh);
  await check(
    async () => (await page.locator('h2').first().textContent()) === '×261 at ranks 512',
    'the scaling page begins with the answer',
  );
  const texts = await page.locator('.gs-plot').nth(1).locator('text').allTextContents();
  const shares = texts.filter((text) => text.endsWith('%')).map((text) => parseFloat(text));
  await check(
    () => Math.abs(shares.reduce((sum, share) => sum + share, 0) - 100) <= 1,
    `losses of the last bar add up: ${shares.join(' + ')}`,
  );
  await page.getByRole('button', { name: 'Compare 343 with 512' }).click();
  const events = await harness.events();
  await check(
    () =>
      events.length === 2 &&
      events.every((event) => event.type === 'set-side') &&
      events[0]?.type === 'set-side' &&
      events[0].side === 'a',
    'a pair out of order is compared',
  );
  await page.locator('[data-mark="point-512"]').dispatchEvent('click', { detail: 2 });
  await page.locator('[data-mark^="loss-343-"]').first().dispatchEvent('click', { detail: 2 });
  const group = page.locator('[data-mark^="group-"]').first();
  await group.focus();
  await page.keyboard.press('o');
  const opened = (await harness.events()).filter((event) => event.type === 'open-run');
  const { scale } = lulesh.answers as { scale: Scaleish };
  const runAt = (p: number): string | undefined => scale.points.find((point) => point.p === p)?.run;
  await check(
    () =>
      opened.map(({ run }) => run).join() === [512, 343, 512].map(runAt).join() &&
      (opened[2]?.patch?.definition ?? '') !== '',
    `points, bars and groups open their runs: ${JSON.stringify(opened)}`,
  );
  const slider = page.locator('.gs-slider input').first();
  await slider.focus();
  await page.keyboard.press('End');
  await check(
    async () => (await harness.events()).some((event) => event.type === 'set'),
    'a slider of "what if" goes into the address',
  );
  const change = (await harness.events()).find((event) => event.type === 'set');
  const whatif = change?.type === 'set' ? String(change.values['whatif']) : '';
  await harness.update({ ...lulesh, settings: { whatif } });
  await check(
    async () => /×261 → ×/.test((await page.locator('.gs-result').textContent()) ?? ''),
    'and has a result',
  );
  await harness.picture('scaling-what-if');
  const threads: Scene = { ...lulesh, answers: { scale: await recorded('scale-threads') } };
  await harness.show({ ...threads, theme: 'dark' });
  await harness.picture('scaling-threads-dark');
  await check(
    async () => (await page.locator('.gs-plot').first().locator('path').count()) >= 5,
    'repeated runs have intervals',
  );
}
