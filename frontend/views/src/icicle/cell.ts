/** Draws cells of the call tree. */

import type { Site } from '../api.ts';
import {
  countColour,
  differenceColour,
  exclusiveColour,
  mix,
  type Palette,
  sampleScale,
  textOn,
} from '../logic/colour.ts';
import { formatDifference } from '../logic/difference.ts';
import { gradientOf } from '../logic/histogram.ts';
import { partsOf } from '../logic/labels.ts';
import { charactersIn, shorten } from '../logic/names.ts';
import type { Merged } from '../logic/tree.ts';
import { monoAdvance, svg, textStyle } from '../ui/dom.ts';
import { ROW, targetMark } from './marks.ts';
import type { SiteDifference, TreeComparison } from './model.ts';

const BORDER = 2;

/** State that all cells of a picture share. */
export interface CellStyle {
  readonly palette: Palette;
  readonly prefix: string;
  readonly defs: SVGDefsElement;
  readonly bound: number;
  readonly comparison: TreeComparison | undefined;
  readonly isTargeted: boolean;
  readonly maxBinCount: number;
  readonly maxExclusive: number;
}

/** Where a cell is. */
export interface CellBox {
  readonly x: number;
  readonly row: number;
  readonly width: number;
}

export interface CellState {
  readonly isSelected: boolean;
  readonly isHit: boolean;
  /** The target's value; null if it is absent. */
  readonly value: number | null;
  readonly difference: SiteDifference | undefined;
}

/** Inside of a cell, to which the target's line is relative. */
export function innerOf(width: number): { x: number; width: number } {
  const border = Math.min(BORDER, width / 4);
  return { x: border, width: Math.max(0, width - 1 - 2 * border) };
}

/** Draws into the mark, which readers of the screen know by its whole name; returns the short name to see. */
export function drawCell(
  mark: SVGGElement,
  index: number,
  site: Site,
  { width }: CellBox,
  style: CellStyle,
  state: CellState,
): SVGElement | undefined {
  const { palette, isTargeted } = style;
  const height = ROW - 3;
  const border = Math.min(BORDER, width / 4);
  const inner = { ...innerOf(width), y: border, height: height - 2 * border };
  mark.append(
    svg('rect', { width: Math.max(0.5, width - 1), height, rx: 2, fill: palette.ground }),
  );
  const fill = drawFill(mark, index, site, width, inner, style, state);
  const stroke =
    isTargeted || style.comparison
      ? mix(palette.ensemble, palette.ink2, 0.45)
      : exclusiveColour(palette, site.max_exclusive, style.maxExclusive);
  mark.append(
    svg('rect', {
      x: -0.25,
      y: -0.25,
      width: Math.max(0.5, width - 0.5),
      height: height + 0.5,
      rx: 2,
      fill: 'none',
      stroke: palette.ink2,
      'stroke-opacity': 0.5,
      'stroke-width': 0.6,
    }),
    svg('rect', {
      x: border / 2,
      y: border / 2,
      width: Math.max(0, width - 1 - border),
      height: height - border,
      rx: 2,
      fill: 'none',
      stroke,
      'stroke-width': border,
    }),
  );
  if (state.value !== null) mark.append(targetMark(site, state.value, inner, palette));
  mark.append(...rings(width, height, palette, state));
  return width >= 30 ? label(site, width, height, palette, fill) : undefined;
}

type Inner = Readonly<Record<'x' | 'y' | 'width' | 'height', number>>;

/** The distribution, the difference, or hatching; returns the colour below the name, if it is one. */
function drawFill(
  mark: SVGGElement,
  index: number,
  site: Site,
  width: number,
  inner: Inner,
  style: CellStyle,
  { value, difference }: CellState,
): string | undefined {
  const { palette, prefix, comparison } = style;
  const hatched = (opacity: number, pattern = 'absent'): SVGElement =>
    svg('rect', { ...inner, fill: `url(#${prefix}-${pattern})`, 'fill-opacity': opacity });
  if (comparison) {
    if (!difference || difference.value === null) {
      mark.append(hatched(0.55));
      return undefined;
    }
    const fill = differenceColour(palette, difference.value, style.bound, comparison.worseIsUp);
    mark.append(svg('rect', { ...inner, fill }));
    if (comparison.isUnsure) mark.append(hatched(0.3, 'unsure'));
    return fill;
  }
  if (style.isTargeted && value === null) {
    mark.append(hatched(0.5));
    return undefined;
  }
  const scale = style.isTargeted ? palette.ensembleScale : palette.distribution;
  const gradient = gradientOf(site.histogram);
  if (gradient.kind === 'constant') {
    const band = Math.min(inner.width, 10);
    mark.append(
      svg('rect', {
        ...inner,
        x: inner.x + (inner.width - band) / 2,
        width: band,
        fill: countColour(scale, gradient.count, style.maxBinCount),
      }),
    );
  } else if (gradient.kind === 'stops' && width >= 4) {
    const id = `${prefix}-${index}`;
    const stops = gradient.stops.map((stop) =>
      svg('stop', {
        offset: String(stop.at),
        'stop-color': countColour(scale, stop.count, style.maxBinCount),
      }),
    );
    style.defs.querySelector(`[id="${id}"]`)?.remove();
    style.defs.append(svg('linearGradient', { id }, ...stops));
    mark.append(svg('rect', { ...inner, fill: `url(#${id})` }));
  }
  return undefined;
}

function label(
  site: Site,
  width: number,
  height: number,
  palette: Palette,
  fill: string | undefined,
): SVGElement {
  const text = shorten(partsOf(site.name).text, charactersIn(width - 16, monoAdvance(12)));
  return svg(
    'text',
    {
      ...textStyle(12, true),
      x: 8,
      y: height / 2,
      'dominant-baseline': 'central',
      fill: fill === undefined ? palette.ink : textOn(fill),
      stroke: fill ?? palette.ground,
      'stroke-width': 3.5,
      'stroke-linejoin': 'round',
      'paint-order': 'stroke',
    },
    text,
  );
}

function rings(
  width: number,
  height: number,
  palette: Palette,
  { isSelected, isHit }: Pick<CellState, 'isSelected' | 'isHit'>,
): SVGElement[] {
  const ring = (attributes: Record<string, string | number>): SVGElement =>
    svg('rect', { rx: 2, height, fill: 'none', stroke: palette.accent, ...attributes });
  const parts = [
    ring({
      class: 'gs-focus',
      width: Math.max(1, width - 1),
      'stroke-width': 3,
      'data-page-only': '',
    }),
  ];
  const around = { x: -0.5, y: -0.5, width, height: height + 1, rx: 3 };
  if (isSelected) parts.push(ring({ ...around, 'stroke-width': 2 }));
  if (isHit)
    parts.push(ring({ ...around, class: 'gs-hit', 'stroke-width': 2, 'stroke-dasharray': '3 2' }));
  return parts;
}

/** The place of callees that are too narrow: dotted; returns their number where there is room for it. */
export function drawMerged(
  mark: SVGGElement,
  width: number,
  merged: Merged,
  palette: Palette,
  hasHit: boolean,
): SVGElement | undefined {
  const height = ROW - 3;
  mark.append(
    svg('rect', {
      width,
      height,
      rx: 2,
      fill: palette.surface,
      stroke: palette.ink2,
      'stroke-width': 1,
      'stroke-dasharray': '1 2',
    }),
  );
  mark.append(...rings(width + 1, height, palette, { isSelected: false, isHit: hasHit }));
  const text = `+${merged.count}`;
  if (width < 8 + text.length * 7) return undefined;
  const middle = { 'text-anchor': 'middle', 'dominant-baseline': 'central' };
  const place = { x: width / 2, y: height / 2, fill: palette.ink2, ...middle };
  return svg('text', { ...textStyle(11), ...place }, text);
}

/** Height of the line that states the difference. */
export const HEAD = 24;

/** The comparison, and the scale of its colours. */
export function drawComparison(style: CellStyle, width: number): SVGElement[] {
  const { comparison, palette, bound } = style;
  if (!comparison) return [];
  const [faster, neutral, slower] = palette.difference;
  const [low, high] = comparison.worseIsUp ? [faster, slower] : [slower, faster];
  const text = (x: number, content: string, anchor = 'start'): SVGElement =>
    svg('text', { ...textStyle(11), x, y: 14, fill: palette.ink2, 'text-anchor': anchor }, content);
  const ends = [-bound, bound].map((value) => formatDifference(value, comparison));
  const swatches = [0, 0.25, 0.5, 0.75, 1].map((share, step) =>
    svg('rect', {
      x: width - 190 + step * 18,
      y: 5,
      width: 18,
      height: 10,
      fill: sampleScale([low, neutral, high], share),
      stroke: palette.ink2,
      'stroke-width': 0.5,
    }),
  );
  const hasScale = width > 190 + comparison.quantity.length * 6 + 80;
  return [
    text(0, comparison.quantity),
    ...(hasScale
      ? [text(width - 196, ends[0] ?? '', 'end'), ...swatches, text(width - 94, ends[1] ?? '')]
      : []),
  ];
}
