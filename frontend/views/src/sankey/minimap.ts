/** The whole picture, small, with the part that is seen; only while there is more than that. */

import type { Palette } from '../logic/colour.ts';
import { svg } from '../ui/dom.ts';
import { onDrag } from '../ui/drag.ts';
import type { Layout } from './layout.ts';

const WIDTH = 150;
const MOST_HEIGHT = 44;
const EDGE = 10;

/** Width next to the legends that is kept for it, in a picture of this width. */
export function minimapRoom(width: number): number {
  return Math.min(WIDTH, width / 4) + EDGE;
}

export interface Seen {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export function drawMinimap(
  layout: Layout,
  seen: Seen,
  content: { width: number; height: number },
  palette: Palette,
  [left, top]: readonly [number, number],
  move: (x: number, y: number) => void,
): SVGElement[] {
  if (content.width <= seen.width + 1 && content.height <= seen.height + 1) return [];
  const most = minimapRoom(seen.width) - EDGE;
  const scale = Math.min(most / content.width, MOST_HEIGHT / content.height);
  const size = { width: content.width * scale, height: content.height * scale };
  const group = svg('g', {
    class: 'gs-minimap',
    'data-mark': 'minimap',
    'data-page-only': '',
    transform: `translate(${left - size.width} ${top})`,
    'aria-hidden': 'true',
  });
  group.append(
    svg('rect', { ...size, fill: palette.surface, stroke: palette.line }),
    ...layout.nodes.map((node) =>
      svg('rect', {
        x: node.x * scale,
        y: node.y * scale,
        width: Math.max(1, node.width * scale),
        height: Math.max(0.7, node.height * scale),
        fill: palette.ink2,
      }),
    ),
    svg('rect', {
      x: seen.x * scale,
      y: seen.y * scale,
      width: Math.min(seen.width, content.width) * scale,
      height: Math.min(seen.height, content.height) * scale,
      fill: palette.accent,
      'fill-opacity': 0.16,
      stroke: palette.accent,
    }),
  );
  onDrag(group, (x, y) => move(x / scale - seen.width / 2, y / scale - seen.height / 2));
  return [group];
}
