/** The measured curve with intervals, laws, the ideal, and what would be if groups lost less. */

import { scaleLinear, scalePoint } from 'd3-scale';
import { line } from 'd3-shape';
import { mix, type Palette } from '../logic/colour.ts';
import { formatShort, formatValue } from '../logic/format.ts';
import { svg, uniquePrefix } from '../ui/dom.ts';
import type { Mark } from '../ui/marks.ts';
import { Plot, ticksOf, whisker } from '../ui/plot.ts';
import {
  LAWS,
  isFaster,
  measuredOf,
  type Quantity,
  quantityOf,
  type ScalePoint,
  type SeriesData,
  timeOf,
} from './model.ts';

export interface CurveOptions {
  readonly series: SeriesData;
  readonly quantity: Quantity;
  readonly unit: string;
  readonly by: string;
  readonly width: number;
  readonly height: number;
  /** Time at a point if groups lost less, or nothing if no slider is moved. */
  readonly whatIf: ((p: number) => number) | undefined;
  readonly runName: (run: string) => string;
  addMark(element: Element, mark: Mark): void;
  open(point: ScalePoint): void;
}

/** Texts of the vertical axis. */
const AXIS: Readonly<Record<Quantity, string>> = {
  speedup: 'speed-up',
  efficiency: 'efficiency',
  time: 'time',
};

const MARGINS = { left: 46, right: 76, top: 22, bottom: 38 } as const;

export function drawCurve(palette: Palette, options: CurveOptions): SVGSVGElement {
  const { series, quantity, unit, by } = options;
  const plot = new Plot(
    palette,
    options.width,
    options.height,
    MARGINS,
    `${AXIS[quantity]} over ${by}`,
  );
  const first = series.points[0];
  if (!first) return plot.root;
  const x = scalePoint(
    series.points.map(({ p }) => p),
    [plot.left + 10, plot.right - 6],
  );
  const xOf = (p: number): number => x(p) ?? placeBetween(series, x, p);
  const measured = series.points.map((point) => ({
    point,
    ...measuredOf(quantity, series.kind, point, first),
  }));
  const value = (p: number, time: number): number =>
    quantityOf(quantity, series.kind, first, p, time);
  const whatIf =
    options.whatIf &&
    series.points.map(({ p }) => [p, value(p, options.whatIf?.(p) ?? NaN)] as const);
  const top = Math.max(
    quantity === 'efficiency' ? 1 : 0,
    ...measured.flatMap(({ value: at, interval }) => [at, interval?.[1] ?? at]),
    ...(whatIf ?? []).map(([, at]) => at),
  );
  const y = scaleLinear(
    [0, top * (quantity === 'efficiency' ? 1.02 : 1.1)],
    [plot.bottom, plot.top],
  ).nice(5);
  const format = (at: number): string =>
    quantity === 'time' ? formatValue(at, unit) : formatShort(at);
  drawTints(plot, series, xOf);
  plot.yAxis(ticksOf(y, 5, format));
  plot.xAxis(
    series.points.map(({ p }) => ({
      at: xOf(p),
      text: formatShort(p),
      ...strangeness(palette, series, p),
    })),
  );
  plot.text(by, plot.right - 6, plot.bottom + 32, { anchor: 'end' });
  const clip = uniquePrefix('clip');
  plot.root.append(
    svg(
      'clipPath',
      { id: clip },
      svg('rect', {
        x: plot.left,
        y: plot.top - 6,
        width: plot.right - plot.left + 4,
        height: plot.bottom - plot.top + 6,
      }),
    ),
  );
  const ends: End[] = [];
  const curve = (
    of: (p: number) => number,
    name: string,
    look: Record<string, string | number>,
  ): void => {
    const points = samples(series).map((p) => [xOf(p), y(of(p))] as const);
    plot.root.append(
      svg('path', {
        d:
          line<readonly [number, number]>(
            (at) => at[0],
            (at) => at[1],
          )(points) ?? undefined,
        fill: 'none',
        'clip-path': `url(#${clip})`,
        ...look,
      }),
    );
    const last = points[points.length - 1];
    if (last) ends.push({ text: name, y: Math.max(plot.top + 4, last[1]), colour: palette.ink2 });
  };
  if (quantity === 'speedup' || quantity === 'efficiency')
    curve((p) => (quantity === 'efficiency' ? 1 : p / first.p), 'ideal', {
      stroke: palette.ink2,
      'stroke-dasharray': '1 3',
    });
  for (const [index, model] of series.models.entries()) {
    const time = timeOf(model, first);
    if (!time || model.law === 'pmnf') continue;
    curve((p) => value(p, time(p)), LAWS[model.law] ?? model.law, {
      stroke: palette.ink2,
      'stroke-dasharray': index % 2 === 0 ? '5 3' : undefined,
    } as Record<string, string | number>);
  }
  if (whatIf) {
    const points = whatIf.map(([p, at]) => [xOf(p), y(at)] as const);
    plot.root.append(
      svg('path', {
        d: line()(points as [number, number][]) ?? undefined,
        fill: 'none',
        stroke: palette.accent,
        'stroke-width': 2,
        'stroke-dasharray': '4 3',
      }),
    );
    const last = points[points.length - 1];
    if (last) ends.push({ text: 'what if', y: last[1], colour: palette.accent });
  }
  drawMeasured(plot, options, measured, xOf, y);
  drawEnds(plot, ends);
  return plot.root;
}

interface End {
  readonly text: string;
  y: number;
  readonly colour: string;
}

interface Measured {
  readonly point: ScalePoint;
  readonly value: number;
  readonly interval: readonly [number, number] | undefined;
}

/** Columns between two points that are out of order. */
function drawTints(plot: Plot, series: SeriesData, xOf: (p: number) => number): void {
  for (const pair of series.outOfOrder) {
    const [from = 0, to = 0] = pair.p.map(xOf);
    plot.root.append(
      svg('rect', {
        x: from,
        y: plot.top - 16,
        width: Math.max(0, to - from),
        height: plot.bottom - plot.top + 16,
        fill: tint(plot.palette, isFaster(pair)),
      }),
    );
  }
}

function drawMeasured(
  plot: Plot,
  options: CurveOptions,
  measured: readonly Measured[],
  xOf: (p: number) => number,
  y: (value: number) => number,
): void {
  const { palette } = plot;
  const { series, quantity, unit } = options;
  for (let at = 1; at < measured.length; at += 1) {
    const [a, b] = [measured[at - 1], measured[at]];
    if (!a || !b) continue;
    const pair = series.outOfOrder.find(({ p }) => p[0] === a.point.p && p[1] === b.point.p);
    plot.root.append(
      svg('line', {
        x1: xOf(a.point.p),
        y1: y(a.value),
        x2: xOf(b.point.p),
        y2: y(b.value),
        stroke: pair ? palette.difference[isFaster(pair) ? 0 : 2] : palette.ink,
        'stroke-width': pair ? 2.5 : 1.75,
      }),
    );
  }
  let end = -Infinity;
  for (const { point, value, interval } of measured) {
    const [cx, cy] = [xOf(point.p), y(value)];
    const pair = series.outOfOrder.find(({ p }) => p[1] === point.p);
    const colour = pair ? palette.difference[isFaster(pair) ? 0 : 2] : palette.ink;
    if (interval) plot.root.append(whisker([cx, y(interval[0])], [cx, y(interval[1])], colour));
    const mark = svg('circle', {
      cx,
      cy,
      r: 4.5,
      fill: colour,
      stroke: palette.ground,
      'stroke-width': 1.5,
    });
    options.addMark(mark, {
      key: `point-${point.p}`,
      tip: () => tipOf(options, point, value, interval),
      pick: () => options.open(point),
      run: point.run,
    });
    plot.root.append(mark);
    const text = quantity === 'time' ? formatValue(value, unit) : formatShort(value);
    const half = (text.length * 7) / 2;
    if (cx - half > end + 4) {
      const isBelow = pair !== undefined && !isFaster(pair) && quantity !== 'time';
      const label = plot.text(text, cx, isBelow ? cy + 18 : cy - 10, {
        anchor: 'middle',
        size: 12,
        isStrong: true,
        isCased: true,
      });
      label.setAttribute('pointer-events', 'none');
      end = cx + half;
    }
  }
}

function tipOf(
  { quantity, unit, by, runName }: CurveOptions,
  point: ScalePoint,
  value: number,
  interval: readonly [number, number] | undefined,
): ReturnType<Mark['tip']> {
  const format = (at: number): string =>
    quantity === 'time' ? formatValue(at, unit) : formatShort(at);
  const rows: [string, string][] = [['median', formatValue(point.value, unit)]];
  if (quantity !== 'time') rows.push([AXIS[quantity], format(value)]);
  if (interval) rows.push(['95 % interval', `${format(interval[0])} … ${format(interval[1])}`]);
  if (point.efficiency !== null && point.efficiency !== undefined && quantity !== 'efficiency')
    rows.push(['efficiency', formatShort(point.efficiency)]);
  if (point.karp_flatt !== null && point.karp_flatt !== undefined)
    rows.push(['Karp–Flatt serial part', formatShort(point.karp_flatt)]);
  if (point.load_balance !== null && point.load_balance !== undefined)
    rows.push(['load balance', formatShort(point.load_balance)]);
  rows.push(['runs', String(point.runs.length)], ['nearest run', runName(point.run)]);
  const notes: string[] = [];
  if (!interval && point.needs_runs)
    notes.push(`No interval: it needs ${point.needs_runs} runs of this point.`);
  if (point.oversubscribed)
    notes.push('More workers than processors: times show over-subscription.');
  notes.push('Enter or click: make the nearest run the target.');
  return { title: `${by} ${formatShort(point.p)}`, rows, notes };
}

/** Names at the right end of curves, pushed apart. */
function drawEnds(plot: Plot, ends: End[]): void {
  ends.sort((a, b) => a.y - b.y || a.text.localeCompare(b.text));
  let last = -Infinity;
  for (const end of ends) {
    end.y = Math.max(end.y, last + 13);
    last = end.y;
  }
  const over = last - plot.bottom;
  for (const end of ends)
    plot.text(end.text, plot.right + 8, Math.min(end.y, end.y - Math.max(0, over)) + 4, {
      colour: end.colour,
    });
}

/** Where p lies between two points of an axis with equal steps. */
function placeBetween(
  series: SeriesData,
  x: { (p: number): number | undefined },
  p: number,
): number {
  const all = series.points;
  const at = all.findIndex((point) => point.p > p);
  const [a, b] = [all[Math.max(0, at - 1)], all[at < 0 ? all.length - 1 : at]];
  if (!a || !b || a === b) return x(b?.p ?? p) ?? 0;
  const isGeometric = a.p > 0;
  const share = isGeometric ? Math.log(p / a.p) / Math.log(b.p / a.p) : (p - a.p) / (b.p - a.p);
  return (x(a.p) ?? 0) + share * ((x(b.p) ?? 0) - (x(a.p) ?? 0));
}

/** Places at which laws are evaluated: twelve per step of the axis. */
function samples(series: SeriesData): number[] {
  const all = series.points;
  return all.flatMap(({ p }, at) => {
    const next = all[at + 1]?.p;
    if (next === undefined) return [p];
    return Array.from({ length: 12 }, (_, step) =>
      p > 0 ? p * (next / p) ** (step / 12) : p + ((next - p) * step) / 12,
    );
  });
}

/** The ground of what is out of order. */
export function tint(palette: Palette, isFaster: boolean): string {
  const colour = palette.difference[isFaster ? 0 : 2];
  return mix(palette.ground, colour, palette.theme === 'dark' ? 0.16 : 0.1);
}

/** How a value out of order is written on an axis. */
export function strangeness(
  palette: Palette,
  series: SeriesData,
  p: number,
): { isStrong?: boolean; colour?: string } {
  const pair = series.outOfOrder.find((one) => one.p[1] === p);
  if (!pair) return {};
  return {
    isStrong: true,
    colour: isFaster(pair) ? palette.difference[0] : slowerInk(palette),
  };
}

/** The colour of worse, dark enough for text. */
export function slowerInk(palette: Palette): string {
  return palette.theme === 'dark' ? palette.difference[2] : '#B3390B';
}
