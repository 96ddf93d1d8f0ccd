/** How far the import of this page is, and whether the service takes files: all that the frame shows of it. */

import { computed, signal } from '@preact/signals';
import type { ImportPolicy } from '@grainsheaf/views';
import { storeInfo } from '../data.ts';
import { overlay, visited } from '../state.ts';

export type Phase =
  | 'picking'
  | 'sending'
  /** Something has to be decided: files failed, or the service is gone. */
  | 'stuck'
  | 'waiting'
  | 'running'
  | 'cancelling'
  | 'done'
  | 'failed'
  | 'cancelled';

export const phase = signal<Phase>('picking');
export const isBusy = computed(() =>
  ['sending', 'stuck', 'waiting', 'running', 'cancelling'].includes(phase.value),
);

const CLOSED: ImportPolicy = {
  is_allowed: false,
  reason: 'the store is not open yet',
  limits: { file_bytes: 0, bytes: 0, files: 0, path_bytes: 0, depth: 0 },
};
export const policy = computed(() => storeInfo.answer.value.data?.imports ?? CLOSED);

/** Shows the panel. */
export function openImport(): void {
  visited.value = 'yes';
  overlay.value = 'import';
}
