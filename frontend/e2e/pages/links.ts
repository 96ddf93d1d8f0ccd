/** Links hold what is seen, lead where they say, and every dead end has a way on. */

import { createServer, request as ask } from 'node:http';
import type { Page } from 'playwright-core';
import { check } from '../check.ts';
import { countOf, holdRequests, lensOf, type Pages, settle, textOf } from './harness.ts';

export async function links(pages: Pages): Promise<void> {
  await splitting(pages);
  await otherStore(pages);
  await asksOnce(pages);
  await complete(pages);
  await pictureState(pages);
  await arrangements(pages);
  await welcome(pages);
  await prefix(pages);
  await deadEnds(pages);
  await lostService(pages);
  await lostViews(pages);
}

/** Another store opens with its overview, whatever the page showed of the former one. */
async function otherStore(pages: Pages): Promise<void> {
  const page = await pages.visit('?v=1&store=threads&layout=scaling');
  await page.getByRole('combobox', { name: 'Store' }).selectOption('versions');
  await settle(page);
  const { searchParams } = new URL(page.url());
  await check(
    () => searchParams.get('store') === 'versions' && !searchParams.has('layout'),
    `another store opens with its overview: ${page.url()}`,
  );
  await check(
    async () =>
      (await countOf(page, '.gs-sankey .gs-node')) > 3 &&
      (await countOf(page, '[role=alert]')) === 0,
    'and has an answer',
  );
  await page.close();
}

/** A double click on a node of the default level does something and leaves no clause without effect. */
async function splitting(pages: Pages): Promise<void> {
  for (const store of ['threads', 'lulesh']) {
    const page = await pages.visit(`?v=1&store=${store}`);
    await page.locator('.gs-node').nth(1).dblclick();
    await settle(page);
    await check(
      async () => (await countOf(page, '[role=alert]')) === 0 && !page.url().includes('split+'),
      `${store}: a double click on a node leaves no error and no dead clause`,
    );
    await check(
      () => /reveal|tree/.test(page.url()),
      `${store}: it splits the node or opens its call tree`,
    );
    await page.close();
  }
}

/** The page asks for the picture of a small ensemble once, whatever the window does. */
async function asksOnce(pages: Pages): Promise<void> {
  const before = pages.service.asked.length;
  const page = await pages.visit('?v=1&store=threads');
  await page.setViewportSize({ width: 1100, height: 700 });
  await page.keyboard.press('Control+b');
  await page.keyboard.press('2');
  await page.keyboard.press('1');
  await settle(page);
  const asked = pages.service.asked.slice(before).filter((one) => one.includes('/sankey'));
  await check(() => asked.length === 1, `the picture is asked for ${asked.length} times`);
  await page.close();
}

async function reloaded(page: Page): Promise<void> {
  await page.reload();
  await settle(page);
}

/** A reload shows the same rows. */
async function complete(pages: Pages): Promise<void> {
  const table = await pages.visit('?v=1&store=threads&layout=runs');
  const select = table.locator('.pane-runs select').first();
  await select.selectOption('threads');
  await settle(table);
  await reloaded(table);
  await check(
    async () => (await table.locator('.pane-runs select').first().inputValue()) === 'threads',
    'a reload keeps the groups of the run table',
  );
  await table.close();
}

/** A reload shows the same part of the picture, and the class of the legend. */
async function pictureState(pages: Pages): Promise<void> {
  const page = await pages.visit('?v=1&store=threads');
  for (const key of ['w', 'w', 'd']) await page.keyboard.press(key);
  await page.waitForTimeout(400);
  const view = (): Promise<string> =>
    page
      .locator('.gs-node')
      .first()
      .evaluate((element) => {
        const { x, y, width, height } = element.getBoundingClientRect();
        return [x, y, width, height].map(Math.round).join(' ');
      });
  const before = await view();
  await reloaded(page);
  await check(async () => (await view()) === before, 'a reload keeps the zoom of the picture');
  await page.locator('.gs-swatch').nth(2).click();
  await page.waitForTimeout(300);
  const chosen = (): Promise<number> => countOf(page, '.gs-swatch[aria-pressed=true]');
  await check(async () => (await chosen()) === 1, 'a class of the legend is chosen');
  await reloaded(page);
  await check(async () => (await chosen()) === 1, 'a reload keeps the class of the legend');
  await page.close();
}

/** An arrangement on a key stays in the browser, is part of the address, and can be reset. */
async function arrangements(pages: Pages): Promise<void> {
  const page = await pages.visit('?v=1&store=threads&panes=(runs|40|sankey)');
  const find = async (text: string): Promise<void> => {
    await page.keyboard.press('Control+k');
    await page.locator('.palette-input').fill(text);
    await pages.shoot(page, `arrangement-${text.split(' ')[0] ?? ''}`);
    await page.keyboard.press('Enter');
    await settle(page);
  };
  await find('keep arrangement key 1');
  await page.goto(`${pages.service.url}/?v=1&store=threads`);
  await settle(page);
  await page.keyboard.press('1');
  await settle(page);
  await check(
    async () =>
      (await countOf(page, '.pane-runs.pane-main')) === 1 &&
      new URL(page.url()).searchParams.get('panes') === '(runs|40|sankey)',
    'an arrangement that was kept on a key is there after a reload, and in the address',
  );
  await find('reset arrangement key 1');
  await check(
    async () =>
      (await countOf(page, '.pane-sankey.pane-main')) === 1 &&
      (await countOf(page, '.pane-top')) === 1,
    'the key can have its first arrangement back',
  );
  await page.close();
}

async function welcome(pages: Pages): Promise<void> {
  const page = await pages.visit('?v=1&store=lulesh&tab=distribution', { isFirst: true });
  await check(
    async () => (await countOf(page, 'dialog[open]')) === 0,
    'the welcome does not cover a shared link',
  );
  await page.close();
}

/** Behind a proxy that shows the page below a path. */
async function prefix(pages: Pages): Promise<void> {
  const port = Number(new URL(pages.service.url).port);
  const proxy = createServer((request, response) => {
    if (!request.url?.startsWith('/gs/')) {
      response.statusCode = 404;
      response.end();
      return;
    }
    const onward = ask(
      { port, host: '127.0.0.1', path: request.url.slice('/gs'.length) },
      (reply) => {
        response.writeHead(reply.statusCode ?? 502, reply.headers);
        reply.pipe(response);
      },
    );
    onward.end();
  });
  await new Promise<void>((done) => proxy.listen(0, '127.0.0.1', done));
  const address = proxy.address();
  const page = await pages.browser.newPage();
  await page.goto(
    `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/gs/?v=1&store=threads`,
  );
  await settle(page);
  await check(async () => (await countOf(page, '.gs-node')) > 3, 'the page works below a path');
  await page.locator('.gs-node').nth(1).click();
  await settle(page);
  await check(() => page.url().includes('/gs/?'), 'and its addresses stay below it');
  await page.close();
  proxy.close();
  proxy.closeAllConnections();
}

/** Unknown things offer a step that helps, in addition to a retry. */
async function deadEnds(pages: Pages): Promise<void> {
  for (const [what, query, step] of [
    ['an unknown metric', `?v=1&store=threads&${lensOf('metric nonsense')}`, /Remove the metric/],
    ['an unknown group', `?v=1&store=threads&${lensOf('focus "nonsense"')}`, /Remove the focus/],
    ['an unknown store', '?v=1&store=nope', /Open the first store/],
  ] as const) {
    const page = await pages.visit(query);
    const button = page.locator('[role=alert] .button', { hasText: step }).first();
    await check(async () => (await button.count()) === 1, `${what} offers a step`);
    if ((await button.count()) === 1) {
      await button.click();
      await settle(page);
      await check(async () => (await countOf(page, '.gs-node')) > 3, `that leads out of ${what}`);
    }
    await page.close();
  }
  const page = await pages.visit(`?v=1&store=threads&layout=spread&group=nonsense`);
  await check(
    async () => !/Retry/.test(await textOf(page, 'main')),
    'a group that is gone does not stop the views of a link',
  );
  await page.close();
  await emptyStore(pages);
}

/** A service without any run leads to the files to add, in the welcome and in each pane. */
async function emptyStore(pages: Pages): Promise<void> {
  for (const theme of ['light', 'dark'] as const) {
    const page = await pages.visit('?v=1&store=empty', { theme });
    const panes = await page.locator('.pane .state').allInnerTexts();
    await check(
      () => panes.length === 2 && panes.every((text) => /no runs yet[^]*Add files…/.test(text)),
      `each pane of an empty store offers to add files: ${panes.join(' | ')}`,
    );
    await pages.shoot(page, `empty-panes-${theme}`);
    await page.close();
    const first = await pages.browser.newPage({ colorScheme: theme });
    // The welcome is for an address without a query, which asks the first store.
    await first.route('**/api/v1/**', (route) => {
      const address = new URL(route.request().url());
      address.searchParams.set('store', 'empty');
      return route.continue({ url: address.href });
    });
    await first.goto(pages.service.url);
    await first.locator('dialog[open]').waitFor();
    const welcome = await textOf(first, 'dialog[open]');
    await check(
      async () =>
        (await textOf(first, 'dialog .primary')) === 'Add files…' &&
        /grainsheaf add/.test(welcome) &&
        !/Pick an ensemble|Tour/.test(welcome),
      `the welcome of an empty store starts with files: ${welcome}`,
    );
    await pages.shoot(first, `empty-welcome-${theme}`);
    await first.locator('dialog .primary').click();
    await first.locator('dialog, [role=dialog]', { hasText: 'Choose files' }).waitFor();
    await first.close();
  }
}

/** A service that is gone takes no picture away, and undo brings back the one before. */
async function lostService(pages: Pages): Promise<void> {
  const page = await pages.visit('?v=1&store=lulesh', { isRouted: true });
  await page.locator('.gs-node').first().waitFor();
  const nodes = await countOf(page, '.gs-node');
  await page.route('**/api/v1/**', (route) => route.abort());
  await page.keyboard.press('i');
  await page.waitForURL(/exclusive/);
  await page.locator('[role=alert]').first().waitFor();
  await check(
    async () => (await countOf(page, '.gs-node')) === nodes,
    'a lost service leaves the picture',
  );
  await page.keyboard.press('Control+z');
  await settle(page);
  await check(
    async () => (await countOf(page, '[role=alert]')) === 0,
    'undo brings the answer back from memory',
  );
  await page.unroute('**/api/v1/**');
  await page.route('**/api/v1/**', (route) =>
    route.fulfill({ status: 502, contentType: 'application/json', body: '{"error": "gateway"}' }),
  );
  await page.keyboard.press('i');
  await page.locator('[role=alert]').first().waitFor();
  await check(
    async () => (await page.getByText('status 502 and states no reason').count()) > 0,
    'an answer of a proxy without a reason is shown as an error',
  );
  await page.keyboard.press('Control+z');
  await settle(page);
  await page.unroute('**/api/v1/**');
  await page.route('**/api/v1/**', (route) =>
    route.fulfill({
      status: 401,
      contentType: 'application/json',
      body: JSON.stringify({ code: 'unauthorised', message: 'the token is missing or wrong' }),
    }),
  );
  await page.locator('.gs-node').nth(2).click();
  await page.keyboard.press('i');
  await page.locator('input[name=link]').first().waitFor();
  const search = new URL(page.url()).search;
  await page.locator('input[name=link]').first().fill('http://127.0.0.1:1/?token=abcdef');
  await page.keyboard.press('Enter');
  await page.waitForURL(/token=abcdef/);
  await check(
    () => page.url().includes('token=abcdef') && page.url().includes(search.slice(1)),
    'the link of a restarted service opens the same view',
  );
  await page.close();
}

/** Views of the registry stay, dimmed, if the answer to a later question fails or is cancelled. */
async function lostViews(pages: Pages): Promise<void> {
  for (const [store, layout, view] of [
    ['threads', 'spread', 'boxes'],
    ['threads', 'runs', 'projection'],
    ['versions', 'history', 'history'],
  ] as const) {
    const page = await pages.visit(`?v=1&store=${store}&layout=${layout}`, { isRouted: true });
    const drawn = page.locator(`.view-${view}`);
    const before = await drawn.innerText();
    const isKept = async (): Promise<boolean> =>
      (await drawn.count()) === 1 && (await drawn.innerText()) === before;
    await page.route('**/api/v1/**', (route) => route.abort());
    await page.keyboard.press('i');
    await page.locator(`.pane-${view} .over [role=alert]`).waitFor();
    await check(
      async () => (await isKept()) && (await countOf(page, `.view-${view}.is-dim`)) === 1,
      `a lost service leaves ${view} of ${store}, dimmed`,
    );
    await pages.shoot(page, `lost-${view}`);
    await page.keyboard.press('Control+z');
    await settle(page);
    await check(
      async () => (await isKept()) && (await countOf(page, `.pane-${view} [role=alert]`)) === 0,
      `undo brings ${view} back from memory`,
    );
    // Requests that nothing answers wait until the reader cancels them.
    const leave = await holdRequests(page);
    await page.keyboard.press('i');
    await page.locator(`.pane-${view}`).getByRole('button', { name: 'Cancel' }).click();
    await page.locator(`.pane-${view} .over [role=alert]`).waitFor();
    await check(isKept, `a cancelled answer leaves ${view} of ${store}`);
    await leave();
  }
}
