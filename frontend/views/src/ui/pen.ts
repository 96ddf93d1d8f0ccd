/** One picture for the screen and for files: the same strokes on a canvas or as SVG. */

import { MONO, SANS, svg } from './dom.ts';

export interface Shape {
  readonly fill?: string | undefined;
  readonly stroke?: string | undefined;
  readonly width?: number;
  readonly dash?: readonly number[];
  /** Of corners, at most half of the shorter side: with `Infinity` that side is round. */
  readonly radius?: number;
}

export interface Filled extends Shape {
  readonly fill: string;
}

export interface Lettering {
  readonly size: number;
  readonly colour: string;
  readonly isMono?: boolean;
  readonly isBold?: boolean;
  readonly anchor?: 'start' | 'middle' | 'end';
}

export interface Pen {
  rect(x: number, y: number, width: number, height: number, shape: Shape): void;
  circle(x: number, y: number, radius: number, shape: Shape): void;
  /** Segments as four numbers each, in one stroke. */
  lines(ends: readonly number[], colour: string, width: number, dash?: readonly number[]): void;
  /** A text; its baseline is at `y`. */
  text(text: string, x: number, y: number, lettering: Lettering): void;
}

/** Scale below which dashes cannot be seen. */
const DASHED = 0.2;
const SOLID: readonly number[] = [];
/** Segments as paths: views give the same list while nothing but the window changes. */
const paths = new WeakMap<readonly number[], Path2D>();

/** Draws on a canvas, in the coordinates that its context has. Setting an unchanged style costs time, so none is set. */
export class CanvasPen implements Pen {
  readonly #context: CanvasRenderingContext2D;
  readonly #scale: number;
  #fill = '';
  #stroke = '';
  #width = -1;
  #dash: readonly number[] | undefined;

  constructor(context: CanvasRenderingContext2D) {
    this.#context = context;
    this.#scale = context.getTransform().a;
  }

  rect(x: number, y: number, width: number, height: number, shape: Shape): void {
    const context = this.#context;
    const radius = radiusOf(shape, width, height);
    // Corners of less than a pixel cannot be seen.
    if (radius * this.#scale >= 1) {
      context.beginPath();
      context.roundRect(x, y, width, height, radius);
      this.#finish(shape);
      return;
    }
    if (shape.fill !== undefined) {
      this.#fillWith(shape.fill);
      context.fillRect(x, y, width, height);
    }
    if (shape.stroke === undefined) return;
    this.#strokeWith(shape.stroke, shape.width, shape.dash);
    context.strokeRect(x, y, width, height);
  }

  circle(x: number, y: number, radius: number, shape: Shape): void {
    this.#context.beginPath();
    this.#context.arc(x, y, radius, 0, 2 * Math.PI);
    this.#finish(shape);
  }

  lines(ends: readonly number[], colour: string, width: number, dash = SOLID): void {
    if (ends.length === 0) return;
    let path = paths.get(ends);
    if (!path) {
      path = new Path2D();
      for (let at = 0; at < ends.length; at += 4) {
        path.moveTo(ends[at] ?? 0, ends[at + 1] ?? 0);
        path.lineTo(ends[at + 2] ?? 0, ends[at + 3] ?? 0);
      }
      paths.set(ends, path);
    }
    this.#strokeWith(colour, width, dash);
    this.#context.stroke(path);
  }

  text(text: string, x: number, y: number, lettering: Lettering): void {
    const context = this.#context;
    const { size, isBold, isMono, colour, anchor = 'start' } = lettering;
    context.font = `${isBold ? '600 ' : ''}${size}px ${isMono ? MONO : SANS}`;
    this.#fillWith(colour);
    context.textAlign = anchor === 'middle' ? 'center' : anchor;
    context.fillText(text, x, y);
  }

  #finish({ fill, stroke, width, dash }: Shape): void {
    const context = this.#context;
    if (fill !== undefined) {
      this.#fillWith(fill);
      context.fill();
    }
    if (stroke === undefined) return;
    this.#strokeWith(stroke, width, dash);
    context.stroke();
  }

  #fillWith(colour: string): void {
    if (colour === this.#fill) return;
    this.#fill = colour;
    this.#context.fillStyle = colour;
  }

  #strokeWith(colour: string, width = 1, wanted = SOLID): void {
    const context = this.#context;
    if (colour !== this.#stroke) {
      this.#stroke = colour;
      context.strokeStyle = colour;
    }
    if (width !== this.#width) {
      this.#width = width;
      context.lineWidth = width;
    }
    const dash = this.#scale < DASHED || wanted.length === 0 ? SOLID : wanted;
    if (dash === this.#dash) return;
    this.#dash = dash;
    context.setLineDash(dash as number[]);
  }
}

function radiusOf({ radius = 0 }: Shape, width: number, height: number): number {
  return Math.min(radius, width / 2, height / 2);
}

/** Draws into a group of an SVG. */
export class SvgPen implements Pen {
  readonly #into: SVGElement;

  constructor(into: SVGElement) {
    this.#into = into;
  }

  rect(x: number, y: number, width: number, height: number, shape: Shape): void {
    const rx = shape.radius === undefined ? undefined : radiusOf(shape, width, height);
    this.#into.append(svg('rect', { x, y, width, height, rx, ...attributes(shape) }));
  }

  circle(x: number, y: number, radius: number, shape: Shape): void {
    this.#into.append(svg('circle', { cx: x, cy: y, r: radius, ...attributes(shape) }));
  }

  lines(
    ends: readonly number[],
    colour: string,
    width: number,
    dash: readonly number[] = [],
  ): void {
    if (ends.length === 0) return;
    const round = (at: number): number => Math.round((ends[at] ?? 0) * 100) / 100;
    const parts: string[] = [];
    for (let at = 0; at < ends.length; at += 4)
      parts.push(`M${round(at)},${round(at + 1)}L${round(at + 2)},${round(at + 3)}`);
    this.#into.append(
      svg('path', { d: parts.join(''), ...attributes({ stroke: colour, width, dash }) }),
    );
  }

  text(text: string, x: number, y: number, lettering: Lettering): void {
    const { size, isBold, isMono, colour, anchor } = lettering;
    this.#into.append(
      svg(
        'text',
        {
          x,
          y,
          fill: colour,
          'font-size': size,
          'font-family': isMono ? MONO : SANS,
          'font-weight': isBold ? 600 : undefined,
          'text-anchor': anchor,
        },
        text,
      ),
    );
  }
}

function attributes({
  fill,
  stroke,
  width = 1,
  dash = [],
}: Shape): Readonly<Record<string, string | number | undefined>> {
  return {
    fill: fill ?? 'none',
    stroke,
    'stroke-width': stroke === undefined ? undefined : width,
    'stroke-dasharray': dash.length > 0 ? dash.join(' ') : undefined,
  };
}
