import { expect, test } from 'vitest';
import { COMMANDS, type CommandSpec } from '../logic/commands.ts';
import { VIEWS } from './views.ts';

test('ids are unique and fit the address', () => {
  const ids = VIEWS.map((view) => view.id);
  expect(new Set(ids).size).toBe(ids.length);
  for (const id of ids) expect(id).toMatch(/^[a-z][a-z0-9-]*$/);
});

test('settings have names that fit the address', () => {
  for (const view of VIEWS)
    for (const name of Object.keys(view.settings)) expect(name).toMatch(/^[A-Za-z][A-Za-z0-9]*$/);
});

test('keys of views meet no other key of the page', () => {
  const specs: readonly CommandSpec[] = COMMANDS;
  const own = specs
    .filter((spec) => spec.scope === 'page' && !spec.id.startsWith('tab-'))
    .flatMap((spec) => spec.keys);
  const keys = [...own, ...VIEWS.flatMap((view) => (view.key === undefined ? [] : [view.key]))];
  expect(new Set(keys).size).toBe(keys.length);
});
