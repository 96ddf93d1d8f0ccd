/** Small bars in a node that is near: how many of the ranks have which value, the smallest on the left. */

import type { Palette } from '../logic/colour.ts';
import { svg } from '../ui/dom.ts';
import type { RankBars } from './model.ts';

/** Height of a node from which on it has bars. */
const LEAST = 56;
/** Nodes at a time that ranks are asked for. */
export const MOST_NEAR = 12;
const HEIGHT = 22;

/** Whether a node of this height on the screen is near enough. */
export function hasRankBars(height: number): boolean {
  return height >= LEAST;
}

type Area = Readonly<Record<'x' | 'y' | 'width' | 'height', number>>;

/** Bars on a plate at the bottom of the node. */
export function drawRanks({ counts }: RankBars, area: Area, palette: Palette): SVGElement[] {
  const most = Math.max(1, ...counts);
  const step = area.width / Math.max(1, counts.length);
  const bottom = area.y + area.height;
  const plate = {
    x: area.x,
    y: bottom - HEIGHT,
    width: area.width,
    height: HEIGHT,
    fill: palette.ground,
    'fill-opacity': 0.88,
    stroke: palette.ink2,
    'stroke-width': 0.5,
  };
  const bars = counts.flatMap((count, index) => {
    if (count === 0) return [];
    // The root keeps a single rank next to many in sight.
    const height = Math.max(1.5, Math.sqrt(count / most) * (HEIGHT - 4));
    const x = area.x + index * step;
    const size = { width: Math.max(0.6, step - 0.4), height };
    return [svg('rect', { x, y: bottom - 1 - height, ...size, fill: palette.ink2 })];
  });
  return [svg('g', { class: 'gs-ranks' }, svg('rect', plate), ...bars)];
}
