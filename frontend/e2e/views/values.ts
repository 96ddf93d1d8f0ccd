/** Views of values of groups on recorded answers: box plots and scatter. */

import { check } from '../check.ts';
import { everyView } from './every.ts';
import { type Harness, recorded } from './harness.ts';
import type { Scene } from './page.ts';

export async function boxes(harness: Harness): Promise<void> {
  const { page } = harness;
  const threads: Scene = {
    view: 'boxes',
    answers: { stats: await recorded('stats-threads') },
    width: 1200,
    height: 560,
  };
  await everyView(harness, threads);
  const first = page.locator('.gs-body .gs-row').first();
  await check(
    async () => ((await first.textContent()) ?? '').startsWith('sort'),
    'the largest group comes first',
  );
  await page.locator('.gs-grid').focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await check(
    async () => (await harness.events()).some(({ type }) => type === 'select-group'),
    'Enter selects a group',
  );
  await page.getByRole('button', { name: /spread/ }).click();
  const sort = (await harness.events()).find(({ type }) => type === 'set');
  await check(
    () => sort?.type === 'set' && sort.values['sort'] === '-spread',
    'a head sorts, in the address',
  );
  const raja: Scene = { ...threads, answers: { stats: await recorded('stats-raja') } };
  await harness.show({ ...raja, settings: { axis: 'own', log: '1' } });
  await harness.picture('boxes-raja');
  await check(
    async () => (await page.locator('.gs-body .gs-row').count()) < 40,
    'only rows that are seen are drawn',
  );
}

export async function scatter(harness: Harness): Promise<void> {
  const { page } = harness;
  const lulesh: Scene = {
    view: 'scatter',
    answers: { x: await recorded('sankey-lulesh') },
    width: 1000,
    height: 600,
  };
  await everyView(harness, lulesh);
  const box = await page.locator('.gs-plot').boundingBox();
  if (!box) return;
  await page.mouse.move(box.x + box.width * 0.75, box.y + box.height * 0.1);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.95, box.y + box.height * 0.3, { steps: 5 });
  await page.mouse.up();
  await check(
    async () => /\d+ dots of/.test((await page.locator('#host').textContent()) ?? ''),
    'a rectangle lists its groups',
  );
  await page.getByRole('button', { name: /keep only these/ }).click();
  await check(
    async () => (await harness.events()).some(({ type }) => type === 'keep-runs'),
    'and keeps its runs',
  );
  // 60,000 dots: the same groups in many runs.
  const many = await recorded<Sankeyish>('sankey-lulesh');
  const copies = Math.ceil(60_000 / (many.nodes.length * many.runs.length));
  const repeated = <T>(values: readonly T[]): T[] =>
    Array.from({ length: copies }, () => values).flat();
  const large = {
    ...many,
    runs: repeated(many.runs).map((run, index) => `${run}-${index}`),
    nodes: many.nodes.map((node) => ({
      ...node,
      inclusive_by_run: repeated(node.inclusive_by_run),
      exclusive_by_run: repeated(node.exclusive_by_run),
    })),
  };
  await harness.show({ ...lulesh, answers: { x: large } });
  const milliseconds = await page.evaluate(
    (scene) => {
      const before = performance.now();
      window.tests.update(scene);
      return performance.now() - before;
    },
    { ...lulesh, answers: { x: large } },
  );
  await check(() => milliseconds < 2000, `60,000 dots are drawn in ${Math.round(milliseconds)} ms`);
  const canvas = page.locator('canvas.gs-scatter-canvas');
  await canvas.focus();
  await page.keyboard.press('ArrowRight');
  await check(
    async () =>
      (await page.locator('.gs-tooltip:not([hidden])').count()) === 1 &&
      ((await page.locator('[aria-live]').textContent()) ?? '').length > 10,
    'the cursor on the canvas describes its dot',
  );
  await harness.picture('scatter-60000');
}

interface Sankeyish {
  readonly runs: readonly string[];
  readonly nodes: readonly {
    readonly inclusive_by_run: readonly (number | null)[];
    readonly exclusive_by_run: readonly (number | null)[];
  }[];
}
