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

interface Extent {
  readonly width: number;
  readonly height: number;
}

/** Draws the nodes once per layout; a move of the picture only moves the frame. */
export class SankeyMinimap {
  readonly #root: SVGGElement;
  readonly #move: (x: number, y: number) => void;
  #drawn: readonly unknown[] = [];
  #scale = 1;
  #seen: Extent = { width: 0, height: 0 };
  #frame: SVGRectElement | undefined;

  /** `move` is called with the point of the picture that the reader dragged the frame to. */
  constructor(root: SVGGElement, move: (x: number, y: number) => void) {
    this.#root = root;
    this.#move = move;
  }

  /** Shows the map with its upper right corner at a point of the window. */
  update(
    layout: Layout,
    seen: Seen,
    content: Extent,
    palette: Palette,
    corner: readonly [number, number],
  ): void {
    const inputs = [layout, palette, ...corner, content.width, content.height];
    if (inputs.some((input, index) => input !== this.#drawn[index])) {
      this.#drawn = inputs;
      this.#draw(layout, seen, content, palette, corner);
    }
    const { x, y, width, height } = seen;
    this.#frame?.setAttribute('x', String(x * this.#scale));
    this.#frame?.setAttribute('y', String(y * this.#scale));
    this.#seen = { width, height };
  }

  #draw(
    layout: Layout,
    seen: Extent,
    content: Extent,
    palette: Palette,
    [right, top]: readonly [number, number],
  ): void {
    this.#frame = undefined;
    this.#root.replaceChildren();
    if (content.width <= seen.width + 1 && content.height <= seen.height + 1) return;
    const most = minimapRoom(seen.width) - EDGE;
    const scale = Math.min(most / content.width, MOST_HEIGHT / content.height);
    const size = { width: content.width * scale, height: content.height * scale };
    const group = svg('g', {
      class: 'gs-minimap',
      'data-mark': 'minimap',
      'data-page-only': '',
      transform: `translate(${right - size.width} ${top})`,
      'aria-hidden': 'true',
    });
    const marks = layout.nodes.map((node) => {
      const width = Math.max(1, node.width * scale);
      const height = Math.max(0.7, node.height * scale);
      return `M${node.x * scale},${node.y * scale}h${width}v${height}h${-width}Z`;
    });
    this.#frame = svg('rect', {
      width: Math.min(seen.width, content.width) * scale,
      height: Math.min(seen.height, content.height) * scale,
      fill: palette.accent,
      'fill-opacity': 0.16,
      stroke: palette.accent,
    });
    group.append(
      svg('rect', { ...size, fill: palette.surface, stroke: palette.line }),
      svg('path', { d: marks.join(''), fill: palette.ink2 }),
      this.#frame,
    );
    onDrag(group, (x, y) =>
      this.#move(x / scale - this.#seen.width / 2, y / scale - this.#seen.height / 2),
    );
    this.#scale = scale;
    this.#root.append(group);
  }
}
