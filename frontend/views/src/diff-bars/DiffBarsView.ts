/** The list of differences: both sides of each group on one scale. It is the accessible twin of the diff picture. */

import { activeElement } from '../ui/layer.ts';
import type { DiffRow } from '../api.ts';
import { formulaOf } from '../logic/difference.ts';
import { formatPlural } from '../logic/format.ts';
import { csvOf } from '../logic/table.ts';
import { VERDICTS } from '../sankey/content.ts';
import { html, svg, textStyle } from '../ui/dom.ts';
import { serialiseSvg } from '../ui/export.ts';
import type { View, ViewContext } from '../ui/view.ts';
import { detailsOf } from './details.ts';
import {
  type DiffBarsData,
  type DiffBarsSelection,
  lengthOf,
  nameOf,
  nextChange,
  scaleOf,
  shownDifferences,
  textOf,
  whiskerOf,
} from './model.ts';
import { differenceLine, sideColours } from './row.ts';
import './diff-bars.css';

export type { DiffBarsData, DiffBarsSelection } from './model.ts';

/** Pixels of an exported picture: height of a row, and where bars begin and how long they are. */
const ROW = 28;
const BARS = { left: 360, width: 220 } as const;

export class DiffBarsView implements View<DiffBarsData, DiffBarsSelection> {
  readonly #root = html('table', { class: 'gs-diff-bars', role: 'treegrid' });
  readonly #stop = new AbortController();
  #context: ViewContext | undefined;
  #data: DiffBarsData | undefined;
  #selected = '';
  #isOpen: boolean | undefined;
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
      if (!group) return;
      if (group !== this.#selected) context.emit({ type: 'select-group', group });
      else if (this.#isOpen !== undefined)
        context.emit({ type: 'set', values: { open: this.#isOpen ? '' : '1' } });
    };
    this.#root.addEventListener('click', pick, { signal });
    this.#root.addEventListener(
      'keydown',
      (event) => {
        // Buttons of an opened row have these keys to themselves.
        if (event.target instanceof HTMLButtonElement && !event.key.startsWith('Arrow')) return;
        if (event.key === 'Enter' || event.key === ' ') {
          event.preventDefault();
          event.stopPropagation();
          pick(event);
        } else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
          const row = event.target instanceof Element ? event.target.closest('tr') : null;
          const lines = [...this.#root.querySelectorAll<HTMLElement>('tr[data-group]')];
          const at = lines.findIndex(
            (line) => line === row || line === row?.previousElementSibling,
          );
          lines[at + (event.key === 'ArrowDown' ? 1 : -1)]?.focus();
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
    const isStep = this.#selected !== selection.group;
    this.#selected = selection.group;
    this.#isOpen = selection.isOpen;
    this.#rows = shownDifferences(data, selection);
    const scale = scaleOf(data);
    const hadFocus = this.#root.contains(activeElement(this.#root));
    const body = html('tbody');
    for (const row of this.#rows) {
      const isSelected = row.group === selection.group;
      const line = differenceLine(row, data, scale, isSelected, palette);
      body.append(line);
      if (!isSelected || !this.#context || this.#isOpen === undefined) continue;
      line.setAttribute('aria-expanded', String(this.#isOpen));
      if (!this.#isOpen) continue;
      const content = detailsOf(row, data, palette, this.#context);
      body.append(html('tr', { class: 'gs-details' }, html('td', { colspan: 7 }, content)));
    }
    if (this.#rows.length === 0) body.append(noRow(data.diff.rows.length));
    this.#root.replaceChildren(html('caption', {}, data.quantity), headOf(data), body);
    const selected = this.#root.querySelector<HTMLElement>('[aria-selected="true"]');
    (selected ?? this.#root.querySelector<HTMLElement>('tr[data-group]'))?.setAttribute(
      'tabindex',
      '0',
    );
    if (hadFocus) selected?.focus();
    if (isStep) selected?.scrollIntoView({ block: 'nearest' });
  }

  destroy(): void {
    this.#stop.abort();
    this.#root.remove();
  }

  /** Selects the next change in the list, or the previous one. */
  step(by: number): void {
    const group = nextChange(this.#rows, this.#selected, by);
    if (group !== undefined) this.#context?.emit({ type: 'select', patch: { group } });
    else this.#context?.emit({ type: 'say', text: 'No difference to go to' });
  }

  exportSvg(): string {
    const palette = this.#context?.palette();
    const data = this.#data;
    if (!palette || !data) return '';
    const scale = scaleOf(data);
    const place = (value: number): number =>
      scale.end > 0 ? (Math.min(value, scale.end) / scale.end) * BARS.width : 0;
    const picture = svg('svg', { width: 860, height: this.#rows.length * ROW + 32 });
    picture.append(
      svg('text', { ...textStyle(12), x: 8, y: 18, fill: palette.ink2 }, data.quantity),
    );
    this.#rows.forEach((row, index) => {
      const y = index * ROW + 28;
      const colours = sideColours(row, data, scale.bound, palette);
      picture.append(
        svg('text', { ...textStyle(12, true), x: 8, y: y + 17, fill: palette.ink }, nameOf(row)),
        ...(['a', 'b'] as const).map((side, at) =>
          svg('rect', {
            x: BARS.left,
            y: y + 4 + at * 11,
            width: place(lengthOf(row, side, data) ?? 0),
            height: 8,
            fill: colours[side],
          }),
        ),
        svg(
          'text',
          { ...textStyle(12), x: BARS.left + BARS.width + 12, y: y + 17, fill: palette.ink },
          `${textOf(row, data)}  ${VERDICTS[row.verdict]}`,
        ),
      );
      const whisker = whiskerOf(row, data)?.map((value) => BARS.left + place(value));
      if (whisker)
        picture.append(
          svg('path', {
            d: `M${whisker[0]},${y + 19}H${whisker[1]}`,
            stroke: palette.ink,
          }),
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
}

function headOf({ mode }: DiffBarsData): HTMLElement {
  const number = { scope: 'col', class: 'gs-number' } as const;
  const sides =
    mode === 'normalised'
      ? 'Share of the side’s total, mean over runs, all rows on one scale'
      : 'Means over runs, all rows on one scale. The whisker at B is the interval of the difference, from A on.';
  return html(
    'thead',
    {},
    html(
      'tr',
      {},
      html('th', { scope: 'col' }, 'group'),
      html('th', { scope: 'col', title: sides }, 'A above, B below'),
      html(
        'th',
        {
          scope: 'col',
          title: 'A tick per run, A above B, from the smallest to the largest of both',
        },
        'runs',
      ),
      html('th', number, formulaOf(mode)),
      html(
        'th',
        { ...number, title: 'Typical ratio (Hodges-Lehmann) and its distribution-free interval' },
        'typical ratio',
      ),
      html(
        'th',
        { ...number, title: 'p of the exact rank-sum test after Benjamini and Hochberg' },
        'q',
      ),
      html('th', { scope: 'col' }, 'verdict'),
    ),
  );
}

/** What the table says if no row fits the filters. */
function noRow(count: number): HTMLElement {
  const text = `No difference fits the filters; ${formatPlural(count, 'group')} without them.`;
  return html('tr', {}, html('td', { colspan: 7, class: 'quiet' }, text));
}
