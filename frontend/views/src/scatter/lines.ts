/** Legend of groups, and lines of least squares. */

import { categoryColour } from '../logic/categories.ts';
import type { Palette } from '../logic/colour.ts';
import { formatCount, formatNumber, formatPlural } from '../logic/format.ts';
import { outliersOf } from '../logic/outliers.ts';
import { html, svg } from '../ui/dom.ts';
import type { Numeric, Plot } from '../ui/plot.ts';
import { type Fit, fitOf, groupDots, type Points } from './model.ts';

/** Groups with a place of their own in the legend. */
const NAMED = 8;
/** Points of a line: curved if its space is not that of the axes. */
const STEPS = 32;

export interface Entry {
  readonly group: number;
  readonly id: string;
  readonly name: string;
  readonly dots: readonly number[];
  readonly fit: Fit | undefined;
  readonly colour: string;
}

/** Groups of the legend: the largest, and the selected one. */
export function entriesOf(
  points: Points,
  palette: Palette,
  selected: string,
  isLog: boolean,
  isFitted: boolean,
): { readonly shown: readonly Entry[]; readonly others: readonly Entry[] } {
  const all = groupDots(points).map(({ group, dots }, index): Entry => {
    const { id = '', name = '' } = points.groups[group] ?? {};
    const colour = categoryColour(palette, index);
    const fit = isFitted ? fitOf(points, dots, isLog) : undefined;
    return { group, id, name, dots, colour, fit };
  });
  const isShown = ({ id }: Entry, index: number): boolean => index < NAMED || id === selected;
  return {
    shown: all.filter(isShown),
    others: all.filter((entry, index) => !isShown(entry, index)),
  };
}

/** Draws the lines of groups, or of the selected one alone. */
export function drawLines(
  plot: Plot,
  entries: readonly Entry[],
  selected: string,
  x: Numeric,
  y: Numeric,
): void {
  const one = entries.filter(({ id }) => id === selected);
  for (const { fit, colour } of one.length > 0 ? one : entries) {
    if (!fit) continue;
    const { from, to } = fit;
    const path = Array.from({ length: STEPS + 1 }, (_, step) => {
      const at = from > 0 ? from * (to / from) ** (step / STEPS) : (to * step) / STEPS;
      // A line of linear axes may leave the picture below.
      return `${x(at)},${Math.min(plot.bottom, Math.max(plot.top, y(fit.at(at))))}`;
    });
    plot.root.append(
      svg('path', {
        class: 'gs-fit',
        d: `M${path.join('L')}`,
        fill: 'none',
        stroke: colour,
        'stroke-width': 2,
        'pointer-events': 'none',
      }),
    );
  }
}

/** What the line of a group states. */
function fitText({ fit, dots }: Entry): string {
  if (!fit) return `no line, n ${formatCount(dots.length)}`;
  const zeros = fit.zeros > 0 ? ` (${formatPlural(fit.zeros, 'zero')} left out)` : '';
  return `R² ${formatNumber(fit.r2)}, n ${formatCount(fit.n)}${zeros}`;
}

/** One button per group, which selects its dots; a list of the other groups. */
export function legendOf(
  { shown, others }: ReturnType<typeof entriesOf>,
  selected: string,
  isFitted: boolean,
  select: (group: string) => void,
): HTMLElement {
  const legend = html('div', { class: 'gs-legend gs-scatter-list gs-scatter-groups' });
  for (const entry of shown) {
    const isOn = entry.id === selected;
    const button = html(
      'button',
      {
        type: 'button',
        class: 'gs-link gs-legend-entry',
        'aria-pressed': String(isOn),
        title: `${entry.name}\n${isOn ? 'Shows all groups alike' : 'Fades the dots of other groups'}`,
      },
      html('bdi', { class: 'gs-cut' }, entry.name),
      ...(isFitted ? [html('span', {}, fitText(entry))] : []),
    );
    if (isFitted && entry.fit) {
      const swatch = html('span', { class: 'gs-swatch-dot' });
      swatch.style.background = entry.colour;
      button.prepend(swatch);
    }
    button.addEventListener('click', () => select(isOn ? '' : entry.id));
    legend.append(button);
  }
  if (others.length === 0) return legend;
  const list = html('select', { 'aria-label': 'Other groups' });
  list.append(html('option', { value: '' }, `+ ${formatPlural(others.length, 'more group')}`));
  for (const { id, name } of others) list.append(html('option', { value: id }, name));
  list.addEventListener('change', () => select(list.value));
  legend.append(list);
  return legend;
}

/** Dots far from the line of their group, the farthest first, in interquartile ranges of the distances. */
export function farDots(
  points: Points,
  entries: readonly Entry[],
  isLog: boolean,
): { readonly at: number; readonly ranges: number }[] {
  const into = (value: number): number => (isLog ? Math.log(value) : value);
  return entries
    .flatMap(({ dots }) => {
      const fit = fitOf(points, dots, isLog);
      if (!fit) return [];
      const used = dots.filter(
        (at) => !isLog || ((points.x[at] ?? 0) > 0 && (points.y[at] ?? 0) > 0),
      );
      const distances = used.map((at) => into(points.y[at] ?? 0) - into(fit.at(points.x[at] ?? 0)));
      return outliersOf(distances).map(({ at, ranges }) => ({ at: used[at] ?? 0, ranges }));
    })
    .sort((a, b) => b.ranges - a.ranges || a.at - b.at);
}
