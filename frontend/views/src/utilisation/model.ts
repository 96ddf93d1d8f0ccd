/** Panels of utilisation: one per program, a line per series. Pure. */

import { formatParameter } from '../logic/format.ts';
import type { Answers } from './definition.ts';

export type Point = Answers['scale']['points'][number];

export interface Line {
  /** Values that are not the panel's. */
  readonly name: string;
  readonly points: readonly Point[];
}

export interface Panel {
  readonly title: string;
  readonly lines: readonly Line[];
}

/** Parameters that make panels, the first that series have. */
const PROGRAMS = ['app', 'program', 'benchmark', 'name'];

/** Panels in the order of their series, and all names of lines, which have one colour each. */
export function panelsOf(
  scale: Answers['scale'],
  split: string,
): { readonly panels: readonly Panel[]; readonly names: readonly string[] } {
  const wanted = split.trim();
  const candidates = wanted ? [wanted] : PROGRAMS;
  const parameter = candidates.find((name) =>
    scale.series.some(({ values }) => values[name] !== undefined),
  );
  const panels = new Map<string, Line[]>();
  const names: string[] = [];
  for (const [index, series] of scale.series.entries()) {
    const points = scale.points.filter(
      (point) => point.series === index && typeof point.utilisation === 'number',
    );
    if (points.length === 0) continue;
    const title = parameter === undefined ? '' : formatParameter(series.values[parameter]);
    const name =
      Object.entries(series.values)
        .filter(([key]) => key !== parameter)
        .map(([key, value]) => `${key}=${formatParameter(value)}`)
        .join(', ') || (parameter === undefined ? series.name : 'all runs');
    if (!names.includes(name)) names.push(name);
    panels.set(title, [...(panels.get(title) ?? []), { name, points }]);
  }
  return { panels: [...panels].map(([title, lines]) => ({ title, lines })), names };
}

/** Interval of a utilisation: that of the time, turned round. */
export function intervalOf(point: Point): readonly [number, number] | undefined {
  const [low, high] = point.interval ?? [];
  const { utilisation } = point;
  if (typeof low !== 'number' || typeof high !== 'number' || typeof utilisation !== 'number')
    return undefined;
  return low > 0 && high > 0
    ? [(utilisation * point.value) / high, (utilisation * point.value) / low]
    : undefined;
}
