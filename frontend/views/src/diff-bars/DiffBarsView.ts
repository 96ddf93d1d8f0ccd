/** The signed list of differences: the accessible twin of the diff picture. */

import type { Diff, DiffRow } from '../api.ts';
import { differenceColour, type Palette } from '../logic/colour.ts';
import {
  ABSENT,
  formatChangeFrom,
  formatDelta,
  formatNumber,
  formatValue,
} from '../logic/format.ts';
import { csvOf, sortRows } from '../logic/table.ts';
import { VERDICTS } from '../sankey/content.ts';
import { VERDICT_SIGNS } from '../logic/verdicts.ts';
import { html, svg, textStyle } from '../ui/dom.ts';
import { serialiseSvg } from '../ui/export.ts';
import type { View, ViewContext } from '../ui/view.ts';

export interface DiffBarsData {
  readonly diff: Diff;
}

export interface DiffBarsSelection {
  readonly group: string;
  readonly sort: 'absolute' | 'relative' | 'significance';
}

/** Shape next to a verdict, so that colour alone never carries it. */
export const VERDICT_MARKS = VERDICT_SIGNS;

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
    this.#rows = sortDifferences(data.diff.rows, selection.sort);
    const bound = Math.max(0, ...this.#rows.map(sizeOf));
    const hadFocus = this.#root.contains(document.activeElement);
    const head = html(
      'thead',
      {},
      html(
        'tr',
        {},
        html('th', { scope: 'col' }, 'group'),
        html('th', { scope: 'col', class: 'gs-number' }, 'B − A'),
        html('th', { scope: 'col', class: 'gs-number' }, 'change'),
        html('th', { scope: 'col' }, 'verdict'),
      ),
    );
    const body = html('tbody');
    for (const row of this.#rows) body.append(this.#row(row, data.diff, bound, selection, palette));
    this.#root.replaceChildren(
      html('caption', {}, `Differences of ${data.diff.scope} ${data.diff.metric}, B − A`),
      head,
      body,
    );
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
    const bound = Math.max(1e-300, ...this.#rows.map(sizeOf));
    const picture = svg('svg', { width: 640, height: this.#rows.length * 24 + 8 });
    this.#rows.forEach((row, index) => {
      const y = index * 24 + 4;
      const size = (sizeOf(row) / bound) * 100;
      picture.append(
        svg('text', { ...textStyle(12, true), x: 8, y: y + 15, fill: palette.ink }, nameOf(row)),
        svg('rect', {
          x: 360 + (isDecrease(row) ? -size : 0),
          y: y + 4,
          width: size,
          height: 14,
          fill: colourOf(row, data.diff, bound, palette),
        }),
        svg(
          'text',
          { ...textStyle(12), x: 472, y: y + 15, fill: palette.ink },
          `${formatDelta(row.delta, data.diff.unit)}  ${VERDICTS[row.verdict]}`,
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
      row.reason,
    ]);
    return csvOf(this.#context?.lens() ?? '', header, rows);
  }

  #row(
    row: DiffRow,
    diff: Diff,
    bound: number,
    selection: DiffBarsSelection,
    palette: Palette,
  ): HTMLElement {
    const isSelected = row.group === selection.group;
    const line = html('tr', {
      'data-group': row.group,
      tabindex: '-1',
      'aria-selected': String(isSelected),
      title: row.reason,
    });
    const share = bound > 0 ? sizeOf(row) / bound : 0;
    const isUnsure = row.verdict === 'inconclusive' || row.verdict === 'untestable';
    const bar = html('span', {
      class: `gs-bar ${isDecrease(row) ? 'gs-left' : 'gs-right'}${isUnsure ? ' gs-unsure' : ''}`,
    });
    bar.style.width = `${Math.max(share > 0 ? 1 : 0, share * 50)}%`;
    bar.style.backgroundColor = colourOf(row, diff, bound, palette);
    const name = html(
      'td',
      { class: 'gs-mono' },
      html('span', { class: 'gs-cut' }, nameOf(row)),
      html('span', { class: 'gs-track' }, bar),
    );
    const change = formatChangeFrom(row.a, row.delta) || ABSENT;
    const detail =
      row.q === undefined || row.q === null ? row.reason : `${row.reason} q ${formatNumber(row.q)}`;
    line.append(
      name,
      html('td', { class: 'gs-number' }, formatDelta(row.delta, diff.unit)),
      html('td', { class: 'gs-number' }, change),
      html(
        'td',
        { title: detail },
        html('span', { class: 'gs-mark', 'aria-hidden': 'true' }, VERDICT_MARKS[row.verdict]),
        VERDICTS[row.verdict],
      ),
    );
    line.setAttribute(
      'aria-label',
      `${nameOf(row)}: A ${formatValue(row.a, diff.unit)}, B ${formatValue(row.b, diff.unit)}, ${formatDelta(row.delta, diff.unit)}, ${change}, ${VERDICTS[row.verdict]}. ${row.reason}`,
    );
    return line;
  }
}

/** Greatest first by what is asked for; rows without it last. */
export function sortDifferences(
  rows: readonly DiffRow[],
  by: DiffBarsSelection['sort'],
): DiffRow[] {
  if (by === 'significance') return sortRows(rows, (row) => row.q ?? row.p, false);
  if (by === 'relative')
    return sortRows(rows, (row) => (row.a ? sizeOf(row) / Math.abs(row.a) : null), true);
  return sortRows(rows, sizeOf, true);
}

/** Size of the difference; 0 if it is not known, so that the row has no bar. */
function sizeOf(row: DiffRow): number {
  return Math.abs(row.delta ?? 0);
}

function isDecrease(row: DiffRow): boolean {
  return (row.delta ?? 0) < 0;
}

function nameOf(row: DiffRow): string {
  return row.path[row.path.length - 1] ?? row.group;
}

function colourOf(row: DiffRow, diff: Diff, bound: number, palette: Palette): string {
  return differenceColour(palette, row.delta ?? 0, bound, diff.direction !== 'higher_is_better');
}
