/** The panel of predictions on recorded answers. */

import type { Answers } from '@grainsheaf/views/what-if/definition.ts';
import { check } from '../check.ts';
import { everyView } from './every.ts';
import { type Harness, recorded } from './harness.ts';
import type { Scene } from './page.ts';

export async function whatIf(harness: Harness): Promise<void> {
  const { page } = harness;
  const answers = await recorded<Answers & Record<string, unknown>>('what-if-threads');
  if (answers.whatIf.trust) answers.whatIf.trust.repeats = 0.0602;
  const { runs } = answers.runs;
  const scene: Scene = { view: 'what-if', answers, width: 1200, height: 520 };
  await everyView(harness, scene);
  const { trust } = answers.whatIf;
  const counts = new Set(runs.map(({ workers }) => workers));
  await check(
    async () =>
      (await page.locator('.gs-what-if').textContent())?.includes(
        `off by ${((trust?.median ?? 0) * 100).toPrecision(3)} %`,
      ) === true,
    'the error of such predictions is cited',
  );
  await check(
    async () =>
      (await page.locator('.gs-what-if').textContent())?.includes(
        'Repeats of these runs differ from their median by 6.02 %.',
      ) === true,
    'so is how far repeats differ',
  );
  const looks = await page.locator('.gs-title h2').evaluateAll((all) =>
    all.map((one) => {
      const { fontSize, fontWeight, color } = getComputedStyle(one);
      return [one.textContent, `${fontSize} ${fontWeight} ${color}`] as const;
    }),
  );
  await check(
    () =>
      looks.some(
        ([text]) => text === `median error ${((trust?.median ?? 0) * 100).toPrecision(3)} %`,
      ) && new Set(looks.map(([, look]) => look)).size === 1,
    `the error is as visible as the prediction: ${JSON.stringify(looks)}`,
  );
  await check(
    async () => (await page.locator('[data-mark^=recorded-]').count()) === counts.size,
    `${counts.size} numbers of workers have recorded times`,
  );
  await sliders(harness, scene, answers);
  const alone = { ...answers, first: undefined, whatIf: { ...answers.whatIf, trust: undefined } };
  await harness.show({ ...scene, answers: alone });
  await check(
    async () =>
      (await page.locator('.gs-side [role=status]').count()) === 1 &&
      (await page.locator('.gs-undecided').count()) === 1,
    'the curve is there before the gains, and an error that is not known is stated',
  );
  await check(
    async () => (await page.locator('h2', { hasText: 'error unknown' }).count()) === 1,
    'also next to the prediction',
  );
  await harness.picture('what-if-partial');
}

/** Sliders change the question, by keyboard too. */
async function sliders(harness: Harness, scene: Scene, answers: Answers): Promise<void> {
  const { page } = harness;
  const set = async (name: string): Promise<unknown> => {
    const found = (await harness.events()).find(
      (event) => event.type === 'set' && name in event.values,
    );
    return found?.type === 'set' ? found.values[name] : undefined;
  };
  const workers = page.getByRole('slider', { name: 'workers', exact: true });
  await workers.focus();
  await page.keyboard.press('ArrowRight');
  await check(async () => (await set('at')) === 16, 'an arrow key doubles the workers');
  const first = answers.first?.rows[0]?.definition ?? '';
  const work = page.getByRole('slider', { name: `work of ${first}, reduced by per cent` });
  await work.focus();
  await page.keyboard.press('PageUp');
  await check(
    async () => String(await set('faster')).startsWith(`${first}=`),
    'a slider of a definition changes the question',
  );
  const changed = await recorded<Answers & Record<string, unknown>>('what-if-faster');
  await harness.update({
    ...scene,
    answers: changed,
    settings: { faster: 'sort_range (task)=20%', at: '16' },
  });
  await check(
    async () =>
      (await work.inputValue()) === '20' &&
      (await work.evaluate((element) => element === document.activeElement)),
    'and keeps its place and the focus',
  );
  await check(
    async () => / → .* on 16 workers/.test((await page.locator('h2').first().textContent()) ?? ''),
    'the prediction begins with the time before and after',
  );
  await harness.picture('what-if-changed');
}
