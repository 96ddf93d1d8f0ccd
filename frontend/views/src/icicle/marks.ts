/** Marks of the call tree that cells share. */

import type { Site } from '../api.ts';
import type { Palette } from '../logic/colour.ts';
import { placeOf } from '../logic/values.ts';
import { svg } from '../ui/dom.ts';

/** Height of a row. */
export const ROW = 26;

/** Line and triangle of the target in a cell. */
export function targetMark(
  site: Site,
  value: number,
  inner: { readonly x: number; readonly width: number },
  palette: Palette,
): SVGElement {
  const height = ROW - 3;
  const place = inner.x + placeOf(value, site.histogram.min, site.histogram.max) * inner.width;
  return svg(
    'g',
    { class: 'gs-icicle-target' },
    svg('rect', { x: place - 2.5, width: 5, y: 0, height, fill: palette.ground }),
    svg('rect', { x: place - 1.5, width: 3, y: 0, height, fill: palette.target }),
    svg('path', {
      d: `M${place - 4},-2h8l-4,5Z`,
      fill: palette.target,
      stroke: palette.ground,
      'stroke-width': 0.75,
    }),
  );
}

/** Hatching of what is absent or not testable. */
export function hatch(id: string, colour: string): SVGElement {
  return svg(
    'pattern',
    { id, width: 5, height: 5, patternUnits: 'userSpaceOnUse', patternTransform: 'rotate(45)' },
    svg('line', { x1: 0, y1: 0, x2: 0, y2: 5, stroke: colour, 'stroke-width': 1.4 }),
  );
}
