/** The grain graph, on recorded answers. */

import { check } from '../check.ts';
import { everyView } from './every.ts';
import type { Harness } from './harness.ts';
import { CHAINS, sceneOf } from './inside.ts';
import type { Scene } from './page.ts';

export async function grainGraph(harness: Harness): Promise<void> {
  const { page } = harness;
  const sort = await sceneOf('grain-graph', 'grain-graph-sort');
  await everyView(harness, sort);
  const count = page.locator('#host .gs-grains-count');
  await check(
    async () => /207 of 542 grains/.test((await count.textContent()) ?? ''),
    `the count is that of the service: ${await count.textContent()}`,
  );
  await page.locator('#host input[type="range"]').focus();
  await page.keyboard.press('Home');
  const moved = (await harness.events()).find((event) => event.type === 'set');
  await check(
    () => moved?.type === 'set' && moved.isReplacing === true && moved.values['limit'] !== '',
    'the slider moves the limit, in the address',
  );
  await harness.update({ ...sort, settings: { limit: '3' } });
  await check(
    async () => /436 of 542 grains/.test((await count.textContent()) ?? ''),
    `a moved limit counts anew: ${await count.textContent()}`,
  );
  await harness.update({ ...sort, settings: { second: CHAINS } });
  await harness.picture('grain-graph-combined');
  await check(
    async () =>
      Number.parseInt(((await count.textContent()) ?? '').replace(/\D*(\d+).*/, '$1')) < 207,
    `both problems at once: ${await count.textContent()}`,
  );
  await page.locator('#host .gs-graph').focus();
  await page.keyboard.press('n');
  const picked = (await harness.events()).filter((event) => event.type === 'select').pop();
  await check(
    () => picked?.type === 'select' && /^\d+$/.test(picked.patch.grain ?? ''),
    'N selects the worst grain',
  );
  await check(
    async () =>
      /work deviation.*no run to compare with.*Record the program with one thread/.test(
        (await page.locator('#host .gs-grains-unchecked').textContent()) ?? '',
      ),
    'what cannot be checked has its reason and what to record',
  );
  await harness.show(sort);
  await check(
    async () => /The 207 worst of 207 grains/.test(await page.evaluate(() => window.tests.twin())),
    'the table states how many of the grains with the problem it has',
  );
  await whole(harness, 'grain-graph-sort');
  await structure(harness, sort);
  await walk(harness, sort);
  await minimap(harness, sort);
  await grainsOfGroup(harness, sort);
  await grainsOfTwo(harness);
  for (const name of ['grain-graph-loop', 'grain-graph-mir', 'grain-graph-dag']) {
    await harness.show({ ...(await sceneOf('grain-graph', name)), height: 1400 });
    await harness.picture(`${name}-1200`);
    await whole(harness, name);
    await check(
      async () => (await page.evaluate(() => window.tests.rows())) > 0,
      `${name} has grains with a problem`,
    );
  }
}

/** The grains of one group, and the way back to it. */
async function grainsOfGroup(harness: Harness, sort: Scene): Promise<void> {
  const { page } = harness;
  const drawn = async (): Promise<number> =>
    Number.parseInt((await page.locator('#host .gs-grains-head b').textContent()) ?? '');
  await harness.show(sort);
  const all = await drawn();
  await harness.show({ ...sort, settings: { root: '3' } });
  await harness.picture('grain-graph-group');
  const some = await drawn();
  await check(() => some > 0 && some < all, `${some} of ${all} grains are of the group`);
  await page.getByRole('button', { name: 'in Groups' }).click();
  await page.getByRole('button', { name: 'whole run' }).click();
  const events = await harness.events();
  const back = events.find((event) => event.type === 'show');
  await check(
    () =>
      back?.type === 'show' && back.view === 'groups' && /,3$/.test(String(back.values['hand'])),
    'the groups around it are opened in Groups',
  );
  const whole = events.find((event) => event.type === 'set');
  await check(
    () => whole?.type === 'set' && whole.values['root'] === 0,
    'or the whole run is drawn',
  );
}

/** Grains of two runs coloured by the second one's values, with those of one run only marked on both sides. */
async function grainsOfTwo(harness: Harness): Promise<void> {
  const { page } = harness;
  const two = await sceneOf('grain-graph', 'grain-graph-two');
  const { other } = two.answers as { readonly other: { readonly run: string } };
  const scene = { ...two, selection: { ...two.selection, otherRun: other.run } };
  for (const compared of ['stretch', 'deviation'])
    for (const [width, theme] of [
      [1440, 'light'],
      [500, 'dark'],
    ] as const) {
      await harness.show({ ...scene, settings: { compared, problem: '-' }, width, theme });
      await harness.picture(`grain-graph-${compared}-${width}`);
      await whole(harness, `${compared} at ${width} px`);
    }
  const count = (await page.locator('#host .gs-grains-count').textContent()) ?? '';
  await check(
    () => /547 grains of both runs drawn, only left 0, only right 21/.test(count),
    `grains are matched as the service matches them: ${count}`,
  );
  const row = (await page.locator('#host .gs-grains-table tbody tr').nth(1).textContent()) ?? '';
  await check(
    () => row.includes('sort_range') && row.includes('8.53'),
    `a renamed task has its work in both runs: ${row}`,
  );
}

/** Without a problem, grains have the colours of their definitions, and edges those of their kind. */
async function structure(harness: Harness, sort: Scene): Promise<void> {
  const { page } = harness;
  const legend = page.locator('#host .gs-grains-foot');
  for (const theme of ['light', 'dark'] as const) {
    await harness.show({ ...sort, settings: { problem: '-' }, theme });
    await harness.picture(`grain-graph-structure-${theme}`);
    const svg = (await page.evaluate(() => window.tests.svg())).toLowerCase();
    const colours = await legend.locator('span[aria-hidden]').evaluateAll((signs) =>
      signs.map((sign) => {
        const [, ...parts] = /(\d+), (\d+), (\d+)/.exec(getComputedStyle(sign).color) ?? [];
        const hex = parts.map((part) => Number(part).toString(16).padStart(2, '0'));
        return [sign.textContent, `#${hex.join('')}`] as const;
      }),
    );
    const lost = colours.filter(
      ([sign, colour]) => sign !== '▭' && sign !== '' && !svg.includes(colour),
    );
    await check(
      () => colours.length >= 11 && lost.length === 0,
      `${theme}: the picture has the ${colours.length} colours of its legend ${lost.join('; ')}`,
    );
    const fills = new Set(colours.flatMap(([sign, colour]) => (sign === '■' ? [colour] : [])));
    await check(() => fills.size >= 4, `${theme}: ${fills.size} definitions differ in colour`);
  }
  const text = (await legend.textContent()) ?? '';
  await check(
    () => /merge_ranges:98.*merge_ranges:100/.test(text) && /creation.*synchro.*contin/.test(text),
    `the legend names definitions and edges: ${text}`,
  );
  await harness.show(sort);
  await check(
    async () => !/creation|merge_ranges/.test((await legend.textContent()) ?? ''),
    'with a problem, edges and other grains are quiet',
  );
}

/** Names of a table differ, no cell is cut, and texts neither leave their cells nor touch. */
async function whole(harness: Harness, name: string): Promise<void> {
  const faults = await harness.page.locator('#host .gs-grains-table').evaluateAll((tables) =>
    tables.flatMap((table) => {
      const found: string[] = [];
      const names = [...table.querySelectorAll('tbody th')].map((cell) => cell.textContent);
      if (new Set(names).size < names.length) found.push(`equal names: ${names.join(', ')}`);
      const right = table.parentElement?.getBoundingClientRect().right ?? 0;
      for (const cell of table.querySelectorAll('th, td')) {
        for (const part of [cell, ...cell.querySelectorAll('*')])
          if (part.clientWidth > 0 && part.scrollWidth > part.clientWidth + 1)
            found.push(`cut: ${part.textContent}`);
        const range = document.createRange();
        range.selectNodeContents(cell);
        const text = range.getBoundingClientRect();
        const next = cell.nextElementSibling?.getBoundingClientRect().left ?? right;
        if (text.right > next + 1) found.push(`over the edge: ${cell.textContent}`);
        const before = cell.previousElementSibling;
        if (before) {
          range.selectNodeContents(before);
          if (text.left < range.getBoundingClientRect().right + 4)
            found.push(`touching: ${before.textContent} ${cell.textContent}`);
        }
      }
      return found;
    }),
  );
  await check(() => faults.length === 0, `${name}: tables can be read ${faults.join('; ')}`);
  const ends = await harness.page
    .locator('#host .gs-grains-aside .gs-plot text')
    .evaluateAll((texts) => texts.slice(-3, -1).map((text) => text.textContent));
  await check(() => new Set(ends).size === ends.length, `${name}: axis from ${ends.join(' to ')}`);
}

/** The small picture of the whole graph moves the large one, and is there only while that is not whole. */
async function minimap(harness: Harness, sort: Scene): Promise<void> {
  const { page } = harness;
  await harness.show({ ...sort, height: 700 });
  const map = page.locator('#host .gs-graph-map');
  await map.waitFor();
  await page.waitForTimeout(200);
  await harness.picture('grain-graph-minimap');
  const box = await map.boundingBox();
  const pictureOf = (selector: string): Promise<string> =>
    page
      .locator(selector)
      .evaluate((canvas) => (canvas instanceof HTMLCanvasElement ? canvas.toDataURL() : ''));
  const all = async (): Promise<string> =>
    (await pictureOf('#host .gs-graph')) + (await pictureOf('#host .gs-graph-map'));
  const places: string[] = [await all()];
  const [x, y, width, height] = [box?.x ?? 0, box?.y ?? 0, box?.width ?? 0, box?.height ?? 0];
  await page.mouse.move(x + 0.8 * width, y + 0.7 * height);
  await page.mouse.down();
  places.push(await all());
  await page.mouse.move(x + 0.3 * width, y + 0.4 * height, { steps: 3 });
  places.push(await all());
  await page.mouse.move(x + 0.8 * width, y + 0.7 * height);
  const back = await all();
  await page.mouse.up();
  await page.mouse.move(x + 0.2 * width, y + 0.2 * height);
  await check(
    async () => new Set(places).size === 3 && back === places[1] && (await all()) === back,
    'a press and a drag on the small picture move the graph',
  );
  await page.locator('#host .gs-graph').focus();
  await page.keyboard.press('0');
  await check(async () => !(await map.isVisible()), 'the whole graph needs no small picture');
}

/** Keys lead to children, creators and siblings, to forks and joins, and along the critical path. */
async function walk(harness: Harness, sort: Scene): Promise<void> {
  const { page } = harness;
  await harness.show({ ...sort, settings: { problem: '-' } });
  const legend = (await page.locator('#host .gs-grains-foot').textContent()) ?? '';
  await check(
    () => /J and K: join and fork.*comma and full stop: along the critical path/.test(legend),
    'the legend lists the keys',
  );
  await page.locator('#host .gs-graph').focus();
  const voice = page.locator('#host .gs-grains-box [aria-live]');
  for (const [key, expected] of [
    ['ArrowDown', /^sort #0, /],
    ['ArrowDown', /^main \(parallel\) #1, .*critical path on it/],
    ['.', /^sort_range \(task\) #\d+, .*critical path on it/],
    ['.', /^sort_range \(task\) #\d+, .*critical path on it/],
    ['ArrowDown', /^sort_range \(task\) #\d+, /],
    ['ArrowRight', /^sort_range \(task\) #\d+, /],
    ['k', /^fork of 4, grains and members 4, /],
    ['j', /^join of 4, /],
    ['j', /^join of 4, grains and members (?!4,)/],
    ['ArrowDown', /^merge_/],
    [',', /critical path on it/],
  ] as const) {
    const before = await voice.textContent();
    await page.keyboard.press(key);
    const now = (await voice.textContent()) ?? '';
    await check(() => now !== before && expected.test(now), `${key} leads to ${now.slice(0, 90)}`);
    if (key === 'k') await harness.picture('grain-graph-cursor');
  }
}
