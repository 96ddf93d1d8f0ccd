/** Pages of versions and sides on recorded answers: history, gate, noise, structure. */

import { check } from '../check.ts';
import { everyView } from './every.ts';
import { type Harness, recorded } from './harness.ts';
import type { Scene } from './page.ts';

export async function history(harness: Harness): Promise<void> {
  const { page } = harness;
  const scene: Scene = {
    view: 'history',
    answers: { history: await recorded('history-versions') },
    width: 1300,
    height: 760,
  };
  await everyView(harness, scene);
  await check(
    async () => /version 2: ×1\.64/.test((await page.locator('.gs-title').textContent()) ?? ''),
    'the history begins with what the newest version is',
  );
  await check(
    async () => (await page.getByText('→ renamed').count()) === 1,
    'structural events are listed',
  );
  await page.getByRole('button', { name: 'compare with the version before' }).click();
  const [event] = await harness.events();
  await check(
    () => event?.type === 'add-clause' && event.clause.startsWith('diff "version == 1"'),
    'a version is compared with the one before',
  );
}

export async function gate(harness: Harness): Promise<void> {
  const { page } = harness;
  const scene: Scene = {
    view: 'gate',
    answers: { gate: await recorded('gate-versions') },
    width: 1300,
    height: 500,
  };
  await everyView(harness, scene);
  await check(
    async () => (await page.locator('h2').first().textContent()) === '▲ Failed',
    'the gate begins with its outcome',
  );
  await check(
    async () =>
      ((await page.locator('.gs-row[data-row="0"]').textContent()) ?? '').includes('+82.8'),
    'groups that fail come first',
  );
}

/** The chosen cause leads to its lens, and into the typical runs of both sides. */
async function waysOf(harness: Harness, scene: Scene): Promise<void> {
  const { page } = harness;
  const sides = {
    a: { name: 'A', runs: ['slow', 'one', 'fast'] },
    b: { name: 'B', runs: ['two'] },
  };
  const totals = { slow: 9, one: 5, fast: 1, two: 4 };
  const runs = Object.entries(totals).map(([run, total]) => ({ run, name: run, total }));
  await harness.show({
    ...scene,
    selection: sides,
    runs: runs as unknown as Scene['runs'] & object,
  });
  const ways = page.locator('.gs-explain-ways');
  await check(
    async () => /take 32.3 ms longer/.test((await ways.locator('p').textContent()) ?? ''),
    'the largest cause is chosen first',
  );
  const why = await ways.getByRole('button', { name: 'Time line' }).getAttribute('title');
  await check(
    () => why === 'one (median of 3 runs of A) and two (the run of B), one below the other',
    `the way into runs names them: ${why}`,
  );
  for (const name of ['Sankey', 'Grain graph', 'Time line'])
    await ways.getByRole('button', { name }).click();
  const events = await harness.events();
  const [select] = events;
  await check(
    () =>
      select?.type === 'select' &&
      /focus "[0-9a-f]{32}".*diff/.test(select.patch.lens ?? '') &&
      select.patch.group?.length === 32,
    `the Sankey has the lens of the cause: ${JSON.stringify(select)}`,
  );
  const opened = events.filter((one) => one.type === 'open-run');
  await check(
    () =>
      opened.map(({ run, view }) => `${run} ${view}`).join() === 'one grain-graph,one timeline' &&
      opened.every(
        ({ patch }) => patch?.otherRun === 'two' && patch.definition === 'sort_range (task)',
      ),
    `grain graph and time line show both runs: ${JSON.stringify(opened)}`,
  );
  await check(
    () => events.some((one) => one.type === 'show' && one.values['compared'] === 'deviation'),
    'and the grain graph the deviation of work',
  );
  await page.locator('.gs-grid').focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  const set = (await harness.events()).findLast((one) => one.type === 'set');
  await harness.update({
    ...scene,
    selection: sides,
    settings: { cause: set?.type === 'set' ? String(set.values['cause']) : '' },
  });
  await check(
    async () =>
      /although grains are ready/.test((await ways.locator('p').textContent()) ?? '') &&
      (await ways.getByRole('button', { name: 'Sankey' }).count()) === 0,
    'a cause of the whole run has no lens',
  );
  await check(
    async () => (await page.evaluate(() => document.activeElement?.className)) === 'gs-grid',
    'the table keeps the focus over a redraw',
  );
}

export async function explain(harness: Harness): Promise<void> {
  const { page } = harness;
  const scene: Scene = {
    view: 'explain',
    answers: { explain: await recorded('explain-versions') },
    width: 1300,
    height: 600,
  };
  await everyView(harness, scene);
  const row = page.locator('.gs-row[data-row="1"]');
  await check(
    async () => /inflation.*sort_block.*slower/.test((await row.textContent()) ?? ''),
    'the largest cause comes first',
  );
  await check(
    async () => (await page.locator('.gs-explain-sentences li').count()) === 2,
    'real causes are said in words',
  );
  const bars = await page.locator('.gs-row rect').evaluateAll((all) =>
    all.map((bar) => {
      const [begin, length] = ['x', 'width'].map((name) => Number(bar.getAttribute(name)));
      return [begin ?? 0, (begin ?? 0) + (length ?? 0)] as const;
    }),
  );
  const [first, second] = bars;
  const last = bars.at(-1);
  await check(
    () => Math.abs((first?.[1] ?? 0) - (second?.[0] ?? -9)) < 0.01,
    'the first cause begins where the baseline ends',
  );
  await check(
    () => (last?.[1] ?? 0) > (first?.[1] ?? 0),
    'the candidate ends to the right of the baseline',
  );
  await row.click();
  const [chosen, event] = await harness.events();
  await check(
    () => chosen?.type === 'set' && event?.type === 'select-group' && event.group.length === 32,
    'a cause is chosen, and selects its definition',
  );
  await waysOf(harness, scene);
  await harness.show({ ...scene, answers: { explain: await recorded('explain-lulesh') } });
  await harness.picture('explain-lulesh');
  await check(
    async () => (await page.getByText('by ranks: the slowest').count()) === 1,
    'call profiles are divided by ranks',
  );
}

export async function noise(harness: Harness): Promise<void> {
  const { page } = harness;
  const scene: Scene = {
    view: 'noise',
    answers: { noise: await recorded('noise-threads') },
    width: 1300,
    height: 500,
  };
  await everyView(harness, scene);
  await page.locator('select').selectOption({ index: 2 });
  const [event] = await harness.events();
  await check(
    () => event?.type === 'set' && event.values['cohort'] === 2,
    'another configuration is chosen in the address',
  );
  await harness.show({ ...scene, answers: { noise: await recorded('noise-raja') } });
  await harness.picture('noise-raja');
}

export async function structure(harness: Harness): Promise<void> {
  const { page } = harness;
  const scene: Scene = {
    view: 'structure',
    answers: {
      diff: await recorded('diff-versions'),
      mapping: await recorded('mapping-versions'),
    },
    width: 1300,
    height: 600,
  };
  await everyView(harness, scene);
  const legend = await page.locator('.gs-legend').first().textContent();
  await check(
    () => /8\.86\s?% by context/.test(legend ?? '') && /72\.9\s?% inferred/.test(legend ?? ''),
    'the work matched is that of the diff',
  );
  const confirm = page.getByRole('button', { name: 'confirm' });
  for (const width of [500, 840]) {
    await harness.show({ ...scene, width });
    await check(() => confirm.isVisible(), `matches can be confirmed in a pane of ${width} px`);
  }
  for (const width of [500, 640, 900, 1300]) {
    await harness.show({ ...scene, width });
    const cell = page.locator('.gs-structure .gs-body .gs-row').first();
    const isCut = await cell.locator('bdi').evaluateAll((names) =>
      names.some((name) => {
        const box = name.getBoundingClientRect();
        const around = name.closest('.gs-cell')?.getBoundingClientRect();
        return !around || box.right > around.right + 1 || box.bottom > around.bottom + 1;
      }),
    );
    await check(
      async () => /sort_range .*sort_block:139 /s.test((await cell.textContent()) ?? '') && !isCut,
      `both names of a pair are whole in a pane of ${width} px: ${await cell.textContent()}`,
    );
  }
  await harness.show(scene);
  await confirm.click();
  const [event] = await harness.events();
  await check(
    () =>
      event?.type === 'edit' &&
      event.edit.route === 'mapping' &&
      JSON.stringify(event.edit.changes) ===
        JSON.stringify([{ a: 'sort_range (task)', b: 'sort_block:139 (task)', same: true }]),
    'what is inferred is confirmed through the service',
  );
  await harness.show({
    ...scene,
    edits: {
      undo: 'Confirmed: sort_range (task) = sort_block:139 (task)',
      fault: 'the store is busy; retry in a second',
    },
  });
  await harness.picture('structure-undo');
  await check(
    async () => ((await page.getByRole('alert').textContent()) ?? '').includes('busy'),
    'a failed change states why',
  );
  await page.getByRole('button', { name: 'Undo' }).click();
  await check(
    async () => (await harness.events()).some(({ type }) => type === 'undo-edit'),
    'the latest change is taken back',
  );
  await harness.show({ ...scene, edits: { isBusy: true } });
  await check(() => confirm.isDisabled(), 'one change is made at a time');
  await harness.show({ ...scene, edits: { isAllowed: false } });
  await confirm.click();
  const [copied] = await harness.events();
  await check(
    () =>
      copied?.type === 'copy' &&
      copied.text === "grainsheaf match --confirm 'sort_range (task) = sort_block:139 (task)'",
    'of a read-only service the command is copied',
  );
}
