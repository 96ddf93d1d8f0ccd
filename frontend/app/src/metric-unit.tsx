/** The question for the unit of a metric whose source states none. */

import { computed, signal } from '@preact/signals';
import type { MetricChoice } from '@grainsheaf/views';
import { visible } from '@grainsheaf/views/logic/visible.ts';
import { metricInfo, storeInfo } from './data.ts';
import { overlay, page } from './state.ts';

const KEY = 'grainsheaf.unit-left-out';

function leftOut(): readonly string[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]');
    return Array.isArray(kept) ? kept.filter((one) => typeof one === 'string') : [];
  } catch {
    // Storage may be refused or damaged; the question is then asked once per visit.
    return [];
  }
}

/** Metrics whose unit the reader does not know, as `STORE METRIC`. */
const unanswered = signal<readonly string[]>(leftOut());

const keyOf = (name: string): string =>
  `${page.value.store || (storeInfo.answer.value.data?.name ?? '')} ${name}`;

/** Keeps that the reader does not know the unit. */
export function leaveOut(name: string): void {
  unanswered.value = [...unanswered.peek(), keyOf(name)].slice(-100);
  try {
    localStorage.setItem(KEY, JSON.stringify(unanswered.peek()));
  } catch {
    // As above.
  }
}

/** The shown metric, if its unit is unknown and was not asked for. */
export const metricWithoutUnit = computed<MetricChoice | undefined>(() => {
  const info = metricInfo.value;
  const isAllowed = storeInfo.answer.value.data?.imports.is_allowed ?? false;
  if (info?.unit !== 'unknown' || !isAllowed) return undefined;
  return unanswered.value.includes(keyOf(info.name)) ? undefined : info;
});

/** Button of the footer that asks. */
export function UnitQuestion() {
  const info = metricWithoutUnit.value;
  if (!info) return null;
  return (
    <button type="button" class="link" onClick={() => (overlay.value = 'unit')}>
      △ Unit of <bdi>{visible(info.label)}</bdi> is unknown: state it
    </button>
  );
}
