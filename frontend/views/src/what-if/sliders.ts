/** Sliders: workers to predict for, and less work of the definitions with the largest gain. */

import {
  formatCount,
  formatDelta,
  formatPlural,
  formatShare,
  formatValue,
} from '../logic/format.ts';
import { uniqueNames } from '../logic/unique-names.ts';
import { nameOf, section } from '../ui/chart-view.ts';
import { html } from '../ui/dom.ts';
import { canBeAsked, type Priority, prioritiesOf, type WhatFirst } from './model.ts';

/** Definitions that are shown before the reader asks for all. */
const FEW = 6;
/** Characters of a name next to its gain. */
const LENGTH = 24;
/** Largest power of two of the slider of workers. */
const POWERS = 10;

export interface SliderOptions {
  readonly first: WhatFirst | undefined;
  readonly workers: number;
  readonly faster: ReadonlyMap<string, number>;
  readonly unit: string;
  readonly isAll: boolean;
  showAll(isAll: boolean): void;
  change(faster: ReadonlyMap<string, number>): void;
}

/** The number of workers that gains are for, in powers of two. */
export function workersSlider(workers: number, choose: (workers: number) => void): HTMLElement {
  const text = html('span', {}, formatPlural(workers, 'worker'));
  const input = html('input', {
    type: 'range',
    min: 0,
    max: POWERS,
    step: 1,
    'aria-label': 'workers',
    'aria-valuetext': formatPlural(workers, 'worker'),
    'data-mark-input': 'workers',
  });
  input.value = String(Math.round(Math.log2(workers)));
  const chosen = (): number => 2 ** Number(input.value);
  input.addEventListener('input', () => {
    text.textContent = formatPlural(chosen(), 'worker');
    input.setAttribute('aria-valuetext', text.textContent);
  });
  input.addEventListener('change', () => choose(chosen()));
  return html(
    'label',
    { class: 'gs-slider' },
    html('span', { class: 'gs-slider-head' }, html('span', {}, 'number of workers'), text),
    input,
  );
}

export function drawSliders(options: SliderOptions): HTMLElement {
  const { first, workers, faster, isAll } = options;
  const quantity = `gain in elapsed time on ${formatPlural(workers, 'worker')}`;
  if (!first)
    return section(
      'What to optimise first',
      quantity,
      html(
        'p',
        { class: 'gs-quiet', role: 'status' },
        'Scheduling with less work of each definition…',
      ),
    );
  const rows = prioritiesOf(first, workers, faster);
  const shown = isAll ? rows : rows.slice(0, Math.max(FEW, faster.size));
  const names = uniqueNames(
    shown.map(({ definition }) => definition),
    LENGTH,
  );
  const reset = html('button', { type: 'button', class: 'gs-link' }, 'reset');
  reset.hidden = faster.size === 0;
  reset.addEventListener('click', () => options.change(new Map()));
  const part = section(
    'What to optimise first',
    quantity,
    ...shown.map((row, index) => slider(row, names[index] ?? row.definition, options)),
  );
  part.querySelector('h3')?.append(reset);
  if (rows.length > shown.length || isAll) part.append(more(options, shown.length, rows.length));
  if (first.left_out > 0)
    part.append(
      html(
        'p',
        { class: 'gs-quiet' },
        `${formatPlural(first.left_out, 'definition')} with less work left out.`,
      ),
    );
  return part;
}

function more({ isAll, showAll }: SliderOptions, few: number, all: number): HTMLElement {
  const button = html(
    'button',
    { type: 'button', class: 'gs-link', 'aria-expanded': String(isAll) },
    isAll ? 'fewer' : `${formatCount(few)} of ${formatCount(all)}: show all`,
  );
  button.addEventListener('click', () => showAll(!isAll));
  return button;
}

function slider(row: Priority, name: string, options: SliderOptions): HTMLElement {
  const { faster, change } = options;
  const percent = faster.get(row.definition) ?? 0;
  const input = html('input', {
    type: 'range',
    min: 0,
    max: 100,
    step: 5,
    'aria-label': `work of ${row.definition}, reduced by per cent`,
    'data-mark-input': row.definition,
  });
  input.value = String(percent);
  input.disabled = !canBeAsked(row.definition);
  const text = html('span', {}, textOf(row, percent, options.unit));
  input.addEventListener('input', () => {
    text.textContent = textOf(row, Number(input.value), options.unit);
  });
  input.addEventListener('change', () => {
    const next = new Map(faster);
    const to = Number(input.value);
    if (to > 0) next.set(row.definition, to);
    else next.delete(row.definition);
    change(next);
  });
  return html(
    'label',
    { class: 'gs-slider', title: titleOf(row, options.unit, input.disabled) },
    html('span', { class: 'gs-slider-head' }, nameOf(row.definition, name), text),
    input,
  );
}

/** What half of its work gains, or how far its work falls. */
function textOf(row: Priority, percent: number, unit: string): string {
  if (percent > 0) return `${percent} % less work`;
  if (row.reason) return 'no gain';
  const gain = `if halved ${formatDelta(-row.gain_50, unit)}`;
  return row.is_uncertain ? `${gain} ?` : gain;
}

function titleOf(row: Priority, unit: string, isDisabled: boolean): string {
  const value = (time: number): string => formatValue(time, unit);
  return [
    row.definition,
    ...(row.site ? [row.site] : []),
    `work ${value(row.work)}, on the critical path ${value(row.critical)}`,
    `gain with 10, 25, 50 % less: ${value(row.gain_10)}, ${value(row.gain_25)}, ${value(row.gain_50)}`,
    `gain with 50 % less, of the elapsed time: ${formatShare(row.share_50)}`,
    `gain if its work is divided perfectly: ${value(row.gain_parallel)}`,
    ...(row.reason ? [`no gain: ${row.reason}`] : []),
    ...(row.is_uncertain ? ['uncertain: some schedules are no shorter if its work is halved'] : []),
    ...(isDisabled
      ? ['a question cannot name it: its name contains `;` or begins with a space']
      : []),
  ].join('\n');
}
