/** Dots of groups and runs on two axes: SVG up to 2,000 dots, a canvas above. */

import { scaleLinear, scaleLog, scaleSymlog } from 'd3-scale';
import { mix } from '../logic/colour.ts';
import {
  formatCount,
  formatNumber,
  formatPlural,
  formatTick,
  formatValue,
} from '../logic/format.ts';
import { stepped } from '../logic/outliers.ts';
import type { Shown } from '../registry/definition.ts';
import { brush } from '../ui/brush.ts';
import { ChartView } from '../ui/chart-view.ts';
import { assign, html, svg } from '../ui/dom.ts';
import { Dots, SVG_MARKS } from '../ui/dots.ts';
import { type Numeric, Plot, ticksOf } from '../ui/plot.ts';
import type { TooltipContent } from '../ui/tooltip.ts';
import type { Answers, Settings } from './definition.ts';
import { drawLines, entriesOf, farDots, legendOf } from './lines.ts';
import { patchOf, type Points, pointsOf, rankCorrelation } from './model.ts';
import './scatter.css';

const MARGINS = { left: 64, right: 16, top: 14, bottom: 38 } as const;
/** Groups named of a rectangle. */
const NAMED = 8;

export class ScatterView extends ChartView<Answers, Settings> {
  #dots: Dots | undefined;
  #chosen: ReadonlySet<number> = new Set();
  /** Dots that the keys N and P lead to, the worst first, and the place of the present one. */
  #far: () => ReturnType<typeof farDots> = () => [];
  #step = -1;
  #isFading = false;
  #show: (at: number) => void = () => undefined;
  #swap = (): void => undefined;

  constructor() {
    super('scatter');
  }

  protected override mounted(): void {
    this.root.addEventListener(
      'keydown',
      (event) => {
        if (event.key !== 'X' || event.ctrlKey || event.metaKey || event.altKey) return;
        event.preventDefault();
        event.stopPropagation();
        this.#swap();
      },
      { signal: this.life },
    );
  }

  /** Goes to the dot next farthest from the line of its group. */
  step(by: number): void {
    const far = this.#far();
    this.#step = stepped(Math.min(this.#step, far.length - 1), by, far.length);
    const one = far[this.#step];
    if (one) this.#show(one.at);
    const text = one
      ? `Outlier ${this.#step + 1} of ${far.length}: ${formatNumber(one.ranges)} interquartile ranges from the line of its group`
      : 'No dot is far from the line of its group';
    this.context.emit({ type: 'say', text });
  }

  override destroy(): void {
    this.#dots?.destroy();
    super.destroy();
  }

  protected draw(answers: Answers, shown: Shown<Settings>): void {
    const { settings, selection } = shown;
    const points = pointsOf(answers, settings);
    const isLog = settings.log === '1';
    this.#swap = () => this.context.emit({ type: 'set', values: { swap: !settings.swap } });
    this.#dots?.destroy();
    this.#dots = undefined;
    const entries = entriesOf(points, this.palette, selection.group, isLog, settings.fit);
    const all = [...entries.shown, ...entries.others];
    this.#isFading = all.some(({ id }) => id === selection.group);
    this.#far = () => farDots(points, all, isLog);
    const height = Math.max(200, (this.root.clientHeight || 500) - 90);
    const width = this.root.clientWidth || 800;
    const x = scaleOf(points.x, isLog);
    const y = scaleOf(points.y, isLog);
    const plot = new Plot(this.palette, width, height, MARGINS, 'Groups and runs');
    x.range([plot.left, plot.right]);
    y.range([plot.bottom, plot.top]);
    plot.yAxis(ticksOf(y, 5, (value) => formatTick(value, points.yUnit)));
    plot.xAxis(
      ticksOf(x, Math.max(3, Math.floor(width / 130)), (value) => formatTick(value, points.xUnit)),
      { isGrid: true },
    );
    plot.text(points.xName, plot.right, plot.bottom + 32, { anchor: 'end' });
    plot.text(points.yName, plot.left + 6, plot.top + 10);
    const isSame = !answers.y && settings.x !== settings.y;
    if (isSame) this.#diagonal(plot, x, y);
    const box = html('div', { class: 'gs-scatter-box' }, plot.root);
    const list = html('div', { class: 'gs-legend gs-scatter-list' });
    const legend = legendOf(entries, selection.group, settings.fit, (group) =>
      this.context.emit({ type: 'select', patch: { group } }),
    );
    this.root.replaceChildren(this.#head(points, settings), legend, box, list);
    if (points.x.length <= SVG_MARKS) this.#svg(plot, points, shown, x, y);
    else this.#canvas(box, plot, points, shown, x, y);
    if (settings.fit) drawLines(plot, entries.shown, selection.group, x, y);
    this.#list(list, points);
    brush(
      plot.root,
      {
        kind: 'rectangle',
        area: { x0: plot.left, x1: plot.right, y0: plot.top, y1: plot.bottom },
        palette: this.palette,
        done: ({ points: corners }) => {
          const [[x0, y0] = [0, 0], , [x1, y1] = [0, 0]] = corners;
          const inside = new Set<number>();
          for (let at = 0; at < points.x.length; at += 1) {
            const [px, py] = [x(points.x[at] ?? 0), y(points.y[at] ?? 0)];
            if (px >= x0 && px <= x1 && py >= y0 && py <= y1) inside.add(at);
          }
          this.#chosen = inside;
          this.#list(list, points);
        },
      },
      this.drawing,
    );
  }

  /** No exclusive value is above its inclusive one. */
  #diagonal(plot: Plot, x: Numeric, y: Numeric): void {
    const [low, high] = [
      Math.max(x.domain()[0] ?? 0, y.domain()[0] ?? 0),
      Math.min(x.domain()[1] ?? 1, y.domain()[1] ?? 1),
    ];
    if (!(high > low)) return;
    const path = Array.from({ length: 33 }, (_, step) => {
      const value = low > 0 ? low * (high / low) ** (step / 32) : low + ((high - low) * step) / 32;
      return `${x(value)},${y(value)}`;
    });
    plot.root.append(
      svg('path', {
        d: `M${path.join('L')}`,
        fill: 'none',
        stroke: this.palette.ink2,
        'stroke-dasharray': '2 3',
      }),
    );
  }

  #keyOf(points: Points, at: number): string {
    return `${points.groups[points.group[at] ?? 0]?.id ?? ''} ${points.runs[points.run[at] ?? 0] ?? ''}`;
  }

  #svg(plot: Plot, points: Points, shown: Shown<Settings>, x: Numeric, y: Numeric): void {
    this.#show = (at) => {
      const element = this.marks.element(this.#keyOf(points, at));
      if (element instanceof SVGElement) element.focus();
    };
    for (const at of this.#order(points, shown)) {
      const kind = this.#kind(points, shown, at);
      const dot = svg('circle', {
        cx: x(points.x[at] ?? 0),
        cy: y(points.y[at] ?? 0),
        r: kind < 2 ? 3 : 4,
        fill: this.#fills()[kind],
        'fill-opacity': kind === 1 ? 0.45 : 0.95,
        stroke: kind === 3 ? this.palette.ground : undefined,
      });
      this.marks.add(dot, {
        key: this.#keyOf(points, at),
        run: points.runs[points.run[at] ?? 0],
        patch: patchOf(points, at),
        tip: () => this.#tip(points, shown, at),
        pick: () => this.#pick(points, at),
      });
      plot.root.append(dot);
    }
  }

  #canvas(
    box: HTMLElement,
    plot: Plot,
    points: Points,
    shown: Shown<Settings>,
    x: Numeric,
    y: Numeric,
  ): void {
    const dots = new Dots(box, this.tooltip);
    this.#dots = dots;
    assign(plot.root, { 'aria-hidden': 'true' });
    dots.canvas.classList.add('gs-scatter-canvas');
    const order = this.#order(points, shown);
    this.#show = (at) => dots.go(order.indexOf(at));
    dots.draw(
      {
        x: Float32Array.from(order, (at) => x(points.x[at] ?? 0)),
        y: Float32Array.from(order, (at) => y(points.y[at] ?? 0)),
        radius: points.x.length > 20_000 ? 1 : 1.5,
        colour: Uint8Array.from(order, (at) => this.#kind(points, shown, at)),
        fills: this.#fills(),
        opacity: points.x.length > 20_000 ? 0.25 : 0.5,
      },
      plot.width,
      plot.height,
      this.palette.accent,
      {
        label: `${formatCount(points.x.length)} dots, one per group and run`,
        tip: (index) => this.#tip(points, shown, order[index] ?? 0),
        pick: (index) => this.#pick(points, order[index] ?? 0),
        open: (index) => {
          const at = order[index] ?? 0;
          const run = points.runs[points.run[at] ?? 0];
          const patch = patchOf(points, at);
          if (run !== undefined) this.context.emit({ type: 'open-run', run, patch });
        },
      },
    );
  }

  /** Dots of the selection and of the target come last, on top. */
  #order(points: Points, shown: Shown<Settings>): number[] {
    const kinds = Uint8Array.from(points.x, (_, at) => this.#kind(points, shown, at));
    const all = Array.from(kinds, (_, at) => at);
    return all.sort((a, b) => (kinds[a] ?? 0) - (kinds[b] ?? 0) || a - b);
  }

  /** 0: faded for the selected group, 1: ensemble, 2: selected group, 3: target. */
  #kind(points: Points, { selection }: Shown<Settings>, at: number): number {
    const group = points.groups[points.group[at] ?? 0]?.id;
    if (this.#isFading && group !== selection.group) return 0;
    if (selection.target?.runs.includes(points.runs[points.run[at] ?? 0] ?? '')) return 3;
    return group === selection.group ? 2 : 1;
  }

  #fills(): string[] {
    const { accent, ground, ink2, target } = this.palette;
    return [mix(ink2, ground, 0.8), ink2, accent, target];
  }

  #tip(points: Points, shown: Shown<Settings>, at: number): TooltipContent {
    const run = points.runs[points.run[at] ?? 0] ?? '';
    return {
      title: points.groups[points.group[at] ?? 0]?.name ?? '',
      rows: [
        ['run', shown.facts.runNames.get(run) ?? run],
        [points.xName, formatValue(points.x[at], points.xUnit)],
        [points.yName, formatValue(points.y[at], points.yUnit)],
      ],
      notes: ['Click or Enter: select the group.'],
    };
  }

  #pick(points: Points, at: number): void {
    const group = points.groups[points.group[at] ?? 0];
    if (group) this.context.emit({ type: 'select-group', group: group.id });
  }

  #head(points: Points, { fit, log }: Settings): HTMLElement {
    const correlation = rankCorrelation(points.x, points.y);
    const parts = [
      `${formatCount(points.x.length)} dots, one per group and run`,
      ...(correlation === undefined ? [] : [`rank correlation ${formatNumber(correlation)}`]),
      ...(points.absent > 0 ? [`${formatCount(points.absent)} absent`] : []),
      ...(points.negative > 0 ? [`${formatCount(points.negative)} negative, not drawn`] : []),
      ...(fit
        ? [`lines: least squares per group${log === '1' ? ' in log space, y = a · x^b' : ''}`]
        : []),
      'drag a rectangle to list its groups',
    ];
    return html(
      'div',
      { class: 'gs-legend gs-scatter-list' },
      ...parts.map((part) => html('span', {}, part)),
    );
  }

  /** Groups and runs of the rectangle. */
  #list(list: HTMLElement, points: Points): void {
    if (this.#chosen.size === 0) {
      list.replaceChildren();
      return;
    }
    const groups = new Map<number, number>();
    const runs = new Set<string>();
    for (const at of this.#chosen) {
      const group = points.group[at] ?? 0;
      groups.set(group, (groups.get(group) ?? 0) + 1);
      runs.add(points.runs[points.run[at] ?? 0] ?? '');
    }
    const keep = html(
      'button',
      { type: 'button', class: 'gs-link' },
      `keep only these ${formatPlural(runs.size, 'run')}`,
    );
    keep.addEventListener('click', () => this.context.emit({ type: 'keep-runs', runs: [...runs] }));
    const named = [...groups].sort((a, b) => b[1] - a[1] || a[0] - b[0]);
    list.replaceChildren(
      html('span', {}, `${formatPlural(this.#chosen.size, 'dot')} of`),
      ...named.slice(0, NAMED).map(([group, count]) => {
        const known = points.groups[group];
        const button = html(
          'button',
          { type: 'button', class: 'gs-link' },
          html('bdi', { class: 'gs-cut' }, known?.name ?? ''),
          ` ${count}`,
        );
        button.addEventListener('click', () => {
          if (known) this.context.emit({ type: 'select-group', group: known.id });
        });
        return button;
      }),
      ...(named.length > NAMED ? [html('span', {}, `+ ${named.length - NAMED} more groups`)] : []),
      keep,
    );
  }
}

/** Linear from zero; logarithmic, or symmetric around zero if there are zeros. */
function scaleOf(values: Float64Array, isLog: boolean): Numeric {
  let low = Infinity;
  let high = 0;
  let hasZero = false;
  for (const value of values) {
    if (value === 0) hasZero = true;
    else low = Math.min(low, value);
    high = Math.max(high, value);
  }
  if (!(high > 0)) return scaleLinear([0, 1], [0, 1]);
  if (!isLog) return scaleLinear([0, high], [0, 1]).nice();
  if (!hasZero) return scaleLog([low, Math.max(high, low * 10)], [0, 1]).nice();
  const symmetric = scaleSymlog([0, high], [0, 1]).constant(Math.max(low, high * 1e-7));
  // Its own ticks are those of a linear scale, which crowd at the upper end.
  const powers = [0];
  for (let at = 10 ** Math.ceil(Math.log10(Math.max(low, high * 1e-7))); at <= high; at *= 10)
    powers.push(at);
  const step = Math.ceil(powers.length / 6);
  symmetric.ticks = () => powers.filter((_, index) => index % step === 0);
  return symmetric;
}
