/** Histogram of delays on a log axis, edges by kind, and definitions by their delays. */

import { scaleLinear } from 'd3-scale';
import type { Scheduling } from '../api.ts';
import { type IsNamed, namedBy } from '../logic/definition-names.ts';
import {
  formatCount,
  formatPlural,
  formatShare,
  formatShort,
  formatTick,
  formatValue,
} from '../logic/format.ts';
import type { Shown } from '../registry/definition.ts';
import { ChartView, nameOf, section } from '../ui/chart-view.ts';
import { html, svg } from '../ui/dom.ts';
import { Plot, ticksOf } from '../ui/plot.ts';
import type { Answers, Settings } from './definition.ts';
import {
  type Bin,
  type Bins,
  binsOf,
  byDefinition,
  type Delays,
  delaysOf,
  largestDelay,
} from './model.ts';
import './delays.css';

const MARGINS = { left: 62, right: 16, top: 12, bottom: 28 } as const;
/** Grains of a page: if there are as many, there may be more. */
const PAGE = 100_000;
const DEFINITIONS = 40;

export class DelaysView extends ChartView<Answers, Settings> {
  constructor() {
    super('delays');
  }

  protected draw(answers: Answers, shown: Shown<Settings>): void {
    const { head, otherHead, scheduling } = answers;
    if (!answers.grains) {
      this.root.replaceChildren(
        html('p', { class: 'gs-quiet' }, 'Reading the delays of the grains…'),
      );
      return;
    }
    const own = delaysOf(answers.grains, head.unit);
    const isOther = otherHead !== undefined && answers.otherGrains !== undefined;
    const other =
      isOther && answers.otherGrains && otherHead.unit === head.unit
        ? delaysOf(answers.otherGrains, otherHead.unit)
        : undefined;
    const most = Math.max(largestDelay(own), other ? largestDelay(other) : 0);
    const isMoved = shown.settings.of === 'moved';
    const isNamed = namedBy(shown.selection.definition);
    const bins = binsOf(own, isMoved, isNamed, most);
    const overlay = other && binsOf(other, isMoved, isNamed, most);
    const names = otherHead ? (shown.facts.runLabels.get(otherHead.run) ?? otherHead.run) : '';
    const parts = [
      `${formatPlural(bins.total, 'grain')}${isMoved ? ' that moved to another worker' : ''}`,
      bins.absent > 0 ? `${formatCount(bins.absent)} without a delay` : '',
      answers.grains.rows >= PAGE ? `the first ${formatCount(PAGE)} grains only` : '',
      overlay ? `outlined: ${names}` : '',
      isOther && !other ? 'the other run has times in another unit' : '',
    ];
    this.root.replaceChildren(
      section(
        'Delays',
        parts.filter(Boolean).join(' · '),
        this.#histogram(bins, overlay, head.unit),
      ),
      html(
        'div',
        { class: 'gs-delays-tables' },
        this.#edges(scheduling),
        this.#definitions(own, isMoved, head.unit, isNamed),
      ),
    );
  }

  #histogram({ zero, bins }: Bins, other: Bins | undefined, unit: string): SVGSVGElement {
    const width = this.root.clientWidth || 900;
    const height = Math.max(140, Math.min(300, (this.root.clientHeight || 560) * 0.42));
    const plot = new Plot(
      this.palette,
      width - 32,
      height,
      MARGINS,
      'Grains by delay, on a log axis',
    );
    const all = [zero, ...bins];
    const others = other ? [other.zero, ...other.bins] : [];
    const top = Math.max(1, ...all.map(({ count }) => count), ...others.map(({ count }) => count));
    const y = scaleLinear([0, top], [plot.bottom, plot.top]).nice(4);
    plot.yAxis(ticksOf(y, 4, formatShort));
    const step = (plot.right - plot.left) / (all.length + 1);
    // A gap separates the bin of zero from the log axis.
    const x = (index: number): number => plot.left + (index === 0 ? 0 : index + 0.5) * step;
    plot.xAxis([
      { at: x(0) + step / 2, text: '0' },
      ...bins.flatMap(({ from }, index) =>
        index % 4 === 0 ? [{ at: x(index + 1), text: formatTick(from, unit) }] : [],
      ),
    ]);
    all.forEach((bin, index) => this.#bar(plot, bin, others[index], x(index), step, y, unit));
    return plot.root;
  }

  #bar(
    plot: Plot,
    bin: Bin,
    other: Bin | undefined,
    x: number,
    step: number,
    y: (value: number) => number,
    unit: string,
  ): void {
    const bar = (count: number, fill: string): SVGRectElement =>
      svg('rect', {
        x: x + 0.5,
        y: y(count),
        width: Math.max(1, step - 1),
        height: plot.bottom - y(count),
        fill,
      });
    const group = svg(
      'g',
      {},
      bar(bin.count, this.palette.ensemble),
      bar(bin.selected, this.palette.accent),
    );
    if (other && other.count > 0)
      group.append(
        svg('path', {
          d: `M${x},${plot.bottom}V${y(other.count)}H${x + step}V${plot.bottom}`,
          fill: 'none',
          stroke: this.palette.ink,
          'stroke-width': 1.5,
        }),
      );
    plot.root.append(group);
    if (bin.count === 0 && !other?.count) return;
    const range =
      bin.from === 0 ? 'no delay' : `${formatTick(bin.from, unit)} – ${formatTick(bin.to, unit)}`;
    this.marks.add(group, {
      key: `bin ${bin.from}`,
      tip: () => ({
        title: range,
        rows: [
          ['grains', formatCount(bin.count)],
          ...(bin.selected > 0 ? [['of the definition', formatCount(bin.selected)] as const] : []),
          ...(other ? [['other run', formatCount(other.count)] as const] : []),
        ],
      }),
    });
  }

  /** Kinds of edges that made fragments ready, and how many led to another worker. */
  #edges({ edges, unit, policy }: Scheduling): HTMLElement {
    const line = (cells: readonly string[], tag: 'th' | 'td'): HTMLElement =>
      html(
        'tr',
        {},
        ...cells.map((cell, index) =>
          html(
            tag,
            index > 0 ? { class: 'gs-number' } : tag === 'td' ? { class: 'gs-first' } : {},
            cell,
          ),
        ),
      );
    const value = (one: number | null | undefined): string => formatValue(one, unit);
    const rows = edges.map((edge) =>
      line(
        [
          edge.kind.replaceAll('_', ' '),
          formatCount(edge.edges),
          edge.edges > 0
            ? `${formatCount(edge.moved)} (${formatShare(Math.round((1000 * edge.moved) / edge.edges) / 1000)})`
            : formatCount(edge.moved),
          value(edge.delay_median),
          value(edge.delay_p99),
          value(edge.delay_max),
        ],
        'td',
      ),
    );
    const table = html(
      'table',
      { class: 'gs-delays-table' },
      html(
        'thead',
        {},
        line(['made ready by', 'edges', 'moved', 'median', '99 %', 'longest'], 'th'),
      ),
      html('tbody', {}, ...rows),
    );
    const behaves =
      policy === 'work_first'
        ? 'workers usually begin a new task at once (work first)'
        : policy === 'help_first'
          ? 'workers usually go on and leave a new task for later (help first)'
          : '';
    return section('Edges', behaves, table);
  }

  #definitions(delays: Delays, isMoved: boolean, unit: string, isNamed: IsNamed): HTMLElement {
    const rows = byDefinition(delays, isMoved);
    const most = Math.max(1, ...rows.map(({ sum }) => sum));
    const list = html('div', { class: 'gs-delays-list' });
    for (const row of rows.slice(0, DEFINITIONS)) {
      const isOn = isNamed(row.definition);
      const bar = svg(
        'svg',
        { width: 120, height: 10, 'aria-hidden': 'true' },
        svg('rect', {
          width: (row.sum / most) * 120,
          height: 10,
          fill: isOn ? this.palette.accent : this.palette.ensemble,
        }),
      );
      const line = html(
        'div',
        { class: 'gs-delays-line', 'aria-pressed': String(isOn) },
        nameOf(row.definition),
        bar,
        html(
          'span',
          { class: 'gs-quiet' },
          `${formatCount(row.grains)} × ${formatValue(row.median, unit)}`,
        ),
      );
      this.marks.add(line, {
        key: `definition ${row.definition}`,
        tip: () => ({
          title: row.definition,
          rows: [
            ['grains', formatCount(row.grains)],
            ['moved', formatCount(row.moved)],
            ['median delay', formatValue(row.median, unit)],
            ['sum of delays', formatValue(row.sum, unit)],
          ],
          notes: ['Click or Enter: select the definition'],
        }),
        pick: () =>
          this.context.emit({
            type: 'select',
            patch: { definition: isOn ? '' : row.definition },
          }),
      });
      list.append(line);
    }
    const more = rows.length - DEFINITIONS;
    return section(
      'Definitions',
      `largest sum of delays first; grains × median${more > 0 ? `; + ${more} more in the table` : ''}`,
      list,
    );
  }
}
