/** Sankey, call tree and list of differences on recorded answers. */

import type { Diff, Hierarchy, Sankey, ViewEvent } from '@grainsheaf/views';
import { check } from '../check.ts';
import { type Harness, recorded } from './harness.ts';
import type { OwnScene } from './page-own.ts';

const QUANTITY = 'exclusive work, B − A, mean over runs';
export const PICKS = { group: '', guides: [], isHotPath: false, isBackEdges: false, hits: [] };

export async function show(harness: Harness, scene: OwnScene): Promise<void> {
  await harness.page.evaluate((given) => {
    // A view of the registry may be left from the scene before.
    window.tests.destroy();
    window.tests.showOwn(given);
  }, scene);
}

export async function update(harness: Harness, selection: object): Promise<void> {
  await harness.page.evaluate((given) => window.tests.updateOwn(given), selection);
}

export function events(harness: Harness): Promise<ViewEvent[]> {
  return harness.page.evaluate(() => window.tests.ownEvents);
}

/** Both themes as pictures, what axe finds, an export without holes, and nothing left behind. */
export async function everyState(harness: Harness, scene: OwnScene, name: string): Promise<void> {
  for (const theme of ['light', 'dark'] as const) {
    await show(harness, { ...scene, theme });
    await harness.picture(`${name}-${theme}`);
    const wrong = await harness.violations(theme);
    await check(() => wrong.length === 0, `${name}, ${theme}: axe finds ${wrong.join('; ')}`);
  }
  const svg = await harness.page.evaluate(() => window.tests.ownSvg());
  await check(
    () => svg.startsWith('<?xml') && !/NaN|Infinity|undefined/.test(svg),
    `${name} exports ${svg.length} bytes of SVG without holes`,
  );
  const left = await harness.page.evaluate(() => window.tests.destroyOwn());
  await check(() => left === 0, `${name} leaves nothing behind`);
  await show(harness, scene);
}

export async function sankeyScene(name: string, rest: object = {}): Promise<OwnScene> {
  const sankey = await recorded<Sankey>(`sankey-${name}`);
  return {
    own: 'sankey',
    data: { sankey, scope: 'inclusive', runNames: [], ...rest },
    selection: PICKS,
    width: 1100,
    height: 560,
  };
}

/** One quantity in all pictures of a diff, in three modes, and absent sides that are hatched. */
async function differences(harness: Harness): Promise<void> {
  const { page } = harness;
  const diff = await recorded<Diff>('diff-versions');
  const modes = [
    ['absolute', QUANTITY, '+129 ms'],
    ['relative', 'exclusive work, (B − A) ∕ A, mean over runs', '+79.2 %'],
    [
      'normalised',
      'exclusive work, share of the side’s total, B − A, mean over runs',
      '+10.7 points',
    ],
  ] as const;
  for (const [diffMode, quantity, text] of modes) {
    const scene = await sankeyScene('versions', { diff, diffMode, quantity });
    await everyState(harness, scene, `sankey-diff-${diffMode}`);
    const all = (await page.locator('#host svg').textContent()) ?? '';
    await check(() => all.includes(quantity), `the picture states "${quantity}"`);
    await check(() => all.includes(text), `and shows ${text}`);
    await check(() => all.includes('only in B'), 'what is only in B is called so');
    await check(() => !/[+−]0 |−163 ms|−100 %/.test(all), 'and no absent side counts as zero');
    const hatched = page.locator('.gs-node rect[fill$="-absent)"]');
    await check(async () => (await hatched.count()) === 2, 'two nodes of one side are hatched');
    await page.locator('.gs-node[aria-label^="sort_block:144"]').hover();
    const tip = (await page.locator('.gs-tooltip').textContent()) ?? '';
    await check(
      () => tip.includes('A–') && tip.includes('only in B'),
      `its tooltip: ${tip.slice(0, 60)}`,
    );
    await show(harness, {
      own: 'diff-bars',
      data: { diff, mode: diffMode, quantity },
      selection: { group: '', sort: 'absolute' },
    });
    const list = (await page.locator('.gs-diff-bars').textContent()) ?? '';
    await check(() => list.includes(quantity) && list.includes(text), 'the list states the same');
    await harness.picture(`diff-bars-${diffMode}`);
    const hierarchy = await recorded<Hierarchy>('hierarchy-versions');
    const { unit, totals } = diff;
    const sides = { a: diff.a.runs, b: diff.b.runs, worseIsUp: true, isUnsure: true };
    const comparison = { ...sides, mode: diffMode, unit, totals, quantity };
    const tree: OwnScene = {
      own: 'icicle',
      data: { hierarchy, scope: 'exclusive', comparison },
      selection: { site: '', zoom: '', isUniform: false },
      height: 300,
    };
    await everyState(harness, tree, `icicle-diff-${diffMode}`);
    const head = (await page.locator('.gs-icicle').textContent()) ?? '';
    await check(() => head.includes(quantity), 'the call tree states the same');
  }
}

/** Merged cells are drawn and reached by keys, hits are marked, rows can be limited. */
async function icicle(harness: Harness): Promise<void> {
  const { page } = harness;
  const hierarchy = await recorded<Hierarchy>('hierarchy-lulesh');
  const selection = { site: '', zoom: '', isUniform: false, hits: [], depth: undefined };
  const scene: OwnScene = {
    own: 'icicle',
    data: { hierarchy, scope: 'inclusive' },
    selection,
    width: 900,
    height: 360,
  };
  await everyState(harness, scene, 'icicle-lulesh');
  const merged = page.locator('.gs-merged');
  const count = await merged.count();
  await check(() => count > 0, `${count} places stand for merged cells`);
  await check(
    async () => /too narrow to draw/.test((await page.locator('.gs-hidden').textContent()) ?? ''),
    'and their number is written below',
  );
  await merged.first().hover();
  await check(
    async () =>
      /^\+ \d+ callees? of /.test((await page.locator('.gs-tooltip').textContent()) ?? ''),
    'they have a tooltip',
  );
  await merged.first().click();
  await check(
    async () => (await events(harness)).some(({ type }) => type === 'zoom-site'),
    'and lead to a zoom',
  );
  const hits = hierarchy.sites
    .filter((site) => site.name.startsWith('Calc'))
    .map((site) => site.id);
  await update(harness, { ...selection, hits });
  const marked = await page.locator('.gs-hit').count();
  await check(() => marked > 5, `${marked} hits of a search are marked`);
  await harness.picture('icicle-hits');
  const rows = async (): Promise<number> =>
    new Set(await page.locator('[data-site]').evaluateAll((all) => all.map((one) => one.ariaLevel)))
      .size;
  await update(harness, { ...selection, depth: 3 });
  await check(async () => (await rows()) === 3, 'three rows are shown');
  await check(
    async () => /in deeper rows/.test((await page.locator('.gs-hidden').textContent()) ?? ''),
    'and the rest is counted',
  );
}

export const OWN = { differences, icicle };
