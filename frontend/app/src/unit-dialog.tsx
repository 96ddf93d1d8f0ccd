/** Asks for the unit of a metric whose source states none, and keeps the answer in the store. */

import { useState } from 'preact/hooks';
import { formatValue } from '@grainsheaf/views/logic/format.ts';
import { visible } from '@grainsheaf/views/logic/visible.ts';
import { runs } from './data.ts';
import { Dialog } from './dialog.tsx';
import { stateUnit } from './making-edits.ts';
import { leaveOut, metricWithoutUnit } from './metric-unit.tsx';
import { overlay } from './state.ts';

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

export function UnitDialog() {
  const [unit, setUnit] = useState('');
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
          <select required value={unit} onChange={(event) => setUnit(event.currentTarget.value)}>
            <option value="" disabled>
              choose
            </option>
            {UNITS.map(([name, label]) => (
              <option key={name} value={name}>
                {label}
              </option>
            ))}
          </select>
        </label>
        {typeof total === 'number' && unit && (
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
