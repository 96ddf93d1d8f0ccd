/** One small picture of efficiency per group, those that lose most first. */

import { scaleLinear, scalePoint } from 'd3-scale';
import { area, line } from 'd3-shape';
import { mix, type Palette } from '../logic/colour.ts';
import { formatShort, formatShare, formatValue } from '../logic/format.ts';
import { uniqueNames } from '../logic/unique-names.ts';
import { nameOf } from '../ui/chart-view.ts';
import { html, svg, uniquePrefix } from '../ui/dom.ts';
import type { Mark } from '../ui/marks.ts';
import { hatching, Plot } from '../ui/plot.ts';
import { tint } from './curve.ts';
import { type GroupData, isFaster, type SeriesData } from './model.ts';

export interface MultiplesOptions {
  readonly series: SeriesData;
  readonly groups: readonly GroupData[];
  readonly unit: string;
  readonly by: string;
  readonly width: number;
  readonly selected: string;
  addMark(element: Element, mark: Mark): void;
  select(group: GroupData): void;
}

const HEIGHT = 104;
/** Efficiencies above are drawn at the upper edge. */
const TOP = 1.2;

export function drawMultiples(palette: Palette, options: MultiplesOptions): HTMLElement[] {
  const { series, groups } = options;
  const names = uniqueNames(
    groups.map(({ path }) => path[path.length - 1] ?? ''),
    Math.max(8, Math.floor(options.width / 7.4)),
  );
  const culprits = new Set(
    series.outOfOrder.flatMap((pair) =>
      pair.culprits.filter(({ share }) => share >= 0.05).map(({ path }) => path.join('\u0000')),
    ),
  );
  return groups.map((group, index) => {
    const isCulprit = culprits.has(group.path.join('\u0000'));
    const last = group.losses[group.losses.length - 1];
    const whole = series.losses.find(({ p }) => p === last?.p);
    const isCost = group.losses.every((loss) => efficiencyOf(loss) === undefined);
    const at = last && (isCost ? shareOf(last, whole) : efficiencyOf(last));
    const head = html(
      'div',
      { class: 'gs-multiple-head' },
      html(
        'span',
        { class: isCulprit ? 'gs-worse' : 'gs-quiet' },
        group.lost >= 0 ? `loses ${formatShare(group.lost)}` : `gains ${formatShare(-group.lost)}`,
      ),
      html(
        'span',
        {},
        at === undefined || !last
          ? '–'
          : `${isCost ? formatShare(at) : formatShort(at)} at ${formatShort(last.p)}`,
      ),
    );
    const picture = drawOne(palette, options, group, isCulprit, isCost);
    const box = html(
      'div',
      { class: `gs-multiple${group.group === options.selected ? ' gs-picked' : ''}` },
      nameOf(group.path.join(' › '), names[index] ?? ''),
      head,
      picture,
    );
    options.addMark(box, {
      key: `group-${group.group}`,
      run: series.points.find(({ p }) => p === last?.p)?.run,
      patch: { definition: group.path[group.path.length - 1] ?? '' },
      tip: () => ({
        title: group.path.join(' › '),
        rows: group.losses.map((loss) => [
          `${options.by} ${formatShort(loss.p)}`,
          `efficiency ${formatShort(efficiencyOf(loss))}, per worker ${formatValue(loss.area / loss.workers, options.unit)}`,
        ]),
        notes: [
          'Efficiency: work of the reference run over what workers spent in the group.',
          ...(isCost
            ? ['Without work in the reference run: the picture shows its share of workers × time.']
            : []),
          ...(isCulprit ? ['It explains a pair out of order.'] : []),
        ],
      }),
      pick: () => options.select(group),
    });
    return box;
  });
}

/** Work of the reference run over what was spent; absent if nothing was spent or nothing expected. */
function efficiencyOf(loss: { readonly ideal: number; readonly area: number }): number | undefined {
  return loss.area > 0 && loss.ideal > 0 ? loss.ideal / loss.area : undefined;
}

/** Share of a group in workers × time: for groups without work in the reference run. */
function shareOf(
  loss: { readonly area: number },
  whole: { readonly area: number } | undefined,
): number | undefined {
  return whole && whole.area > 0 ? loss.area / whole.area : undefined;
}

/** Top of the scale that all pictures of costs share. */
function costTop(series: SeriesData): number {
  const shares = series.groups
    .filter(({ losses }) => losses.every((loss) => efficiencyOf(loss) === undefined))
    .flatMap(({ losses }) =>
      losses.map(
        (loss) =>
          shareOf(
            loss,
            series.losses.find(({ p }) => p === loss.p),
          ) ?? 0,
      ),
    );
  return Math.max(0.01, ...shares) * 1.1;
}

function drawOne(
  palette: Palette,
  { series, width, by }: MultiplesOptions,
  group: GroupData,
  isCulprit: boolean,
  isCost: boolean,
): SVGSVGElement {
  const plot = new Plot(
    palette,
    width,
    HEIGHT,
    { left: 4, right: 6, top: 6, bottom: 18 },
    `Efficiency over ${by}`,
  );
  plot.root.setAttribute('aria-hidden', 'true');
  const x = scalePoint(
    series.points.map(({ p }) => p),
    [plot.left + 4, plot.right - 2],
  );
  const y = scaleLinear([0, isCost ? costTop(series) : TOP], [plot.bottom, plot.top]).clamp(true);
  if (isCulprit)
    for (const pair of series.outOfOrder) {
      const [from = 0, to = 0] = pair.p.map((p) => x(p));
      plot.root.append(
        svg('rect', {
          x: from,
          y: plot.top,
          width: Math.max(0, to - from),
          height: plot.bottom - plot.top,
          fill: tint(palette, isFaster(pair)),
        }),
      );
    }
  const points = series.points.map(({ p }) => {
    const loss = group.losses.find((one) => one.p === p);
    const whole = series.losses.find((one) => one.p === p);
    return {
      p,
      at: x(p) ?? 0,
      value: loss && (isCost ? shareOf(loss, whole) : efficiencyOf(loss)),
    };
  });
  const hatch = uniquePrefix('absent');
  const known = points.filter(
    (point): point is typeof point & { value: number } => point.value !== undefined,
  );
  if (known.length < points.length) {
    plot.root.append(hatching(hatch, palette.ensemble));
    const step = points.length > 1 ? (plot.right - plot.left) / points.length : 20;
    for (const point of points)
      if (point.value === undefined)
        plot.root.append(
          svg('rect', {
            x: point.at - step / 3,
            y: plot.top,
            width: (2 * step) / 3,
            height: plot.bottom - plot.top,
            fill: `url(#${hatch})`,
          }),
        );
  }
  const blue = isCost
    ? mix(palette.ground, palette.difference[2], 0.75)
    : (palette.exclusive[3] ?? palette.ink2);
  plot.root.append(
    svg('path', {
      d:
        area<(typeof known)[0]>(
          (d) => d.at,
          plot.bottom,
          (d) => y(d.value),
        )(known) ?? undefined,
      fill: mix(palette.ground, blue, 0.16),
    }),
    ...(isCost
      ? []
      : [
          svg('line', {
            x1: plot.left,
            x2: plot.right,
            y1: y(1),
            y2: y(1),
            stroke: palette.ink2,
            'stroke-dasharray': '2 3',
          }),
        ]),
    svg('path', {
      d:
        line<(typeof known)[0]>(
          (d) => d.at,
          (d) => y(d.value),
        )(known) ?? undefined,
      fill: 'none',
      stroke: blue,
      'stroke-width': 1.5,
    }),
  );
  const strange = new Set(series.outOfOrder.map(({ p }) => p[1]));
  for (const point of known)
    plot.root.append(
      svg('circle', {
        cx: point.at,
        cy: y(point.value),
        r: isCulprit && strange.has(point.p) ? 3.5 : 2,
        fill: isCulprit && strange.has(point.p) ? palette.difference[2] : blue,
      }),
    );
  const ends = [points[0], points[points.length - 1]];
  plot.xAxis(
    ends.flatMap((point) => (point ? [{ at: point.at, text: formatShort(point.p) }] : [])),
  );
  return plot.root;
}
