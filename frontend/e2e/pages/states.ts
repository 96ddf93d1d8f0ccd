/** Tests four states of every ensemble view of the registry: loading, partial, failed and empty. */

import type { Page } from 'playwright-core';
import { NO_RUN } from '@grainsheaf/views/registry/one-run.ts';
import type { Selection } from '@grainsheaf/views/registry/selection.ts';
import { decodeSettings } from '@grainsheaf/views/registry/settings.ts';
import { type RegisteredView, VIEWS } from '@grainsheaf/views/registry/views.ts';
import { check } from '../check.ts';
import { axe, serious } from './accessibility.ts';
import { lensOf, type Pages, settle } from './harness.ts';

const DIFF = "by version | diff 'version = 1' to 'version = 2'";
const GROUP = '3b72bff1cd5ecebd40ae3ce16643def0';
const SIDE = { name: 'side', runs: ['a', 'b'] };
/** As the page has it for the address of this scene, as far as views ask for it. */
const SELECTION: Partial<Selection> = {
  store: 'versions',
  lens: DIFF,
  shape: 'by version',
  runs: [],
  run: '',
  otherRun: '',
  definition: '',
  grain: '',
  isDiff: true,
  a: SIDE,
  b: SIDE,
  group: GROUP,
  groupName: 'sort_block:139 (task)',
  growing: '',
  varying: ['version'],
  serialRun: 'a',
};

/** Route of the first request of a view, or nothing for a view of one run. */
function routeOf(view: RegisteredView): string | undefined {
  const asked = view.query(SELECTION as Selection, decodeSettings(view.settings, {}));
  if ('empty' in asked) return asked.empty.title === NO_RUN.empty.title ? undefined : '';
  return Object.values(asked.requests).find((request) => request)?.route ?? '';
}

export async function states(pages: Pages, only = process.env['VIEW']): Promise<void> {
  const script = await axe();
  const views = VIEWS.filter((view) => routeOf(view) !== undefined && (!only || view.id === only));
  await check(() => only !== undefined || views.length >= 15, `${views.length} ensemble views`);
  for (const view of views) {
    const route = routeOf(view) ?? '';
    if (route !== '') await loading(pages, view, `/api/v1/${route}?`, script);
    if (route !== '') await failing(pages, view, `/api/v1/${route}?`, script);
    await without(pages, view, script);
  }
}

const addressOf = (view: RegisteredView, lens = DIFF): string =>
  `?v=1&store=versions&panes=${view.id}&group=${GROUP}&${lensOf(lens)}`;

/** A pane has text of some length, and axe finds nothing serious in it. */
async function looked(page: Page, name: string, script: string): Promise<void> {
  const pane = page.locator('.pane').first();
  const head = (await page.locator('.pane-head').first().innerText()).length;
  const text = async (): Promise<string> => (await pane.innerText()).slice(head).trim();
  await check(async () => (await text()).length > 12, `${name}: the pane is not blank`);
  await page.evaluate(script);
  const found = await serious(page, 'light', '.pane');
  await check(() => found.length === 0, `${name}: axe finds nothing serious ${found.join('; ')}`);
}

async function loading(
  pages: Pages,
  view: RegisteredView,
  route: string,
  script: string,
): Promise<void> {
  const { service } = pages;
  service.held = route;
  const page = await pages.visit(addressOf(view), {}, true);
  await check(
    async () => (await page.locator('.pane .waiting button').first().isVisible()) === true,
    `${view.id}, loading: states what is computed, and can be cancelled`,
  );
  await looked(page, `${view.id}, loading`, script);
  await pages.shoot(page, `states-${view.id}-loading`);
  service.held = '';
  await settle(page);
  await drawn(page, `${view.id}, loaded`);
  const hasPicture = (await page.locator('.pane .view').count()) > 0;
  // The service fails from now on, and the question changes.
  service.broken = '/api/';
  await page.evaluate((lens) => {
    const address = new URL(location.href);
    address.searchParams.set('lens', lens);
    history.pushState(history.state, '', address);
    dispatchEvent(new PopStateEvent('popstate', { state: history.state as unknown }));
  }, `below 2% | ${DIFF}`);
  await settle(page);
  // A view whose question has not changed stays as it is.
  const isAsked = (await page.locator('.pane .over').count()) > 0;
  if (isAsked && hasPicture)
    await check(
      async () =>
        (await page.locator('.pane .over [role=alert] button').first().innerText()) === 'Retry',
      `${view.id}, partial: the failure is next to the picture, with a way to retry`,
    );
  if (hasPicture) await drawn(page, `${view.id}, partial`);
  await looked(page, `${view.id}, partial`, script);
  await pages.shoot(page, `states-${view.id}-partial`);
  service.broken = '';
  await page.close();
}

/** There is a picture, or the reason why the answer has none: versions have one rank. */
async function drawn(page: Page, name: string): Promise<void> {
  const found = page.locator('.pane .view, .pane .state:not([role=alert]) h2');
  await check(async () => (await found.count()) > 0, `${name}: a picture`);
}

async function failing(
  pages: Pages,
  view: RegisteredView,
  route: string,
  script: string,
): Promise<void> {
  pages.service.broken = route;
  const page = await pages.visit(addressOf(view));
  const alert = page.locator('.pane [role=alert]').first();
  await check(
    async () => (await alert.innerText()).includes('cannot be read'),
    `${view.id}, error: the message of the service`,
  );
  await looked(page, `${view.id}, error`, script);
  await pages.shoot(page, `states-${view.id}-error`);
  pages.service.broken = '';
  await alert.getByRole('button', { name: 'Retry' }).click();
  await settle(page);
  await drawn(page, `${view.id}, after a retry`);
  await page.close();
}

async function without(pages: Pages, view: RegisteredView, script: string): Promise<void> {
  const page = await pages.visit(addressOf(view, `where version > 64 | ${DIFF}`));
  await check(
    async () => (await page.locator('.pane .state h2').first().innerText()).length > 8,
    `${view.id}, empty: says why`,
  );
  await check(
    async () => (await page.locator('.pane .skeleton, .pane .waiting').count()) === 0,
    `${view.id}, empty: nothing waits`,
  );
  await looked(page, `${view.id}, empty`, script);
  await pages.shoot(page, `states-${view.id}-empty`);
  await page.close();
}
