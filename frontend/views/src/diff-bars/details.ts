/** Values of the runs of both sides: a strip in each row, and what an opened row leads to. */

import type { Diff, DiffRow, SankeyNode } from '../api.ts';
import type { Palette } from '../logic/colour.ts';
import { formatPlural, formatValue } from '../logic/format.ts';
import { quote } from '../logic/lens.ts';
import { valueAt } from '../logic/values.ts';
import { html, svg } from '../ui/dom.ts';
import type { ViewContext } from '../ui/view.ts';
import { type DiffBarsData, nameOf } from './model.ts';
import '../ui/charts.css';

/** A run of a side with its value of a group. */
export interface RunOfSide {
  readonly run: string;
  readonly value: number;
}

export interface SidesOfRow {
  readonly a: readonly RunOfSide[];
  readonly b: readonly RunOfSide[];
}

type Values = NonNullable<DiffBarsData['values']>;

const STRIP = { width: 84, height: 28 } as const;

/** Groups of a picture by id, and the places of the runs of both sides in it. */
type Places = Readonly<Record<'a' | 'b', readonly number[]>> & {
  readonly nodes: ReadonlyMap<string, SankeyNode>;
};

/** What is found in a picture for a diff, and the values of its rows: a click does not sort all of them again. */
type Known = readonly [Diff, Places, Map<DiffRow, SidesOfRow | undefined>];
const known = new WeakMap<Values, Known>();

function knownOf(diff: Diff, values: Values): Known {
  const before = known.get(values);
  if (before?.[0] === diff) return before;
  const placesOf = (side: readonly string[]): number[] => {
    const members = new Set(side);
    return values.runs.flatMap((run, at) => (members.has(run) ? [at] : []));
  };
  const nodes = new Map(values.nodes.map((node) => [node.id, node]));
  const places = { nodes, a: placesOf(diff.a.runs), b: placesOf(diff.b.runs) };
  const made = [diff, places, new Map<DiffRow, SidesOfRow | undefined>()] as const;
  known.set(values, made);
  return made;
}

/** Runs of both sides in ascending order of their values; nothing if the picture does not have the group. */
export function sidesOf(row: DiffRow, { diff, values }: DiffBarsData): SidesOfRow | undefined {
  if (!values) return undefined;
  const [, { nodes, ...places }, rows] = knownOf(diff, values);
  if (rows.has(row)) return rows.get(row);
  const runsOf = (group: string, side: 'a' | 'b'): RunOfSide[] => {
    const node = nodes.get(group);
    const series = diff.scope === 'inclusive' ? node?.inclusive_by_run : node?.exclusive_by_run;
    if (!series) return [];
    return places[side]
      .flatMap((at) => {
        const value = valueAt(series, at);
        return value === null ? [] : [{ run: values.runs[at] ?? '', value }];
      })
      .sort((one, other) => one.value - other.value);
  };
  const [a, b] = [runsOf(row.group_a ?? row.group, 'a'), runsOf(row.group, 'b')];
  const sides = a.length + b.length > 0 ? { a, b } : undefined;
  rows.set(row, sides);
  return sides;
}

/** The run with the median value; of an even number, the smaller one of the middle. */
export function medianRun(runs: readonly RunOfSide[]): RunOfSide | undefined {
  return runs[Math.ceil(runs.length / 2) - 1];
}

/** A tick per run, those of A above those of B, on an axis from the smallest to the largest of both. */
export function stripOf(
  { a, b }: SidesOfRow,
  palette: Palette,
  width: number = STRIP.width,
): SVGSVGElement {
  const all = [...a, ...b].map(({ value }) => value);
  const [low, high] = [Math.min(...all), Math.max(...all)];
  const place = (value: number): number =>
    high > low ? 3 + ((value - low) / (high - low)) * (width - 6) : width / 2;
  const { height } = STRIP;
  const strip = svg('svg', {
    class: 'gs-strip',
    width,
    height,
    viewBox: `0 0 ${width} ${height}`,
    preserveAspectRatio: 'none',
    'aria-hidden': 'true',
  });
  for (const [runs, top, colour] of [
    [a, 1, palette.ink2],
    [b, height / 2 + 1, palette.ink],
  ] as const) {
    const bottom = top + height / 2 - 3;
    strip.append(
      svg('line', { x1: 0, x2: width, y1: bottom + 1, y2: bottom + 1, stroke: palette.line }),
    );
    const median = medianRun(runs);
    const look = { stroke: colour, 'stroke-opacity': 0.8 };
    // Runs at one place are one tick, so that a strip has no more ticks than pixels.
    const ticks = new Set(runs.map(({ value }) => Math.round(place(value) * 2) / 2));
    const path = Array.from(ticks, (x) => `M${x} ${top}V${bottom}`).join('');
    strip.append(svg('path', { ...look, d: path, 'stroke-width': 1.5 }));
    if (median) {
      const x = place(median.value);
      strip.append(svg('line', { ...look, x1: x, x2: x, y1: top, y2: bottom, 'stroke-width': 3 }));
    }
  }
  return strip;
}

/** What an opened row shows and leads to: the values of all runs, the median runs, and the paths through the group. */
export function detailsOf(
  row: DiffRow,
  data: DiffBarsData,
  palette: Palette,
  context: ViewContext,
): HTMLElement {
  const { unit } = data.diff;
  const sides = sidesOf(row, data);
  const button = (text: string, title: string, act: () => void): HTMLButtonElement => {
    const made = html('button', { type: 'button', class: 'gs-button', title }, text);
    made.addEventListener('click', act);
    return made;
  };
  // The path of a renamed group has both names.
  const names = {
    a: row.path_a?.[row.path_a.length - 1] ?? nameOf(row),
    b: row.path_b?.[row.path_b.length - 1] ?? nameOf(row),
  };
  const medians = { a: medianRun(sides?.a ?? []), b: medianRun(sides?.b ?? []) };
  const median = (side: 'a' | 'b'): HTMLElement[] => {
    const one = medians[side];
    if (!one) return [];
    const title = `Opens ${data.runNames?.get(one.run) ?? one.run} at ${names[side]}`;
    const text = `Median run of ${side.toUpperCase()}, ${formatValue(one.value, unit)}`;
    const patch = { definition: names[side] };
    return [button(text, title, () => context.emit({ type: 'open-run', run: one.run, patch }))];
  };
  const { a, b } = medians;
  const both = button('Both median runs', 'Opens the median runs of A and B together', () => {
    if (a && b)
      context.emit({
        type: 'open-run',
        run: a.run,
        patch: { otherRun: b.run, definition: names.a },
      });
  });
  const focus = button('Only its paths', 'The Sankey shows only paths through this group', () =>
    context.emit({ type: 'add-clause', clause: `focus ${quote(row.group)}` }),
  );
  const rangeOf = (runs: readonly RunOfSide[]): string => {
    const [least, most] = [runs[0], runs[runs.length - 1]];
    if (!least || !most) return 'no run';
    const ends = `${formatValue(least.value, unit)} to ${formatValue(most.value, unit)}`;
    return `${ends}, ${formatPlural(runs.length, 'run')}`;
  };
  return html(
    'div',
    { class: 'gs-opened', role: 'group', 'aria-label': `Details of ${nameOf(row)}` },
    ...(sides
      ? [
          stripOf(sides, palette, 240),
          html(
            'p',
            {},
            html('span', {}, `A: ${rangeOf(sides.a)}`),
            html('span', {}, `B: ${rangeOf(sides.b)}`),
          ),
        ]
      : [
          html('p', {}, 'The Sankey has no values of this group: show smaller groups (below 0 %).'),
        ]),
    html(
      'div',
      { class: 'gs-tools' },
      ...median('a'),
      ...median('b'),
      ...(a && b ? [both] : []),
      focus,
    ),
  );
}
