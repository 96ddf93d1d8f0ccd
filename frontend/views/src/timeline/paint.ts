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
  /** Colour of an interval of a row, as `packed` makes it. */
  colour(all: Intervals, at: number, row: Row): number;
  readonly line: string;
  readonly hatch: string | CanvasPattern | undefined;
  readonly selected: string;
  /** Row of the selected grain, and of the one that is pointed at; -1 for none. */
  readonly grain: number;
  readonly hovered: number;
}

/** Pixels in a row that are written one by one. */
const FEW = 16;

/** Pixels of intervals. Writing them costs as much as the picture has pixels, however many intervals there are. */
export class Pixels {
  readonly #canvas = document.createElement('canvas');
  #image: ImageData | undefined;
  #words = new Uint32Array();
  #ratio = 1;

  /** Empty pixels of a size in pixels of the page. */
  clear(width: number, height: number, ratio: number): void {
    const [columns, lines] = [Math.round(width * ratio), Math.round(height * ratio)];
    this.#ratio = ratio;
    if (this.#image?.width === columns && this.#image.height === lines) {
      this.#words.fill(0);
      return;
    }
    this.#canvas.width = columns;
    this.#canvas.height = lines;
    this.#image = new ImageData(columns, lines);
    this.#words = new Uint32Array(this.#image.data.buffer);
  }

  /** Fills a rectangle, at least one pixel wide and high. */
  fill(left: number, top: number, right: number, bottom: number, colour: number): void {
    const width = this.#image?.width ?? 0;
    const from = Math.round(left * this.#ratio);
    const to = Math.min(width, Math.max(from + 1, Math.round(right * this.#ratio)));
    const last = Math.round(bottom * this.#ratio);
    const first = Math.min(last - 1, Math.round(top * this.#ratio));
    const words = this.#words;
    // `fill` costs more than a few words do.
    if (to - from <= FEW)
      for (let y = first; y < last; y += 1)
        for (let at = y * width + from; at < y * width + to; at += 1) words[at] = colour;
    else for (let y = first; y < last; y += 1) words.fill(colour, y * width + from, y * width + to);
  }

  draw(context: CanvasRenderingContext2D): void {
    if (!this.#image) return;
    const { width, height } = this.#image;
    this.#canvas.getContext('2d')?.putImageData(this.#image, 0, 0);
    context.drawImage(this.#canvas, 0, 0, width / this.#ratio, height / this.#ratio);
  }
}

/** A colour `#rrggbb` as a word of an image; the bytes of words are in little-endian order in all browsers. */
export function packed(colour: string): number {
  const [r, g, b] = [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
  return ((0xff << 24) | ((b ?? 0) << 16) | ((g ?? 0) << 8) | (r ?? 0)) >>> 0;
}

/** Paints all rows; the height of an interval is the busy share of its time. */
export function paintRows(
  context: CanvasRenderingContext2D,
  pixels: Pixels,
  lanes: readonly Intervals[],
  rows: readonly Row[],
  axis: TimeAxis,
  inks: Inks,
): void {
  const { range, x0, x1 } = axis;
  const marks: (readonly [Intervals, Row, readonly number[]])[] = [];
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
    const marked = paintRow(pixels, all, row, axis, inks);
    if (marked.length > 0) marks.push([all, row, marked]);
  }
  pixels.draw(context);
  const scale = (x1 - x0) / (range[1] - range[0]);
  for (const [all, row, marked] of marks) paintMarked(context, all, row, marked, scale, axis, inks);
}

/** Writes the pixels of a row; returns its intervals of the selected grain, and of the one that is pointed at. */
function paintRow(
  pixels: Pixels,
  all: Intervals,
  row: Row,
  { range, x0, x1 }: TimeAxis,
  inks: Inks,
): readonly number[] {
  const end = all.first[row.worker + 1] ?? 0;
  const scale = (x1 - x0) / (range[1] - range[0]);
  const bottom = row.y + row.height;
  const marked: number[] = [];
  for (let at = firstAfter(all, row.worker, range[0]); at < end; at += 1) {
    const start = all.start[at] ?? 0;
    if (start >= range[1]) break;
    const left = Math.max(x0, x0 + (start - range[0]) * scale);
    const right = Math.min(x1, x0 + ((all.end[at] ?? 0) - range[0]) * scale);
    const height = Math.max(1, row.height * (all.busy[at] ?? 0));
    pixels.fill(left, bottom - height, right, bottom, inks.colour(all, at, row));
    const grain = all.grain[at] ?? -1;
    if (row.lane === 0 && grain >= 0 && (grain === inks.grain || grain === inks.hovered))
      marked.push(at);
  }
  return marked;
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
