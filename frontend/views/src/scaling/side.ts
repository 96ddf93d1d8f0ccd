/** The column next to the curve: what if groups lost less, and which points are out of order. */

import type { Palette } from '../logic/colour.ts';
import { formatShort, formatShare, formatValue } from '../logic/format.ts';
import { uniqueNames } from '../logic/unique-names.ts';
import { nameOf, section } from '../ui/chart-view.ts';
import { html } from '../ui/dom.ts';
import {
  type GroupData,
  isFaster,
  type OutOfOrder,
  quantityOf,
  type SeriesData,
  whatIf,
} from './model.ts';

/** Sliders shown. */
const SLIDERS = 5;

export interface WhatIfOptions {
  readonly series: SeriesData;
  readonly reductions: ReadonlyMap<string, number>;
  readonly unit: string;
  readonly by: string;
  set(reductions: ReadonlyMap<string, number>, isReplacing: boolean): void;
}

export function drawWhatIf(options: WhatIfOptions): HTMLElement | undefined {
  const { series, reductions, by } = options;
  const [first, last] = [series.points[0], series.points[series.points.length - 1]];
  const groups = series.groups.filter(({ lost }) => lost > 0.001).slice(0, SLIDERS);
  if (!first || !last || groups.length === 0) return undefined;
  const speedup = (share: ReadonlyMap<string, number>): number =>
    quantityOf('speedup', series.kind, first, last.p, whatIf(series, share, last.p));
  const measured = speedup(new Map());
  const now = speedup(reductions);
  const reset = html('button', { type: 'button', class: 'gs-link' }, 'reset');
  reset.hidden = reductions.size === 0;
  reset.addEventListener('click', () => options.set(new Map(), false));
  const box = section(
    'What if',
    'a group lost less',
    ...groups.map((group) => slider(options, group, measured, speedup)),
    html(
      'div',
      { class: 'gs-result' },
      html(
        'strong',
        {},
        reductions.size > 0
          ? `×${formatShort(measured)} → ×${formatShort(now)}`
          : `×${formatShort(measured)}`,
      ),
      html('span', {}, `at ${by} ${formatShort(last.p)}`),
    ),
    html(
      'p',
      { class: 'gs-quiet' },
      'A bound: all other work unchanged, and the loss of a group on every worker’s way.',
    ),
  );
  box.querySelector('h3')?.append(reset);
  return box;
}

function slider(
  { reductions, set }: WhatIfOptions,
  group: GroupData,
  measured: number,
  speedup: (share: ReadonlyMap<string, number>) => number,
): HTMLElement {
  const share = reductions.get(group.group) ?? 0;
  const name = group.path[group.path.length - 1] ?? '';
  const input = html('input', {
    type: 'range',
    min: 0,
    max: 100,
    step: 5,
    'aria-label': `loss of ${name}, reduced by per cent`,
    'data-mark-input': group.group,
  });
  input.value = String(Math.round(share * 100));
  const text = html('span', {}, gainOf(measured, share, group, speedup));
  input.addEventListener('input', () => {
    const to = Number(input.value) / 100;
    text.textContent = gainOf(measured, to, group, speedup);
  });
  input.addEventListener('change', () => {
    const next = new Map(reductions);
    const to = Number(input.value) / 100;
    if (to > 0) next.set(group.group, to);
    else next.delete(group.group);
    set(next, true);
  });
  return html(
    'label',
    { class: 'gs-slider' },
    html('span', { class: 'gs-slider-head' }, nameOf(group.path.join(' › '), name), text),
    input,
  );
}

function gainOf(
  measured: number,
  share: number,
  group: GroupData,
  speedup: (share: ReadonlyMap<string, number>) => number,
): string {
  if (share === 0) return `loses ${formatShare(group.lost)}`;
  const gain = speedup(new Map([[group.group, share]])) - measured;
  return `−${Math.round(share * 100)} %: speed-up +${formatShort(gain)}`;
}

export interface OrderOptions {
  readonly series: SeriesData;
  readonly unit: string;
  readonly by: string;
  compare(pair: OutOfOrder): void;
}

/** Culprits shown of a pair. */
const CULPRITS = 4;

export function drawOutOfOrder(
  palette: Palette,
  { series, unit, by, compare }: OrderOptions,
): HTMLElement {
  const steps = Math.max(0, series.points.length - 1);
  const pairs = series.outOfOrder.map((pair) => {
    const [from = 0, to = 0] = pair.p;
    const [before = 0, after = 0] = pair.values;
    const isSlower = !isFaster(pair);
    const shown = pair.culprits.slice(0, CULPRITS);
    const others = pair.culprits.slice(CULPRITS);
    const rest = others.reduce((sum, { share }) => sum + share, 0);
    const most = Math.max(
      0.01,
      Math.abs(rest),
      ...pair.culprits.map(({ share }) => Math.abs(share)),
    );
    const names = uniqueNames(
      shown.map(({ path }) => path[path.length - 1] ?? ''),
      19,
    );
    const button = html(
      'button',
      { type: 'button', class: 'gs-link' },
      `Compare ${formatShort(from)} with ${formatShort(to)}`,
    );
    button.addEventListener('click', () => compare(pair));
    return html(
      'div',
      { class: 'gs-order' },
      html(
        'p',
        { class: 'gs-order-head' },
        html('strong', {}, `${formatShort(from)} → ${formatShort(to)}`),
        html(
          'span',
          { class: 'gs-quiet' },
          `${formatValue(before, unit)} → ${formatValue(after, unit)}`,
        ),
        html(
          'strong',
          { class: isSlower ? 'gs-worse' : 'gs-better' },
          isSlower ? '▲ slower' : '▼ faster',
        ),
      ),
      html(
        'p',
        { class: 'gs-quiet' },
        isSlower ? 'who added the time, share of it' : 'who took less time, share of it',
      ),
      ...shown.map((culprit, at) =>
        bar(palette, culprit.path, names[at] ?? '', culprit.share, most, isSlower),
      ),
      ...(others.length > 0
        ? [
            bar(
              palette,
              [`${others.length} others`],
              `${others.length} others`,
              rest,
              most,
              isSlower,
            ),
          ]
        : []),
      html('p', { class: 'gs-quiet' }, certainty(pair)),
      button,
    );
  });
  return section(
    'Out of order',
    `${pairs.length} of ${steps} steps of ${by}`,
    ...(pairs.length > 0
      ? pairs
      : [html('p', { class: 'gs-quiet' }, 'Every step goes the way of the trend.')]),
  );
}

function certainty(pair: OutOfOrder): string {
  const suspect = pair.suspect
    ? ' One of the two runs is far from the curve through its neighbours.'
    : '';
  if (pair.certain === true) return `The runs of both points lie apart.${suspect}`;
  if (pair.certain === false)
    return `The runs of both points overlap: noise may explain it.${suspect}`;
  return `Too few runs to tell it from noise.${suspect}`;
}

function bar(
  palette: Palette,
  path: readonly string[],
  name: string,
  share: number,
  most: number,
  isSlower: boolean,
): HTMLElement {
  const fill = html('span', { class: 'gs-share-bar' });
  fill.style.width = `${(Math.abs(share) / most) * 100}%`;
  fill.style.background = share >= 0 === isSlower ? palette.difference[2] : palette.difference[0];
  return html(
    'div',
    { class: 'gs-culprit' },
    nameOf(path.join(' › '), name),
    html('span', { class: 'gs-share-track' }, fill),
    html('span', { class: 'gs-number' }, formatShare(share)),
  );
}
