/** Legend and outliers of a distribution. */

import type { Distribution } from '../api.ts';
import type { Palette } from '../logic/colour.ts';
import { formatNumber, formatValue } from '../logic/format.ts';
import { rangesFrom } from '../logic/outliers.ts';
import { svg, textStyle } from '../ui/dom.ts';
import { casing } from '../ui/plot.ts';
import type { Target } from '../ui/view.ts';

/** Words for what is counted. */
export const COUNTED = {
  runs: 'run',
  call_sites: 'call site',
  ranks: 'rank',
  workers: 'worker',
} as const;

/** Who stands in front of the ensemble, at the top right. */
export function legendOf(
  palette: Palette,
  right: number,
  sides: { readonly a: string; readonly b: string } | undefined,
  target: Target | undefined,
): SVGElement[] {
  const entries = sides
    ? [
        { text: `A, ${sides.a}`, isDashed: true },
        { text: `B, ${sides.b}`, isDashed: false },
      ]
    : target
      ? [{ text: target.name, isDashed: false }]
      : [];
  let x = right;
  return entries.reverse().flatMap(({ text, isDashed }) => {
    x -= text.length * 6.4 + 34;
    const look = isDashed
      ? {
          fill: palette.ground,
          stroke: palette.ink,
          'stroke-width': 1.25,
          'stroke-dasharray': '3 2',
        }
      : { fill: palette.target };
    const place = { x: x + 18, y: 12, fill: palette.ink };
    return [
      svg('rect', { x, y: 4, width: 12, height: 9, ...look }),
      svg('text', { ...textStyle(11), ...casing(palette), 'stroke-width': 4, ...place }, text),
    ];
  });
}

/** A value beyond the fences, and its distance from the nearest quartile in interquartile ranges. */
export interface FarValue {
  readonly owner: string;
  readonly value: number;
  readonly ranges: number;
}

/** Values beyond the fences, the farthest first. */
export function farValues({ quantiles, box_plot: box }: Distribution): FarValue[] {
  const [, q1 = NaN, , q3 = NaN] = quantiles ?? [];
  return (box?.outliers ?? [])
    .map((one) => ({ ...one, ranges: rangesFrom(one.value, q1, q3) }))
    .sort((a, b) => b.ranges - a.ranges);
}

export function farText(
  { mode, unit }: Distribution,
  { owner, value, ranges }: FarValue,
  runNames?: ReadonlyMap<string, string>,
): string {
  const name = runNames?.get(owner) ?? owner;
  const far = Number.isFinite(ranges) ? `, ${formatNumber(ranges)} interquartile ranges away` : '';
  return `${mode === 'runs' ? '' : `${COUNTED[mode]} `}${name}, ${formatValue(value, unit)}${far}`;
}

/** Place of the bin of a value. */
export function binOf({ bins }: Distribution, value: number): number {
  return bins.findIndex(({ hi }, at) => value < hi || at === bins.length - 1);
}
