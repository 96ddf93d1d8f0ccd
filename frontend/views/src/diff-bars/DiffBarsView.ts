/** The signed list of differences: the accessible twin of the diff picture. */

import { activeElement } from '../ui/layer.ts';
import type { Diff, DiffRow } from '../api.ts';
import { differenceColour, type Palette } from '../logic/colour.ts';
import { ABSENT, formatChangeFrom, formatNumber, formatValue } from '../logic/format.ts';
import {
  boundOf,
  type Comparison,
  differenceIn,
  differenceText,
  type DiffMode,
  formulaOf,
  type Pair,
} from '../logic/difference.ts';
import { csvOf, sortRows } from '../logic/table.ts';
import { VERDICTS } from '../sankey/content.ts';
import { VERDICT_SIGNS } from '../logic/verdicts.ts';
import { html, svg, textStyle } from '../ui/dom.ts';
import { serialiseSvg } from '../ui/export.ts';
import type { View, ViewContext } from '../ui/view.ts';

export interface DiffBarsData {
  readonly diff: Diff;
  readonly mode: DiffMode;
  /** The sentence that states what is compared. */
  readonly quantity: string;
}

export interface DiffBarsSelection {
  readonly group: string;
  readonly sort: 'absolute' | 'relative' | 'significance';
}

export class DiffBarsView implements View<DiffBarsData, DiffBarsSelection> {
  readonly #root = html('table', { class: 'gs-diff-bars' });
  readonly #stop = new AbortController();
  #context: ViewContext | undefined;
  #data: DiffBarsData | undefined;
  #rows: DiffRow[] = [];

  mount(element: HTMLElement, context: ViewContext): void {
    this.#context = context;
    element.append(this.#root);
    const { signal } = this.#stop;
    const pick = (event: Event): void => {
      const group =
        event.target instanceof Element
          ? event.target.closest('[data-group]')?.getAttribute('data-group')
          : null;
      if (group) context.emit({ type: 'select-group', group });
    };
    this.#root.addEventListener('click', pick, { signal });
    this.#root.addEventListener(
      'keydown',
      (event) => {
        if (event.key === 'Enter' || event.key === ' ') {
          event.preventDefault();
          event.stopPropagation();
          pick(event);
        } else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
          const row = event.target instanceof Element ? event.target.closest('tr') : null;
          const next =
            event.key === 'ArrowDown' ? row?.nextElementSibling : row?.previousElementSibling;
          if (next instanceof HTMLElement) next.focus();
          event.preventDefault();
        }
      },
      { signal },
    );
  }

  update(data: DiffBarsData, selection: DiffBarsSelection): void {
    this.#data = data;
    const palette = this.#context?.palette();
    if (!palette) return;
    this.#rows = sortDifferences(data, selection.sort);
    const bound = boundOf(
      this.#rows.map((row) => valueOf(row, data)),
      data.mode,
    );
    const hadFocus = this.#root.contains(activeElement(this.#root));
    const isPlain = data.mode === 'absolute';
    const head = html(
      'thead',
      {},
      html(
        'tr',
        {},
        html('th', { scope: 'col' }, 'group'),
        html('th', { scope: 'col', class: 'gs-number' }, formulaOf(data.mode)),
        html('th', { scope: 'col', class: 'gs-number' }, isPlain ? 'change' : 'A → B'),
        html('th', { scope: 'col' }, 'verdict'),
      ),
    );
    const body = html('tbody');
    for (const row of this.#rows) body.append(this.#row(row, data, bound, selection, palette));
    this.#root.replaceChildren(html('caption', {}, data.quantity), head, body);
    const selected = this.#root.querySelector<HTMLElement>('[aria-selected="true"]');
    (selected ?? this.#root.querySelector<HTMLElement>('tbody tr'))?.setAttribute('tabindex', '0');
    if (hadFocus) selected?.focus();
  }

  destroy(): void {
    this.#stop.abort();
    this.#root.remove();
  }

  exportSvg(): string {
    const palette = this.#context?.palette();
    const data = this.#data;
    if (!palette || !data) return '';
    const bound = boundOf(
      this.#rows.map((row) => valueOf(row, data)),
      data.mode,
    );
    const picture = svg('svg', { width: 720, height: this.#rows.length * 24 + 32 });
    picture.append(
      svg('text', { ...textStyle(12), x: 8, y: 18, fill: palette.ink2 }, data.quantity),
    );
    this.#rows.forEach((row, index) => {
      const y = index * 24 + 28;
      const value = valueOf(row, data);
      const size = bound > 0 ? Math.min(1, Math.abs(value ?? 0) / bound) * 100 : 0;
      picture.append(
        svg('text', { ...textStyle(12, true), x: 8, y: y + 15, fill: palette.ink }, nameOf(row)),
        svg('rect', {
          x: 360 + ((value ?? 0) < 0 ? -size : 0),
          y: y + 4,
          width: size,
          height: 14,
          fill: colourOf(value, data.diff, bound, palette),
        }),
        svg(
          'text',
          { ...textStyle(12), x: 472, y: y + 15, fill: palette.ink },
          `${textOf(row, data)}  ${VERDICTS[row.verdict]}`,
        ),
      );
    });
    return serialiseSvg(picture, palette.ground, this.#context?.lens() ?? '');
  }

  exportCsv(): string {
    const header = [
      'group',
      'a',
      'b',
      'delta',
      'unit',
      'ratio',
      'ci_low',
      'ci_high',
      'q',
      'verdict',
      'reason',
    ];
    const unit = this.#data?.diff.unit ?? '';
    const rows = this.#rows.map((row) => [
      row.path.join('/'),
      row.a,
      row.b,
      row.delta,
      unit,
      row.ratio,
      row.ci?.[0],
      row.ci?.[1],
      row.q,
      row.verdict,
      row.reason.text,
    ]);
    return csvOf(this.#context?.lens() ?? '', header, rows);
  }

  #row(
    row: DiffRow,
    data: DiffBarsData,
    bound: number,
    selection: DiffBarsSelection,
    palette: Palette,
  ): HTMLElement {
    const { diff, mode } = data;
    const isSelected = row.group === selection.group;
    const line = html('tr', {
      'data-group': row.group,
      tabindex: '-1',
      'aria-selected': String(isSelected),
      title: row.reason.text,
    });
    const value = valueOf(row, data);
    const share = bound > 0 ? Math.min(1, Math.abs(value ?? 0) / bound) : 0;
    const isUnsure = row.verdict === 'inconclusive' || row.verdict === 'untestable';
    // A side without the group is no zero: its bar is as hatched as one that means nothing.
    const isHatched = isUnsure || value === null;
    const bar = html('span', {
      class: `gs-bar ${(value ?? 0) < 0 ? 'gs-left' : 'gs-right'}${isHatched ? ' gs-unsure' : ''}`,
    });
    bar.style.width = `${value === null ? 2 : Math.max(share > 0 ? 1 : 0, share * 50)}%`;
    bar.style.backgroundColor = colourOf(value, diff, bound, palette);
    const name = html(
      'td',
      { class: 'gs-mono' },
      html('span', { class: 'gs-cut' }, nameOf(row)),
      html('span', { class: 'gs-track' }, bar),
    );
    const text = textOf(row, data);
    const sides = `${formatValue(row.a, diff.unit)} → ${formatValue(row.b, diff.unit)}`;
    const change = formatChangeFrom(row.a, row.delta) || ABSENT;
    const detail =
      row.q === undefined || row.q === null
        ? row.reason.text
        : `${row.reason.text} q ${formatNumber(row.q)}`;
    line.append(
      name,
      html('td', { class: 'gs-number' }, text),
      html('td', { class: 'gs-number' }, mode === 'absolute' ? change : sides),
      html(
        'td',
        { title: detail },
        html('span', { class: 'gs-mark', 'aria-hidden': 'true' }, VERDICT_SIGNS[row.verdict]),
        VERDICTS[row.verdict],
      ),
    );
    line.setAttribute(
      'aria-label',
      `${nameOf(row)}: A ${formatValue(row.a, diff.unit)}, B ${formatValue(row.b, diff.unit)}, ${text}, ${VERDICTS[row.verdict]}. ${row.reason.text}`,
    );
    return line;
  }
}

/** Largest first by what is asked for; rows without it last. */
export function sortDifferences(data: DiffBarsData, by: DiffBarsSelection['sort']): DiffRow[] {
  const { rows } = data.diff;
  if (by === 'significance') return sortRows(rows, (row) => row.q ?? row.p, false);
  if (by === 'relative')
    return sortRows(rows, (row) => sizeOf(row, { ...data, mode: 'relative' }), true);
  return sortRows(rows, (row) => sizeOf(row, data), true);
}

function pairOf(row: DiffRow): Pair {
  return { a: row.a ?? null, b: row.b ?? null, delta: row.delta };
}

function comparisonOf({ diff, mode }: DiffBarsData): Comparison {
  return { mode, unit: diff.unit, totals: diff.totals };
}

/** The difference in the mode; null without one. */
function valueOf(row: DiffRow, data: DiffBarsData): number | null {
  return differenceIn(pairOf(row), comparisonOf(data));
}

function textOf(row: DiffRow, data: DiffBarsData): string {
  return differenceText(pairOf(row), comparisonOf(data));
}

/** Key that rows are sorted by: a group on one side only counts with its value. */
function sizeOf(row: DiffRow, data: DiffBarsData): number | null {
  const value = valueOf(row, data);
  if (value !== null) return Math.abs(value);
  return data.mode === 'absolute' ? Math.abs(row.delta ?? row.a ?? row.b ?? 0) : null;
}

function nameOf(row: DiffRow): string {
  return row.path[row.path.length - 1] ?? row.group;
}

function colourOf(value: number | null, diff: Diff, bound: number, palette: Palette): string {
  return differenceColour(palette, value ?? 0, bound, diff.direction !== 'higher_is_better');
}
