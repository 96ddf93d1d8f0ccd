/** Nodes of a graph by style. Changes of a canvas's style cost more than rectangles, so nodes of one style are drawn in a row. */

import type { Boxes, Window } from './graph-canvas.ts';
import type { Pen, Shape } from './pen.ts';

interface Style {
  readonly shape: Shape;
  readonly nodes: number[];
}

/** Nodes in an order in which they do not hide each other: by level, and within a level by style. */
export class Styled {
  readonly #styles: readonly Style[];

  /** Nodes without a shape are left out; a node of a higher level lies over those of lower ones. */
  constructor(
    count: number,
    shapeOf: (node: number) => Shape | undefined,
    levelOf: (node: number) => number = () => 0,
  ) {
    const levels: Map<string, Style>[] = [];
    for (let node = 0; node < count; node += 1) {
      const shape = shapeOf(node);
      if (!shape) continue;
      const styles = (levels[levelOf(node)] ??= new Map());
      const { fill, stroke, width, dash, radius } = shape;
      const key = `${fill} ${stroke} ${width} ${dash?.join()} ${radius}`;
      const known = styles.get(key);
      if (known) known.nodes.push(node);
      else styles.set(key, { shape, nodes: [node] });
    }
    this.#styles = levels.flatMap((styles) => [...styles.values()]);
  }

  /** Draws the nodes that are in a window. */
  paint(pen: Pen, { x0, y0, x1, y1 }: Window, { x, y, width, height }: Boxes): void {
    for (const { shape, nodes } of this.#styles)
      for (const node of nodes) {
        const [left, top] = [x[node] ?? 0, y[node] ?? 0];
        const [wide, high] = [width[node] ?? 0, height[node] ?? 0];
        if (left <= x1 && top <= y1 && left + wide >= x0 && top + high >= y0)
          pen.rect(left, top, wide, high, shape);
      }
  }
}

/** How many nodes are around each; parents precede their children. */
export function depthsOf(parent: Int32Array): Int32Array {
  const depths = new Int32Array(parent.length);
  for (let at = 1; at < parent.length; at += 1) depths[at] = 1 + (depths[parent[at] ?? 0] ?? 0);
  return depths;
}
