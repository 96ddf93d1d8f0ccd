/** Draws intervals of workers on a canvas. */

import { placeOf } from '../logic/time-range.ts';
import type { TimeAxis } from '../ui/time-hands.ts';
import { firstAfter, type Intervals } from './model.ts';

/** A row of a worker. */
export interface Row {
  /** Index of the run: 0, or 1 for the second. */
  readonly lane: number;
  readonly worker: number;
  readonly y: number;
  readonly height: number;
}

export interface Inks {
  /** Colour of an interval of a row. */
  colour(all: Intervals, at: number, row: Row): string;
  /** Whether an interval stands out; the others are faint. Nothing if all are alike. */
  readonly stands: ((all: Intervals, at: number) => boolean) | undefined;
  readonly line: string;
  readonly hatch: string | CanvasPattern | undefined;
  readonly selected: string;
  /** Row of the selected grain, and of the one that is pointed at; -1 for none. */
  readonly grain: number;
  readonly hovered: number;
}

/** Paints all rows; the height of an interval is the busy share of its time. */
export function paintRows(
  context: CanvasRenderingContext2D,
  lanes: readonly Intervals[],
  rows: readonly Row[],
  axis: TimeAxis,
  inks: Inks,
): void {
  const { range, x0, x1 } = axis;
  for (const row of rows) {
    const all = lanes[row.lane];
    if (!all) continue;
    if (inks.hatch) {
      context.fillStyle = inks.hatch;
      const right = Math.min(x1, placeOf(axis.end, range, x0, x1));
      context.fillRect(x0, row.y, Math.max(0, right - x0), row.height);
    }
    context.fillStyle = inks.line;
    context.fillRect(x0, row.y + row.height, x1 - x0, 1);
    paintRow(context, all, row, axis, inks);
  }
  context.globalAlpha = 1;
}

function paintRow(
  context: CanvasRenderingContext2D,
  all: Intervals,
  row: Row,
  { range, x0, x1 }: TimeAxis,
  inks: Inks,
): void {
  const end = all.first[row.worker + 1] ?? 0;
  const scale = (x1 - x0) / (range[1] - range[0]);
  const marked: number[] = [];
  let before = '';
  for (let at = firstAfter(all, row.worker, range[0]); at < end; at += 1) {
    const start = all.start[at] ?? 0;
    if (start >= range[1]) break;
    const colour = inks.colour(all, at, row);
    if (colour !== before) context.fillStyle = before = colour;
    if (inks.stands) context.globalAlpha = inks.stands(all, at) ? 1 : 0.22;
    const left = Math.max(x0, x0 + (start - range[0]) * scale);
    const right = Math.min(x1, x0 + ((all.end[at] ?? 0) - range[0]) * scale);
    const height = Math.max(1, row.height * (all.busy[at] ?? 0));
    context.fillRect(left, row.y + row.height - height, Math.max(0.75, right - left), height);
    const grain = all.grain[at] ?? -1;
    if (row.lane === 0 && grain >= 0 && (grain === inks.grain || grain === inks.hovered))
      marked.push(at);
  }
  context.globalAlpha = 1;
  if (marked.length > 0) paintMarked(context, all, row, marked, scale, { range, x0, x1 }, inks);
}

/** Outlines: solid where a grain ran, dashed from its first begin to its last end on the worker. */
function paintMarked(
  context: CanvasRenderingContext2D,
  all: Intervals,
  row: Row,
  marked: readonly number[],
  scale: number,
  { range, x0, x1 }: Pick<TimeAxis, 'range' | 'x0' | 'x1'>,
  inks: Inks,
): void {
  const placed = (time: number): number =>
    Math.min(x1, Math.max(x0, x0 + (time - range[0]) * scale));
  context.strokeStyle = inks.selected;
  const bounds = new Map<number, [number, number]>();
  for (const at of marked) {
    const grain = all.grain[at] ?? -1;
    const [left, right] = [placed(all.start[at] ?? 0), placed(all.end[at] ?? 0)];
    context.lineWidth = grain === inks.grain ? 2 : 1;
    context.strokeRect(left, row.y, Math.max(2, right - left), row.height);
    const known = bounds.get(grain) ?? [left, right];
    bounds.set(grain, [Math.min(known[0], left), Math.max(known[1], right)]);
  }
  context.lineWidth = 1;
  context.setLineDash([3, 2]);
  for (const [left, right] of bounds.values())
    context.strokeRect(left, row.y - 1.5, right - left, row.height + 3);
  context.setLineDash([]);
}
