/** The frame that all views along the time of a run have, so that their axes lie below each other. */

import { scaleLinear } from 'd3-scale';
import type { Palette } from '../logic/colour.ts';
import { formatTick } from '../logic/format.ts';
import type { Interval } from '../registry/selection.ts';
import { Plot } from './plot.ts';

const MARGINS = { left: 88, right: 16, top: 2, bottom: 24 } as const;
/** Pixels for a tick with its text. */
const TICK = 110;

/** Axis and grid of time over a range. */
export function timePlot(
  palette: Palette,
  width: number,
  height: number,
  range: Interval,
  unit: string,
  label: string,
): Plot {
  const plot = new Plot(palette, width, height, MARGINS, label);
  const x = scaleLinear(range, [plot.left, plot.right]);
  const ticks = x.ticks(Math.max(2, Math.floor((plot.right - plot.left) / TICK)));
  plot.xAxis(
    ticks.map((time) => ({ at: x(time), text: preciseTick(time, ticks, unit) })),
    { isGrid: true },
  );
  return plot;
}

/** Text of a tick; where three digits do not distinguish neighbours, the distance to the first tick. */
function preciseTick(time: number, ticks: readonly number[], unit: string): string {
  const texts = new Set(ticks.map((one) => formatTick(one, unit)));
  if (texts.size === ticks.length || time === ticks[0]) return formatTick(time, unit);
  return `+${formatTick(time - (ticks[0] ?? 0), unit)}`;
}
