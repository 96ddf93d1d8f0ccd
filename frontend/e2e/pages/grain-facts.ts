/** What the page states of the selected grain: its source, its siblings and its problems. */

import { check } from '../check.ts';
import { type Pages, settle, textOf } from './harness.ts';

const RUN = '18c6ad41a3e11a4a4b60bead9e805c1c';

export async function grainFacts(pages: Pages): Promise<void> {
  for (const theme of ['light', 'dark'] as const) {
    const page = await pages.visit(
      `?v=1&store=threads&layout=run&panes=(grain-graph/60/timeline)&run=${RUN}&grain=532`,
      { theme },
    );
    const panel = await textOf(page, '.right-panel');
    await check(
      () => /programs\/sort\.c:125/.test(panel) && /median of 8 siblings/.test(panel),
      `the panel has the place and the siblings of a grain: ${panel.slice(0, 300)}`,
    );
    const problems = await textOf(page, '[aria-label="Problems of the grain"]');
    await check(
      () => /▲ instantaneous parallelism < cores/.test(problems) && !/creation/.test(problems),
      `and the problems that it has: ${problems}`,
    );
    await pages.shoot(page, `grain-facts-${theme}`);
    await page.getByRole('button', { name: 'open source' }).click();
    await settle(page);
    const source = await textOf(page, '.gs-source');
    await check(
      () => /sort_range \(task\)/.test(source) && /programs\/sort\.c:125/.test(source),
      `the view of the source follows the grain: ${source.slice(0, 120)}`,
    );
    await pages.shoot(page, `grain-source-${theme}`);
    await page.close();
  }
}
