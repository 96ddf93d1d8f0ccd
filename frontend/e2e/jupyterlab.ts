/** The widget in JupyterLab: `node run.mjs jupyterlab.ts ADDRESS`; `test_jupyterlab.py` starts it and has the notebook. */

import { join } from 'node:path';
import { paletteOf } from '@grainsheaf/views/logic/colour.ts';
import type { Locator } from 'playwright-core';
import { check, conclude } from './check.ts';
import { Lab } from './widget/lab.ts';

const isShown = (within: Locator, selector: string) => async (): Promise<boolean> =>
  (await within.locator(selector).count()) > 0;

/** Whether Python prints this. */
const prints = (lab: Lab, code: string, wanted: string) => async (): Promise<boolean> =>
  (await lab.python(`print(${code})`)) === wanted;

/** Each trait that the reader changes in the picture reaches Python. */
async function toPython(lab: Lab): Promise<void> {
  const cell = lab.widget(1);
  await check(isShown(cell, '.gs-node'), 'the Sankey is drawn in a cell');
  await lab.picture('drawn');
  await cell.locator('.gs-node').nth(1).click();
  await check(
    prints(lab, 'len(w.selection["group"]) >= 8', 'True'),
    'a click in the picture selects a group in Python',
  );
  await cell.locator('[data-setting="target"]').selectOption({ label: 'threads=4 (5)' });
  await check(prints(lab, 'w.target', 'threads == 4'), 'a target of the list is that of Python');
  await cell.locator('[data-setting="metric"]').selectOption('waiting_ns');
  await check(prints(lab, 'w.metric', 'waiting_ns'), 'a metric of the list is that of Python');
  const lens = cell.locator('.gs-lens');
  await lens.fill('where repeat >= 2 | by threads');
  await lens.press('Enter');
  await check(
    prints(
      lab,
      '[w.lens, w.query, w.metric, w.target]',
      "['where repeat >= 2 | by threads', 'repeat >= 2', '', '']",
    ),
    'a typed lens and its parts are those of Python',
  );
  await check(
    prints(lab, 'len(w.ensemble.runs())', '16'),
    'Python asks about what the picture shows',
  );
  await cell.locator('[data-setting="view"]').selectOption('boxes');
  await check(prints(lab, 'w.view', 'boxes'), 'a view of the list is that of Python');
  await cell.locator('button', { hasText: /^log$/ }).click();
  await check(
    prints(lab, 'w.settings', "{'boxes.log': '1'}"),
    'a setting of a view is that of Python',
  );
  await cell.locator('[data-setting="view"]').selectOption('changes');
  await cell.locator('[data-setting="a"]').selectOption({ label: 'threads=1 (4)' });
  await cell.locator('[data-setting="b"]').selectOption({ label: 'threads=8 (4)' });
  await check(
    prints(lab, 'w.diff', "['threads == 1', 'threads == 8']"),
    'two sides of the lists are those of Python',
  );
  const box = await cell.locator('.gs-widget').boundingBox();
  if (box) {
    await lab.page.mouse.move(box.x + box.width - 4, box.y + box.height - 4);
    await lab.page.mouse.down();
    await lab.page.mouse.move(box.x + box.width - 4, box.y + box.height + 76, { steps: 4 });
    await lab.page.mouse.up();
  }
  await check(prints(lab, 'w.height', '560'), 'the height that the reader drags is that of Python');
}

/** Each trait that Python assigns changes the picture in place. */
async function fromPython(lab: Lab): Promise<void> {
  const cell = lab.widget(1);
  const value = (name: string): Promise<string> =>
    cell.locator(`[data-setting="${name}"]`).inputValue();
  const lens = (): Promise<string> => cell.locator('.gs-lens').inputValue();
  await cell.evaluate((one) => (one.dataset['kept'] = 'yes'));
  await lab.python('w.lens, w.view, w.settings, w.selection = "by threads", "sankey", {}, {}');
  await check(isShown(cell, '.gs-sankey'), 'a view that Python assigns is shown');
  await lab.python('w.query = "threads >= 4"');
  await check(
    async () => (await lens()) === 'where threads >= 4 | by threads',
    'a query that Python assigns is shown',
  );
  await lab.python('w.target = "sort-t4-r2"');
  await check(async () => (await value('target')) === 'sort-t4-r2', 'so is a target');
  await lab.python('w.metric = "waiting_ns"');
  await check(async () => (await value('metric')) === 'waiting_ns', 'so is a metric');
  await lab.python('w.metric = ""; group = next(one["id"] for one in w.ensemble.sankey().nodes)');
  await lab.python('w.selection = {"group": group}');
  await check(isShown(cell, '.gs-node[aria-label$=", selected"]'), 'so is a selection');
  await lab.python('w.settings = {"boxes.log": "1"}; w.view = "boxes"');
  await check(isShown(cell, '[aria-pressed="true"] >> text="log"'), 'so is a setting');
  await lab.python('w.view = "changes"; w.diff = ["threads = 4", "threads = 8"]');
  await check(async () => (await value('a')) === 'threads = 4', 'so is a comparison');
  await lab.python('w.lens = "where repeat = 1"');
  await check(async () => (await lens()) === 'where repeat = 1', 'so is a lens');
  await check(async () => (await value('a')) === '', 'which compares nothing');
  await check(
    async () => (await cell.locator('.gs-about').textContent()) === '',
    'so that no note of the comparison stays',
  );
  await lab.python('w.height = 400');
  const height = async (): Promise<number | undefined> =>
    (await cell.locator('.gs-widget').boundingBox())?.height;
  await check(async () => (await height()) === 400, 'so is a height');
  await lab.python('w.theme = "dark"');
  await check(async () => (await cell.getAttribute('data-theme')) === 'dark', 'so is a theme');
  await lab.python('w.theme = "auto"');
  await check(
    async () => (await cell.getAttribute('data-kept')) === 'yes',
    'all of this happens in the same element',
  );
  const refused = await lab.python('w.lens = "whatever |"');
  await check(
    async () => /lens/.test(refused) && (await lens()) === 'where repeat = 1',
    `a wrong lens is an error and changes nothing: ${refused}`,
  );
}

async function themes(lab: Lab): Promise<void> {
  const theme = (): Promise<string | null> => lab.widget(1).getAttribute('data-theme');
  await lab.command('apputils:change-theme', { theme: 'JupyterLab Dark' });
  await check(async () => (await theme()) === 'dark', 'a dark JupyterLab makes the widget dark');
  const line = lab.widget(2).locator('.gs-row line').first();
  await check(
    async () => (await line.getAttribute('stroke')) === paletteOf('dark').line,
    'what is drawn has dark colours',
  );
  await lab.picture('dark');
  await lab.command('apputils:change-theme', { theme: 'JupyterLab Light' });
  await check(async () => (await theme()) === 'light', 'a light one makes it light');
}

/** Two widgets have states of their own; a cell that runs again has a new widget. */
async function several(lab: Lab): Promise<void> {
  const [one, other] = [lab.widget(1), lab.widget(2)];
  await lab.python('w.lens, w.view, w.selection = "by threads", "sankey", {}');
  await check(isShown(other, '.gs-boxes'), 'a second widget is drawn');
  await one.locator('.gs-node').nth(1).click();
  await check(prints(lab, '"group" in w.selection', 'True'), 'a selection of one widget');
  await check(prints(lab, '[v.selection, v.lens]', "[{}, '']"), 'is not one of the other');
  await other.locator('.gs-lens').fill('where threads = 8');
  await other.locator('.gs-lens').press('Enter');
  await check(prints(lab, '[v.query, w.query]', "['threads == 8', '']"), 'nor is a lens');
  await lab.python('before = w');
  await lab.runCell(1);
  await check(isShown(lab.widget(1), '.gs-node'), 'a cell that runs again draws its widget');
  await check(prints(lab, '[w is before, w.selection]', '[False, {}]'), 'with its first state');
  await check(
    async () => (await lab.page.locator('.grainsheaf-widget').count()) === 2,
    'the widget before is not on the page any more',
  );
  await check(
    async () => (await lab.page.locator('.grainsheaf-layer').count()) === 2,
    'nor is its layer',
  );
}

/** A notebook that is opened again while its kernel goes on. */
async function reopened(lab: Lab): Promise<void> {
  await lab.python('w.lens = "where threads >= 4 | by threads"; w.view = "boxes"');
  await check(prints(lab, '"<svg" in w._picture', 'True'), 'the notebook keeps a picture');
  await lab.command('docmanager:save');
  await lab.reopen();
  const cell = lab.widget(1);
  await check(isShown(cell, '.gs-boxes'), 'a reopened notebook shows the widget of the kernel');
  await check(
    async () => (await cell.locator('.gs-lens').inputValue()) === 'where threads >= 4 | by threads',
    'with the lens that Python assigned',
  );
  await cell.locator('[data-setting="view"]').selectOption('sankey');
  await check(prints(lab, 'w.view', 'sankey'), 'and is the same widget in Python');
  await check(isShown(cell, '.gs-node'), 'whose picture is drawn');
}

/** The kernel ends; then the notebook is opened without it; then cells run again. */
async function gone(lab: Lab): Promise<void> {
  const notice = lab.widget(1).locator('.gs-notice', { hasText: 'The kernel does not answer' });
  const keeps = prints(lab, '"one tick per run" in w._picture', 'True');
  await check(keeps, 'the picture is kept');
  await lab.command('docmanager:save');
  await lab.shutdown();
  const lens = lab.widget(1).locator('.gs-lens');
  await lens.fill('where threads >= 2');
  await lens.press('Enter');
  await check(async () => (await notice.count()) === 1, 'one line says that the kernel is gone');
  await check(isShown(lab.widget(1), '.gs-node'), 'the picture before stays');
  await lab.picture('gone');
  await lab.reopen();
  await check(
    async () => (await lab.widget(1).locator('.gs-still:not([hidden])').count()) === 1,
    'a reopened notebook without the kernel shows the picture that was saved',
  );
  await check(async () => (await notice.count()) === 1, 'and says so in one line');
  await lab.picture('reopened');
  await lab.command('notebook:run-all-cells');
  await check(isShown(lab.widget(1), '.gs-node'), 'cells that run again draw their widgets');
  await check(async () => (await notice.count()) === 0, 'and say nothing of the kernel');
  await check(keeps, 'the picture is kept again');
  await check(
    prints(lab, '"<svg" in v._picture', 'True'),
    'the second widget keeps its picture too',
  );
  await lab.command('docmanager:save');
}

const SCENES = { toPython, fromPython, themes, several, reopened, gone };

export async function main([address, ...words]: string[]): Promise<number> {
  if (address === undefined)
    throw new Error('usage: node run.mjs jupyterlab.ts ADDRESS [SCENE]...');
  const lab = await Lab.open(address, join(import.meta.dirname, 'shots/jupyterlab'));
  try {
    await lab.command('notebook:run-all-cells');
    for (const [name, scene] of Object.entries(SCENES))
      if (words.length === 0 || words.includes(name)) await scene(lab);
    await check(() => lab.faults.length === 0, `no fault: ${lab.faults.join('\n')}`);
  } finally {
    await lab.close();
  }
  return conclude();
}
