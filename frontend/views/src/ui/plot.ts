/** Frame of a chart: an SVG with room for axes, grid and labels around the data. */

import type { ScaleContinuousNumeric } from 'd3-scale';
import type { Palette } from '../logic/colour.ts';
import { svg, textStyle } from './dom.ts';

/** Space around the data, in pixels. */
export interface Margins {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** What an axis shows at a place of its scale. */
export interface Tick {
  readonly at: number;
  readonly text: string;
  readonly isStrong?: boolean;
  readonly colour?: string;
}

export type Numeric = ScaleContinuousNumeric<number, number>;

export class Plot {
  readonly root: SVGSVGElement;
  readonly palette: Palette;
  readonly width: number;
  readonly height: number;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;

  constructor(palette: Palette, width: number, height: number, margins: Margins, label: string) {
    this.palette = palette;
    this.width = Math.max(margins.left + margins.right + 40, width);
    this.height = Math.max(margins.top + margins.bottom + 20, height);
    this.left = margins.left;
    this.right = this.width - margins.right;
    this.top = margins.top;
    this.bottom = this.height - margins.bottom;
    this.root = svg('svg', {
      class: 'gs-plot',
      role: 'group',
      'aria-label': label,
      width: this.width,
      height: this.height,
      viewBox: `0 0 ${this.width} ${this.height}`,
    });
  }

  /** Horizontal lines with texts to the left. The first line is the axis if it is at the bottom. */
  yAxis(ticks: readonly Tick[], isGrid = true): void {
    for (const { at, text, isStrong, colour } of ticks) {
      if (isGrid) {
        const stroke = Math.abs(at - this.bottom) < 0.5 ? this.palette.ink2 : this.palette.line;
        this.root.append(svg('line', { x1: this.left, x2: this.right, y1: at, y2: at, stroke }));
      }
      this.text(text, this.left - 7, at + 4, { anchor: 'end', isStrong, colour });
    }
  }

  /** Texts below the data; one that would overlap the one before is left out, ticks stay. */
  xAxis(ticks: readonly Tick[], options: { isGrid?: boolean; isLine?: boolean } = {}): void {
    const { bottom, palette } = this;
    if (options.isLine !== false)
      this.root.append(
        svg('line', {
          x1: this.left,
          x2: this.right,
          y1: bottom,
          y2: bottom,
          stroke: palette.ink2,
        }),
      );
    let end = -Infinity;
    for (const { at, text, isStrong, colour } of ticks) {
      if (options.isGrid)
        this.root.append(
          svg('line', { x1: at, x2: at, y1: this.top, y2: bottom, stroke: palette.line }),
        );
      this.root.append(
        svg('line', { x1: at, x2: at, y1: bottom, y2: bottom + 4, stroke: palette.ink2 }),
      );
      const half = (text.length * 6.2) / 2;
      const x = Math.min(Math.max(at, half), this.width - half);
      if (x - half < end + 6) continue;
      end = x + half;
      this.text(text, x, bottom + 17, { anchor: 'middle', isStrong, colour });
    }
  }

  /** A text of 11 px in the secondary ink by default. */
  text(
    text: string,
    x: number,
    y: number,
    options: {
      anchor?: 'start' | 'middle' | 'end' | undefined;
      size?: number | undefined;
      isStrong?: boolean | undefined;
      isMono?: boolean | undefined;
      colour?: string | undefined;
      isCased?: boolean | undefined;
    } = {},
  ): SVGTextElement {
    const { palette } = this;
    const element = svg(
      'text',
      {
        ...textStyle(options.size ?? 11, options.isMono),
        x,
        y,
        'text-anchor': options.anchor ?? 'start',
        'font-weight': options.isStrong ? 700 : undefined,
        fill: options.colour ?? (options.isStrong ? palette.ink : palette.ink2),
        ...(options.isCased ? casing(palette) : {}),
      },
      text,
    );
    this.root.append(element);
    return element;
  }
}

/** Attributes of a text that stays readable over marks. */
export function casing(palette: Palette): Record<string, string | number> {
  return {
    stroke: palette.ground,
    'stroke-width': 3,
    'paint-order': 'stroke',
    'stroke-linejoin': 'round',
  };
}

/** Ticks of a numeric scale with the texts of a formatter. Powers of ten only on long log axes. */
export function ticksOf(scale: Numeric, count: number, format: (value: number) => string): Tick[] {
  const values = scale.ticks(count);
  const isLog = 'base' in scale;
  const kept =
    isLog && values.length > count + 2
      ? values.filter((value) => Number.isInteger(round(Math.log10(Math.abs(value)))))
      : values;
  const shown = isLog && kept.length < 2 ? values : kept;
  return shown.map((value) => ({ at: scale(value), text: format(value) }));
}

function round(value: number): number {
  return Math.round(value * 1e9) / 1e9;
}

/** A pattern of hatching that an exported picture keeps. */
export function hatching(id: string, colour: string, gap = 4): SVGDefsElement {
  return svg(
    'defs',
    {},
    svg(
      'pattern',
      {
        id,
        width: gap,
        height: gap,
        patternUnits: 'userSpaceOnUse',
        patternTransform: 'rotate(45)',
      },
      svg('rect', { width: 1, height: gap, fill: colour }),
    ),
  );
}

/** A whisker: a line with short ends, upright or flat. */
export function whisker(
  from: readonly [number, number],
  to: readonly [number, number],
  colour: string,
  end = 4,
): SVGPathElement {
  const [x1, y1] = from;
  const [x2, y2] = to;
  const isFlat = y1 === y2;
  const cap = (x: number, y: number): string =>
    isFlat ? `M${x},${y - end}V${y + end}` : `M${x - end},${y}H${x + end}`;
  return svg('path', {
    d: `M${x1},${y1}L${x2},${y2}${cap(x1, y1)}${cap(x2, y2)}`,
    stroke: colour,
    fill: 'none',
    'stroke-width': 1,
  });
}
