/** Changes of the store's notes: made through the service, one at a time, each of which can be taken back. */

import type { Edit } from '@grainsheaf/views';
import { type Done, fault, isBusy, undoable } from './edits.ts';
import { ask, Problem, refreshAll } from './resource.ts';
import { API } from './service.ts';
import { page, say, status } from './state.ts';

/** Where an edit is sent to, with its body. The routes of all edits are here. */
function requestOf({ edit, store }: Done): readonly [address: string, body: object] {
  const of = store ? { store } : {};
  const address = `${API}/${edit.route}`;
  switch (edit.route) {
    case 'mapping':
      return [address, { ...of, changes: edit.changes }];
    case 'runs/rename':
      return [address, { ...of, run: edit.run, name: edit.name }];
    default:
      return [address, { ...of, runs: edit.runs }];
  }
}

/** The edit that takes one back. The service states that of the mapping. */
function inverseOf(edit: Edit, answer: { readonly undo?: unknown }): Edit {
  switch (edit.route) {
    case 'mapping':
      return { ...edit, changes: answer.undo as typeof edit.changes };
    case 'runs/rename':
      return { ...edit, name: edit.before, before: edit.name };
    case 'runs/remove':
      return { ...edit, route: 'runs/restore' };
    case 'runs/restore':
      return { ...edit, route: 'runs/remove' };
  }
}

async function send(done: Done): Promise<Done> {
  const [address, body] = requestOf(done);
  const answer = await ask<{ readonly undo?: unknown }>(address, undefined, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { edit: inverseOf(done.edit, answer), store: done.store };
}

async function carryOut(work: () => Promise<string>): Promise<void> {
  if (isBusy.peek()) return;
  isBusy.value = true;
  fault.value = undefined;
  try {
    say(await work());
    refreshAll(true);
  } catch (error) {
    const hint = error instanceof Problem && error.body.hint ? `; ${error.body.hint}` : '';
    fault.value = `${error instanceof Error ? error.message : String(error)}${hint}`;
    say(`Nothing was changed: ${fault.value}`);
  } finally {
    isBusy.value = false;
  }
}

/** Makes a change. */
export async function makeEdit(edit: Edit): Promise<void> {
  await carryOut(async () => {
    const undo = await send({ edit, store: page.peek().store });
    undoable.value = [...undoable.peek(), undo].slice(-50);
    return edit.what;
  });
  // The views of the mapping have a button of their own.
  if (edit.route !== 'mapping' && fault.peek() === undefined)
    say(edit.what, { label: 'Undo', run: () => void undoEdit() });
}

async function post(route: string, content: object): Promise<void> {
  const { store } = page.peek();
  await ask(`${API}/${route}`, undefined, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ ...(store ? { store } : {}), ...content }),
  });
}

/** States the unit of a metric whose source states none; nothing removes the statement. */
export async function stateUnit(metric: string, unit: string | undefined): Promise<void> {
  await carryOut(async () => {
    await post('units', { metric, ...(unit ? { unit } : {}) });
    return unit ? 'The store keeps the unit, also for the terminal' : 'The unit is unknown again';
  });
  if (unit && fault.peek() === undefined)
    say(status.peek().text, { label: 'Undo', run: () => void stateUnit(metric, undefined) });
}

/** Keeps a remark on a run or a grain in the store; an empty one removes it. `before` is the text that Undo restores. */
export async function keepRemark(
  subject: { readonly run: string; readonly path_key?: string },
  text: string,
  before: string,
): Promise<void> {
  await carryOut(async () => {
    await post('remarks', { ...subject, ...(text ? { text } : {}) });
    return text ? 'The store keeps the remark' : 'The remark is removed';
  });
  if (fault.peek() === undefined)
    say(status.peek().text, {
      label: 'Undo',
      run: () => void keepRemark(subject, before, text),
    });
}

/** Takes the latest change of the page's store back. */
export async function undoEdit(): Promise<void> {
  const last = undoable.peek().findLast(({ store }) => store === page.peek().store);
  if (!last) return say('Nothing to take back');
  await carryOut(async () => {
    await send(last);
    undoable.value = undoable.peek().filter((one) => one !== last);
    return `Taken back: ${last.edit.what}`;
  });
}
