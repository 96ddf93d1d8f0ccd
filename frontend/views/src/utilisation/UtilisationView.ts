/** Small pictures, one per program: utilisation over workers, a line and a shape per runtime. */

import { scaleLinear, scalePoint } from 'd3-scale';
import { line } from 'd3-shape';
import { categoryColour, shapePath } from '../logic/categories.ts';
import { formatNumber, formatPlural, formatShort, formatValue } from '../logic/format.ts';
import type { Shown } from '../registry/definition.ts';
import { ChartView, section } from '../ui/chart-view.ts';
import { html, svg } from '../ui/dom.ts';
import { Plot, ticksOf, whisker } from '../ui/plot.ts';
import type { Answers, Settings } from './definition.ts';
import { intervalOf, type Line, type Panel, panelsOf, type Point } from './model.ts';
import './utilisation.css';

const MARGINS = { left: 40, right: 14, top: 10, bottom: 26 } as const;
const PANEL = 330;

export class UtilisationView extends ChartView<Answers, Settings> {
  constructor() {
    super('utilisation');
  }

  protected draw({ scale }: Answers, shown: Shown<Settings>): void {
    const { panels, names } = panelsOf(scale, shown.settings.split);
    const width = this.root.clientWidth || 1000;
    const columns = Math.max(1, Math.min(panels.length, Math.floor((width - 16) / PANEL)));
    const room = Math.min(720, Math.floor(width / columns) - 34);
    const all = panels.flatMap(({ lines }) => lines.flatMap(({ points }) => points));
    const top = all.reduce(
      (most, point) => Math.max(most, point.utilisation ?? 0, intervalOf(point)?.[1] ?? 0),
      1.02,
    );
    const body = html('div', { class: 'gs-panels' });
    body.style.gridTemplateColumns = `repeat(${columns}, minmax(0, 1fr))`;
    for (const panel of panels)
      body.append(
        section(
          panel.title || 'All programs',
          formatPlural(panel.lines.length, 'line'),
          this.#panel(scale, panel, names, room, Math.min(top, 1.6), shown),
        ),
      );
    const legend = html('div', { class: 'gs-legend gs-utilisation-legend' });
    names.forEach((name, index) => {
      const mark = svg(
        'svg',
        { class: 'gs-swatch-dot', viewBox: '-7 -7 14 14', 'aria-hidden': 'true' },
        svg('path', { d: shapePath(index, 5), fill: categoryColour(this.palette, index) }),
      );
      legend.append(html('span', {}, mark, html('bdi', {}, name)));
    });
    this.root.replaceChildren(this.#title(scale, all), legend, body);
  }

  #title(scale: Answers['scale'], all: readonly Point[]): HTMLElement {
    const worst = [...all].sort((a, b) => (a.utilisation ?? 0) - (b.utilisation ?? 0))[0];
    const title = html('header', { class: 'gs-title' });
    if (worst)
      title.append(
        html('h2', {}, `lowest ${formatNumber(worst.utilisation)}`),
        html(
          'span',
          { class: 'gs-quiet gs-grow' },
          `${scale.series[worst.series]?.name ?? ''} at ${scale.by} ${formatShort(worst.p)}; 1 is the best time of the fewest workers, shared among all`,
        ),
      );
    if (scale.missing.length > 0) {
      const places = scale.missing
        .slice(0, 4)
        .map(({ series, p }) => `${scale.series[series]?.name ?? ''} at ${formatShort(p)}`);
      const more = scale.missing.length > 4 ? ` + ${scale.missing.length - 4} more` : '';
      title.append(html('span', { class: 'gs-quiet' }, `no run: ${places.join(', ')}${more}`));
    }
    return title;
  }

  #panel(
    scale: Answers['scale'],
    panel: Panel,
    names: readonly string[],
    width: number,
    top: number,
    shown: Shown<Settings>,
  ): SVGSVGElement {
    const plot = new Plot(
      this.palette,
      width,
      200,
      MARGINS,
      `Utilisation of ${panel.title || 'all programs'}`,
    );
    const ps = [...new Set(scale.points.map(({ p }) => p))].sort((a, b) => a - b);
    const x = scalePoint(ps, [plot.left, plot.right]).padding(0.35);
    const y = scaleLinear([0, top], [plot.bottom, plot.top]).clamp(true);
    plot.yAxis(ticksOf(y, 4, formatShort));
    plot.xAxis(ps.map((p) => ({ at: x(p) ?? 0, text: formatShort(p) })));
    plot.root.append(
      svg('line', {
        x1: plot.left,
        x2: plot.right,
        y1: y(1),
        y2: y(1),
        stroke: this.palette.ink2,
        'stroke-dasharray': '3 3',
      }),
    );
    panel.lines.forEach((one, at) => {
      const aside = (at - (panel.lines.length - 1) / 2) * 9;
      this.#line(plot, scale, one, names.indexOf(one.name), (p) => (x(p) ?? 0) + aside, y, shown);
    });
    return plot.root;
  }

  #line(
    plot: Plot,
    scale: Answers['scale'],
    { name, points }: Line,
    index: number,
    x: (p: number) => number,
    y: (value: number) => number,
    shown: Shown<Settings>,
  ): void {
    const colour = categoryColour(this.palette, index);
    const path = line<Point>()
      .x((point) => x(point.p))
      .y((point) => y(point.utilisation ?? 0));
    plot.root.append(
      svg('path', {
        d: path([...points]) ?? undefined,
        fill: 'none',
        stroke: colour,
        'stroke-width': 1.25,
        'stroke-opacity': 0.7,
      }),
    );
    for (const point of points) {
      const interval = intervalOf(point);
      const [cx, cy] = [x(point.p), y(point.utilisation ?? 0)];
      if (interval)
        plot.root.append(whisker([cx, y(interval[0])], [cx, y(interval[1])], colour, 3));
      const mark = svg('path', {
        d: shapePath(index, 4.5),
        transform: `translate(${cx} ${cy})`,
        fill: colour,
        stroke: this.palette.ground,
      });
      this.marks.add(mark, {
        key: `${point.series}-${point.p}`,
        run: point.run,
        tip: () => ({
          title: `${name}, ${scale.by} ${formatShort(point.p)}`,
          rows: [
            ['utilisation', formatNumber(point.utilisation)],
            ...(interval
              ? [
                  [
                    '95 % interval',
                    `${formatNumber(interval[0])} … ${formatNumber(interval[1])}`,
                  ] as [string, string],
                ]
              : []),
            ['median time', formatValue(point.value, scale.unit)],
            ['runs', String(point.runs.length)],
            ['nearest run', shown.facts.runNames.get(point.run) ?? point.run],
          ],
          notes: [
            ...(point.oversubscribed ? ['More workers than processors.'] : []),
            'Click or Enter: target. With Shift: A, with Alt: B.',
          ],
        }),
        pick: (event) => {
          if (event.shiftKey) this.context.emit({ type: 'set-side', side: 'a', run: point.run });
          else if (event.altKey) this.context.emit({ type: 'set-side', side: 'b', run: point.run });
          else this.context.emit({ type: 'set-target', run: point.run });
        },
      });
      plot.root.append(mark);
    }
  }
}
