/** Draws nodes: border, fill, absent strip, name, badge. Coordinates are the node's own. */

import type { SankeyNode } from '../api.ts';
import {
  countColour,
  differenceColour,
  exclusiveColour,
  mix,
  type Palette,
} from '../logic/colour.ts';
import { gradientOf } from '../logic/histogram.ts';
import { svg, textStyle } from '../ui/dom.ts';
import { borderOf, type NodeDifference, type SankeyData } from './model.ts';
import { drawRanks, hasRankBars } from './ranks.ts';
import { drawTicks, hasTicks } from './ticks.ts';

/** What nodes of one picture share. */
export interface NodeStyle {
  readonly palette: Palette;
  readonly prefix: string;
  readonly mode: 'ensemble' | 'target' | 'diff';
  /** Greatest absolute difference in view. */
  readonly bound: number;
  readonly worseIsUp: boolean;
}

/** Definitions that all nodes use. */
export function drawPatterns(style: NodeStyle): SVGElement[] {
  const { palette, prefix } = style;
  const hatch = (id: string, colour: string, gap: number, ground?: string): SVGElement =>
    svg(
      'pattern',
      {
        id: `${prefix}-${id}`,
        width: gap,
        height: gap,
        patternUnits: 'userSpaceOnUse',
        patternTransform: 'rotate(45)',
      },
      ...(ground ? [svg('rect', { width: gap, height: gap, fill: ground })] : []),
      svg('line', { x1: 0, y1: 0, x2: 0, y2: gap, stroke: colour, 'stroke-width': 1.6 }),
    );
  return [hatch('absent', palette.ink2, 4, palette.ground), hatch('unsure', palette.ink, 6)];
}

export function drawNode(
  node: SankeyNode,
  index: number,
  data: SankeyData,
  style: NodeStyle,
  difference: NodeDifference | undefined,
  isAbsentInTarget: boolean,
  isGuided = false,
): SVGElement[] {
  const { palette, prefix } = style;
  const { width, height } = node.geometry;
  const border = borderOf(height);
  const inner = {
    x: border,
    y: border,
    width: Math.max(0, width - 2 * border),
    height: Math.max(0, height - 2 * border),
  };
  const parts: SVGElement[] = [];
  const borderColour = borderOfNode(node, data, style, difference);
  parts.push(svg('rect', { class: 'gs-shape', width, height, rx: 2, fill: palette.ground }));

  if (style.mode === 'diff') parts.push(...drawDifference(inner, style, difference));
  else if (isAbsentInTarget)
    parts.push(svg('rect', { ...inner, fill: `url(#${prefix}-absent)`, 'fill-opacity': 0.55 }));
  else if (hasTicks(data) && !isGuided) parts.push(...drawTicks(node, data, style, inner));
  else parts.push(...drawDistribution(node, index, data, style, inner));

  const outline = svg('rect', {
    x: border / 2,
    y: border / 2,
    width: Math.max(0, width - border),
    height: Math.max(0, height - border),
    rx: 2,
    fill: 'none',
    stroke: borderColour,
    'stroke-width': border,
  });
  if (node.kind === 'others') outline.setAttribute('stroke-dasharray', '3 3');
  const missing = style.mode === 'diff' ? difference?.absent : undefined;
  if (missing) outline.setAttribute('stroke-dasharray', missing === 'a' ? '8 3' : '2 3');
  // Pale borders need a hairline to stand off the ground.
  parts.push(
    svg('rect', {
      x: -0.5,
      y: -0.5,
      width: width + 1,
      height: height + 1,
      rx: 2.5,
      fill: 'none',
      stroke: palette.ink2,
      'stroke-width': 0.75,
      'stroke-opacity': 0.55,
    }),
    outline,
  );

  const absent = data.sankey.runs.length - node.present;
  const isStripped = style.mode !== 'diff' && (!hasTicks(data) || isGuided);
  if (absent > 0 && isStripped && inner.height > 2) {
    const share = absent / Math.max(1, data.sankey.runs.length);
    const strip = Math.max(2, inner.height * share);
    parts.push(
      svg('rect', {
        x: inner.x,
        y: inner.y + inner.height - strip,
        width: 7,
        height: strip,
        fill: `url(#${prefix}-absent)`,
        stroke: palette.ink2,
        'stroke-width': 0.5,
      }),
    );
  }

  const ranks = style.mode === 'diff' ? undefined : data.ranks?.get(node.id);
  if (ranks && hasRankBars(height)) parts.push(...drawRanks(ranks, inner, palette));
  if (node.is_recursive) parts.push(drawLoop(width, palette));
  return parts;
}

function borderOfNode(
  node: SankeyNode,
  data: SankeyData,
  style: NodeStyle,
  difference: NodeDifference | undefined,
): string {
  const { palette } = style;
  if (style.mode === 'target') return mix(palette.ensemble, palette.ink2, 0.45);
  if (style.mode === 'diff') {
    return difference?.absent ? palette.ink : mix(palette.ensemble, palette.ink2, 0.6);
  }
  return exclusiveColour(palette, node.max_exclusive, data.sankey.max_exclusive);
}

type Inner = Readonly<Record<'x' | 'y' | 'width' | 'height', number>>;

function drawDistribution(
  node: SankeyNode,
  index: number,
  data: SankeyData,
  style: NodeStyle,
  inner: Inner,
): SVGElement[] {
  const { palette, prefix } = style;
  const stops = style.mode === 'target' ? palette.ensembleScale : palette.distribution;
  const maximum = data.sankey.max_bin_count;
  if (data.sankey.runs.length === 1) {
    const share =
      node.max_inclusive /
      Math.max(1e-300, ...data.sankey.nodes.map((other) => other.max_inclusive));
    return [svg('rect', { ...inner, fill: countColour(palette.distribution, share, 1) })];
  }
  const gradient = gradientOf(node.histogram);
  if (gradient.kind === 'empty') return [];
  if (gradient.kind === 'constant') {
    const band = Math.min(inner.height, Math.max(2, Math.min(12, inner.height * 0.25)));
    const parts: SVGElement[] = [
      svg('rect', {
        ...inner,
        y: inner.y + (inner.height - band) / 2,
        height: band,
        fill: countColour(stops, gradient.count, maximum),
      }),
    ];
    // The strip of runs without the node would cover the beginning of the word.
    const hasStrip = node.present < data.sankey.runs.length;
    if (inner.height >= 80 && !hasStrip) {
      parts.push(
        svg(
          'text',
          {
            ...textStyle(10),
            x: inner.x + inner.width / 2,
            y: inner.y + inner.height - 4,
            'text-anchor': 'middle',
            fill: palette.ink2,
          },
          'constant',
        ),
      );
    }
    return parts;
  }
  const id = `${prefix}-fill-${index}`;
  const defined = svg(
    'linearGradient',
    { id, x1: 0, y1: 0, x2: 0, y2: 1 },
    ...gradient.stops.map((stop) =>
      svg('stop', {
        offset: String(stop.at),
        'stop-color': countColour(stops, stop.count, maximum),
      }),
    ),
  );
  return [defined, svg('rect', { ...inner, fill: `url(#${id})` })];
}

/** Fill of a node in diff mode. */
export function fillOf(difference: NodeDifference | undefined, style: NodeStyle): string {
  return differenceColour(style.palette, difference?.value ?? 0, style.bound, style.worseIsUp);
}

/** Whether the difference must not be read as one. */
export function isUnsure(difference: NodeDifference | undefined): boolean {
  return difference?.verdict === 'inconclusive' || difference?.verdict === 'untestable';
}

function drawDifference(
  inner: Inner,
  style: NodeStyle,
  difference: NodeDifference | undefined,
): SVGElement[] {
  // A group on one side only is not a difference from zero.
  if (difference?.absent || difference?.value === null)
    return [svg('rect', { ...inner, fill: `url(#${style.prefix}-absent)`, 'fill-opacity': 0.55 })];
  const parts: SVGElement[] = [svg('rect', { ...inner, fill: fillOf(difference, style) })];
  if (isUnsure(difference))
    parts.push(
      svg('rect', { ...inner, fill: `url(#${style.prefix}-unsure)`, 'fill-opacity': 0.3 }),
    );
  return parts;
}

/** A small loop: the group calls itself. */
function drawLoop(width: number, palette: Palette): SVGElement {
  return svg(
    'g',
    { transform: `translate(${width - 2} 2)` },
    svg('circle', { r: 7.5, fill: palette.ground, stroke: palette.ink2, 'stroke-width': 1 }),
    svg('path', {
      d: 'M3,-2.2A3.8,3.8 0 1 0 3.6,1.4',
      fill: 'none',
      stroke: palette.ink,
      'stroke-width': 1.4,
    }),
    svg('path', { d: 'M4.6,-4.6L4.4,-0.6L0.9,-2.6Z', fill: palette.ink }),
  );
}
