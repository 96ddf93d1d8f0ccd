/** A row per function, and callers and callees of the selected one as two icicles. */

import { scaleLinear } from 'd3-scale';
import type { Diff } from '../api.ts';
import { mix, textOn } from '../logic/colour.ts';
import {
  columnUnit,
  formatCount,
  formatDelta,
  formatPlural,
  formatShare,
  formatValue,
} from '../logic/format.ts';
import { charactersIn } from '../logic/names.ts';
import { uniqueNames } from '../logic/unique-names.ts';
import { verdictClass, verdictText } from '../logic/verdicts.ts';
import type { Shown } from '../registry/definition.ts';
import { ChartView, nameOf } from '../ui/chart-view.ts';
import { html, monoAdvance, svg, textStyle } from '../ui/dom.ts';
import { Grid, type GridColumn } from '../ui/grid.ts';
import { whisker } from '../ui/plot.ts';
import type { Answers, Settings } from './definition.ts';
import {
  type Cell,
  contextTree,
  type FunctionRow,
  functionRows,
  icicleOf,
  invertedOf,
  type StatsRow,
} from './model.ts';
import './functions.css';

const WIDE = 900;
const ROW = 22;
const SPREAD = 120;

export class FunctionsView extends ChartView<Answers, Settings> {
  #grid: Grid<FunctionRow> | undefined;

  constructor() {
    super('functions');
  }

  protected draw(answers: Answers, shown: Shown<Settings>): void {
    const rows = functionRows(answers, shown.settings.filter);
    const width = this.root.clientWidth || 1000;
    const isWide = width >= WIDE;
    this.root.classList.toggle('is-wide', isWide);
    const side = isWide ? Math.min(560, Math.round(width * 0.42)) : width;
    const state = {
      sort: shown.settings.sort || (answers.diff ? '-delta' : '-exclusive'),
      picked: shown.selection.group ? [shown.selection.group] : [],
    };
    const columns = this.#columns(answers, rows, isWide ? width - side : width);
    const grid = this.#rows();
    grid.update(columns, rows, state);
    const chosen = rows.find(({ group }) => group === shown.selection.group) ?? grid.rows[0];
    const unit = rows[0]?.exclusive?.unit ?? rows[0]?.inclusive?.unit ?? 'unknown';
    const butterfly = html('div', { class: 'gs-butterfly' });
    if (shown.settings.inverted)
      butterfly.append(...this.#inverted(answers, shown.settings.filter, side - 33, unit));
    else if (chosen) butterfly.append(...this.#butterfly(answers, chosen, side - 33, unit));
    this.root.style.setProperty('--side', `${side}px`);
    this.root.replaceChildren(grid.root, butterfly);
    grid.update(columns, rows, state);
  }

  #rows(): Grid<FunctionRow> {
    this.#grid ??= new Grid<FunctionRow>(
      {
        label: 'Functions',
        key: ({ group }) => group,
        pick: ({ group }) => this.context.emit({ type: 'select-group', group }),
        sort: (sort) => this.context.emit({ type: 'set', values: { sort }, isReplacing: true }),
      },
      this.life,
    );
    return this.#grid;
  }

  #columns(
    answers: Answers,
    rows: readonly FunctionRow[],
    width: number,
  ): GridColumn<FunctionRow>[] {
    const names = uniqueNames(
      rows.map(({ name }) => name),
      Math.max(14, Math.floor((width - 420) / 7.4)),
    );
    const nameByGroup = new Map(rows.map(({ group }, index) => [group, names[index] ?? '']));
    const name: GridColumn<FunctionRow> = {
      key: 'name',
      title: 'function',
      cell: (row) => row.name,
      draw: (row) => nameOf(row.name, nameByGroup.get(row.group)),
    };
    const values = answers.diff ? comparedColumns(answers.diff, rows) : plainColumns(rows);
    const columns = [name, ...values];
    if (width > 640) {
      const sidesOf = (row: FunctionRow): readonly (StatsRow | undefined)[] =>
        answers.diff ? [row.a, row.b] : [row.exclusive];
      const high = rows.reduce(
        (most, row) => Math.max(most, ...sidesOf(row).map((side) => side?.max ?? 0)),
        0,
      );
      columns.push({
        key: 'spread',
        title: answers.diff ? 'runs of A above, B' : 'over runs',
        width: SPREAD + 16,
        draw: (row) => this.#spread(sidesOf(row), high),
      });
    }
    return width > 460
      ? columns
      : columns.filter(({ key }) => ['name', 'exclusive', 'delta', 'verdict'].includes(key));
  }

  /** A box plot of the runs of each side, on one axis for all rows. */
  #spread(sides: readonly (StatsRow | undefined)[], high: number): SVGSVGElement {
    const { palette } = this;
    const picture = svg('svg', { width: SPREAD, height: 20, 'aria-hidden': 'true' });
    const x = scaleLinear([0, high || 1], [2, SPREAD - 2]);
    const room = 20 / sides.length;
    sides.forEach((row, at) => {
      const { min, max, q1, q3, median } = row ?? {};
      if (typeof min !== 'number' || typeof max !== 'number' || typeof median !== 'number') return;
      const middle = room * (at + 0.5);
      const half = Math.min(4, room / 2 - 1);
      picture.append(whisker([x(min), middle], [x(max), middle], palette.ink2, half - 1));
      if (typeof q1 === 'number' && typeof q3 === 'number')
        picture.append(
          svg('rect', {
            x: x(q1),
            y: middle - half,
            width: Math.max(1, x(q3) - x(q1)),
            height: 2 * half,
            fill: palette.ensemble,
          }),
        );
      picture.append(
        svg('line', {
          x1: x(median),
          x2: x(median),
          y1: middle - half - 1,
          y2: middle + half + 1,
          stroke: palette.ink,
          'stroke-width': 2,
        }),
      );
    });
    return picture;
  }

  /** The bottom-up tree of all functions, or of those whose names contain the filter. */
  #inverted(answers: Answers, filter: string, width: number, unit: string): Node[] {
    const wanted = filter.trim().toLowerCase();
    const { cells, total, omitted } = invertedOf(contextTree(answers.contexts.rows), (name) =>
      name.toLowerCase().includes(wanted),
    );
    return [
      html(
        'h3',
        {},
        'bottom-up ',
        html('small', {}, `${formatValue(total, unit)}, ${over(answers)}`),
      ),
      html(
        'p',
        { class: 'gs-quiet' },
        `callers of the functions in the last row${omittedText(omitted)}`,
      ),
      this.#icicle(answers, cells, width, unit, true),
    ];
  }

  #butterfly(answers: Answers, chosen: FunctionRow, width: number, unit: string): Node[] {
    const tree = contextTree(answers.contexts.rows);
    const name = chosen.leaf;
    const callers = icicleOf(tree, name, 'callers');
    const callees = icicleOf(tree, name, 'callees');
    const head = html(
      'h3',
      {},
      nameOf(name),
      ' ',
      html('small', {}, `${formatValue(callees.total, unit)}, ${over(answers)}`),
    );
    if (callees.cells.length === 0)
      return [
        head,
        html(
          'p',
          { class: 'gs-quiet' },
          'No call path ends in this name: it stands for several functions.',
        ),
      ];
    return [
      head,
      html('p', { class: 'gs-quiet' }, `called by${omittedText(callers.omitted)}`),
      this.#icicle(answers, callers.cells, width, unit, true),
      this.#icicle(answers, callees.cells, width, unit, false),
      html('p', { class: 'gs-quiet' }, `calls; the rest is its own${omittedText(callees.omitted)}`),
    ];
  }

  #icicle(
    answers: Answers,
    cells: readonly Cell[],
    width: number,
    unit: string,
    isUp: boolean,
  ): SVGSVGElement {
    const { palette } = this;
    const depth = cells.reduce((most, cell) => Math.max(most, cell.depth), 0);
    // The function itself is drawn once, with what it calls.
    const first = isUp ? 1 : 0;
    const height = Math.max(0, depth - first + 1) * ROW;
    const picture = svg('svg', {
      class: 'gs-plot',
      width,
      height: Math.max(1, height),
      role: 'group',
      'aria-label': isUp ? 'Callers' : 'Callees',
    });
    const groupByName = new Map(
      answers.inclusive.rows.map((row) => [row.path[row.path.length - 1] ?? '', row.group]),
    );
    const total = cells[0]?.value ?? 1;
    for (const cell of cells) {
      if (cell.depth < first) continue;
      const row = isUp ? depth - cell.depth : cell.depth;
      const [x, y] = [cell.from * width, row * ROW];
      const size = Math.max(1, cell.size * width - 1);
      const blue = palette.exclusive[3] ?? palette.ink2;
      const fill =
        cell.depth === 0 ? blue : mix(palette.ground, blue, 0.12 + 0.3 * Math.sqrt(cell.size));
      const mark = svg('g', {}, svg('rect', { x, y, width: size, height: ROW - 1, fill }));
      const room = charactersIn(size - 8, monoAdvance(11));
      if (room >= 4)
        mark.append(
          svg(
            'text',
            {
              ...textStyle(11, true),
              x: x + 4,
              y: y + 15,
              fill: textOn(fill),
              'pointer-events': 'none',
            },
            uniqueNames([cell.name], room)[0] ?? '',
          ),
        );
      const group = groupByName.get(cell.name);
      this.marks.add(mark, {
        key: `${isUp ? 'up' : 'down'} ${cell.depth} ${cell.from.toFixed(6)} ${cell.name}`,
        tip: () => ({
          title: cell.name,
          rows: [
            [
              isUp ? 'of the function, through it' : 'with what it calls',
              formatValue(cell.value, unit),
            ],
            ['share of the function', formatShare(cell.value / total)],
          ],
          notes: group ? ['Click or Enter: select it.'] : [],
        }),
        ...(group ? { pick: () => this.context.emit({ type: 'select-group', group }) } : {}),
      });
      picture.append(mark);
    }
    return picture;
  }
}

/** Whose means the values of call paths are. */
function over({ diff }: Answers): string {
  return diff ? 'mean over the runs of both sides' : 'mean over runs';
}

/** Values of functions without a comparison. */
function plainColumns(rows: readonly FunctionRow[]): GridColumn<FunctionRow>[] {
  const unitName = rows[0]?.exclusive?.unit ?? 'unknown';
  const most = (of: (row: FunctionRow) => StatsRow | undefined): number =>
    rows.reduce((high, row) => Math.max(high, of(row)?.mean ?? 0), 0);
  const top = most((row) => row.exclusive);
  const exclusive = columnUnit(top, unitName);
  const inclusive = columnUnit(
    most((row) => row.inclusive),
    unitName,
  );
  return [
    {
      key: 'exclusive',
      title: 'exclusive',
      unit: exclusive.unit,
      width: 112,
      isNumber: true,
      cell: (row) => row.exclusive?.mean,
      draw: (row) => barred(row.exclusive?.mean, top, exclusive.format(row.exclusive?.mean)),
    },
    {
      key: 'share',
      title: 'share',
      width: 66,
      isNumber: true,
      cell: (row) => row.exclusive?.share,
      draw: (row) => formatShare(row.exclusive?.share),
    },
    {
      key: 'inclusive',
      title: 'inclusive',
      unit: inclusive.unit,
      width: 104,
      isNumber: true,
      cell: (row) => row.inclusive?.mean,
      draw: (row) => inclusive.format(row.inclusive?.mean),
    },
    {
      key: 'runs',
      title: 'runs',
      width: 52,
      isNumber: true,
      cell: (row) => row.inclusive?.runs,
      draw: (row) => formatCount(row.inclusive?.runs),
    },
  ];
}

/** Exclusive values of both sides, and their difference. */
function comparedColumns(diff: Diff, rows: readonly FunctionRow[]): GridColumn<FunctionRow>[] {
  const meanOf = (row: FunctionRow, side: 'a' | 'b'): number | null | undefined =>
    row.diff?.[side] ?? row[side]?.mean;
  const top = rows.reduce(
    (high, row) => Math.max(high, meanOf(row, 'a') ?? 0, meanOf(row, 'b') ?? 0),
    0,
  );
  const unit = columnUnit(top, diff.unit);
  const sides = (['a', 'b'] as const).map((side): GridColumn<FunctionRow> => ({
    key: side,
    title: side.toUpperCase(),
    unit: unit.unit,
    width: 92,
    isNumber: true,
    cell: (row) => meanOf(row, side),
    draw: (row) => barred(meanOf(row, side), top, unit.format(meanOf(row, side))),
  }));
  return [
    ...sides,
    {
      key: 'delta',
      title: 'B − A',
      width: 80,
      isNumber: true,
      cell: (row) => row.diff?.delta,
      draw: (row) => formatDelta(row.diff?.delta, diff.unit),
    },
    {
      key: 'verdict',
      title: 'is',
      width: 112,
      cell: (row) => row.diff?.verdict,
      draw: (row) =>
        row.diff
          ? html(
              'span',
              { class: verdictClass(row.diff.verdict), title: row.diff.reason.text },
              verdictText(row.diff.verdict),
            )
          : '–',
    },
    {
      key: 'runs',
      title: 'runs',
      width: 60,
      isNumber: true,
      cell: (row) => row.diff && row.diff.runs_a + row.diff.runs_b,
      draw: (row) =>
        row.diff ? `${formatCount(row.diff.runs_a)} : ${formatCount(row.diff.runs_b)}` : '–',
    },
  ];
}

/** A number over a bar of its size. */
function barred(value: number | null | undefined, top: number, text: string): HTMLElement {
  const bar = html('span', { class: 'gs-cell-bar' });
  bar.style.width = `${top > 0 ? ((value ?? 0) / top) * 100 : 0}%`;
  return html('span', { class: 'gs-barred' }, bar, html('span', {}, text));
}

function omittedText(count: number): string {
  return count > 0 ? `; ${formatPlural(count, 'path')} below 0.2 % or deeper not drawn` : '';
}
