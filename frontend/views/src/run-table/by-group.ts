/** Exclusive values of the groups of the picture, run by run: stacked bars, or cells of a heat map. */

import type { Sankey } from '../api.ts';
import { sampleScale, type Palette } from '../logic/colour.ts';
import { definitionColours } from '../logic/definition-colours.ts';
import { ABSENT, formatShare, formatValue } from '../logic/format.ts';
import { partsOf } from '../logic/labels.ts';
import { valueAt, type Series } from '../logic/values.ts';
import { svg } from '../ui/dom.ts';

export type GroupMark = 'bars' | 'heat' | 'none';

export interface GroupOfRuns {
  readonly id: string;
  readonly name: string;
  readonly values: Series;
  /** Largest value of the group in any run. */
  readonly most: number;
}

export interface ByGroup {
  readonly unit: string | undefined;
  /** Groups with the largest sums over runs, the largest first. */
  readonly groups: readonly GroupOfRuns[];
  /** Groups that are drawn as one rest. */
  readonly left: number;
  /** Exclusive value of all groups, by run. */
  readonly totals: readonly number[];
  readonly most: number;
  readonly rowOf: ReadonlyMap<string, number>;
}

/** Groups with a colour of their own: as many as there are hues. */
const MOST = 8;

/** Values of the picture's groups; nothing until the values of all runs have arrived. */
export function byGroupOf(sankey: Sankey | undefined): ByGroup | undefined {
  if (!sankey || sankey.isPartial === true || sankey.nodes.length === 0) return undefined;
  const totals = sankey.runs.map((_, run) =>
    sankey.nodes.reduce((sum, node) => sum + (valueAt(node.exclusive_by_run, run) ?? 0), 0),
  );
  const all = sankey.nodes
    .filter((node) => node.kind !== 'others')
    .map((node) => {
      const values = sankey.runs.map((_, run) => valueAt(node.exclusive_by_run, run) ?? 0);
      const { text, glyph } = partsOf(node.name, node.definition_kind ?? '');
      return {
        id: node.id,
        // Groups of other kinds may have the same name.
        name: `${text} ${glyph}`.trim(),
        values: node.exclusive_by_run,
        most: Math.max(0, ...values),
        sum: values.reduce((sum, value) => sum + value, 0),
      };
    })
    .filter(({ sum }) => sum > 0)
    .sort((a, b) => b.sum - a.sum);
  return {
    unit: sankey.unit,
    groups: all.slice(0, MOST),
    left: sankey.nodes.length - Math.min(all.length, MOST),
    totals,
    most: Math.max(0, ...totals),
    rowOf: new Map(sankey.runs.map((run, row) => [run, row])),
  };
}

/** Colour of each group of a table, by the order of the groups. */
export function coloursOf({ groups }: ByGroup, palette: Palette): string[] {
  const colour = definitionColours(
    palette,
    groups.map(({ id }) => id),
  );
  return groups.map(({ id }) => colour(id));
}

/** The groups of a run in words, as its tooltip. */
export function textOf(data: ByGroup, run: string): string {
  const row = data.rowOf.get(run);
  if (row === undefined) return ABSENT;
  const total = data.totals[row] ?? 0;
  const own = data.groups.map(({ name, values }) => {
    const value = valueAt(values, row);
    if (value === null) return `${name}: ${ABSENT}`;
    const share = total > 0 ? `, ${formatShare(value / total)}` : '';
    return `${name}: ${formatValue(value, data.unit)}${share}`;
  });
  return own.join('\n');
}

/** One run as a bar of its groups on the scale of all runs, the rest in grey. */
function stack(data: ByGroup, row: number, width: number, palette: Palette): SVGElement[] {
  const colours = coloursOf(data, palette);
  const scale = data.most > 0 ? width / data.most : 0;
  let x = 0;
  const parts: SVGElement[] = [];
  const add = (value: number, fill: string): void => {
    if (value * scale > 0) {
      parts.push(svg('rect', { x, y: 4, width: value * scale, height: 16, fill }));
      // A line in the colour of the page separates neighbours without their hues.
      parts.push(svg('rect', { x, y: 4, width: 0.75, height: 16, fill: palette.ground }));
    }
    x += value * scale;
  };
  let rest = data.totals[row] ?? 0;
  data.groups.forEach(({ values }, at) => {
    const value = valueAt(values, row) ?? 0;
    rest -= value;
    add(value, colours[at] ?? palette.ensemble);
  });
  add(Math.max(0, rest), palette.ensemble);
  return parts;
}

/** One run as a cell per group, each on the scale of its group; absent groups are crossed out. */
function cells(data: ByGroup, row: number, width: number, palette: Palette): SVGElement[] {
  const wide = width / Math.max(1, data.groups.length);
  return data.groups.flatMap(({ values, most }, at) => {
    const value = valueAt(values, row);
    const box = { x: at * wide, y: 1, width: wide - 1, height: 22 };
    if (value === null)
      return [
        svg('rect', { ...box, fill: 'none', stroke: palette.line }),
        svg('path', { d: `M${box.x},23l${box.width},-22`, stroke: palette.ink2 }),
      ];
    const fill = sampleScale(palette.distribution, most > 0 ? value / most : 0);
    return [svg('rect', { ...box, fill, stroke: palette.line, 'stroke-width': 0.5 })];
  });
}

/** Picture of a run's groups, 24 pixels high. */
export function drawGroups(
  data: ByGroup,
  run: string,
  mark: GroupMark,
  width: number,
  palette: Palette,
): SVGElement {
  const row = data.rowOf.get(run);
  const draw = mark === 'heat' ? cells : stack;
  return svg(
    'g',
    { role: 'img', 'aria-label': textOf(data, run).replaceAll('\n', '; ') },
    svg('title', {}, textOf(data, run)),
    ...(row === undefined ? [] : draw(data, row, width, palette)),
  );
}
