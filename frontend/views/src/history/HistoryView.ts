/** Versions of one environment: the chosen group over versions, events, and a row per group. */

import { scaleLinear, scalePoint } from 'd3-scale';
import { area, line } from 'd3-shape';
import { mix } from '../logic/colour.ts';
import {
  columnUnit,
  formatFactor,
  formatParameter,
  formatPlural,
  formatNumber,
  formatShare,
  formatTick,
  formatValue,
} from '../logic/format.ts';
import { uniqueNames } from '../logic/unique-names.ts';
import {
  CHANGE_SIGNS,
  changeText,
  VERDICT_SIGNS,
  verdictClass,
  verdictText,
} from '../logic/verdicts.ts';
import type { Shown } from '../registry/definition.ts';
import { ChartView, nameOf, section } from '../ui/chart-view.ts';
import { html, svg } from '../ui/dom.ts';
import { Grid, type GridColumn } from '../ui/grid.ts';
import { Plot, ticksOf } from '../ui/plot.ts';
import type { Answers, Settings } from './definition.ts';
import { drawSpark, SPARK_WIDTH } from './spark.ts';
import './history.css';

type History = Answers['history'];
type Series = History['series'][number];
type Group = Series['groups'][number];
type Value = NonNullable<Group['values'][number]>;

const WIDE = 900;

export class HistoryView extends ChartView<Answers, Settings> {
  #grid: Grid<Group> | undefined;

  constructor() {
    super('history');
  }

  protected draw({ history }: Answers, shown: Shown<Settings>): void {
    const series = history.series[shown.settings.series] ?? history.series[0];
    if (!series) return;
    const width = this.root.clientWidth || 1000;
    const isWide = width >= WIDE;
    this.root.classList.toggle('is-wide', isWide);
    const main = width - (isWide ? 320 : 0);
    const group =
      series.groups.find((one) => one.group === shown.settings.group) ?? series.groups[0];
    const grid = this.#rows();
    const columns = this.#columns(series, main);
    const state = { sort: shown.settings.sort, picked: group ? [group.group] : [] };
    grid.update(columns, series.groups, state);
    this.root.replaceChildren(
      this.#title(history, series),
      html(
        'div',
        { class: 'gs-split' },
        html(
          'div',
          { class: 'gs-history-main' },
          ...(group
            ? [this.#chart(history, series, group, main - 36, shown.selection.metric?.label)]
            : []),
          grid.root,
        ),
        html(
          'aside',
          { class: 'gs-side' },
          this.#events(history, series),
          ...this.#renames(history),
        ),
      ),
    );
    grid.update(columns, series.groups, state);
  }

  #title(history: History, series: Series): HTMLElement {
    const total = series.groups.find((group) => group.group === 'total') ?? series.groups[0];
    const last = total?.last;
    const version = series.points[series.points.length - 1]?.version;
    const title = html('header', { class: 'gs-title' });
    if (last) {
      title.append(
        html('h2', {}, `${history.by} ${formatParameter(version)}: ${formatFactor(last.ratio)}`),
        html('h2', { class: verdictClass(last.verdict) }, verdictText(last.verdict)),
      );
      const interval = last.ci
        ? `[${last.ci.map((end) => formatFactor(Number(end))).join(', ')}]`
        : '';
      title.append(
        html(
          'span',
          { class: 'gs-quiet gs-grow' },
          [
            `whole run against ${formatPlural(last.runs_before, 'run')} since ${history.by} ${formatParameter(series.points[last.since]?.version)}`,
            interval,
            ...(last.q === null || last.q === undefined ? [] : [`q ${formatNumber(last.q)}`]),
            last.reason?.text ?? '',
          ]
            .filter(Boolean)
            .join(', '),
        ),
      );
    } else
      title.append(
        html('h2', {}, formatPlural(series.points.length, 'version')),
        html('span', { class: 'gs-quiet gs-grow' }, 'one version: nothing to compare with'),
      );
    if (history.series.length > 1) title.append(this.#chooser(history, series));
    return title;
  }

  #chooser(history: History, series: Series): HTMLElement {
    const select = html('select', { 'aria-label': 'Environment' });
    history.series.forEach((one, index) => {
      const option = html(
        'option',
        { value: index },
        `${one.name}${one.metric === history.metric ? '' : `, ${one.metric}`}`,
      );
      option.selected = one === series;
      select.append(option);
    });
    select.addEventListener('change', () =>
      this.context.emit({ type: 'set', values: { series: Number(select.value), group: '' } }),
    );
    return html('label', {}, 'environment ', select);
  }

  #chart(
    history: History,
    series: Series,
    group: Group,
    width: number,
    label: string | undefined,
  ): HTMLElement {
    const { palette } = this;
    const name = nameOfGroup(group);
    const plot = new Plot(
      palette,
      width,
      230,
      { left: 58, right: 20, top: 24, bottom: 46 },
      `${name} over versions`,
    );
    const x = scalePoint(
      series.points.map((_, index) => index),
      [plot.left, plot.right],
    ).padding(0.5);
    const xOf = (index: number): number => x(index) ?? 0;
    const values = group.values.flatMap((value, index) => (value ? [{ ...value, index }] : []));
    const top = Math.max(0, ...values.map(({ max }) => max));
    const y = scaleLinear([0, top || 1], [plot.bottom, plot.top]).nice(4);
    plot.yAxis(ticksOf(y, 4, (value) => formatTick(value, series.unit)));
    const versions = series.points.map(({ version }) => formatParameter(version));
    plot.xAxis(uniqueNames(versions, 12).map((text, index) => ({ at: xOf(index), text })));
    plot.text(history.by, plot.right, plot.bottom + 40, { anchor: 'end' });
    const changed = new Map(group.changes.map((change) => [change.point, change]));
    for (const change of group.changes) {
      const at = (xOf(change.point - 1) + xOf(change.point)) / 2;
      const colour =
        change.verdict === 'slower'
          ? palette.difference[2]
          : change.verdict === 'faster'
            ? palette.difference[0]
            : palette.ink2;
      plot.root.append(
        svg('line', {
          x1: at,
          x2: at,
          y1: plot.top - 8,
          y2: plot.bottom,
          stroke: colour,
          'stroke-dasharray': '3 2',
        }),
      );
      const label = `${VERDICT_SIGNS[change.verdict]} ${formatFactor(change.before > 0 ? change.after / change.before : undefined)}`;
      plot.text(label, at, plot.top - 12, {
        anchor: 'middle',
        isStrong: true,
        colour,
        isCased: true,
      });
    }
    const band = area<(typeof values)[number]>()
      .x((value) => xOf(value.index))
      .y0((value) => y(value.min))
      .y1((value) => y(value.max));
    const path = line<(typeof values)[number]>()
      .x((value) => xOf(value.index))
      .y((value) => y(value.median));
    plot.root.append(
      svg('path', { d: band(values) ?? undefined, fill: mix(palette.ground, palette.ink2, 0.14) }),
      svg('path', {
        d: path(values) ?? undefined,
        fill: 'none',
        stroke: palette.ink,
        'stroke-width': 1.5,
      }),
    );
    const eventsAt = new Map<number, Series['events'][number][]>();
    for (const event of series.events)
      eventsAt.set(event.point, [...(eventsAt.get(event.point) ?? []), event]);
    for (const [point, events] of eventsAt)
      plot.text(
        [...new Set(events.map(({ kind }) => CHANGE_SIGNS[kind]))].join(' '),
        xOf(point),
        plot.bottom + 31,
        { anchor: 'middle', isStrong: true },
      );
    for (const value of values)
      this.#dot(plot, history, series, group, value, xOf(value.index), y, changed.has(value.index));
    return section(
      uniqueNames([name], 60)[0] ?? name,
      `exclusive ${label ?? history.metric}, median over runs; band: lowest to highest run; dashed: change points`,
      plot.root,
    );
  }

  #dot(
    plot: Plot,
    history: History,
    series: Series,
    group: Group,
    value: Value & { readonly index: number },
    at: number,
    y: (value: number) => number,
    isChanged: boolean,
  ): void {
    const point = series.points[value.index];
    const dot = svg('circle', {
      cx: at,
      cy: y(value.median),
      r: isChanged ? 5.5 : 4,
      fill: plot.palette.ink,
      stroke: plot.palette.ground,
      'stroke-width': 1.5,
    });
    const happened = series.events.filter((event) => event.point === value.index);
    this.marks.add(dot, {
      key: `${group.group}-${value.index}`,
      tip: () => ({
        title: `${history.by} ${formatParameter(point?.version)}`,
        rows: [
          ['median', formatValue(value.median, series.unit)],
          [
            'lowest to highest',
            `${formatValue(value.min, series.unit)} … ${formatValue(value.max, series.unit)}`,
          ],
          ['runs', String(value.runs)],
        ],
        notes: [
          ...happened
            .slice(0, 5)
            .map(
              (event) =>
                `${CHANGE_SIGNS[event.kind]} ${changeText(event.kind)}: ${event.path[event.path.length - 1] ?? ''}`,
            ),
          ...(point?.untested ? [point.untested.text] : []),
          ...(point?.diff ? ['Enter or click: compare with the version before.'] : []),
        ],
      }),
      ...(point?.diff ? { pick: () => this.#compare(point.diff?.lens) } : {}),
    });
    plot.root.append(dot);
  }

  #compare(lens: string | undefined): void {
    if (lens)
      this.context.emit({
        type: 'add-clause',
        clause:
          lens
            .split('|')
            .find((clause) => clause.trim().startsWith('diff'))
            ?.trim() ?? lens,
      });
  }

  #rows(): Grid<Group> {
    this.#grid ??= new Grid<Group>(
      {
        label: 'Groups over versions',
        rowHeight: 28,
        key: ({ group }) => group,
        pick: ({ group }) => {
          this.context.emit({ type: 'set', values: { group }, isReplacing: true });
          if (group !== 'total')
            this.context.emit({ type: 'select', patch: { group }, isReplacing: true });
        },
        sort: (sort) => this.context.emit({ type: 'set', values: { sort }, isReplacing: true }),
      },
      this.life,
    );
    return this.#grid;
  }

  #columns(series: Series, main: number): GridColumn<Group>[] {
    const names = uniqueNames(series.groups.map(nameOfGroup), main > 700 ? 44 : 24);
    const nameByGroup = new Map(
      series.groups.map((group, index) => [group.group, names[index] ?? '']),
    );
    const most = Math.max(
      0,
      ...series.groups.flatMap(({ values }) => values.map((value) => value?.median ?? 0)),
    );
    const unit = columnUnit(most, series.unit);
    const newest = (group: Group): number | undefined =>
      group.values[group.values.length - 1]?.median;
    const columns: GridColumn<Group>[] = [
      {
        key: 'name',
        title: 'group',
        cell: nameOfGroup,
        draw: (group) => nameOf(nameOfGroup(group), nameByGroup.get(group.group)),
      },
      {
        key: 'line',
        title: 'over versions',
        width: SPARK_WIDTH + 16,
        draw: (group) => drawSpark(group, this.palette),
      },
      {
        key: 'newest',
        title: 'newest',
        unit: unit.unit,
        width: 92,
        isNumber: true,
        cell: newest,
        draw: (group) => unit.format(newest(group)),
      },
      {
        key: 'share',
        title: 'share',
        width: 68,
        isNumber: true,
        cell: ({ share }) => share,
        draw: ({ share }) => formatShare(share),
      },
      {
        key: 'ratio',
        title: 'ratio',
        width: 76,
        isNumber: true,
        cell: ({ last }) => last?.ratio,
        draw: ({ last }) => formatFactor(last?.ratio),
      },
      {
        key: 'q',
        title: 'q',
        width: 70,
        isNumber: true,
        cell: ({ last }) => last?.q,
        draw: ({ last }) => formatNumber(last?.q),
      },
      {
        key: 'verdict',
        title: 'newest is',
        width: 112,
        cell: ({ last }) => last?.verdict,
        draw: ({ last }) =>
          last
            ? html(
                'span',
                { class: verdictClass(last.verdict), title: last.reason?.text },
                verdictText(last.verdict),
              )
            : '–',
      },
    ];
    return main > 640
      ? columns
      : columns.filter(({ key }) => ['name', 'ratio', 'verdict'].includes(key));
  }

  #events(history: History, series: Series): HTMLElement {
    const changes = series.groups.flatMap((group) =>
      group.group === 'total'
        ? []
        : group.changes.map((change) => ({ change, name: nameOfGroup(group) })),
    );
    const parts: HTMLElement[] = [];
    series.points.forEach((point, index) => {
      const happened = series.events.filter((event) => event.point === index);
      const here = changes.filter(({ change }) => change.point === index);
      if (happened.length === 0 && here.length === 0) return;
      const list = html('div', { class: 'gs-events' });
      for (const { change, name } of here)
        list.append(
          html('span', { class: verdictClass(change.verdict) }, verdictText(change.verdict)),
          nameOf(name),
          html(
            'span',
            { class: 'gs-number' },
            formatFactor(change.before > 0 ? change.after / change.before : undefined),
          ),
        );
      for (const event of happened) {
        const change = event.change;
        const name =
          change?.definition_a && change.definition_b && change.definition_a !== change.definition_b
            ? `${change.definition_a} → ${change.definition_b}`
            : (event.path[event.path.length - 1] ?? '');
        list.append(
          html(
            'span',
            { class: 'gs-quiet' },
            `${CHANGE_SIGNS[event.kind]} ${changeText(event.kind)}`,
          ),
          nameOf(event.path.length > 1 ? event.path.join(' › ') : name, name),
          html('span', { class: 'gs-number gs-quiet' }, change ? formatShare(change.share) : ''),
        );
      }
      const head = html(
        'p',
        { class: 'gs-event-head' },
        html('strong', {}, `${history.by} ${formatParameter(point.version)}`),
      );
      if (point.diff) {
        const button = html(
          'button',
          { type: 'button', class: 'gs-link' },
          'compare with the version before',
        );
        button.addEventListener('click', () => this.#compare(point.diff?.lens));
        head.append(button);
      }
      parts.push(html('div', { class: 'gs-event' }, head, list));
    });
    return section(
      'What changed when',
      '',
      ...(parts.length > 0
        ? parts.reverse()
        : [html('p', { class: 'gs-quiet' }, 'Nothing that the runs can show.')]),
    );
  }

  #renames(history: History): HTMLElement[] {
    if (history.renames.length === 0) return [];
    return [
      section(
        'Followed as one',
        'definitions with several names',
        ...history.renames.map((renamed) =>
          html(
            'p',
            {},
            nameOf(renamed.names.map(({ name }) => name).join(' → ')),
            html(
              'span',
              { class: 'gs-quiet' },
              renamed.names
                .slice(1)
                .map(
                  (one) =>
                    ` ${one.matched_by ?? ''}${one.score === null || one.score === undefined ? '' : `, sure by ${formatShare(one.score)}`}`,
                )
                .join(';'),
            ),
          ),
        ),
      ),
    ];
  }
}

function nameOfGroup(group: Group): string {
  return group.path.join(' › ');
}
