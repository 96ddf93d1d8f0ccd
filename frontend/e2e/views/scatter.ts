/** The scatter on recorded answers: legend, lines, axes, outliers, rectangles and many dots. */

import { check } from '../check.ts';
import { everyView } from './every.ts';
import { type Harness, recorded } from './harness.ts';
import type { Scene } from './page.ts';
import type { Sankeyish } from './values.ts';

/** One group by the legend, swapped axes, lines of least squares, and steps to outliers. */
async function scatterGroups(harness: Harness, scene: Scene): Promise<void> {
  const { page } = harness;
  const { x } = scene.answers as { x: Sankeyish };
  await harness.show({ ...scene, settings: { fit: '1' } });
  const entries = page.locator('.gs-scatter-groups button');
  await check(
    async () =>
      (await entries.count()) === 8 && (await page.getByLabel('Other groups').count()) === 1,
    'the legend has the largest groups, and a list of the others',
  );
  const text = (await entries.first().innerText()).replaceAll(/\s+/g, ' ');
  await check(
    () => /R² [\d.]+, n \d/.test(text),
    `a line states how well it fits, and to how many dots: ${text}`,
  );
  const head = page.locator('.gs-scatter-list').first();
  await check(
    async () => (await head.innerText()).includes('in log space'),
    'the head states the space of the lines',
  );
  await check(async () => (await page.locator('.gs-fit').count()) > 2, 'each group has a line');
  await harness.picture('scatter-lines');
  await entries.nth(1).click();
  const chosen = (await harness.events()).find(({ type }) => type === 'select');
  const group = chosen?.type === 'select' ? (chosen.patch.group ?? '') : '';
  await check(() => x.nodes.some((node) => node.id === group), 'the legend selects a group');
  await harness.update({ ...scene, settings: { fit: '1' }, selection: { group } });
  await check(
    async () =>
      (await page.locator('.gs-fit').count()) === 1 &&
      (await entries.nth(1).getAttribute('aria-pressed')) === 'true',
    'only the line of the selected group remains',
  );
  const fills = await page
    .locator('.gs-plot circle')
    .evaluateAll((dots) => [...new Set(dots.map((dot) => dot.getAttribute('fill')))]);
  await check(() => fills.length === 2, `the other groups fade: ${fills.join(', ')}`);
  await harness.picture('scatter-group');
  const linear = { ...scene, settings: { fit: '1', log: '0', swap: '1' } };
  await harness.show(linear);
  await check(
    async () => !(await head.innerText()).includes('log space'),
    'lines of linear axes are fitted to the values themselves',
  );
  const names = await page.locator('.gs-plot > text').allTextContents();
  await check(
    () => names.indexOf('exclusive') < names.indexOf('inclusive'),
    'swapped axes swap their names',
  );
  await harness.picture('scatter-swapped');
  await page.locator('.gs-plot [data-mark][tabindex="0"]').focus();
  await page.keyboard.press('Shift+X');
  const last = (await harness.events()).pop();
  await check(
    () => last?.type === 'set' && last.values['swap'] === false,
    'Shift+X swaps the axes',
  );
  await scatterOutliers(harness, scene);
}

/** N and P lead to outliers, the worst first. */
async function scatterOutliers(harness: Harness, scene: Scene): Promise<void> {
  const { page } = harness;
  await harness.show(scene);
  const visit = async (by: number): Promise<[string, number]> => {
    await page.evaluate((step) => window.tests.step(step), by);
    const said = (await harness.events()).pop();
    const text = said?.type === 'say' ? said.text : '';
    return [
      (await page.evaluate(() => document.activeElement?.getAttribute('data-mark'))) ?? '',
      Number(/: ([\d.,]+)/.exec(text)?.[1]?.replaceAll(',', '') ?? NaN),
    ];
  };
  const [first, worst] = await visit(1);
  const [second, next] = await visit(1);
  const [back] = await visit(-1);
  await check(
    () => first !== '' && first !== second && back === first && worst >= next,
    `steps lead to the worst outlier first: ${worst}, ${next}`,
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
  await scatterGroups(harness, lulesh);
  await harness.show(lulesh);
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
