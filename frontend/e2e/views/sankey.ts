/** The Sankey on recorded answers: edges by keyboard, moved nodes, orders, hot path, legends and bars of ranks. */

import type { Sankey } from '@grainsheaf/views';
import { check } from '../check.ts';
import { type Harness, recorded } from './harness.ts';
import { everyState, events, PICKS, sankeyScene, show, update } from './own.ts';

const tooltip = async ({ page }: Harness): Promise<string> =>
  (await page.locator('.gs-tooltip:not([hidden])').textContent()) ?? '';
const focused = ({ page }: Harness): Promise<string> =>
  page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? '');

/** A point of the window at which a shape is on top: bands are curved, so that the middle of their box may be outside. */
function pointOn({ page }: Harness, selector: string): Promise<{ x: number; y: number }> {
  return page.locator(selector).evaluate((shape) => {
    const box = shape.getBoundingClientRect();
    for (let x = box.x + 6; x < box.right; x += 6)
      for (let y = box.y; y < box.bottom; y += 1)
        if (shape.contains(document.elementFromPoint(x, y))) return { x, y };
    throw new Error('the shape is nowhere on top');
  });
}

/** All recorded ensembles in both themes. */
export async function ensembles(harness: Harness): Promise<void> {
  for (const name of ['lulesh', 'raja', 'hpct', 'threads', 'dag4'])
    await everyState(harness, await sankeyScene(name), `sankey-${name}`);
}

/** Arrow keys lead from nodes to edges; an edge says by keyboard what it says by pointer. */
export async function edges(harness: Harness): Promise<void> {
  const { page } = harness;
  const scene = await sankeyScene('lulesh');
  await show(harness, scene);
  await page.locator('.gs-node[aria-label^="LagrangeLeapFrog,"]').focus();
  await page.keyboard.press('ArrowRight');
  const first = await focused(harness);
  await check(
    () => first.startsWith('LagrangeLeapFrog → '),
    `the right arrow leads to an edge: ${first}`,
  );
  const byKey = await tooltip(harness);
  await check(
    () => byKey.includes('inclusive, max.') && byKey.includes('8 of 8'),
    'the edge with the focus has a tooltip',
  );
  await harness.picture('sankey-edge-focus');
  await page.keyboard.press('ArrowDown');
  const second = await focused(harness);
  await check(
    () => second !== first && second.startsWith('LagrangeLeapFrog → '),
    'down leads to its next edge',
  );
  await page.keyboard.press('ArrowUp');
  const point = await pointOn(harness, '.gs-edge:focus');
  await page.keyboard.press('ArrowRight');
  const callee = await focused(harness);
  await check(
    () => first.includes(`→ ${callee.split(',')[0] ?? '?'},`),
    `right again leads to its callee: ${callee.slice(0, 40)}`,
  );
  await page.mouse.move(point.x, point.y);
  const byPointer = await tooltip(harness);
  await check(() => byPointer === byKey, `pointer and keyboard say the same: ${byPointer}`);
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('Enter');
  await check(
    async () => (await events(harness)).some(({ type }) => type === 'select-group'),
    'Enter on an edge selects its callee',
  );
}

/** Nodes are moved by pointer and by keys; others make room, and the address gets their places. */
export async function moving(harness: Harness): Promise<void> {
  const { page } = harness;
  const scene = await sankeyScene('threads');
  await show(harness, scene);
  const node = page.locator('.gs-node[aria-label^="merge_ranges:98"]');
  const top = async (): Promise<number> => (await node.boundingBox())?.y ?? 0;
  const before = await top();
  const box = await node.boundingBox();
  if (!box) return;
  await page.mouse.move(box.x + 20, box.y + 8);
  await page.mouse.down();
  await page.mouse.move(box.x + 20, box.y + 40, { steps: 4 });
  await page.mouse.move(box.x + 60, box.y + 78, { steps: 4 });
  await page.mouse.up();
  const after = await top();
  await check(
    () => Math.abs(after - before - 70) < 6,
    `a node follows the pointer by ${Math.round(after - before)} px`,
  );
  const sets = (await events(harness)).flatMap((event) =>
    event.type === 'set' ? [event.values] : [],
  );
  const moved = sets.flatMap((values) =>
    Array.isArray(values['moved']) ? (values['moved'] as string[]) : [],
  );
  await check(
    () => moved.length === 1 && /:0\.\d+$/.test(moved[0] ?? ''),
    `its place is reported: ${moved.join()}`,
  );
  await check(
    async () => !(await events(harness)).some(({ type }) => type === 'select-group'),
    'and the node is not selected by that',
  );
  const overlaps = await page.locator('.gs-node .gs-shape').evaluateAll((all) => {
    const boxes = all.map((one) => one.getBoundingClientRect());
    return boxes.filter((a, i) =>
      boxes
        .slice(i + 1)
        .some(
          (b) =>
            a.left < b.right - 1 &&
            b.left < a.right - 1 &&
            a.top < b.bottom - 1 &&
            b.top < a.bottom - 1,
        ),
    ).length;
  });
  await check(() => overlaps === 0, 'no node lies over another after that');
  await harness.picture('sankey-moved');
  await node.focus();
  await page.keyboard.press('Alt+ArrowUp');
  await page.keyboard.press('Alt+ArrowUp');
  await check(
    async () => Math.abs((await top()) - after + 32) < 4,
    'Alt and arrows move it by keyboard',
  );
  await check(async () => /^merge_ranges:98/.test(await focused(harness)), 'and keep the focus');
  await update(harness, { ...PICKS, moved: [] });
  await check(
    async () => Math.abs((await top()) - before) < 2,
    'without places it is where it was',
  );
}

/** Orders of columns, threshold of the hot path, class of a legend, place in the address, ranks. */
export async function controls(harness: Harness): Promise<void> {
  const { page } = harness;
  const scene = await sankeyScene('lulesh');
  await show(harness, scene);
  const column = (): Promise<string[]> =>
    page.evaluate(() =>
      [...document.querySelectorAll('.gs-node')]
        .map(
          (node) => [node.getAttribute('aria-label') ?? '', node.getBoundingClientRect()] as const,
        )
        .filter(
          ([, box], _, all) =>
            Math.abs(
              box.left - (all.find(([name]) => name.startsWith('CalcQForElems'))?.[1].left ?? 0),
            ) < 4,
        )
        .sort(([, a], [, b]) => a.top - b.top)
        .map(([name]) => name.split(',')[0] ?? ''),
    );
  // Nodes take a moment to their new places.
  await update(harness, { ...PICKS, order: 'name' });
  await check(async () => {
    const names = await column();
    const sorted = [...names].sort((x, y) => x.localeCompare(y, 'en', { numeric: true }));
    return names.length > 3 && names.join() === sorted.join();
  }, 'a column is ordered by name');
  await update(harness, { ...PICKS, order: 'inclusive' });
  await check(
    async () => (await column()).slice(0, 2).join() === 'CalcForceForNodes,CalcQForElems',
    'and by size',
  );
  const strong = (): Promise<number> => page.locator('.gs-edge path[stroke-width="1"]').count();
  await update(harness, { ...PICKS, isHotPath: true, hotShare: 0.9 });
  const few = await strong();
  await update(harness, { ...PICKS, isHotPath: true, hotShare: 0.2 });
  const many = await strong();
  await check(() => few < many, `a lower threshold makes the hot path longer: ${few}, ${many}`);
  await update(harness, { ...PICKS, legend: 'border-4' });
  const dim = await page.locator('.gs-node[opacity]').count();
  await check(() => dim > 10, `a class of the legend dims ${dim} other nodes`);
  await check(
    async () => (await page.locator('.gs-swatch[aria-pressed=true]').count()) === 1,
    'and is pressed in the legend',
  );
  await update(harness, { ...PICKS, at: '2_0.5_0.5' });
  await check(
    async () => (await page.locator('.gs-minimap').count()) === 1,
    'a place of the address enlarges the picture',
  );
  const framed = page.locator('.gs-minimap rect').last();
  const from = Number(await framed.getAttribute('x'));
  await update(harness, { ...PICKS, at: '2_0.7_0.5' });
  await check(
    async () => Number(await framed.getAttribute('x')) > from,
    'the frame of the small map follows the picture',
  );
  const placed = await page.locator('.gs-sankey > g').first().getAttribute('transform');
  await update(harness, { ...PICKS, at: '' });
  await check(
    async () => (await page.locator('.gs-sankey > g').first().getAttribute('transform')) !== placed,
    'and without one all is seen again',
  );
  await page.mouse.move(500, 200);
  await page.mouse.wheel(0, -300);
  await check(
    async () =>
      (await events(harness)).some(
        (event) => event.type === 'set' && /^1\.\d+_/.test(String(event.values['at'])),
      ),
    'a turn of the wheel reports its place',
  );
  await update(harness, { ...PICKS, at: '2_0.2_0.5', isRanks: true });
  const near = (await events(harness)).flatMap((event) =>
    event.type === 'set' && Array.isArray(event.values['near'])
      ? [event.values['near'] as string[]]
      : [],
  );
  const last = near.at(-1) ?? [];
  await check(
    () => last.length > 2 && last.length <= 12,
    `${last.length} near nodes ask for their ranks`,
  );
  const counts = [1, 0, 3, 9, 20, 31, 12, 4, 1];
  const ranks = last.map((id) => [id, { counts, low: 1, high: 9, count: 81 }]);
  await show(harness, {
    ...scene,
    data: { ...scene.data, ranks },
    selection: { ...PICKS, isRanks: true, at: '2_0.2_0.5' },
  });
  await check(
    async () => (await page.locator('.gs-ranks').count()) === last.length,
    'and have bars of them',
  );
  await harness.picture('sankey-ranks');
  const sankey = await recorded<Sankey>('sankey-lulesh');
  const name = sankey.nodes.find((node) => node.id === last[0])?.name ?? '';
  await page.locator(`.gs-node[aria-label^="${name},"]`).focus();
  await check(
    async () => (await focused(harness)).includes('over ranks'),
    'which the tooltip states too',
  );
}
