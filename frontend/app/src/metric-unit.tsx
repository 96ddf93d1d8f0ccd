/** Asks for the unit of a metric whose source states none, and keeps the answer in the store. */

import { computed, signal } from '@preact/signals';
import { useState } from 'preact/hooks';
import type { MetricChoice } from '@grainsheaf/views';
import { formatValue } from '@grainsheaf/views/logic/format.ts';
import { visible } from '@grainsheaf/views/logic/visible.ts';
import { metricInfo, runs, storeInfo } from './data.ts';
import { Dialog } from './dialog.tsx';
import { stateUnit } from './edits.ts';
import { overlay, page } from './state.ts';

const UNITS = [
  ['ns', 'nanoseconds (ns)'],
  ['us', 'microseconds (µs)'],
  ['s', 'seconds (s)'],
  ['ticks', 'ticks of a clock'],
  ['cycles', 'cycles of the processor'],
  ['bytes', 'bytes'],
  ['count', 'a count, without unit'],
  ['ratio', 'a ratio'],
] as const;

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

function leaveOut(name: string): void {
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

export function UnitDialog() {
  const [unit, setUnit] = useState<string>('s');
  const info = metricWithoutUnit.value;
  const close = (): void => void (overlay.value = 'none');
  if (!info) return null;
  const total = runs.value.find((run) => typeof run.total === 'number')?.total;
  return (
    <Dialog label="Unit of a metric" name="unit">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          close();
          void stateUnit(info.name, unit);
        }}
      >
        <header class="dialog-head">
          <h2>
            Unit of <bdi>{visible(info.label)}</bdi>
          </h2>
        </header>
        <p>
          The files state no unit of <bdi class="mono">{visible(info.name)}</bdi>. The store keeps
          your answer, and the terminal prints the same unit. Values are not converted.
        </p>
        <label class="field">
          One of its values is a number of
          <select value={unit} onChange={(event) => setUnit(event.currentTarget.value)}>
            {UNITS.map(([name, label]) => (
              <option key={name} value={name}>
                {label}
              </option>
            ))}
          </select>
        </label>
        {typeof total === 'number' && (
          <p class="quiet">
            The total of the first run, {formatValue(total, 'unknown')}, is then{' '}
            {formatValue(total, unit)}.
          </p>
        )}
        <div class="dialog-steps">
          <button type="submit" class="button">
            Keep this unit
          </button>
          <button
            type="button"
            class="button"
            onClick={() => {
              close();
              leaveOut(info.name);
            }}
          >
            I do not know it
          </button>
        </div>
      </form>
    </Dialog>
  );
}
