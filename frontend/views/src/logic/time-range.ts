/** Ranges of a time axis: zoom, pan, and the part of a run that is asked for. Pure. */

import type { Interval } from '../registry/selection.ts';

/** The shortest range that is shown, in the unit of the run's times. */
const SHORTEST = 20;

/** A range inside of all time, at least as long as can be shown. */
export function clampRange([from, to]: Interval, end: number): Interval {
  const length = Math.min(end, Math.max(SHORTEST, to - from));
  const start = Math.max(0, Math.min(end - length, from));
  return [start, start + length];
}

/** The range made shorter by a factor, about a time that stays where it is. */
export function zoomRange([from, to]: Interval, factor: number, at: number, end: number): Interval {
  const length = Math.max(SHORTEST, Math.min(end, (to - from) / factor));
  const share = to > from ? (at - from) / (to - from) : 0.5;
  return clampRange([at - share * length, at + (1 - share) * length], end);
}

/** The range moved by a time. */
export function panRange([from, to]: Interval, by: number, end: number): Interval {
  return clampRange([from + by, to + by], end);
}

/** The range as a selection has it: nothing for all of the run. */
export function selectedRange(range: Interval, end: number): Interval | undefined {
  const [from, to] = [Math.floor(range[0]), Math.ceil(range[1])];
  return from <= 0 && to >= end ? undefined : [Math.max(0, from), to];
}

/** Parts that a whole run is asked for in, and the part of a run. */
const WHOLE_PARTS = 1200;
const WINDOW_PARTS = 2400;

/**
 * Query for a range: nothing for all of the run, or else a window that contains the range. Windows begin at multiples of
 * a power of two, so that small pans ask nothing, and are at most three times as long as the range.
 */
export function windowOf(range: Interval | undefined): Readonly<Record<string, number>> {
  if (!range) return { pixels: WHOLE_PARTS };
  const step = 2 ** Math.ceil(Math.log2(Math.max(SHORTEST, range[1] - range[0])));
  const start = Math.floor(range[0] / (step / 2)) * (step / 2);
  return { start, end: start + 1.5 * step, pixels: WINDOW_PARTS };
}

/** Place of a time on an axis of pixels. */
export function placeOf(time: number, [from, to]: Interval, x0: number, x1: number): number {
  return x0 + ((time - from) / (to - from)) * (x1 - x0);
}

/** Time at a place of an axis of pixels. */
export function timeAt(x: number, [from, to]: Interval, x0: number, x1: number): number {
  return from + ((x - x0) / (x1 - x0)) * (to - from);
}
