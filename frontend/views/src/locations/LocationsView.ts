/** Groups × ranks or workers, with totals in the margins. */

import { differenceColour } from '../logic/colour.ts';
import {
  formatCount,
  formatDelta,
  formatFactor,
  formatPlural,
  formatShare,
  formatValue,
} from '../logic/format.ts';
import { uniqueNames } from '../logic/unique-names.ts';
import type { Target } from '../ui/view.ts';
import type { Shown } from '../registry/definition.ts';
import { ChartView, nameOf } from '../ui/chart-view.ts';
import { html, svg } from '../ui/dom.ts';
import { Heat } from '../ui/heat.ts';
import type { TooltipContent } from '../ui/tooltip.ts';
import type { Answers, Settings } from './definition.ts';
import {
  chosenRow,
  countLeftOut,
  differenceName,
  type HeatColumn,
  type HeatRow,
  highest,
  isMessagePassing,
  type Matrix,
  matrixOf,
  placeOf,
  sidesOf,
} from './model.ts';
import './locations.css';

const ROW = 20;
const STRIP = 36;
/** A rank's cell is never wider. */
const WIDEST = 40;
/** Ranks that a row names. */
const HIGHEST = 8;

export class LocationsView extends ChartView<Answers, Settings> {
  constructor() {
    super('locations');
  }

  protected draw({ locations, others }: Answers, shown: Shown<Settings>): void {
    const { selection, settings } = shown;
    const sides = sidesOf(locations, selection, settings.run, others);
    const matrix = matrixOf(locations, sides, settings, selection.group);
    const width = this.root.clientWidth || 1000;
    const isNarrow = width < 760;
    const names = isNarrow ? 110 : 230;
    const figures = isNarrow ? 64 : 236;
    const room = Math.max(60, width - names - figures - 48);
    const cell = Math.min(WIDEST, room / Math.max(1, matrix.columns.length));
    const one = locations.by === 'ranks' ? 'rank' : 'worker';
    this.root.replaceChildren(
      this.#title(
        matrix,
        one,
        locations.unit,
        shown,
        sides.a !== undefined,
        locations,
        countLeftOut(locations, sides, selection, settings.run, shown.facts.runs),
      ),
      this.#highest(matrix, one, locations.unit, selection.group),
      html(
        'div',
        { class: 'gs-locations-body' },
        this.#names(matrix.rows, names, isNarrow ? 14 : 30),
        html(
          'div',
          { class: 'gs-locations-picture' },
          this.#strip(matrix, cell, one, locations.unit),
          this.#heat(matrix, cell, one, locations.unit).root,
        ),
        this.#figures(matrix, figures, isNarrow, locations.unit),
      ),
      this.#legend(matrix, one, locations.unit, settings.order),
    );
  }

  /** The answer in one sentence, and which run it is about. */
  #title(
    matrix: Matrix,
    one: string,
    unit: string,
    shown: Shown<Settings>,
    isDiff: boolean,
    answer: Answers['locations'],
    leftOut: number,
  ): HTMLElement {
    const [first] = matrix.rows;
    const heading = html('h2', {});
    if (!first) heading.append('No values');
    else if (isDiff)
      heading.append(`${differenceName(matrix)} is largest in `, nameOf(first.path.join(' › ')));
    else if (shown.settings.order === 'imbalance')
      heading.append(
        `${one[0]?.toUpperCase()}${one.slice(1)} ${first.maxAt} exceeds the mean of `,
        nameOf(first.path.join(' › ')),
        ` by ${formatValue(first.excess, unit)}`,
      );
    else heading.append('The largest group is ', nameOf(first.path.join(' › ')));
    const about = html(
      'span',
      { class: 'gs-quiet gs-grow' },
      `${formatPlural(matrix.columns.length, matrix.columns.some(({ text }) => text.includes('–')) ? 'column' : one)}, ${formatPlural(matrix.rows.length, 'group')}`,
      ...(matrix.omitted > 0 ? [`, + ${formatCount(matrix.omitted)} more groups`] : []),
      ...(leftOut > 0 ? [`, ${formatPlural(leftOut, 'run')} left out`] : []),
    );
    const { target } = shown.selection;
    const isFixed = shown.selection.isDiff || target !== undefined;
    const title = html('header', { class: 'gs-title' }, heading, about);
    const names = matrix.runs
      .slice(0, 3)
      .flatMap((name, at) => [...(at > 0 ? [isDiff ? ' → ' : ', '] : []), nameOf(name)]);
    const choices = shown.settings.run ? shown.facts.runs : answer.runs;
    if (isFixed || choices.length < 2)
      title.append(html('span', { class: 'gs-quiet gs-locations-runs' }, 'of ', ...names));
    else title.append(this.#choice(choices, matrix.runs[0] ?? '', shown.facts.runLabels));
    if (!shown.selection.isDiff) title.append(...this.#targetSteps(target, matrix, choices));
    return title;
  }

  /** The columns where the selected row, or else the first one, is farthest above its mean. */
  #highest(matrix: Matrix, one: string, unit: string, selected: string): HTMLElement {
    const row = chosenRow(matrix.rows, selected);
    const line = html('p', { class: 'gs-quiet gs-locations-highest' });
    if (!row) return line;
    const isDifference = matrix.kind === 'difference';
    const parts = highest(row, matrix, HIGHEST).map(
      ({ text, place }) =>
        `${text} ${isDifference ? formatDelta(place, unit) : formatFactor(1 + place)}`,
    );
    line.append(
      nameOf(row.path.join(' › ')),
      `: ${one}s with most ${isDifference ? differenceName(matrix) : 'of the mean'}: ${parts.join(', ') || 'none'}`,
    );
    return line;
  }

  /** Makes the shown run the target, or clears the target. */
  #targetSteps(
    target: Target | undefined,
    matrix: Matrix,
    runs: readonly { readonly run: string; readonly name: string }[],
  ): HTMLElement[] {
    const run = target ? target.runs[0] : runs.find(({ name }) => name === matrix.runs[0])?.run;
    if (run === undefined) return [];
    const step = html(
      'button',
      {
        type: 'button',
        class: 'gs-button',
        title: target
          ? 'Show the run with the most locations'
          : 'Mark this run in all views, and compare it with the others',
      },
      target ? 'Clear the target' : 'Make it the target',
    );
    step.addEventListener('click', () => this.context.emit({ type: 'set-target', run }));
    return [step];
  }

  #choice(
    runs: readonly { readonly run: string; readonly name: string }[],
    shown: string,
    labels: ReadonlyMap<string, string>,
  ): Node {
    const select = html('select', { 'aria-label': 'Run' });
    for (const { run, name } of runs.slice(0, 200)) {
      const option = html('option', { value: run, title: name }, labels.get(run) ?? name);
      option.selected = name === shown;
      select.append(option);
    }
    select.addEventListener('change', () =>
      this.context.emit({ type: 'set', values: { run: select.value } }),
    );
    return select;
  }

  #names(rows: readonly HeatRow[], width: number, length: number): HTMLElement {
    const texts = uniqueNames(
      rows.map(({ path }) => path.join(' › ')),
      length,
    );
    const list = html('div', { class: 'gs-locations-names' });
    list.style.width = `${width}px`;
    list.style.paddingTop = `${STRIP}px`;
    // Keys select in the picture next to the names.
    for (const [index, row] of rows.entries()) {
      const name = html(
        'div',
        { class: 'gs-locations-line gs-pickable', title: 'Select the group' },
        nameOf(row.path.join(' › '), texts[index]),
      );
      name.addEventListener('click', () =>
        this.context.emit({ type: 'select-group', group: row.group }),
      );
      list.append(name);
    }
    return list;
  }

  /** Totals of the columns as bars from zero. */
  #strip(matrix: Matrix, cell: number, one: string, unit: string): SVGSVGElement {
    const width = matrix.columns.length * cell;
    let most = 0;
    for (const { total } of matrix.columns) most = Math.max(most, Math.abs(total));
    const strip = svg('svg', { width, height: STRIP, role: 'img' });
    strip.setAttribute(
      'aria-label',
      `Totals of ${formatPlural(matrix.columns.length, 'column')}, up to ${formatValue(most, unit)}`,
    );
    const letters = Math.max(0, ...matrix.columns.map(({ text }) => text.length));
    const room = 6.5 * letters + 10;
    const every = Math.max(1, Math.ceil(room / cell));
    const label = (column: HeatColumn, at: number): string => {
      if (!matrix.isByNode) {
        const isShown = at % every === 0 && (at === 0 || at * cell + room < width + 10);
        return isShown ? column.text : '';
      }
      if (at > 0 && matrix.columns[at - 1]?.node === column.node) return '';
      return column.node === undefined ? 'no node' : `node ${column.node}`;
    };
    for (const [at, column] of matrix.columns.entries()) {
      const height = most > 0 ? (Math.abs(column.total) / most) * (STRIP - 18) : 0;
      const bar = svg('rect', {
        x: at * cell,
        y: STRIP - 2 - height,
        width: Math.max(0.5, cell - (cell > 4 ? 1 : 0)),
        height,
        fill: this.palette.ink2,
        'fill-opacity': 0.55,
      });
      bar.append(svg('title', {}, `${one} ${column.text}: ${formatValue(column.total, unit)}`));
      strip.append(bar);
      const text = label(column, at);
      if (text === '') continue;
      strip.append(
        svg(
          'text',
          {
            x: at * cell + (matrix.isByNode ? 3 : 0),
            y: 10,
            fill: this.palette.ink2,
            'font-size': 10,
          },
          text,
        ),
      );
      if (matrix.isByNode && at > 0)
        strip.append(
          svg('line', { x1: at * cell, x2: at * cell, y2: STRIP, stroke: this.palette.ink2 }),
        );
    }
    return strip;
  }

  #heat(matrix: Matrix, cell: number, one: string, unit: string): Heat {
    const heat = new Heat(this.tooltip, this.drawing);
    heat.draw(
      {
        rows: matrix.rows.length,
        columns: matrix.columns.length,
        cellWidth: cell,
        cellHeight: ROW,
        colour: (row, column) => {
          const line = matrix.rows[row];
          const place = line && placeOf(line, line.values[column], matrix.kind);
          return place === undefined
            ? undefined
            : differenceColour(this.palette, place, matrix.bound);
        },
      },
      {
        label: `${formatPlural(matrix.rows.length, 'group')} by ${formatPlural(matrix.columns.length, one)}`,
        accent: this.palette.target,
        absent: this.palette.ink2,
        tip: (row, column) => this.#tip(matrix, row, column, one, unit),
        pick: (row) => {
          const group = matrix.rows[row]?.group;
          if (group !== undefined) this.context.emit({ type: 'select-group', group });
        },
      },
    );
    return heat;
  }

  #tip(matrix: Matrix, row: number, column: number, one: string, unit: string): TooltipContent {
    const [line, at] = [matrix.rows[row], matrix.columns[column]];
    if (!line || !at) return { title: '', rows: [] };
    const value = line.values[column];
    const isDifference = matrix.kind === 'difference';
    const isSeveral = at.text.includes('–');
    return {
      title: `${line.path.join(' › ')}, ${one}${isSeveral ? 's' : ''} ${at.text}`,
      rows: [
        ...(at.node === undefined ? [] : ([['NUMA node', String(at.node)]] as [string, string][])),
        [
          isDifference ? differenceName(matrix) : isSeveral ? 'mean of them' : 'value',
          isDifference ? formatDelta(value, unit) : formatValue(value, unit),
        ],
        ...(isDifference || value === undefined
          ? []
          : ([['of the mean', formatFactor(line.mean ? value / line.mean : undefined)]] as [
              string,
              string,
            ][])),
        ['mean', formatValue(line.mean, unit)],
        ['maximum', `${formatValue(line.max, unit)} at ${one} ${line.maxAt}`],
        ...(isDifference
          ? []
          : ([['imbalance', formatShare(line.imbalance)]] as [string, string][])),
      ],
      notes:
        value !== undefined
          ? ['Enter: select the group.']
          : isDifference
            ? ['The group does not occur there on both sides.']
            : ['The group does not occur there.'],
    };
  }

  #figures(matrix: Matrix, width: number, isNarrow: boolean, unit: string): HTMLElement {
    const list = html('div', { class: 'gs-locations-figures' });
    list.style.width = `${width}px`;
    const isDifference = matrix.kind === 'difference';
    const heads = isDifference
      ? isNarrow
        ? ['mean']
        : ['mean', 'maximum']
      : isNarrow
        ? ['imbal.']
        : ['mean', 'max − mean', 'imbalance'];
    const line = (...cells: readonly string[]): HTMLElement =>
      html(
        'div',
        { class: 'gs-locations-line' },
        ...cells.map((text) => html('span', { class: 'gs-number' }, text)),
      );
    const head = line(...heads);
    head.classList.add('gs-quiet');
    head.style.height = `${STRIP}px`;
    list.append(head);
    for (const row of matrix.rows) {
      const cells = isDifference
        ? [formatDelta(row.mean, unit), formatDelta(row.max, unit)]
        : [formatValue(row.mean, unit), formatValue(row.excess, unit), formatShare(row.imbalance)];
      const [first = '', last = ''] = [cells[0], cells.at(-1)];
      list.append(isNarrow ? line(isDifference ? first : last) : line(...cells));
    }
    return list;
  }

  #legend(matrix: Matrix, one: string, unit: string, order: Settings['order']): HTMLElement {
    const [width, steps] = [180, 24];
    const bar = svg('svg', { width, height: 10, 'aria-hidden': 'true' });
    for (let at = 0; at < steps; at += 1)
      bar.append(
        svg('rect', {
          x: (at * width) / steps,
          width: width / steps + 0.5,
          height: 10,
          fill: differenceColour(this.palette, (2 * at) / (steps - 1) - 1, 1),
        }),
      );
    const bound = matrix.bound;
    const [low, high] =
      matrix.kind === 'difference'
        ? [formatDelta(-bound, unit), `${formatDelta(bound, unit)}, ${differenceName(matrix)}`]
        : [
            formatFactor(1 - bound),
            `${formatFactor(1 + bound)} of the mean of the row${bound >= 1 ? ' or more' : ''}`,
          ];
    const hatched = html('span', { class: 'gs-locations-absent', 'aria-hidden': 'true' });
    return html(
      'div',
      { class: 'gs-legend gs-locations-legend' },
      html('span', {}, low, ' ', bar, ' ', high),
      html(
        'span',
        {},
        hatched,
        matrix.kind === 'difference'
          ? ' the group does not occur there on both sides'
          : ` the group does not occur on the ${one}`,
      ),
      ...(matrix.kind === 'difference' ? [] : [html('span', {}, 'imbalance: (max − mean) / max')]),
      ...(matrix.kind === 'relative' && order === 'imbalance' && matrix.rows.some(isMessagePassing)
        ? [html('span', {}, 'calls of MPI come last: ranks that compute less wait in them longer')]
        : []),
    );
  }
}
