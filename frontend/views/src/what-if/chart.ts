/** The curve of predicted times with its bounds, and the recorded times. */

import { scaleLog } from 'd3-scale';
import { area, line } from 'd3-shape';
import type { Palette } from '../logic/colour.ts';
import {
  formatCount,
  formatPlural,
  formatShare,
  formatTick,
  formatValue,
} from '../logic/format.ts';
import { svg } from '../ui/dom.ts';
import type { Mark } from '../ui/marks.ts';
import { Plot, type Tick, ticksOf, whisker } from '../ui/plot.ts';
import type { Curve, Prediction, RecordedTimes } from './model.ts';

export interface ChartOptions {
  readonly curve: Curve;
  readonly unit: string;
  readonly isChanged: boolean;
  /** Workers that gains are for. */
  readonly at: number;
  readonly width: number;
  readonly height: number;
  addMark(element: Element, mark: Mark): void;
  choose(workers: number): void;
}

const MARGINS = { left: 60, right: 96, top: 14, bottom: 38 } as const;

type Pair = readonly [x: number, y: number];

export function drawChart(palette: Palette, options: ChartOptions): SVGSVGElement {
  const { curve, unit, isChanged } = options;
  const plot = new Plot(
    palette,
    options.width,
    options.height,
    MARGINS,
    'predicted elapsed time over workers, with recorded times',
  );
  const counts = [
    ...curve.points.map(({ workers }) => workers),
    ...curve.recorded.map(({ workers }) => workers),
  ];
  const times = [
    ...curve.points.flatMap(({ lower, upper, predicted, unchanged, max }) => [
      lower,
      upper ?? predicted,
      unchanged,
      max,
    ]),
    ...curve.recorded.flatMap(({ min, max }) => [min, max]),
    ...(curve.unlimited ? [curve.unlimited.predicted] : []),
  ].filter((time) => time > 0);
  if (counts.length === 0 || times.length === 0) return plot.root;
  const x = scaleLog(
    [Math.min(...counts), Math.max(2, ...counts)],
    [plot.left + 8, plot.right - 8],
  );
  const y = scaleLog([Math.min(...times) / 1.1, Math.max(...times) * 1.1], [plot.bottom, plot.top]);
  const at = (workers: number, time: number): Pair => [
    x(workers),
    y(Math.max(time, y.domain()[0] ?? 1)),
  ];
  plot.yAxis(timeTicks(y, unit));
  plot.xAxis(
    [...new Set(counts)]
      .sort((a, b) => a - b)
      .map((workers) => ({
        at: x(workers),
        text: formatCount(workers),
        isStrong: workers === options.at,
      })),
  );
  plot.text('workers', plot.right - 6, plot.bottom + 32, { anchor: 'end' });
  drawBounds(plot, curve, at);
  if (curve.unlimited) drawUnlimited(plot, curve.unlimited, unit, y, options.addMark);
  const path = (points: readonly Pair[], look: Record<string, string | number>): void => {
    const d = line<Pair>(
      (one) => one[0],
      (one) => one[1],
    )(points as Pair[]);
    plot.root.append(svg('path', { d: d ?? undefined, fill: 'none', ...look }));
  };
  if (isChanged)
    path(
      curve.points.map(({ workers, unchanged }) => at(workers, unchanged)),
      { stroke: palette.ink2, 'stroke-dasharray': '5 3' },
    );
  path(
    curve.points.map(({ workers, predicted }) => at(workers, predicted)),
    { stroke: palette.accent, 'stroke-width': 2 },
  );
  drawPredictions(plot, options, at);
  for (const times of curve.recorded) drawRecorded(plot, times, options, at);
  return plot.root;
}

/** Ticks of a logarithmic axis of times: at powers of ten, or at 1, 2 and 5 of a short one. */
function timeTicks(y: ReturnType<typeof scaleLog<number, number>>, unit: string): Tick[] {
  const [low = 1, high = 10] = y.domain();
  const steps = high / low > 100 ? [1] : [1, 2, 5];
  const ticks: Tick[] = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.log10(high); power += 1)
    for (const step of steps) {
      const time = step * 10 ** power;
      if (time >= low && time <= high) ticks.push({ at: y(time), text: formatTick(time, unit) });
    }
  return ticks.length > 1 ? ticks : ticksOf(y, 4, (time) => formatTick(time, unit));
}

/** The ground between max(span, work / p) and work / p + span. */
function drawBounds(
  plot: Plot,
  { points }: Curve,
  at: (workers: number, time: number) => Pair,
): void {
  const bounded = points.filter(({ upper }) => typeof upper === 'number');
  const d = area<(typeof bounded)[number]>()
    .x(({ workers }) => at(workers, 1)[0])
    .y0(({ workers, lower }) => at(workers, lower)[1])
    .y1(({ workers, upper }) => at(workers, upper ?? 0)[1])(bounded);
  plot.root.append(
    svg('path', { d: d ?? undefined, fill: plot.palette.accent, 'fill-opacity': 0.13 }),
  );
}

function drawUnlimited(
  plot: Plot,
  unlimited: Prediction,
  unit: string,
  y: (time: number) => number,
  addMark: ChartOptions['addMark'],
): void {
  const height = y(unlimited.predicted);
  const mark = svg('line', {
    x1: plot.left,
    x2: plot.right,
    y1: height,
    y2: height,
    stroke: plot.palette.ink2,
    'stroke-dasharray': '1 3',
  });
  addMark(mark, {
    key: 'unlimited',
    tip: () => ({
      title: 'Unlimited workers',
      rows: [['predicted: the span', formatValue(unlimited.predicted, unit)]],
    }),
  });
  plot.root.append(mark);
  plot.text('unlimited', plot.right + 6, height + 4);
}

function drawPredictions(
  plot: Plot,
  options: ChartOptions,
  at: (workers: number, time: number) => Pair,
): void {
  const { palette } = plot;
  for (const point of options.curve.points) {
    const [cx, cy] = at(point.workers, point.predicted);
    if (point.max > point.min)
      plot.root.append(
        whisker(at(point.workers, point.min), at(point.workers, point.max), palette.accent, 3),
      );
    const isChosen = point.workers === options.at;
    const mark = svg('rect', {
      x: cx - (isChosen ? 5 : 3.5),
      y: cy - (isChosen ? 5 : 3.5),
      width: isChosen ? 10 : 7,
      height: isChosen ? 10 : 7,
      fill: palette.accent,
      stroke: palette.ground,
    });
    options.addMark(mark, {
      key: `predicted-${point.workers}`,
      tip: () => tipOf(point, options),
      pick: () => options.choose(point.workers),
    });
    plot.root.append(mark);
  }
}

function tipOf(
  point: Prediction & { readonly workers: number },
  { unit, isChanged }: ChartOptions,
): ReturnType<Mark['tip']> {
  const time = (value: number | null | undefined): string => formatValue(value, unit);
  const rows: [string, string][] = [
    ['predicted', time(point.predicted)],
    ['shortest … longest schedule', `${time(point.min)} … ${time(point.max)}`],
    ['max(span, work / workers)', time(point.lower)],
    ['work / workers + span', time(point.upper)],
  ];
  if (isChanged)
    rows.push(
      ['without the changes', time(point.unchanged)],
      ['gain', `${time(point.gain)}, ${formatShare(point.gain / point.unchanged)}`],
    );
  return {
    title: formatPlural(point.workers, 'worker'),
    rows,
    notes: ['Enter or click: show the gains on as many workers.'],
  };
}

function drawRecorded(
  plot: Plot,
  times: RecordedTimes,
  { unit, addMark }: ChartOptions,
  at: (workers: number, time: number) => Pair,
): void {
  const { palette } = plot;
  const [cx, cy] = at(times.workers, times.median);
  if (times.max > times.min)
    plot.root.append(
      whisker(at(times.workers, times.min), at(times.workers, times.max), palette.ink, 3),
    );
  const mark = svg('circle', {
    cx,
    cy,
    r: 4.5,
    fill: times.is_oversubscribed ? palette.ground : palette.ink,
    stroke: times.is_oversubscribed ? palette.ink : palette.ground,
    'stroke-width': 1.5,
  });
  addMark(mark, {
    key: `recorded-${times.workers}`,
    tip: () => ({
      title: `Recorded on ${formatPlural(times.workers, 'worker')}`,
      rows: [
        ['median', formatValue(times.median, unit)],
        ['shortest … longest', `${formatValue(times.min, unit)} … ${formatValue(times.max, unit)}`],
        ['runs', formatCount(times.runs)],
      ],
      notes: times.is_oversubscribed
        ? ['More workers than processors: such a time does not count in the check of predictions.']
        : [],
    }),
  });
  plot.root.append(mark);
}
