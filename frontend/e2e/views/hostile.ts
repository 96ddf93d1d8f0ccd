/** Names of strangers: very long, written from right to left, and made of markup. */

import { check } from '../check.ts';
import type { Harness } from './harness.ts';
import type { Scene } from './page.ts';

const NAMES = [
  `<img src=x onerror="alert('markup')">`,
  '\u202elive rtl\u202c and more',
  'עברית_של_פונקציה::פועל',
  'x'.repeat(10_000),
  'line\nbreak\ttab\u0000nul',
] as const;

/** Keys whose texts are names of runs, groups, parameters or definitions. */
const KEYS = new Set([
  'name',
  'definition',
  'definition_a',
  'definition_b',
  'parameter',
  'title',
  'label',
]);
const LISTS = new Set(['definition', 'path', 'path_a', 'path_b', 'members']);

/** An answer with hostile names in the place of its own; equal names stay equal. */
function spoil(value: unknown, key = '', found = new Map<string, string>()): unknown {
  const rename = (name: string): string => {
    const known = found.get(name) ?? `${NAMES[found.size % NAMES.length] ?? ''} ${name}`;
    found.set(name, known);
    return known;
  };
  if (typeof value === 'string') return KEYS.has(key) ? rename(value) : value;
  if (Array.isArray(value))
    return value.map((one: unknown) =>
      LISTS.has(key) && typeof one === 'string' ? rename(one) : spoil(one, '', found),
    );
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, spoil(one, name, found)]),
  );
}

/** Draws a view with hostile names: nothing runs, nothing overflows, and a long name can be read. */
export async function hostile(harness: Harness, scene: Scene, name: string): Promise<void> {
  const { page } = harness;
  const dialogs: string[] = [];
  const onDialog = (dialog: { message(): string; dismiss(): Promise<void> }): void => {
    dialogs.push(dialog.message());
    void dialog.dismiss();
  };
  page.on('dialog', onDialog);
  const spoilt: Scene = {
    ...scene,
    answers: spoil(scene.answers) as Scene['answers'],
    ...(scene.runs ? { runs: spoil(scene.runs) as NonNullable<Scene['runs']> } : {}),
  };
  for (const width of [1200, 500]) {
    await harness.show({ ...spoilt, width, height: 700 });
    const over = await page.evaluate(() => {
      const root = document.querySelector('#host > *');
      return root ? root.scrollWidth - root.clientWidth : -1;
    });
    await check(() => over <= 1, `${name} keeps hostile names inside of ${width} px (${over})`);
  }
  await harness.picture(`${name}-hostile`);
  const images = await page.locator('#host img').count();
  await check(() => images === 0 && dialogs.length === 0, `${name} makes no markup of names`);
  page.off('dialog', onDialog);
}
