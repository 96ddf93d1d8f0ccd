/** A row per group: name, a box per cohort, numbers. */

import { scaleLinear, scaleLog } from 'd3-scale';
import { categoryColour, ordinalColour } from '../logic/categories.ts';
import type { Palette } from '../logic/colour.ts';
import {
  columnUnit,
  formatFactor,
  formatNumber,
  formatPlural,
  formatShare,
  formatValue,
} from '../logic/format.ts';
import { stepped } from '../logic/outliers.ts';
import { uniqueNames } from '../logic/unique-names.ts';
import type { Cell } from '../logic/table.ts';
import type { Shown } from '../registry/definition.ts';
import { ChartView, nameOf } from '../ui/chart-view.ts';
import { html, svg } from '../ui/dom.ts';
import { Grid, type GridColumn } from '../ui/grid.ts';
import { type Numeric, whisker } from '../ui/plot.ts';
import type { Answers, Settings } from './definition.ts';
import {
  type BoxRow,
  boxRows,
  CELLS,
  cohortName,
  extentOf,
  type FarValue,
  farValues,
  keepsWhiskers,
  nearestRun,
  runValues,
  type RunValue,
  type StatsRow,
} from './model.ts';
import { cohortNames, isRatio, ratioColumns } from './ratios.ts';
import './boxes.css';

/** Widths of columns of values and of shares, and space at the edges. */
const NUMBER = 98;
const SHARE = 70;
const EDGE = 28;
/** Space around a name, and width of one of its characters. */
const NAME_MARGIN = 16;
const ADVANCE = 7.3;
/** Column of the boxes, and its width at least. */
const PICTURE = 'box';
const LEAST_PICTURE = 120;
const isPicture = ({ key }: GridColumn<BoxRow>): boolean => key === PICTURE;
/** Height of a box with its space. */
const BAND = 13;

export class BoxesView extends ChartView<Answers, Settings> {
  readonly #grids = new Map<number, Grid<BoxRow>>();
  #rows: readonly BoxRow[] = [];
  #current: Grid<BoxRow> | undefined;
  /** The outlier that N or P has led to. */
  #far: FarValue | undefined;
  #ownerName: (owner: string) => string = (owner) => owner;
  #open: (row: BoxRow, event: MouseEvent | KeyboardEvent) => RunValue | undefined = () => undefined;

  constructor() {
    super('boxes');
  }

  /** Goes to the outlier next farthest from its box. */
  step(by: number): void {
    const all = farValues(this.#rows);
    const isSame = (one: FarValue): boolean =>
      one.group === this.#far?.group &&
      one.cohort === this.#far.cohort &&
      one.owner === this.#far.owner;
    const at = stepped(all.findIndex(isSame), by, all.length);
    this.#far = all[at];
    if (!this.#far) {
      this.context.emit({ type: 'say', text: 'No value is beyond the whiskers' });
      return;
    }
    const { group, path, owner, value, unit, ranges } = this.#far;
    const far = Number.isFinite(ranges) ? `, ${formatNumber(ranges)} × the box away` : '';
    this.context.emit({ type: 'select', patch: { group } });
    this.redraw();
    this.#current?.go(group);
    this.context.emit({
      type: 'say',
      text: `Outlier ${at + 1} of ${all.length}: ${path[path.length - 1] ?? ''}, ${this.#ownerName(owner)}, ${formatValue(value, unit)}${far}`,
    });
  }

  protected draw(answers: Answers, shown: Shown<Settings>): void {
    const { settings } = shown;
    const rows = boxRows(answers, settings, shown.selection);
    this.#rows = rows;
    this.#ownerName = (owner) =>
      settings.over === 'runs'
        ? (shown.facts.runLabels.get(owner) ?? owner)
        : `${settings.over.slice(0, -1)} ${owner}`;
    const [low, high] = extentOf(rows, settings.log);
    const { columns, axis } = this.#columns(rows, settings, low, high);
    const hasPicture = columns.some(isPicture);
    const cohorts = Math.max(1, ...rows.map((row) => row.cohorts.length));
    // Cohorts of one or two runs are dots, which share one line.
    const bands = !hasPicture || rows.every(isDotted) ? 1 : Math.min(8, cohorts);
    const grid = this.#grid(Math.max(28, bands * BAND + 8));
    this.#current = grid;
    this.#open = (row, event) => {
      const { cohort, value } = event instanceof MouseEvent ? placeOf(row, axis, event) : {};
      return nearestRun(runValues(answers, row, cohort, shown.facts.cohorts), value);
    };
    const state = { sort: settings.sort, picked: [shown.selection.group] };
    grid.update(columns, rows, state);
    this.root.replaceChildren(this.#legend(rows, answers, shown, columns), grid.root);
    grid.update(columns, rows, state);
    grid.root.onpointermove = (event) => this.#hover(event, grid, shown);
    grid.root.onpointerleave = () => this.tooltip.hide();
  }

  /** Columns as far as there is room for them, and what places values in the pictures. */
  #columns(
    rows: readonly BoxRow[],
    settings: Settings,
    low: number,
    high: number,
  ): { readonly columns: GridColumn<BoxRow>[]; readonly axis: Axis } {
    const width = this.root.clientWidth || 900;
    const { format, unit } = columnUnit(high, rows[0]?.unit ?? 'unknown');
    const paths = rows.map(({ path }) => path.join(' › '));
    const isNarrow = width < 760;
    const nameWidth = isNarrow ? 130 : 230;
    const names = uniqueNames(paths, Math.floor((nameWidth - NAME_MARGIN) / ADVANCE));
    const nameByRow = new Map(rows.map((row, index) => [row.group, names[index] ?? '']));
    const number = (
      key: string,
      of: (value: number | undefined) => string = format,
      unitText = unit,
      columnWidth = NUMBER,
    ): GridColumn<BoxRow> => {
      const cell = (row: BoxRow): Cell => CELLS[key]?.(row);
      const draw = (row: BoxRow): string => of((cell(row) as number | null) ?? undefined);
      return { key, title: key, unit: unitText, width: columnWidth, isNumber: true, cell, draw };
    };
    const ratios =
      settings.numbers === 'cohorts'
        ? ratioColumns(
            rows,
            this.palette,
            width - nameWidth - (isNarrow ? 0 : NUMBER) - SHARE - EDGE,
          )
        : [];
    const hasDifference = rows.some((row) => CELLS['difference']?.(row) !== undefined);
    const spread = [
      number('median'),
      ...(hasDifference ? [number('difference', format, unit, 112)] : []),
      number('mean'),
      number('max'),
      number('spread', formatShare, '', SHARE),
      number('imbalance', formatShare, ''),
      number('absent', (value) => (value ? String(value) : ''), ''),
    ];
    const sorted = settings.sort.replace(/^-/, '');
    const fitting = spread.filter(
      ({ key }) =>
        (isNarrow && key === sorted) ||
        (key === 'median' && (!isNarrow || !spread.some((one) => one.key === sorted))) ||
        (!isNarrow && (width >= 1000 || (key !== 'mean' && key !== 'max' && key !== 'absent'))),
    );
    const numbers =
      ratios.length > 0
        ? [
            ...(isNarrow ? [] : [number('lowest')]),
            ...ratios,
            number('ratio', formatFactor, '', SHARE),
          ]
        : fitting;
    const room = numbers.reduce((sum, column) => sum + (column.width ?? 0), nameWidth);
    const left = width - room - EDGE;
    // Ratios of all cohorts say more than boxes in too little room.
    const hasPicture = ratios.length === 0 || left >= LEAST_PICTURE;
    const picture = Math.max(LEAST_PICTURE, left);
    const axis: Axis = { width: picture - 16, settings, low, high, far: this.#far };
    const head =
      settings.axis === 'own'
        ? 'each on its own axis'
        : `${format(low)} to ${format(high)} ${unit}`.trimEnd();
    return {
      axis,
      columns: [
        {
          key: 'name',
          title: 'group',
          width: nameWidth,
          cell: (row) => CELLS['name']?.(row),
          draw: (row) => nameOf(row.path.join(' › '), nameByRow.get(row.group)),
        },
        ...(hasPicture
          ? [
              {
                key: PICTURE,
                title: head,
                width: picture,
                draw: (row: BoxRow) => drawBoxes(this.palette, row, axis),
              },
            ]
          : []),
        ...numbers,
      ],
    };
  }

  /** Kept over redraws, so that scrolling and cursor stay. */
  #grid(height: number): Grid<BoxRow> {
    const known = this.#grids.get(height);
    if (known) return known;
    const made = new Grid<BoxRow>(
      {
        label: 'Box plots of groups',
        rowHeight: height,
        key: (row) => row.group,
        pick: ({ group }) => this.context.emit({ type: 'select-group', group }),
        open: (row, event) => this.#openRun(row, event),
        sort: (sort) => this.context.emit({ type: 'set', values: { sort }, isReplacing: true }),
      },
      this.life,
    );
    this.#grids.set(height, made);
    return made;
  }

  /** Opens the run whose value is the nearest to the pointer, at the group of the row. */
  #openRun(row: BoxRow, event: MouseEvent | KeyboardEvent): void {
    const found = this.#open(row, event);
    const definition = row.path[row.path.length - 1] ?? '';
    if (found) this.context.emit({ type: 'open-run', run: found.run, patch: { definition } });
    else this.context.emit({ type: 'say', text: 'The values of the runs are not known yet' });
  }

  #hover(event: PointerEvent, grid: Grid<BoxRow>, { settings, facts }: Shown<Settings>): void {
    const { over } = settings;
    const line = event.target instanceof Element ? event.target.closest('[data-row]') : null;
    const row = grid.rows[Number(line?.getAttribute('data-row') ?? NaN)];
    if (!row) {
      this.tooltip.hide();
      return;
    }
    const rows: [string, string][] = [];
    for (const cohort of row.cohorts.slice(0, 8)) {
      const name = cohortName(cohort) || 'all runs';
      rows.push([
        name,
        `${formatValue(cohort.min, row.unit)} · ${formatValue(cohort.q1, row.unit)} · ${formatValue(cohort.median, row.unit)} · ${formatValue(cohort.q3, row.unit)} · ${formatValue(cohort.max, row.unit)}`,
      ]);
      for (const outlier of cohort.box_plot?.outliers.slice(0, 3) ?? [])
        rows.push([
          `outlier ${this.#ownerName(outlier.owner)}`,
          formatValue(outlier.value, row.unit),
        ]);
    }
    const near = this.#open(row, event);
    const name = near && facts.runLabels.get(near.run);
    const value = near && formatValue(near.value, row.unit);
    this.tooltip.show(
      {
        title: row.path.join(' › '),
        rows,
        notes: [
          `lowest · quartile · median · quartile · highest over ${over}`,
          ...(name ? [`Double click: open ${name}, ${value}. O: the run with the largest.`] : []),
        ],
      },
      event.clientX,
      event.clientY,
    );
  }

  #legend(
    rows: readonly BoxRow[],
    answers: Answers,
    shown: Shown<Settings>,
    columns: readonly GridColumn<BoxRow>[],
  ): HTMLElement {
    const hasPicture = columns.some(isPicture);
    const names = cohortNames(rows);
    const { target } = shown.selection;
    const legend = html(
      'div',
      { class: 'gs-legend gs-boxes-legend' },
      html(
        'span',
        {},
        `${formatPlural(rows.length, 'group')}${hasPicture ? `; ${boxText(rows, shown.settings.whiskers)}` : ''}`,
      ),
    );
    if (names.length > 1 && shown.settings.numbers === 'cohorts') {
      const drawn = columns.filter(isRatio).length;
      const room = drawn < names.length ? `; ${drawn} of ${names.length} cohorts have room` : '';
      const text = `ratio: median over the lowest median of the row${room}. Not tested: Compare tests two cohorts`;
      legend.append(html('span', {}, text));
    }
    if (names.length > 1)
      for (const [index, name] of names.entries()) {
        const swatch = html('span', { class: 'gs-swatch-dot' });
        swatch.style.background = colourOf(this.palette, index, names.length);
        legend.append(html('span', {}, swatch, name));
      }
    if (target && shown.settings.over === 'runs') {
      const isDrawn = answers.target !== undefined;
      const mark = svg(
        'svg',
        { class: 'gs-swatch-dot', viewBox: '-7 -7 14 14' },
        svg('path', { d: 'M0,5L5,-4H-5Z', fill: this.palette.target }),
      );
      legend.append(
        html(
          'span',
          {},
          mark,
          isDrawn ? target.name : `${target.name}: several runs are not marked`,
        ),
      );
    }
    return legend;
  }
}

/** What the parts of a box mean. */
function boxText(rows: readonly BoxRow[], whiskers: Settings['whiskers']): string {
  const reach = whiskers === 'range' ? 'all values' : `${whiskers} × the box`;
  const kept = rows.some((row) => keepsWhiskers(row, whiskers))
    ? ' (1.5 × where the answer does not list all values beyond)'
    : '';
  return `box: quartiles, line: median, whiskers: ${reach}${kept}`;
}

function colourOf(palette: Palette, index: number, count: number): string {
  return count > 8 ? categoryColour(palette, index) : ordinalColour(palette, index, count);
}

/** Whether no cohort has enough runs for a box. */
function isDotted({ cohorts }: BoxRow): boolean {
  return cohorts.every(({ runs }) => runs < 3);
}

/** What places values in the pictures of the rows. */
interface Axis {
  readonly width: number;
  readonly settings: Settings;
  readonly low: number;
  readonly high: number;
  /** The outlier to mark. */
  readonly far: FarValue | undefined;
}

function scaleOf(row: BoxRow, { width, settings, low, high }: Axis): Numeric {
  const [from, to] = settings.axis === 'own' ? extentOf([row], settings.log) : [low, high];
  return settings.log && from > 0
    ? scaleLog([from, to], [4, width - 4])
    : scaleLinear([from, to], [4, width - 4]);
}

/** Whether all cohorts of a row are on one line. */
function isOneLine(row: BoxRow): boolean {
  return row.cohorts.length === 1 || isDotted(row);
}

/** The cohort and the value under the pointer, as far as it is on the picture of the row. */
function placeOf(
  row: BoxRow,
  axis: Axis,
  event: MouseEvent,
): { readonly cohort?: StatsRow | undefined; readonly value?: number } {
  const picture = event.target instanceof Element ? event.target.closest('svg') : null;
  if (!picture) return {};
  const box = picture.getBoundingClientRect();
  const line = Math.floor((event.clientY - box.top) / BAND);
  return {
    cohort: isOneLine(row) ? undefined : row.cohorts[line],
    value: scaleOf(row, axis).invert(event.clientX - box.left),
  };
}

function drawBoxes(palette: Palette, row: BoxRow, axis: Axis): SVGSVGElement {
  const cohorts = row.cohorts.slice(0, 8);
  const { width } = axis;
  const isOnOneLine = isOneLine(row);
  const height = isOnOneLine ? 20 : Math.max(20, cohorts.length * BAND);
  const x = scaleOf(row, axis);
  const picture = svg('svg', { width, height, 'aria-hidden': 'true' });
  for (const tick of x.ticks(4))
    picture.append(
      svg('line', { x1: x(tick), x2: x(tick), y1: 0, y2: height, stroke: palette.line }),
    );
  for (const [index, cohort] of cohorts.entries()) {
    const middle = isOnOneLine ? height / 2 : index * BAND + BAND / 2;
    const colour = cohorts.length > 1 ? colourOf(palette, index, row.cohorts.length) : palette.ink2;
    picture.append(...boxOf(palette, cohort, x, middle, colour));
    if (axis.far?.group === row.group && axis.far.cohort === index)
      picture.append(
        svg('circle', {
          class: 'gs-far',
          cx: x(axis.far.value),
          cy: middle,
          r: 5,
          fill: palette.accent,
          stroke: palette.ground,
        }),
      );
  }
  if (row.target !== undefined) {
    const at = x(row.target);
    picture.append(
      svg('line', { x1: at, x2: at, y1: 0, y2: height, stroke: palette.ground, 'stroke-width': 4 }),
      svg('line', { x1: at, x2: at, y1: 0, y2: height, stroke: palette.target, 'stroke-width': 2 }),
      svg('path', { d: `M${at - 4},0h8l-4,6Z`, fill: palette.target }),
    );
  }
  return picture;
}

function boxOf(
  palette: Palette,
  row: StatsRow,
  x: Numeric,
  middle: number,
  colour: string,
): SVGElement[] {
  const { q1, q3, median, box_plot: box } = row;
  if (typeof median !== 'number') return [];
  if (typeof q1 !== 'number' || typeof q3 !== 'number' || row.runs < 3)
    return [svg('circle', { cx: x(median), cy: middle, r: 3, fill: colour })];
  const parts: SVGElement[] = [];
  const [least, most] = box?.whiskers ?? [row.min, row.max];
  if (typeof least === 'number' && typeof most === 'number')
    parts.push(whisker([x(least), middle], [x(most), middle], colour, 3));
  parts.push(
    svg('rect', {
      x: x(q1),
      y: middle - 4.5,
      width: Math.max(1, x(q3) - x(q1)),
      height: 9,
      fill: palette.ground,
      stroke: colour,
    }),
    svg('rect', {
      x: x(q1),
      y: middle - 4.5,
      width: Math.max(1, x(q3) - x(q1)),
      height: 9,
      fill: colour,
      'fill-opacity': 0.22,
    }),
    svg('line', {
      x1: x(median),
      x2: x(median),
      y1: middle - 5,
      y2: middle + 5,
      stroke: colour,
      'stroke-width': 2.5,
    }),
  );
  for (const outlier of box?.outliers ?? [])
    parts.push(
      svg('circle', { cx: x(outlier.value), cy: middle, r: 2, fill: 'none', stroke: colour }),
    );
  return parts;
}
