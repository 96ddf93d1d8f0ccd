/** Views of the inside of one run, on recorded answers. */

import { check } from '../check.ts';
import { everyView } from './every.ts';
import { type Harness, recorded } from './harness.ts';
import type { Scene } from './page.ts';

type Answers = Readonly<Record<string, { readonly run?: string }>>;

/** A scene of a view of one run. */
export async function sceneOf(
  view: string,
  name: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<Scene> {
  const answers = await recorded<Answers>(name);
  const run = Object.values(answers)[0]?.run ?? '';
  return { view, answers, settings, selection: { run } };
}

export const CHAINS = 'sibling_chain_balance > 1';

export async function groups(harness: Harness): Promise<void> {
  const { page } = harness;
  const worst = { problem: CHAINS, opened: 'worst' };
  await everyView(harness, await sceneOf('groups', 'groups-sort', worst));
  for (const [name, settings] of [
    ['groups-mir', { opened: 'depth', depth: '3' }],
    ['groups-loop', { opened: 'depth', depth: '4' }],
    ['groups-dag', { opened: 'problems' }],
  ] as const) {
    await harness.show(await sceneOf('groups', name, settings));
    await harness.picture(`${name}-1200`);
    await check(
      async () => (await page.evaluate(() => window.tests.rows())) > 8,
      `${name} shows several nodes`,
    );
  }
  await localPath(harness);
  await similarGroups(harness);
  await opening(harness);
  await groupsOfTwo(harness);
}

/** Two runs with their groups at the same places: opened together, coloured by difference, gaps on both sides. */
async function groupsOfTwo(harness: Harness): Promise<void> {
  const { page } = harness;
  const two = await sceneOf('groups', 'dag-versions');
  const { other } = two.answers as { readonly other: { readonly run: string } };
  const scene = {
    ...two,
    selection: { ...two.selection, otherRun: other.run },
    settings: { opened: 'depth', depth: '3' },
  };
  for (const [width, theme] of [
    [1440, 'light'],
    [500, 'dark'],
  ] as const) {
    await harness.show({ ...scene, width, theme });
    await harness.picture(`groups-two-${width}`);
    const wrong = await harness.violations(theme);
    await check(() => wrong.length === 0, `axe finds ${wrong.join('; ') || 'nothing'}`);
  }
  const legend = (await page.locator('#host .gs-groups-foot').textContent()) ?? '';
  await check(
    () => /Z: only this group/.test(legend) && !/M: groups like it|next and previous/.test(legend),
    'the legend of two runs lists the keys that work there',
  );
  const rows = (): Promise<number> => page.evaluate(() => window.tests.rows());
  await check(
    async () => (await rows()) > 12,
    `groups of both runs are in the table: ${await rows()}`,
  );
  await harness.show({ ...scene, settings: { opened: 'worst' }, width: 1440 });
  await harness.picture('groups-two-worst');
  const far = await rows();
  await check(() => far > 4, `the way to the largest difference is open: ${far} groups`);
  await harness.update({ ...scene, settings: { hand: '0' } });
  const children = await rows();
  await harness.update({ ...scene, settings: {} });
  await check(
    async () => (await rows()) === 2 && children === 4,
    `one closed root each, and their children together: ${children}`,
  );
  await page.locator('#host .gs-graph').focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  const set = (await harness.events()).filter((event) => event.type === 'set').pop();
  await check(
    () => set?.type === 'set' && set.values['hand'] === '0',
    'a group of the second run opens the one of the first with it',
  );
  await page.keyboard.press('g');
  const shown = (await harness.events()).find((event) => event.type === 'show');
  await check(
    () => shown?.type === 'show' && shown.view === 'grain-graph' && shown.values['root'] === 0,
    'G shows the grains of the group in the grain graph',
  );
}

/** One group alone, with its local critical path. */
async function localPath(harness: Harness): Promise<void> {
  const { page } = harness;
  const scene = await sceneOf('groups', 'groups-root', { root: '3', hand: '3', problem: '-' });
  await harness.show(scene);
  await harness.picture('groups-root');
  await harness.show({ ...scene, width: 500, theme: 'dark' });
  await harness.picture('groups-root-500');
  const text = (await page.locator('#host .gs-groups-local').textContent()) ?? '';
  await check(
    () => /local critical path \S+\s?[mµ]?s of .* work, parallelism [\d.]+: .*%/.test(text),
    `the path through the group has its figures: ${text}`,
  );
  const chosen = { local: '7', opened: 'critical', problem: '-' };
  await harness.show(await sceneOf('groups', 'groups-chosen', chosen));
  await harness.picture('groups-local');
  const line = (await page.locator('#host .gs-groups-local').textContent()) ?? '';
  await check(
    () => /local critical path of .*sort_range/.test(line),
    `the path of a group within the picture names it: ${line}`,
  );
  await check(
    async () => /local path/.test(await page.evaluate(() => window.tests.twin())),
    'the table says which groups are on the local path',
  );
  await page.locator('#host [data-control="local-off"]').click();
  const off = (await harness.events()).find((event) => event.type === 'set');
  await check(
    () => off?.type === 'set' && off.values['local'] === 0,
    "the run's own path is drawn again",
  );
}

/** Groups that look like one, in a list below the picture. */
async function similarGroups(harness: Harness): Promise<void> {
  const { page } = harness;
  const settings = { local: '7', opened: 'critical', problem: '-', similar: '9' };
  const scene = await sceneOf('groups', 'groups-chosen', settings);
  await harness.show({ ...scene, width: 500, theme: 'dark' });
  await harness.picture('groups-similar-500');
  await harness.show(scene);
  await harness.picture('groups-similar');
  const rows = page.locator('#host .gs-groups-similar tbody tr');
  await check(async () => (await rows.count()) > 3, `several structures: ${await rows.count()}`);
  const first = (await rows.first().textContent()) ?? '';
  await check(() => /^1, the same/.test(first), `the same structure comes first: ${first}`);
  await rows.nth(1).locator('button').click();
  const set = (await harness.events()).find((event) => event.type === 'set');
  await check(
    () => set?.type === 'set' && Number(set.values['root']) > 0,
    'a click on a similar group shows it alone',
  );
}

/** One closed root, opened by keyboard; the group that was opened stays in place. */
async function opening(harness: Harness): Promise<void> {
  const { page } = harness;
  const closed = await sceneOf('groups', 'groups-sort', { problem: CHAINS });
  await harness.show(closed);
  const counts = page.locator('#host .gs-groups-counts');
  await check(
    async () => /visible nodes: 1 of 1.012/.test((await counts.textContent()) ?? ''),
    `the root is closed at first: ${await counts.textContent()}`,
  );
  await page.locator('#host .gs-graph').focus();
  await page.keyboard.press('Enter');
  const set = (await harness.events()).find((event) => event.type === 'set');
  await check(
    () => set?.type === 'set' && set.values['hand'] === '0',
    'Enter opens the group with the cursor',
  );
  await harness.update({ ...closed, settings: { problem: CHAINS, hand: '0,1,3' } });
  await check(
    async () => (await page.evaluate(() => window.tests.rows())) > 5,
    'an open group shows its children',
  );
  await page.locator('#host .gs-graph').focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  const voice = page.locator('#host [aria-live]');
  await check(
    async () => ((await voice.textContent()) ?? '').includes('kind'),
    `the cursor is described: ${(await voice.textContent())?.slice(0, 80)}`,
  );
}

/** One run opened level by level, heights by time, and two runs that open together. */
export async function dag(harness: Harness): Promise<void> {
  const { page } = harness;
  const sort = await sceneOf('dag', 'dag-sort', { depth: '5' });
  await everyView(harness, sort);
  const rows = (): Promise<number> => page.evaluate(() => window.tests.rows());
  const open = await rows();
  await harness.update({ ...sort, settings: { depth: '0' } });
  await check(async () => open > 8 && (await rows()) === 1, `one node, or ${open} at five levels`);
  await page.locator('#host .gs-graph').focus();
  await page.keyboard.press('Enter');
  const opened = (await harness.events()).find((event) => event.type === 'set');
  await check(
    () => opened?.type === 'set' && opened.values['hand'] === '0',
    'Enter opens the only node',
  );
  await page.keyboard.press('x');
  const level = (await harness.events()).filter((event) => event.type === 'set').pop();
  await check(
    () => level?.type === 'set' && level.values['depth'] === 1,
    'X opens a level everywhere',
  );
  await harness.show({ ...sort, settings: { depth: '5', height: 'power', colour: 'worker' } });
  await harness.picture('dag-times');
  await check(
    async () => /begin to end|worker/.test(await page.evaluate(() => window.tests.twin())),
    'workers of grains are in the table',
  );
  for (const theme of ['light', 'dark'] as const) {
    await harness.show({ ...sort, settings: { depth: '5', colour: 'worker' }, theme });
    await harness.picture(`dag-workers-${theme}`);
  }
  await harness.show({ ...sort, settings: { depth: '1', colour: 'worker' } });
  const svg = await page.evaluate(() => window.tests.svg());
  const workers = new Set(svg.match(/fill="#(0072B2|D55E00|009E73|B0578D)"/gi));
  await check(
    () => workers.size === 3,
    `a closed group has the colours of three workers: ${[...workers].join(', ')}`,
  );
  const two = await sceneOf('dag', 'dag-versions');
  const { other } = two.answers as { readonly other: { readonly run: string } };
  const scene = { ...two, selection: { ...two.selection, otherRun: other.run } };
  for (const theme of ['light', 'dark'] as const) {
    await harness.show({ ...scene, theme });
    await harness.picture(`dag-two-${theme}`);
  }
  await check(
    async () => (await rows()) > 2 * 8,
    `both runs are open to the same depth: ${await rows()} nodes`,
  );
  await harness.update({ ...scene, settings: { hand: '-0' } });
  await check(async () => (await rows()) === 2, 'a group that is closed is closed in both runs');
}

export async function contexts(harness: Harness): Promise<void> {
  const { page } = harness;
  const sort = await sceneOf('contexts', 'contexts-sort', { prune: 'outliers' });
  const { tree } = sort.answers as { readonly tree: { readonly runs: readonly string[] } };
  const scene = { ...sort, selection: { run: tree.runs[0] ?? '' } };
  await everyView(harness, scene);
  const counts = page.locator('#host .gs-contexts-counts');
  const before = await counts.textContent();
  await page.locator('#host [data-mark^="hidden"]').first().click();
  const opened = (await harness.events()).find((event) => event.type === 'set');
  await check(
    () => opened?.type === 'set' && String(opened.values['open']).length > 8,
    'a click on a surrogate shows what it hides',
  );
  await harness.update({
    ...scene,
    settings: opened?.type === 'set' ? { open: String(opened.values['open']) } : {},
  });
  await check(
    async () => (await counts.textContent()) !== before,
    `more contexts are shown: ${await counts.textContent()}`,
  );
  await page.getByRole('button', { name: 'copy as lens' }).click();
  const copied = (await harness.events()).find((event) => event.type === 'copy');
  await check(
    () => copied?.type === 'copy' && /reveal [0-9a-f]{8}/.test(copied.text),
    'the contexts that stand out are copied as a lens',
  );
  await harness.show({ ...scene, settings: { prune: 'range', from: '1000000' } });
  await harness.picture('contexts-range');
  await contextsOfTwoRoots(harness, scene);
  await contextsOfTwoSides(harness);
  for (const name of ['contexts-mir', 'contexts-dag']) {
    await harness.show(await sceneOf('contexts', name));
    await harness.picture(`${name}-1200`);
    await check(
      async () => (await page.evaluate(() => window.tests.rows())) > 3,
      `${name} has contexts`,
    );
  }
}

/** An ensemble of two programs: one tree is shown, the other can be chosen. */
async function contextsOfTwoRoots(harness: Harness, scene: Scene): Promise<void> {
  const { sankey } = scene.answers as unknown as { readonly sankey: { readonly nodes: object[] } };
  const nodes = [...sankey.nodes, { ...sankey.nodes[0], id: 'second', name: 'another program' }];
  await harness.show({ ...scene, answers: { ...scene.answers, sankey: { ...sankey, nodes } } });
  await harness.picture('contexts-roots');
  await harness.page.locator('#host [data-control="root"]').selectOption('second');
  const set = (await harness.events()).find((event) => event.type === 'set');
  await check(
    () => set?.type === 'set' && set.values['root'] === 'second',
    'the root of the tree is chosen',
  );
}

/** Versions against each other, and two runs: colours are differences, with both sides in the table. */
async function contextsOfTwoSides(harness: Harness): Promise<void> {
  const { page } = harness;
  const answers = await recorded<{ readonly tree: { readonly runs: readonly string[] } }>(
    'contexts-versions',
  );
  const { runs } = answers.tree;
  const half = runs.length / 2;
  const [a, b] = [
    { name: 'version 1', runs: runs.slice(0, half) },
    { name: 'version 2', runs: runs.slice(half) },
  ];
  const diff: Scene = {
    view: 'contexts',
    answers,
    selection: { isDiff: true, a, b },
  };
  for (const [width, theme] of [
    [1440, 'light'],
    [500, 'dark'],
  ] as const) {
    await harness.show({ ...diff, width, theme });
    await harness.picture(`contexts-diff-${width}`);
    const wrong = await harness.violations(theme);
    await check(() => wrong.length === 0, `axe finds ${wrong.join('; ') || 'nothing'}`);
  }
  const stated = (await page.locator('#host .gs-contexts-compared').textContent()) ?? '';
  await check(
    () => /exclusive.*, B − A, mean over runs; A: version 1, B: version 2/.test(stated),
    `the legend states the difference: ${stated}`,
  );
  await check(
    async () => /A, version 1.*B, version 2/.test(await page.evaluate(() => window.tests.twin())),
    'the table has both sides',
  );
  const fills = (): Promise<number> =>
    page
      .locator('#host [data-mark] circle')
      .evaluateAll((circles) => new Set(circles.map((circle) => circle.getAttribute('fill'))).size);
  const dashed = await page.locator('#host circle[stroke-dasharray]').count();
  await check(
    async () => dashed > 0 && (await fills()) > 3,
    `${dashed} contexts are on one side only, ${await fills()} colours`,
  );
  await page.locator('#host .gs-legend button').last().click();
  const set = (await harness.events()).find((event) => event.type === 'set');
  await check(
    () => set?.type === 'set' && set.values['stand'] === '4',
    'a class of the legend stands out',
  );
  const two = { run: runs[0] ?? '', otherRun: runs[1] ?? '' };
  await harness.show({ ...diff, selection: two });
  await harness.picture('contexts-two');
  const runsStated = (await page.locator('#host .gs-contexts-compared').textContent()) ?? '';
  await check(
    () => /B − A; A: /.test(runsStated) && runsStated.includes(`B: ${two.otherRun}`),
    `two runs are compared: ${runsStated}`,
  );
}
