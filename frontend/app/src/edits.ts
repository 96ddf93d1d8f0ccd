/** State of the changes of the store's notes. `making-edits.ts` makes them. */

import { computed, signal } from '@preact/signals';
import type { Edit, Edits } from '@grainsheaf/views';
import { storeInfo } from './data.ts';
import { page } from './state.ts';

/** A change that was made, or that takes one back. */
export interface Done {
  readonly edit: Edit;
  readonly store: string;
}

/** Edits that take the changes back, the latest last. */
export const undoable = signal<readonly Done[]>([]);
export const isBusy = signal(false);
export const fault = signal<string | undefined>(undefined);

/** State of changes, for views. */
export const edits = computed<Edits>(() => {
  const policy = storeInfo.answer.value.data?.imports;
  const own = undoable.value.filter(({ store }) => store === page.value.store);
  return {
    isAllowed: policy?.is_allowed ?? false,
    isBusy: isBusy.value,
    undo: own.at(-1)?.edit.what,
    fault: fault.value,
  };
});
