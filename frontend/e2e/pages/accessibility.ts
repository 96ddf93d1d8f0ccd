/** Every state of the page, at three widths, and dark at the first: axe finds nothing serious. */

import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { check } from '../check.ts';
import { lensOf, type Pages, settle, type Visit } from './harness.ts';

const WIDTHS = [1440, 900, 500] as const;
const THREADS = lensOf("diff 'threads = 1' to 'threads = 8'");
const VERSIONS = lensOf("diff 'version = 1' to 'version = 2'");
const INSIDE = '?v=1&store=threads&layout=run&run=ed2b863e5514fa4ddf9361a2d2aa3965';
const TWO_RUNS =
  '?v=1&store=versions&layout=run&run=733dbe9e8bc67ccf43ed90ac5b8a14c7&otherRun=fd3a69d0d100211fe7c2d64717861f81';

interface State {
  readonly name: string;
  readonly query: string;
  readonly visit?: Visit;
  /** Milliseconds before each answer while the state is looked at. */
  readonly delay?: number;
  /** A part of the addresses that fail. */
  readonly broken?: string;
  prepare?(page: Page): Promise<unknown>;
}

const press =
  (...keys: readonly string[]) =>
  async (page: Page): Promise<void> => {
    for (const key of keys) await page.keyboard.press(key);
  };
const select = async (page: Page): Promise<void> => {
  await page.locator('.gs-node').nth(2).click();
  await settle(page);
};

const STATES: readonly State[] = [
  { name: 'welcome', query: '/', visit: { isFirst: true } },
  { name: 'loading', query: '?v=1&store=threads&layout=spread', delay: 60_000 },
  { name: 'no runs', query: `?v=1&store=threads&${lensOf('where threads > 64')}` },
  { name: 'error', query: '?v=1&store=threads', broken: '/sankey' },
  { name: 'error in one pane', query: '?v=1&store=threads&layout=spread', broken: '/stats' },
  { name: 'lens that cannot be read', query: `?v=1&store=threads&${lensOf('levle module')}` },
  { name: 'runs that share little', query: '?v=1&store=hpct' },
  { name: 'overview', query: '?v=1&store=threads' },
  { name: 'selection', query: '?v=1&store=threads&tab=tree', prepare: select },
  { name: 'distribution', query: '?v=1&store=threads&tab=distribution', prepare: select },
  { name: 'target', query: `?v=1&store=threads&${lensOf('target "sort-t8-r1"')}` },
  { name: 'comparison to choose', query: '?v=1&store=threads&layout=compare' },
  { name: 'comparison', query: `?v=1&store=versions&layout=compare&${VERSIONS}`, prepare: select },
  { name: 'comparison with the tree', query: `?v=1&store=threads&tab=tree&${THREADS}` },
  { name: 'runs', query: '?v=1&store=threads&layout=runs' },
  { name: 'spread', query: '?v=1&store=threads&layout=spread' },
  { name: 'scaling', query: '?v=1&store=threads&layout=scaling' },
  { name: 'history', query: '?v=1&store=versions&layout=history' },
  { name: 'inside a run', query: `${INSIDE}&grain=4` },
  { name: 'inside a run, loading', query: INSIDE, delay: 60_000 },
  { name: 'inside a run, error', query: INSIDE, broken: '/timeline' },
  { name: 'two runs', query: TWO_RUNS },
  { name: 'search', query: '?v=1&store=threads&search=sort' },
  { name: 'help', query: '?v=1&store=threads', prepare: press('?') },
  { name: 'palette', query: '?v=1&store=threads', prepare: press('Control+k') },
  { name: 'adding files', query: '?v=1&store=threads', prepare: press('Shift+A') },
  { name: 'export menu', query: '?v=1&store=threads', prepare: press('Control+s') },
  { name: 'lens as text', query: '?v=1&store=threads', prepare: press('e') },
  {
    name: 'tour',
    query: '/',
    visit: { isFirst: true },
    prepare: (page) => page.locator('.dialog .primary').click(),
  },
  {
    name: 'menu of a node',
    query: '?v=1&store=threads',
    prepare: (page) => page.locator('.gs-node').nth(2).click({ button: 'right' }),
  },
  {
    name: 'warnings',
    query: '?v=1&store=hpct',
    prepare: (page) => page.locator('.footer button', { hasText: 'warning' }).click(),
  },
];

export async function accessibility(pages: Pages): Promise<void> {
  const source = await axe();
  for (const state of STATES) {
    pages.service.delay = state.delay ?? 0;
    pages.service.broken = state.broken ?? '';
    const page = await pages.visit(state.query, state.visit, state.delay !== undefined);
    await state.prepare?.(page);
    await page.evaluate(source);
    for (const width of WIDTHS)
      // Contrast does not depend on the width.
      for (const colorScheme of width === WIDTHS[0]
        ? (['light', 'dark'] as const)
        : (['light'] as const)) {
        await page.setViewportSize({ width, height: 900 });
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
        await twoFrames(page);
        const found = await serious(page, colorScheme);
        await check(
          () => found.length === 0,
          `${state.name}, ${width} px, ${colorScheme}: axe finds nothing serious ${found.join('; ')}`,
        );
        await pages.shoot(
          page,
          `state-${state.name.replaceAll(/\W+/g, '-')}-${width}-${colorScheme}`,
        );
      }
    await page.close();
  }
  pages.service.delay = 0;
  pages.service.broken = '';
}

/** Lets the page draw what follows a change of its window. */
async function twoFrames(page: Page): Promise<void> {
  await page.evaluate(
    () =>
      new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(null)))),
  );
}

/** Violations of the page, or of a part of it, that are serious. */
export function serious(
  page: Page,
  theme: 'light' | 'dark' = 'light',
  within = 'html',
): Promise<string[]> {
  const given = [theme === 'dark', within] as const;
  return page.evaluate(async ([isDark, part]) => {
    const { violations } = await window.axe.run(part, {
      // Contrast is the only rule that depends on the theme.
      ...(isDark ? { runOnly: ['color-contrast'] } : {}),
      resultTypes: ['violations'],
      preload: false,
    });
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => `${id} (${nodes.length}): ${nodes[0]?.html.slice(0, 160) ?? ''}`);
  }, given);
}

/** Script of axe. */
export const axe = (): Promise<string> =>
  readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
