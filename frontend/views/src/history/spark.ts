/** The small picture of one group over versions. */

import { scaleLinear, scalePoint } from 'd3-scale';
import { line } from 'd3-shape';
import type { Palette } from '../logic/colour.ts';
import { svg } from '../ui/dom.ts';
import type { Answers } from './definition.ts';

type Group = Answers['history']['series'][number]['groups'][number];
type Value = NonNullable<Group['values'][number]>;

/** Width of the picture in pixels. */
export const SPARK_WIDTH = 150;

/** Draws the medians of a group over versions, with a dot at each change. */
export function drawSpark(group: Group, palette: Palette): SVGSVGElement {
  const picture = svg('svg', { width: SPARK_WIDTH, height: 22, 'aria-hidden': 'true' });
  const most = Math.max(1e-300, ...group.values.map((value) => value?.median ?? 0));
  const x = scalePoint(
    group.values.map((_, index) => index),
    [4, SPARK_WIDTH - 4],
  ).padding(group.values.length > 1 ? 0 : 0.5);
  const y = scaleLinear([0, most], [19, 3]);
  const path = line<Value | null>()
    .defined((value) => value !== null)
    .x((_, index) => x(index) ?? 0)
    .y((value) => y(value?.median ?? 0));
  picture.append(
    svg('line', { x1: 0, x2: SPARK_WIDTH, y1: 19.5, y2: 19.5, stroke: palette.line }),
    svg('path', { d: path(group.values) ?? undefined, fill: 'none', stroke: palette.ink2 }),
  );
  for (const change of group.changes) {
    const value = group.values[change.point];
    const fill =
      change.verdict === 'slower'
        ? palette.difference[2]
        : change.verdict === 'faster'
          ? palette.difference[0]
          : palette.ink2;
    if (value)
      picture.append(svg('circle', { cx: x(change.point) ?? 0, cy: y(value.median), r: 3, fill }));
  }
  return picture;
}
