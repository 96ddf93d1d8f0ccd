/** Few runs are not a distribution: each is a tick in a lane of its own, in the order of cohorts. */

import type { SankeyNode } from '../api.ts';
import { sampleScale } from '../logic/colour.ts';
import { valueAt } from '../logic/values.ts';
import { svg } from '../ui/dom.ts';
import { type SankeyData, valuesOf } from './model.ts';
import type { NodeStyle } from './nodes.ts';

/** Runs from which on a gradient shows how they are distributed. */
export const MANY_RUNS = 30;

/** Whether runs are ticks. */
export function hasTicks(data: SankeyData): boolean {
  const { runs, isPartial } = data.sankey;
  return runs.length > 1 && runs.length < MANY_RUNS && isPartial !== true;
}

/** Place of a value between the node's bottom, which is zero, and its top, the largest inclusive value. */
export function tickPlace(node: SankeyNode, value: number): number {
  return node.max_inclusive > 0 ? 1 - Math.min(1, value / node.max_inclusive) : 1;
}

/** Height above which ticks can be distinguished; a plain rule below. */
const LEAST = 9;

interface Area {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export function drawTicks(
  node: SankeyNode,
  data: SankeyData,
  style: NodeStyle,
  area: Area,
): SVGElement[] {
  const { palette, prefix, mode } = style;
  const count = data.sankey.runs.length;
  const lanes = data.lanes ?? data.sankey.runs.map((_, run) => ({ run, share: 0.7 }));
  if (area.height < LEAST)
    return [svg('rect', { ...area, fill: sampleScale(palette.cohorts, 0.5), 'fill-opacity': 0.5 })];
  const values = valuesOf(node, data.scope);
  const width = area.width / count;
  return lanes.flatMap(({ run, share }, lane) => {
    const x = area.x + lane * width;
    const value = valueAt(values, run);
    if (value === null)
      return [
        svg('rect', { ...area, x, width, fill: `url(#${prefix}-absent)`, 'fill-opacity': 0.7 }),
      ];
    const colour = mode === 'target' ? palette.ink2 : sampleScale(palette.cohorts, share);
    const y = area.y + tickPlace(node, value) * area.height;
    return [
      svg('rect', {
        x,
        y,
        width: Math.max(0.5, width - 0.4),
        height: Math.max(0, area.y + area.height - y),
        fill: colour,
        'fill-opacity': 0.16,
      }),
      svg('rect', {
        x,
        y: Math.min(y, area.y + area.height - 2.5),
        width: Math.max(1.2, width - 0.4),
        height: 2.5,
        fill: colour,
      }),
    ];
  });
}
