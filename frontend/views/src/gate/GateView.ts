/** The outcome of a gate, its reasons, and a row per group with its change against its limit. */

import { scaleLinear } from 'd3-scale';
import {
  formatChange,
  formatPlural,
  formatNumber,
  formatShare,
  formatTick,
} from '../logic/format.ts';
import { uniqueNames } from '../logic/unique-names.ts';
import type { Shown } from '../registry/definition.ts';
import { ChartView, nameOf } from '../ui/chart-view.ts';
import { html, svg } from '../ui/dom.ts';
import { Grid, type GridColumn } from '../ui/grid.ts';
import { whisker } from '../ui/plot.ts';
import type { Answers, Settings } from './definition.ts';
import './gate.css';

type Gate = Answers['gate'];
type Row = Gate['groups'][number];
type State = Row['state'];

/** Signs and words of what the gate says of a group. */
const STATES: Readonly<Record<State, readonly [string, string, string]>> = {
  failed: ['▲', 'failed', 'gs-worse'],
  undecided: ['?', 'undecided', 'gs-undecided'],
  passed: ['✓', 'passed', 'gs-quiet'],
  small: ['·', 'too small', 'gs-quiet'],
  not_asked: ['·', 'not asked', 'gs-quiet'],
};

const OUTCOMES = {
  failed: ['▲ Failed', 'gs-worse'],
  passed: ['✓ Passed', 'gs-better'],
  inconclusive: ['? Inconclusive', 'gs-undecided'],
} as const;

export class GateView extends ChartView<Answers, Settings> {
  #grid: Grid<Row> | undefined;

  constructor() {
    super('gate');
  }

  protected draw({ gate }: Answers, shown: Shown<Settings>): void {
    const grid = this.#rows();
    const width = this.root.clientWidth || 1000;
    const columns = this.#columns(gate, width);
    const state = { sort: shown.settings.sort, picked: [shown.selection.group] };
    this.root.replaceChildren(this.#title(gate), this.#reasons(gate), grid.root);
    grid.update(columns, gate.groups, state);
  }

  #title(gate: Gate): HTMLElement {
    const [text, look] = OUTCOMES[gate.outcome];
    const { total, limits } = gate;
    const title = html('header', { class: 'gs-title' }, html('h2', { class: look }, text));
    if (total) title.append(html('h2', {}, `whole run ${formatChange(total.regression)}`));
    title.append(
      html(
        'span',
        { class: 'gs-quiet gs-grow' },
        [
          ...(total?.ci
            ? [`interval ${total.ci.map((end) => formatChange(Number(end) - 1)).join(' to ')}`]
            : []),
          ...(total ? [`p ${formatNumber(total.p)}`] : []),
          `limit ${formatShare(limits.max_regression)} of a group and ${formatShare(limits.min_share)} of the total`,
        ].join(', '),
      ),
    );
    return title;
  }

  #reasons(gate: Gate): HTMLElement {
    const { structure_change: change, untested_total: untested, incomplete } = gate;
    const texts = [
      ...gate.reasons.map(({ text }) => text),
      ...(change ? [change.text] : []),
      ...(untested ? [untested.text] : []),
      ...(incomplete ? [incomplete.text] : []),
      ...(gate.runs_needed
        ? [`${formatPlural(gate.runs_needed, 'run')} per side would decide what is undecided`]
        : []),
    ];
    return html('ul', { class: 'gs-reasons' }, ...texts.map((text) => html('li', {}, text)));
  }

  #rows(): Grid<Row> {
    this.#grid ??= new Grid<Row>(
      {
        label: 'Groups of the gate',
        rowHeight: 28,
        key: ({ group }) => group,
        pick: ({ group }) => this.context.emit({ type: 'select-group', group }),
        sort: (sort) => this.context.emit({ type: 'set', values: { sort }, isReplacing: true }),
      },
      this.life,
    );
    return this.#grid;
  }

  #columns(gate: Gate, width: number): GridColumn<Row>[] {
    const names = uniqueNames(
      gate.groups.map(({ path }) => path.join(' › ')),
      width > 900 ? 44 : 22,
    );
    const nameByGroup = new Map(gate.groups.map((row, index) => [row.group, names[index] ?? '']));
    const picture = Math.max(120, Math.min(260, width * 0.22));
    const ends = gate.groups
      .filter(({ state }) => state !== 'small')
      .flatMap((row) => intervalOf(gate, row) ?? []);
    const reach = Math.min(2, Math.max(0.1, ...ends.map((end) => Math.abs(end - 1))));
    const columns: GridColumn<Row>[] = [
      {
        key: 'state',
        title: 'gate',
        width: 104,
        cell: ({ state }) => Object.keys(STATES).indexOf(state),
        draw: ({ state }) =>
          html('span', { class: STATES[state][2] }, `${STATES[state][0]} ${STATES[state][1]}`),
      },
      {
        key: 'name',
        title: 'group',
        width: width > 900 ? 330 : 180,
        cell: ({ path }) => path.join(' › '),
        draw: (row) => nameOf(row.path.join(' › '), nameByGroup.get(row.group)),
      },
      {
        key: 'regression',
        title: 'worse by',
        width: 84,
        isNumber: true,
        cell: ({ regression }) => regression,
        draw: ({ regression }) => formatChange(regression),
      },
      {
        key: 'picture',
        title: `−${formatTick(reach * 100, 'count')} % to +${formatTick(reach * 100, 'count')} %`,
        width: picture,
        draw: (row) => this.#whisker(gate, row, picture - 16, reach),
      },
      {
        key: 'share',
        title: 'share',
        width: 88,
        isNumber: true,
        cell: ({ share }) => share,
        draw: ({ share }) => formatShare(share),
      },
      {
        key: 'q',
        title: 'q',
        width: 70,
        isNumber: true,
        cell: (row) => gate.diff.rows[row.row]?.q,
        draw: (row) => formatNumber(gate.diff.rows[row.row]?.q),
      },
      {
        key: 'reason',
        title: 'why',
        draw: ({ reason }) => html('span', { class: 'gs-cut', title: reason.text }, reason.text),
      },
    ];
    return width > 760
      ? columns
      : columns.filter(({ key }) => ['state', 'name', 'regression'].includes(key));
  }

  /** The change with its interval on one axis for all rows; the limit is a tick. */
  #whisker(gate: Gate, row: Row, width: number, reach: number): SVGSVGElement {
    const { palette } = this;
    const x = scaleLinear([1 - reach, 1 + reach], [4, width - 4]).clamp(true);
    const picture = svg('svg', { width, height: 24, 'aria-hidden': 'true' });
    const isUpWorse = gate.diff.direction !== 'higher_is_better';
    const limit = isUpWorse ? 1 + row.limit : 1 - row.limit;
    picture.append(
      svg('line', { x1: x(1), x2: x(1), y1: 2, y2: 22, stroke: palette.line }),
      svg('line', {
        x1: x(limit),
        x2: x(limit),
        y1: 4,
        y2: 20,
        stroke: palette.ink2,
        'stroke-dasharray': '2 2',
      }),
    );
    const interval = intervalOf(gate, row);
    const ratio = gate.diff.rows[row.row]?.ratio;
    const colour = row.state === 'failed' ? palette.difference[2] : palette.ink2;
    if (interval) picture.append(whisker([x(interval[0]), 12], [x(interval[1]), 12], colour));
    if (typeof ratio === 'number')
      picture.append(
        svg('circle', {
          cx: x(ratio),
          cy: 12,
          r: 3.5,
          fill: row.state === 'failed' ? colour : palette.ground,
          stroke: colour,
        }),
      );
    return picture;
  }
}

function intervalOf(gate: Gate, row: Row): readonly [number, number] | undefined {
  const [low, high] = gate.diff.rows[row.row]?.ci ?? [];
  return typeof low === 'number' && typeof high === 'number' ? [low, high] : undefined;
}
