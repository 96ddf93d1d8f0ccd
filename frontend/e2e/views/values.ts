/** Views of values of groups on recorded answers: box plots, the heat map of locations, and source text. */

import type { ViewEvent } from '@grainsheaf/views';

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
  await openedFromBox(harness, threads);
  await boxSettings(harness, threads);
  const raja: Scene = { ...threads, answers: { stats: await recorded('stats-raja') } };
  await harness.show({ ...raja, settings: { axis: 'own', log: '1' } });
  await harness.picture('boxes-raja');
  await check(
    async () => (await page.locator('.gs-body .gs-row').count()) < 40,
    'only rows that are seen are drawn',
  );
  const ranks: Scene = {
    ...threads,
    answers: { locations: await recorded('locations-lulesh') },
    settings: { over: 'ranks' },
  };
  await everyView(harness, ranks, 'boxes-ranks');
  await check(
    async () => (await page.locator('.gs-body .gs-row rect').count()) > 10,
    'distributions over ranks are boxes',
  );
  const { locations } = ranks.answers as { locations: Located };
  const one = { ...locations, runs: locations.runs.map((run) => ({ ...run, locations: 1 })) };
  await harness.show({ ...ranks, answers: { locations: one } });
  await check(
    async () =>
      JSON.stringify(await page.evaluate(() => window.tests.empty())).includes(
        'Each run has one rank',
      ),
    'one rank per run has no distribution',
  );
}

/** A double click on a box opens the run with the value nearest to the pointer, `O` the one with the largest. */
async function openedFromBox(harness: Harness, scene: Scene): Promise<void> {
  const { page } = harness;
  const values = await recorded<Sankeyish>('sankey-threads');
  await harness.show({ ...scene, answers: { ...scene.answers, values } });
  const sort = values.nodes.find(({ name }) => name === 'sort')?.inclusive_by_run ?? [];
  const runOf = (value: number): string => values.runs[sort.indexOf(value)] ?? '';
  const known = sort.filter((value) => value !== null);
  const picture = page.locator('.gs-body .gs-row svg').first();
  // Waits until nothing is drawn anew: a click that begins on one element and ends on another is on no mark.
  await picture.hover();
  const box = await picture.boundingBox();
  if (!box) return;
  await page.mouse.dblclick(box.x + box.width - 6, box.y + box.height - 3);
  await page.locator('.gs-grid').focus();
  await page.keyboard.press('o');
  const opened = async (): Promise<ViewEvent[]> =>
    (await harness.events()).filter(
      (one) =>
        one.type === 'open-run' &&
        one.run === runOf(Math.max(...known)) &&
        one.patch?.definition === 'sort',
    );
  await check(
    async () => (await opened()).length === 2,
    'a double click and O open the run with the largest value',
  );
  const count = async (type: string): Promise<number> =>
    (await harness.events()).filter((event) => event.type === type).length;
  await check(
    async () => (await count('open-run')) === 2 && (await count('select-group')) === 1,
    `a double click chooses the group once (${await count('select-group')})`,
  );
  await page.mouse.dblclick(box.x + box.width * 0.3, box.y + box.height - 3);
  const last = (await harness.events()).pop();
  await check(
    () => last?.type === 'open-run' && last.run !== runOf(Math.max(...known)),
    'another place of the box opens another run',
  );
}

/** Order by difference, length of whiskers, and steps to outliers. */
async function boxSettings(harness: Harness, scene: Scene): Promise<void> {
  const { page } = harness;
  const marks = page.locator('.gs-body circle[fill="none"]');
  const ownersFor = async (whiskers: string): Promise<number> => {
    await harness.show({ ...scene, settings: { whiskers } });
    return marks.count();
  };
  const [usual, long, all] = [
    await ownersFor('1.5'),
    await ownersFor('3'),
    await ownersFor('range'),
  ];
  await check(
    () => usual > long && all === 0,
    `longer whiskers leave fewer outliers: ${usual}, ${long}, ${all}`,
  );
  await harness.picture('boxes-range');
  await check(
    async () =>
      ((await page.locator('.gs-boxes-legend').textContent()) ?? '').includes('all values'),
    'the legend states how far the whiskers reach',
  );
  await harness.show({ ...scene, settings: { sort: '-difference' } });
  const head = page.getByRole('columnheader', { name: /difference/ });
  const at = await head.evaluate((cell) => [...(cell.parentElement?.children ?? [])].indexOf(cell));
  const cells = await page
    .locator('.gs-body .gs-row')
    .evaluateAll(
      (rows, column) =>
        rows.map((row) => Number(row.children[column]?.textContent?.replace(/\s/g, '') || 0)),
      at,
    );
  await check(
    () =>
      cells.length > 3 && cells.every((value, index) => value <= (cells[index - 1] ?? Infinity)),
    `groups are sorted by the difference of cohorts: ${cells.slice(0, 4).join(', ')}`,
  );
  await harness.picture('boxes-difference');
  await ratios(harness, scene);
  await harness.show(scene);
  const distances: number[] = [];
  for (const by of [1, 1, 1]) {
    await page.evaluate((step) => window.tests.step(step), by);
    const said = (await harness.events()).pop();
    const text = said?.type === 'say' ? said.text : '';
    distances.push(Number(/([\d.,]+) × the box/.exec(text)?.[1]?.replaceAll(',', '') ?? NaN));
  }
  await check(
    () => distances.every((far, index) => far <= (distances[index - 1] ?? Infinity)),
    `N leads to the worst outlier first: ${distances.join(', ')}`,
  );
  await check(
    async () =>
      (await page.locator('.gs-far').count()) === 1 &&
      (await page.locator('.gs-row.gs-cursor .gs-far').count()) === 1,
    'and marks it in its row',
  );
  await harness.picture('boxes-outlier');
}

/** A column per cohort, coloured by how much more it takes than the fastest. */
async function ratios(harness: Harness, scene: Scene): Promise<void> {
  const { page } = harness;
  const settings = { numbers: 'cohorts', sort: '-ratio' };
  await harness.show({ ...scene, settings });
  const rows = await page
    .locator('.gs-body .gs-row')
    .evaluateAll((all) =>
      all.map((row) =>
        [...row.querySelectorAll('.gs-ratio')].map((cell) =>
          Number(cell.textContent?.replace('×', '')),
        ),
      ),
    );
  await check(
    () => rows.length > 3 && rows.every((row) => row.length > 1 && Math.min(...row) === 1),
    `each row has a ratio per cohort, the lowest is 1: ${rows[0]?.join(', ')}`,
  );
  const most = rows.map((row) => Math.max(...row));
  await check(
    () => most.every((ratio, index) => ratio <= (most[index - 1] ?? Infinity)),
    `the largest ratio is on top: ${most.slice(0, 3).join(', ')}`,
  );
  await everyView(harness, { ...scene, settings }, 'boxes-ratios');
  await harness.show({ ...scene, settings, width: 360 });
  await check(
    async () =>
      (await page.locator('.gs-body svg').count()) === 0 &&
      (await page.locator('.gs-ratio').count()) > 6,
    'a narrow window has the ratios instead of boxes',
  );
  await check(
    async () =>
      / of 4 cohorts have room/.test((await page.locator('.gs-boxes-legend').textContent()) ?? ''),
    'and states how many have room',
  );
  await harness.picture('boxes-ratios-360');
}

interface Located {
  readonly unit: string;
  readonly runs: readonly {
    readonly run: string;
    readonly name: string;
    readonly locations: number;
    readonly columns: readonly object[];
  }[];
  readonly groups: readonly {
    readonly path: readonly string[];
    readonly runs: readonly {
      readonly run: number;
      readonly max_at: { readonly rank: number };
      readonly values: readonly (number | null)[];
    }[];
  }[];
}

export async function locations(harness: Harness): Promise<void> {
  const { page } = harness;
  const answer = await recorded<Located>('locations-lulesh');
  const scene: Scene = {
    view: 'locations',
    answers: { locations: answer },
    width: 1300,
    height: 700,
  };
  await everyView(harness, scene);
  let widest = 0;
  answer.runs.forEach((run, at) => {
    if (run.locations > (answer.runs[widest]?.locations ?? 0)) widest = at;
  });
  const first = answer.groups.find(({ path }) => !path.at(-1)?.startsWith('MPI_'));
  const values = first?.runs.find(({ run }) => run === widest);
  const title = (await page.locator('.gs-title h2').textContent()) ?? '';
  await check(
    () =>
      title.startsWith(
        `Rank ${values?.max_at.rank} exceeds the mean of ${first?.path.at(-1) ?? '?'} by `,
      ),
    `the picture begins with its answer: ${title}`,
  );
  const canvas = page.locator('.gs-heat canvas');
  await canvas.focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowDown');
  const said = (await page.locator('[aria-live]').textContent()) ?? '';
  await check(() => /rank 1, .*imbalance \d/.test(said), `the cursor describes its cell: ${said}`);
  await page.keyboard.press('Enter');
  await check(
    async () => (await harness.events()).some(({ type }) => type === 'select-group'),
    'Enter selects the group of a cell',
  );
  const box = await canvas.boundingBox();
  if (box) await page.mouse.move(box.x + 40, box.y + 30, { steps: 3 });
  await check(
    async () => (await page.locator('.gs-tooltip:not([hidden])').count()) === 1,
    'the pointer shows the value of a cell',
  );
  await page.getByLabel('Run').selectOption({ index: 0 });
  await check(
    async () =>
      (await harness.events()).some((event) => event.type === 'set' && 'run' in event.values),
    'another run is chosen in the address',
  );
  const side = (at: number): { name: string; runs: string[] } => ({
    name: answer.runs[at]?.name ?? '',
    runs: [answer.runs[at]?.run ?? ''],
  });
  await harness.show({
    ...scene,
    selection: { isDiff: true, a: side(widest === 0 ? 1 : 0), b: side(widest) },
  });
  await harness.picture('locations-diff');
  await check(
    async () => ((await page.locator('.gs-title h2').textContent()) ?? '').startsWith('B − A'),
    'two sides are shown as their difference',
  );
  await harness.show({ ...scene, selection: { target: side(widest) }, settings: {} });
  await page.getByRole('button', { name: 'Clear the target' }).waitFor();
  const against = {
    ...scene,
    answers: { locations: answer, others: answer },
    selection: { target: side(widest) },
    settings: { against: 'ensemble' },
  };
  await harness.show(against);
  await harness.picture('locations-target');
  await check(
    async () =>
      ((await page.locator('.gs-title h2').textContent()) ?? '').startsWith(
        'target − the other runs',
      ),
    'a target is compared with the other runs',
  );
  const onNodes = {
    ...answer,
    runs: answer.runs.map((run) => ({
      ...run,
      columns: run.columns.map((column, at) => ({ ...column, node: at % 2 })),
    })),
  };
  await harness.show({
    ...scene,
    answers: { locations: onNodes },
    settings: { columns: 'node' },
  });
  await harness.picture('locations-nodes');
  await check(
    async () =>
      (await page.locator('.gs-locations-picture svg text').allTextContents()).join(', ') ===
      'node 0, node 1',
    'columns stand together by NUMA node',
  );
  // 200 groups on 4,096 ranks, as the service joins them.
  const columns = Array.from({ length: 512 }, (_, at) => ({
    rank: at * 8,
    last: { rank: at * 8 + 7 },
  }));
  const group = (at: number): object => ({
    ...first,
    group: `g${at}`,
    path: [`group ${at}`],
    runs: [{ ...values, run: 0, values: columns.map((_, column) => (column * at) % 97) }],
  });
  const large = {
    ...answer,
    runs: [{ ...answer.runs[0], locations: 4096, columns }],
    groups: Array.from({ length: 200 }, (_, at) => group(at)),
  };
  const many = { ...scene, answers: { locations: large } };
  await harness.show(many);
  // The shortest of three: other programs of the machine only add to a time.
  const milliseconds = await page.evaluate(
    ([few, all]) => {
      const times = [1, 2, 3].map(() => {
        window.tests.update(few);
        const before = performance.now();
        window.tests.update(all);
        return performance.now() - before;
      });
      return Math.min(...times);
    },
    [scene, many] as const,
  );
  await check(
    () => milliseconds < 1500,
    `100,000 cells are drawn in ${Math.round(milliseconds)} ms`,
  );
  await harness.picture('locations-large');
}

export interface Sankeyish {
  readonly runs: readonly string[];
  readonly nodes: readonly {
    readonly id: string;
    readonly name: string;
    readonly inclusive_by_run: readonly (number | null)[];
    readonly exclusive_by_run: readonly (number | null)[];
  }[];
}

export async function source(harness: Harness): Promise<void> {
  const { page } = harness;
  const scene: Scene = {
    view: 'source',
    answers: { source: await recorded('source-versions') },
    width: 1200,
    height: 700,
  };
  await everyView(harness, scene);
  const own = page.locator('[aria-current="location"]');
  await check(
    async () => ((await own.textContent()) ?? '').includes('139'),
    'the line of the group is marked',
  );
  const box = await own.boundingBox();
  await check(
    () => box !== null && box.y > 100 && box.y < 600,
    `and is in the middle of the pane (${Math.round(box?.y ?? -1)})`,
  );
  await page.locator('#host [data-mark="line-139"]').click();
  await check(
    async () => (await harness.events()).some(({ type }) => type === 'select-group'),
    'a value selects its group',
  );
  await page.getByRole('button', { name: 'Copy place' }).click();
  await check(
    async () =>
      (await harness.events()).some(
        (event) => event.type === 'copy' && event.text.endsWith('sort.c:139'),
      ),
    'file and line are copied',
  );
  const without = {
    ...(scene.answers['source'] as object),
    lines: [],
    num_lines: 0,
    path: undefined,
    state: 'not_served',
    reason: 'the service shows no source files; start it with `--source DIR`',
  };
  await harness.show({ ...scene, answers: { source: without } });
  await harness.picture('source-without');
  await check(
    async () =>
      ((await page.locator('.gs-source-reason').textContent()) ?? '').includes('--source'),
    'without a text, the pane states why',
  );
  const changed = {
    is_changed: true,
    notes: [
      {
        code: 'changed_after_import',
        values: { path: 'sort.c', changed: '2030', imported: '2029' },
        text: '`sort.c` was changed at 2030: lines may have moved',
      },
    ],
  };
  await harness.show({
    ...scene,
    answers: { source: { ...(scene.answers['source'] as object), ...changed } },
  });
  await check(
    async () => ((await page.getByRole('note').textContent()) ?? '').includes('was changed'),
    'a file that was changed after the runs is marked',
  );
  const spoilt = {
    ...(scene.answers['source'] as object),
    lines: ['<img src=x onerror="alert(1)">', '\u202eevil', 'x'.repeat(2000)],
    first_line: 138,
  };
  await harness.show({ ...scene, answers: { source: spoilt } });
  await check(
    async () =>
      (await page.locator('#host img').count()) === 0 &&
      ((await page.locator('.gs-source-lines').textContent()) ?? '').includes('\\u{202e}evil'),
    'text of files is never markup, and shows invisible characters',
  );
}
