/** The selection of the page: one signal per field, and the only way to change it. */

import { computed, type ReadonlySignal, signal } from '@preact/signals';
import type {
  Facts,
  Hover,
  Interval,
  MetricChoice,
  Patch,
  Selection,
  SelectionFields,
  StatedComparison,
} from '@grainsheaf/views';
import { geometryLens } from '@grainsheaf/views/logic/lens.ts';
import type { PageState } from '@grainsheaf/views/logic/url.ts';
import {
  cohorts,
  comparison,
  growingByLens,
  isDiff,
  metricInfo,
  runLabels,
  runNames,
  quantity,
  runs,
  runTable,
  selectedDifference,
  selectedNode,
  serialRun,
  shownScope,
  sides,
  target,
  varying,
} from './data.ts';
import { edits } from './edits.ts';
import { navigate, page } from './state.ts';

/** What the pointer is on. Never in the address. */
const hover = signal<Hover | undefined>(undefined);

const time = computed<Interval | undefined>(() => {
  const found = /^(\d+)-(\d+)$/.exec(page.value.time);
  return found ? [Number(found[1]), Number(found[2])] : undefined;
});
const metric = computed<MetricChoice | undefined>(() => metricInfo.value);
const stated = computed<StatedComparison | undefined>(() => {
  if (!comparison.value) return undefined;
  const difference = selectedDifference.value;
  const text = difference ? difference.text : '';
  return { mode: comparison.value.mode, quantity: quantity.value, text };
});
const picked = computed(() => page.value.runs);

const fields: { readonly [K in keyof Selection]: ReadonlySignal<Selection[K]> } = {
  store: computed(() => page.value.store),
  lens: computed(() => page.value.lens),
  shape: computed(() => geometryLens(page.value.lens)),
  runs: picked,
  run: computed(() => page.value.run),
  otherRun: computed(() => page.value.otherRun),
  definition: computed(() => page.value.definition),
  target,
  a: computed(() => sides.value.a),
  b: computed(() => sides.value.b),
  isDiff,
  comparison: stated,
  metric,
  scope: shownScope,
  growing: growingByLens,
  varying,
  serialRun,
  group: computed(() => page.value.group),
  groupName: computed(() => selectedNode.value?.name ?? ''),
  site: computed(() => page.value.site),
  grain: computed(() => page.value.grain),
  time,
};

export const selection: SelectionFields = { ...fields, hover };

/** All fields at this moment; a new object only if a field has changed. */
export const selected = computed<Selection>(
  () =>
    Object.fromEntries(
      Object.entries(fields).map(([name, field]) => [name, field.value]),
    ) as unknown as Selection,
);

/** What views know of the runs. */
export const facts = computed<Facts>(() => ({
  runs: runs.value,
  runNames: runNames.value,
  runLabels: runLabels.value,
  cohorts: cohorts.value,
  metrics: runTable.answer.value.data?.metrics ?? [],
  edits: edits.value,
}));

/** Fields of the address that a change of the selection changes. */
export function changeOf(patch: Patch): Partial<PageState> {
  const { time: interval, ...rest } = patch;
  // Another group has other call sites; another run has other grains and times.
  const isOtherGroup = patch.group !== undefined && patch.group !== page.peek().group;
  const isOtherRun = patch.run !== undefined && patch.run !== page.peek().run;
  return {
    ...(isOtherGroup ? { site: '', zoom: '' } : {}),
    ...(isOtherRun ? { grain: '', time: '' } : {}),
    // A run is not compared with itself.
    ...(isOtherRun && patch.run === page.peek().otherRun ? { otherRun: '' } : {}),
    ...rest,
    ...('time' in patch
      ? { time: interval ? `${Math.round(interval[0])}-${Math.round(interval[1])}` : '' }
      : {}),
  };
}

/** Changes the selection; a change by the pointer's movement replaces the step of the history. */
export function select(patch: Patch, isReplacing = false): void {
  navigate(changeOf(patch), isReplacing);
}

export function setHover(value: Hover | undefined): void {
  const before = hover.peek();
  if (before?.kind !== value?.kind || before?.id !== value?.id || before?.time !== value?.time)
    hover.value = value;
}
