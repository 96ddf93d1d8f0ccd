/** Where workers × time went: a bar per point whose parts add up to it. */

import { scaleBand, scaleLinear } from 'd3-scale';
import { mix, type Palette } from '../logic/colour.ts';
import { formatShort, formatShare, formatValue } from '../logic/format.ts';
import { svg, uniquePrefix } from '../ui/dom.ts';
import type { Mark } from '../ui/marks.ts';
import { hatching, Plot, ticksOf } from '../ui/plot.ts';
import { strangeness } from './curve.ts';
import {
  type Part,
  PART_MEANING,
  PART_WORDS,
  type SeriesData,
  type Slice,
  slicesOf,
} from './model.ts';

export interface LossOptions {
  readonly series: SeriesData;
  readonly unit: string;
  readonly by: string;
  readonly width: number;
  readonly height: number;
  addMark(element: Element, mark: Mark): void;
}

const MARGINS = { left: 40, right: 92, top: 22, bottom: 38 } as const;

export function drawLoss(palette: Palette, options: LossOptions): SVGSVGElement {
  const { series, by } = options;
  const plot = new Plot(palette, options.width, options.height, MARGINS, 'Where the time goes');
  const bars = series.losses.map((loss) => ({ loss, slices: slicesOf(loss) }));
  const ends = bars.flatMap(({ slices }) => slices.map(({ to }) => to));
  const low = Math.min(0, ...ends);
  const y = scaleLinear([low < 0 ? low * 1.05 : 0, Math.max(1, ...ends)], [plot.bottom, plot.top]);
  const x = scaleBand(
    bars.map(({ loss }) => loss.p),
    [plot.left, plot.right],
  ).padding(0.18);
  plot.yAxis(ticksOf(y, 4, (share) => formatShort(share * 100)));
  plot.xAxis(
    bars.map(({ loss }) => ({
      at: (x(loss.p) ?? 0) + x.bandwidth() / 2,
      text: formatShort(loss.p),
      ...strangeness(palette, series, loss.p),
    })),
  );
  plot.text(by, plot.right, plot.bottom + 32, { anchor: 'end' });
  const hatch = uniquePrefix('hatch');
  plot.root.append(hatching(hatch, palette.difference[2]));
  const fills = fillsOf(palette, hatch);
  for (const { loss, slices } of bars) {
    const left = x(loss.p) ?? 0;
    for (const slice of slices) {
      const [top, bottom] = [y(Math.max(slice.from, slice.to)), y(Math.min(slice.from, slice.to))];
      const mark = svg('rect', {
        x: left,
        y: top,
        width: x.bandwidth(),
        height: Math.max(0.5, bottom - top),
        fill: fills[slice.part],
        stroke: palette.ground,
        'stroke-width': 1,
      });
      options.addMark(mark, {
        key: `loss-${loss.p}-${slice.part}`,
        run: series.points.find(({ p }) => p === loss.p)?.run,
        tip: () => ({
          title: `${PART_WORDS[slice.part]} at ${by} ${formatShort(loss.p)}`,
          rows: [
            ['share', formatShare(slice.share)],
            ['workers × time', formatValue(slice.value, options.unit)],
            ['per worker', formatValue(slice.value / loss.workers, options.unit)],
          ],
          notes: [PART_MEANING[slice.part]],
        }),
      });
      plot.root.append(mark);
      if (slice.part === 'ideal' && bottom - top > 16 && x.bandwidth() > 22)
        plot
          .text(formatShort(slice.share * 100), left + x.bandwidth() / 2, top + 14, {
            anchor: 'middle',
            isStrong: true,
          })
          .setAttribute('pointer-events', 'none');
    }
  }
  nameParts(plot, bars[bars.length - 1]?.slices ?? [], y);
  return plot.root;
}

/** Names next to the last bar, with their shares, pushed apart. */
function nameParts(plot: Plot, slices: readonly Slice[], y: (share: number) => number): void {
  const labels = slices
    .map((slice) => ({ slice, at: y((slice.from + slice.to) / 2) }))
    .sort((a, b) => a.at - b.at);
  let last = plot.top - 8;
  const places = labels.map(({ at }) => (last = Math.max(at, last + 28)));
  const over = Math.max(0, (places[places.length - 1] ?? 0) - plot.bottom + 10);
  labels.forEach(({ slice }, index) => {
    const at = Math.max(plot.top, (places[index] ?? 0) - over);
    plot.text(PART_WORDS[slice.part], plot.right + 8, at, { isStrong: true });
    plot.text(formatShare(slice.share), plot.right + 8, at + 13);
  });
}

function fillsOf(palette: Palette, hatch: string): Readonly<Record<Part, string>> {
  const [faster, , slower] = palette.difference;
  return {
    ideal: mix(palette.ground, faster, palette.theme === 'dark' ? 0.5 : 0.32),
    inflation: slower,
    overhead: mix(palette.ground, slower, 0.55),
    idle: `url(#${hatch})`,
    unexplained: palette.ensemble,
  };
}
