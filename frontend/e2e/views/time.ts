/** Views of one run along time, on recorded answers of an OpenMP run and of a DAG Recorder file. */

import type { ViewEvent } from '@grainsheaf/views';
import { check } from '../check.ts';
import { everyView } from './every.ts';
import { type Harness, recorded } from './harness.ts';
import type { Scene } from './page.ts';

interface Recorded {
  readonly head: {
    readonly elapsed: number;
    readonly workers: readonly unknown[];
  };
  readonly rows: {
    readonly rows: number;
    readonly columns: Readonly<Record<string, readonly (number | string | null)[]>>;
  };
}

type Of<T extends ViewEvent['type']> = Extract<ViewEvent, { readonly type: T }>;

/** The latest event of a type. */
async function latest<T extends ViewEvent['type']>(
  harness: Harness,
  type: T,
): Promise<Of<T> | undefined> {
  return (await harness.events()).filter((event): event is Of<T> => event.type === type).at(-1);
}

/** Waits until a gesture has reached the selection. */
const rest = (harness: Harness): Promise<void> => harness.page.waitForTimeout(150);

/** Length of the range that the view asks for last; all of the run if it asks for none. */
async function lengthOf(harness: Harness, elapsed: number): Promise<number> {
  await rest(harness);
  const time = (await latest(harness, 'select'))?.patch.time;
  return time ? time[1] - time[0] : elapsed;
}

export async function timeline(harness: Harness): Promise<void> {
  const { page } = harness;
  const answer = await recorded<Recorded>('timeline-threads');
  const { elapsed } = answer.head;
  const scene: Scene = {
    view: 'timeline',
    answers: { head: answer.head, rows: answer.rows },
    selection: { run: 'a', grain: '550' },
    width: 1200,
    height: 420,
  };
  await everyView(harness, scene);
  const canvas = page.locator('.gs-timeline-stage canvas');
  const box = await canvas.boundingBox();
  if (!box) throw new Error('no canvas');
  const middle = box.x + box.width / 2;
  // Zoom with the wheel, pan by dragging, and the whole run again.
  await page.mouse.move(middle, box.y + 30);
  await page.mouse.wheel(0, -500);
  const zoomed = await lengthOf(harness, elapsed);
  await check(() => zoomed < elapsed / 2, `the wheel zooms: ${zoomed} of ${elapsed} ns`);
  const before = (await latest(harness, 'select'))?.patch.time?.[0] ?? 0;
  await page.mouse.down();
  await page.mouse.move(middle + 200, box.y + 30, { steps: 4 });
  await page.mouse.up();
  await rest(harness);
  const after = (await latest(harness, 'select'))?.patch.time?.[0] ?? 0;
  await check(() => after < before, `dragging to the right shows earlier times`);
  await canvas.focus();
  for (const [key, says] of [
    ['w', (length: number) => length < zoomed],
    ['s', (length: number) => length >= zoomed * 0.99],
    ['0', (length: number) => length === elapsed],
  ] as const) {
    await page.keyboard.press(key);
    const length = await lengthOf(harness, elapsed);
    await check(() => says(length), `key ${key} leads to a range of ${length} ns`);
  }
  // Intervals by keyboard; Enter selects the grain.
  await page.keyboard.press('.');
  await page.keyboard.press('.');
  await page.keyboard.press('ArrowDown');
  const said = (await page.locator('.gs-timeline-stage [aria-live]').textContent()) ?? '';
  await check(() => /worker 1, begin .*, busy \d/.test(said), `an interval is described: ${said}`);
  await page.keyboard.press('Enter');
  const grain = (await latest(harness, 'select'))?.patch.grain ?? '';
  await check(() => /^\d+$/.test(grain), `Enter selects grain ${grain}`);
  await page.keyboard.press('f');
  const fitted = await lengthOf(harness, elapsed);
  await check(() => fitted < elapsed / 10, `F shows the selected grain: ${fitted} ns`);
  // Rows come first by their key, or by a click on their name.
  await page.keyboard.press('p');
  const pinned = (await latest(harness, 'set'))?.values['pinned'];
  await check(() => pinned === '1', `P puts worker ${String(pinned)} first`);
  await harness.show({ ...scene, settings: { pinned: '2' } });
  await harness.picture('timeline-pinned');
  const names = page.locator('.gs-timeline-axis text[font-weight="700"]');
  await check(
    async () => (await names.textContent()) === '▴ 2',
    `the pinned worker is marked: ${await names.textContent()}`,
  );
  await page.mouse.click(box.x + 12, box.y + 12);
  const back = (await latest(harness, 'set'))?.values['pinned'];
  await check(() => back === '', 'a click on its name puts it back');
  // A click on the longest interval selects its grain.
  await harness.show(scene);
  const { columns } = answer.rows;
  const at = (name: string, row: number): number => Number(columns[name]?.[row] ?? 0);
  const rows = [...(columns['start'] ?? [])].map((_, row) => row);
  const tasks = rows.filter((row) => at('worker', row) === 0 && at('grain', row) > 0);
  const lasts = (row: number): number => at('end', row) - at('start', row);
  const longest = tasks.reduce((best, row) => (lasts(row) > lasts(best) ? row : best));
  const share = (at('start', longest) + at('end', longest)) / 2 / elapsed;
  const place = await page.evaluate(() => {
    const axis = document.querySelector('.gs-timeline-axis svg');
    const lines = [...(axis?.querySelectorAll('line') ?? [])].map((line) =>
      line.getAttribute('x1'),
    );
    return Number(lines[0]);
  });
  await page.mouse.click(box.x + place + share * (box.width - place - 16), box.y + 12);
  const clicked = (await latest(harness, 'select'))?.patch.grain;
  await check(
    () => clicked === String(columns['grain']?.[longest]),
    `a click selects grain ${clicked} of the interval, ${columns['grain']?.[longest]}`,
  );
  // Measure with shift-drag: the same figures as from the rows.
  await page.keyboard.down('Shift');
  await page.mouse.move(box.x + place + 1, box.y + 30);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width - 1, box.y + 30, { steps: 3 });
  await page.mouse.up();
  await page.keyboard.up('Shift');
  const work = rows.reduce(
    (sum, row) => sum + (at('end', row) - at('start', row)) * at('busy', row),
    0,
  );
  const measured = (await page.locator('.gs-timeline-head strong').textContent()) ?? '';
  const parallelism = Number(/parallelism ([\d.]+)/.exec(measured)?.[1]);
  await check(
    () => Math.abs(parallelism - work / elapsed) < 0.02,
    `measured: ${measured}; from the rows ${(work / elapsed).toFixed(3)}`,
  );
  await harness.picture('timeline-measured');
  // Two runs have one axis, and the name of each.
  const dag = await recorded<Recorded>('timeline-dag');
  await everyView(harness, { ...scene, answers: dag as never, selection: {} }, 'timeline-dag');
  await harness.show({
    ...scene,
    answers: { ...scene.answers, otherHead: answer.head, otherRows: answer.rows },
    settings: { idle: '1', sort: 'busy' },
    height: 560,
  });
  await harness.picture('timeline-two');
  await check(
    async () => (await page.locator('.gs-timeline-axis text[font-weight="700"]').count()) === 2,
    'two runs have their names above their workers',
  );
  await aligned(harness, scene);
  await renamed(harness, scene);
}

/** Two runs of which the second calls a definition differently: one colour, and both names. */
async function renamed(harness: Harness, scene: Scene): Promise<void> {
  const { page } = harness;
  const [before, after] = ['sort_range (task)', 'sort_block (task)'];
  const again = JSON.stringify(scene.answers).replaceAll(before, after);
  const other = JSON.parse(again) as Record<string, unknown>;
  const names = [{ name: before }, { name: after }];
  const answers = {
    ...scene.answers,
    otherHead: other['head'],
    otherRows: other['rows'],
    renames: { renames: [{ group: 'b', names }] },
  };
  await harness.show({ ...scene, answers, selection: {}, height: 560 });
  await harness.picture('timeline-renamed');
  const legend = (await page.locator('.gs-timeline-head .gs-legend').textContent()) ?? '';
  await check(
    () => legend.includes(`${before} → ${after}`) && legend.split('sort_range').length === 2,
    `the legend has both names once: ${legend}`,
  );
  const isSame = await page.evaluate(() => {
    const canvas = document.querySelector<HTMLCanvasElement>('.gs-timeline-stage canvas');
    const context = canvas?.getContext('2d');
    const titles = [...document.querySelectorAll('.gs-timeline-axis text[font-weight="700"]')];
    // A title is as far above its rows in both runs.
    const rows = titles.map((title) => Number(title.getAttribute('y')) + 14);
    const words = rows.map((y) => [...(context?.getImageData(0, y, 1200, 1).data ?? [])]);
    return (
      words.length === 2 && words[0]?.some((byte) => byte > 0) && `${words[0]}` === `${words[1]}`
    );
  });
  await check(() => isSame === true, 'the rows of both runs have the same colours');
}

/** Two runs of which the second is moved, so that a phase begins at the same time in both. */
async function aligned(harness: Harness, scene: Scene): Promise<void> {
  const { page } = harness;
  const { head, rows } = scene.answers as unknown as Recorded;
  const { run, rows: parts } = head as unknown as Readonly<
    Record<'run', string> & { rows: readonly { definition?: string }[] }
  >;
  const align = parts.find(({ definition }) => definition)?.definition ?? '';
  const begin = (start: number): unknown => ({ run, rows: [{ start }] });
  const answers = {
    ...scene.answers,
    otherHead: head,
    otherRows: rows,
    phase: begin(2e6),
    otherPhase: begin(12e6),
  };
  await harness.show({ ...scene, answers, settings: { align }, height: 560 });
  await harness.picture('timeline-aligned');
  const axis = page.locator('.gs-timeline-axis');
  await check(
    async () => ((await axis.textContent()) ?? '').includes(' begins'),
    'a line marks the begin of the phase',
  );
  const list = page.locator('.gs-timeline-head select');
  await check(async () => (await list.inputValue()) === align, `both runs are aligned at ${align}`);
  await list.selectOption('');
  const set = await latest(harness, 'set');
  await check(() => set?.values['align'] === '', 'the choice leads back to the start of each run');
  const wrong = await harness.violations();
  await check(() => wrong.length === 0, `axe finds ${wrong.join('; ') || 'nothing'}`);
}

export async function parallelism(harness: Harness): Promise<void> {
  const { page } = harness;
  const answers = await recorded<Scene['answers']>('parallelism-threads');
  const cores = { run: 'a', name: 'sort', params: { cores: 2 } };
  const scene: Scene = {
    view: 'parallelism',
    answers,
    selection: { run: 'a' },
    settings: { at: '30000000' },
    runs: [cores] as unknown as NonNullable<Scene['runs']>,
    width: 1200,
    height: 420,
  };
  await everyView(harness, scene);
  await check(
    async () =>
      /8 workers.*2 cores/s.test((await page.locator('.gs-timeline-axis').textContent()) ?? ''),
    'lines state the workers and the cores',
  );
  await check(
    async () =>
      /2 grains ran/.test((await page.locator('.gs-parallelism-list').textContent()) ?? ''),
    'what ran at the chosen time is listed',
  );
  await page.locator('.gs-parallelism-list .gs-button').first().click();
  const grain = (await latest(harness, 'select'))?.patch.grain ?? '';
  await check(() => /^\d+$/.test(grain), `a listed grain is selected: ${grain}`);
  await page
    .getByRole('button', { name: /ready since creation/ })
    .first()
    .click();
  const hidden = await latest(harness, 'set');
  await check(
    () => hidden?.values['hidden'] === 'ready_creation',
    'a layer is switched off, in the address',
  );
  const canvas = page.locator('.gs-timeline-stage canvas');
  await canvas.focus();
  await page.keyboard.press('.');
  await page.keyboard.press('.');
  const said = (await page.locator('.gs-timeline-stage [aria-live]').textContent()) ?? '';
  await check(() => /running [\d.]+, from/.test(said), `a part is described: ${said}`);
  await page.keyboard.press('w');
  await rest(harness);
  const time = (await latest(harness, 'select'))?.patch.time;
  await check(() => time !== undefined && time[1] > time[0], 'W zooms the axis that views share');
  const dag = await recorded<Scene['answers']>('parallelism-dag');
  const two = { ...answers, otherHead: answers['head'], otherRows: answers['rows'] };
  for (const [name, shown] of [
    ['parallelism-dag', { ...scene, answers: dag, settings: {} }],
    ['parallelism-two', { ...scene, answers: two, settings: { form: 'stacked' } }],
  ] as const) {
    await harness.show(shown);
    await harness.picture(name);
    const wrong = await harness.violations();
    await check(() => wrong.length === 0, `${name}: axe finds ${wrong.join('; ') || 'nothing'}`);
  }
}

export async function delays(harness: Harness): Promise<void> {
  const { page } = harness;
  const answers = await recorded<Scene['answers']>('delays-threads');
  const scene: Scene = {
    view: 'delays',
    answers,
    selection: { run: 'a', definition: 'sort_range (task)' },
    width: 1200,
    height: 640,
  };
  await everyView(harness, scene);
  const sum = (await page.locator('.gs-delays h3').first().textContent()) ?? '';
  await check(() => /542 grains/.test(sum), `all grains are counted: ${sum}`);
  await page.locator('.gs-delays-line').nth(1).click();
  const chosen = (await latest(harness, 'select'))?.patch.definition ?? '';
  await check(() => chosen.endsWith('(task)'), `a click selects the definition ${chosen}`);
  const dag = await recorded<Scene['answers']>('delays-dag');
  const two = { ...answers, otherHead: answers['head'], otherGrains: answers['grains'] };
  for (const [name, shown] of [
    ['delays-dag', { ...scene, answers: dag }],
    ['delays-two', { ...scene, answers: two, settings: { of: 'moved' } }],
  ] as const) {
    await harness.show(shown);
    await harness.picture(name);
    const wrong = await harness.violations();
    await check(() => wrong.length === 0, `${name}: axe finds ${wrong.join('; ') || 'nothing'}`);
  }
}
