/** The views of a widget, by id. */

import type { RegisteredView, Selection } from '@grainsheaf/views';
import { NO_RUN } from '@grainsheaf/views/registry/one-run.ts';
import { decodeSettings } from '@grainsheaf/views/registry/settings.ts';
import { VIEWS } from '@grainsheaf/views/registry/views.ts';
import { OWN } from './own-views.ts';

/** All views, in the order of the list. */
export const ALL: readonly RegisteredView[] = [...OWN, ...VIEWS];

export function viewNamed(id: string): RegisteredView | undefined {
  return ALL.find((view) => view.id === id);
}

const NOTHING = {
  run: '',
  group: '',
  isDiff: false,
  shape: '',
  lens: '',
  varying: [] as readonly string[],
} as unknown as Selection;

function emptyOf(view: RegisteredView): unknown {
  const asked = view.query(NOTHING, decodeSettings(view.settings, {}) as never);
  return 'empty' in asked ? asked.empty : undefined;
}

const ofOneRun = new Set(ALL.filter((view) => emptyOf(view) === NO_RUN.empty).map(({ id }) => id));

/** Whether a view shows the inside of one run. */
export function isOfOneRun(id: string): boolean {
  return ofOneRun.has(id);
}

/** Views that show one group, which must be chosen. */
export const OF_ONE_GROUP: ReadonlySet<string> = new Set(['tree', 'distribution']);

/** Views that show a comparison. */
export const OF_TWO_SIDES: ReadonlySet<string> = new Set([
  'changes',
  'explain',
  'gate',
  'structure',
]);
