/** Places of the nodes of a graph on their way from an old picture to a new one. */

import type { Boxes, Scene } from './graph-canvas.ts';

/** Where the nodes of a scene begin their way: at their old places, new ones where the changed group was. */
export function startOf(
  scene: Scene,
  from: ReadonlyMap<string, number>,
  old: Boxes,
  kept: number,
  [dx, dy]: readonly [number, number],
): Boxes {
  const { boxes } = scene;
  const count = boxes.x.length;
  const start: Boxes = {
    x: new Float64Array(count),
    y: new Float64Array(count),
    width: new Float64Array(count),
    height: new Float64Array(count),
  };
  for (let node = 0; node < count; node += 1) {
    const known = from.get(scene.key(node));
    const at = known ?? kept;
    start.x[node] = (old.x[at] ?? 0) + dx;
    start.y[node] = (old.y[at] ?? 0) + dy;
    start.width[node] = known === undefined ? (boxes.width[node] ?? 0) : (old.width[at] ?? 0);
    start.height[node] = known === undefined ? (boxes.height[node] ?? 0) : (old.height[at] ?? 0);
  }
  return start;
}

export function between(start: Boxes, end: Boxes, share: number): Boxes {
  const mix = (from: Float64Array, to: Float64Array): Float64Array =>
    from.map((value, at) => value + ((to[at] ?? 0) - value) * share);
  return {
    x: mix(start.x, end.x),
    y: mix(start.y, end.y),
    width: mix(start.width, end.width),
    height: mix(start.height, end.height),
  };
}
