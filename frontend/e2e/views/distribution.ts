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
