/** What lies over the nodes: names beside them, the target's line, text guides, rings. */

import type { SankeyNode } from '../api.ts';
import { formatValue } from '../logic/format.ts';
import { placeLabels } from '../logic/geometry.ts';
import { guidesOf } from '../logic/histogram.ts';
import { charactersIn, shorten } from '../logic/names.ts';
import { placeOf } from '../logic/values.ts';
import { monoAdvance, svg, textStyle } from '../ui/dom.ts';
import {
  borderOf,
  MARGIN,
  type NodeDifference,
  type SankeyData,
  targetValue,
  valuesOf,
} from './model.ts';
import type { NodeStyle } from './nodes.ts';
import { nodeName, numbersOf, textPlace } from './texts.ts';

const LINE = 13;

/** A name beside its node. */
interface Leader {
  readonly node: SankeyNode;
  readonly y: number;
  readonly x: number;
}

/** Names of nodes that are too low for them, beside the node, with a leader. */
export function drawLabels(
  data: SankeyData,
  style: NodeStyle,
  differences: ReadonlyMap<string, NodeDifference>,
): SVGElement[] {
  const { nodes } = data.sankey;
  const { palette } = style;
  const { leaders, hasNumbers } = placeLeaders(data, style);
  const parts: SVGElement[] = [];
  for (const leader of leaders) {
    const { node, x, y } = leader;
    const { geometry } = node;
    const middle = geometry.y + geometry.height / 2;
    const difference = differences.get(node.id);
    const numbers =
      hasNumbers && difference && textPlace(node, style.mode) === 'beside'
        ? numbersOf(difference, data.sankey.unit)
        : [];
    const number = numbers.filter(Boolean).join(' ');
    const top = number ? y - LINE / 2 : y;
    const room =
      Math.min(freeTo(x, top, nodes, leaders, leader), data.sankey.width + MARGIN.right - 4) - x;
    const name = shorten(nodeName(node), Math.max(3, charactersIn(room, monoAdvance(11))));
    const casing = {
      fill: palette.ink,
      stroke: palette.ground,
      'stroke-width': 3,
      'stroke-linejoin': 'round',
      'paint-order': 'stroke',
    };
    const text = (at: number, isMono: boolean, content: string): SVGElement =>
      svg(
        'text',
        {
          ...textStyle(11, isMono),
          ...casing,
          x,
          y: at,
          'data-label-of': node.id,
          'dominant-baseline': 'central',
        },
        content,
      );
    const end = geometry.x + geometry.width;
    parts.push(
      svg('path', {
        d: `M${end + 1},${middle}L${end + 3},${middle}L${end + 7},${y}`,
        fill: 'none',
        stroke: palette.ink2,
        'stroke-width': 0.8,
      }),
      text(top, true, name),
    );
    if (number)
      parts.push(
        text(
          top + LINE - 1,
          false,
          charactersIn(room, 6.2) >= number.length ? number : (numbers[0] ?? ''),
        ),
      );
  }
  return parts;
}

/** Places of the names beside nodes, column by column; in diff mode with a line for the numbers if there is room. */
function placeLeaders(
  data: SankeyData,
  style: NodeStyle,
): { leaders: Leader[]; hasNumbers: boolean } {
  const { nodes, height } = data.sankey;
  const columns = new Map<number, SankeyNode[]>();
  for (const node of nodes) {
    if (textPlace(node, style.mode) !== 'along')
      columns.set(node.level, [...(columns.get(node.level) ?? []), node]);
  }
  const isRoomy = [...columns.values()].every((column) => column.length * 2 * LINE <= height);
  const hasNumbers = style.mode === 'diff' && isRoomy;
  const leaders: Leader[] = [];
  for (const column of columns.values()) {
    const wanted = column.map((node) => ({
      id: node.id,
      y: node.geometry.y + node.geometry.height / 2,
    }));
    const edge = hasNumbers ? LINE : LINE / 2;
    const places = placeLabels(wanted, hasNumbers ? 2 * LINE : LINE, edge, height + 8 - edge);
    for (const node of column) {
      const y = places.get(node.id);
      if (y !== undefined) leaders.push({ node, y, x: node.geometry.x + node.geometry.width + 10 });
    }
  }
  return { leaders, hasNumbers };
}

/** How far a text at a place may reach before it meets a node or another text. */
function freeTo(
  x: number,
  y: number,
  nodes: readonly SankeyNode[],
  leaders: readonly Leader[],
  own: Leader,
): number {
  let limit = Infinity;
  for (const { geometry } of nodes) {
    const isBeside = y + 9 > geometry.y && y - 9 < geometry.y + geometry.height;
    if (isBeside && geometry.x > x - 8) limit = Math.min(limit, geometry.x - 6);
  }
  for (const leader of leaders) {
    if (leader !== own && leader.x > x && Math.abs(leader.y - y) < 2 * LINE)
      limit = Math.min(limit, leader.x - 16);
  }
  return limit;
}

/** Place of the target in a node's distribution, in the node's own coordinates. */
export function targetPlace(
  node: SankeyNode,
  data: SankeyData,
  runs: readonly number[],
): number | null {
  const value = targetValue(node, data, runs);
  if (value === null) return null;
  const border = borderOf(node.geometry.height);
  const { min, max } = node.histogram;
  return border + placeOf(value, min, max) * (node.geometry.height - 2 * border);
}

/** The target's line: casing, line and a triangle on the left; around y = 0. */
export function drawTargetLine(node: SankeyNode, style: NodeStyle): SVGGElement {
  const { width, height } = node.geometry;
  const { palette } = style;
  const thick = Math.max(1, Math.min(4, height / 3));
  return svg(
    'g',
    { class: 'gs-target', 'pointer-events': 'none' },
    svg('rect', {
      x: -2,
      y: -thick / 2 - 1,
      width: width + 4,
      height: thick + 2,
      fill: palette.ground,
    }),
    svg('rect', { x: -2, y: -thick / 2, width: width + 4, height: thick, fill: palette.target }),
    svg('path', {
      d: 'M-10,-5L-2,0L-10,5Z',
      fill: palette.target,
      stroke: palette.ground,
      'stroke-width': 1,
    }),
  );
}

/** Short ticks for each run of a target that stands for several. */
export function drawTargetTicks(
  node: SankeyNode,
  data: SankeyData,
  runs: readonly number[],
  style: NodeStyle,
): SVGElement[] {
  if (runs.length < 2) return [];
  const border = borderOf(node.geometry.height);
  const values = valuesOf(node, data.scope);
  return runs.flatMap((run) => {
    const value = values[run];
    if (value === null || value === undefined) return [];
    const y =
      border +
      placeOf(value, node.histogram.min, node.histogram.max) * (node.geometry.height - 2 * border);
    return [
      svg('line', {
        x1: node.geometry.width - 9,
        x2: node.geometry.width + 3,
        y1: y,
        y2: y,
        stroke: style.palette.target,
        'stroke-width': 1.5,
        'pointer-events': 'none',
      }),
    ];
  });
}

/** Text guides of a node: who is in each bin on the left, values on the right. */
export function drawGuides(
  node: SankeyNode,
  data: SankeyData,
  style: NodeStyle,
  pick: (runs: readonly number[]) => void,
): SVGElement {
  const { palette } = style;
  const { width, height } = node.geometry;
  const names = data.sankey.runs.map((run) => data.runNames.get(run) ?? run.slice(0, 8));
  const spread = Math.max(height, LINE * 3);
  const top = (height - spread) / 2;
  const rows = guidesOf(node.histogram, names, LINE / spread);
  const group = svg('g', { class: 'gs-guides' });
  const write = (
    x: number,
    y: number,
    anchor: string,
    text: string,
    bold = false,
  ): SVGTextElement =>
    svg(
      'text',
      {
        ...textStyle(11),
        x,
        y,
        'text-anchor': anchor,
        'dominant-baseline': 'central',
        fill: palette.ink,
        'font-weight': bold ? 600 : 400,
        stroke: palette.ground,
        'stroke-width': 4,
        'stroke-linejoin': 'round',
        'paint-order': 'stroke',
      },
      text,
    );
  for (const row of rows) {
    const y = top + spread * ((row.from + row.to) / 2);
    const line = top + spread * row.from;
    const isNarrow = node.geometry.x < 40;
    const who = write(
      -8,
      y,
      'end',
      isNarrow && row.runs.length > 1 ? `${row.runs.length}` : row.who,
    );
    who.append(svg('title', {}, row.runs.map((run) => names[run] ?? '').join(', ')));
    who.setAttribute('data-mark', 'guide');
    who.setAttribute('class', 'gs-pick');
    who.addEventListener('click', (event) => {
      event.stopPropagation();
      pick(row.runs);
    });
    group.append(
      svg('line', {
        x1: -4,
        x2: width + 4,
        y1: line,
        y2: line,
        stroke: palette.ink,
        'stroke-width': 0.75,
        'stroke-dasharray': '2 2',
      }),
      who,
      write(
        width + 8,
        row.from === 0 ? Math.max(line, top + 2) : line,
        'start',
        `${row.mark} ${formatValue(row.value, data.sankey.unit)}`.trim(),
        row.mark !== '',
      ),
    );
  }
  const { min, max } = node.histogram;
  if (max > min) {
    group.append(
      svg('line', {
        x1: -4,
        x2: width + 4,
        y1: top + spread,
        y2: top + spread,
        stroke: palette.ink,
        'stroke-width': 0.75,
        'stroke-dasharray': '2 2',
      }),
      write(width + 8, top + spread, 'start', `Max. ${formatValue(max, data.sankey.unit)}`, true),
    );
  }
  return group;
}

export function drawRings(
  node: SankeyNode,
  style: NodeStyle,
  isSelected: boolean,
  hit: 'no' | 'hit' | 'current',
  isHot: boolean,
): SVGElement[] {
  const { width, height } = node.geometry;
  const ring = (gap: number, attributes: Record<string, string | number>): SVGElement =>
    svg('rect', {
      x: -gap,
      y: -gap,
      width: width + 2 * gap,
      height: height + 2 * gap,
      rx: 4,
      fill: 'none',
      'pointer-events': 'none',
      ...attributes,
    });
  const parts: SVGElement[] = [
    ring(5, {
      class: 'gs-focus',
      stroke: style.palette.accent,
      'stroke-width': 2,
      'stroke-dasharray': '1 0',
      'data-page-only': '',
    }),
  ];
  if (isSelected) parts.push(ring(3.5, { stroke: style.palette.accent, 'stroke-width': 2 }));
  if (isHot) parts.push(ring(1.5, { stroke: style.palette.ink, 'stroke-width': 1.5 }));
  if (hit !== 'no')
    parts.push(
      ring(6.5, {
        stroke: style.palette.accent,
        'stroke-width': hit === 'current' ? 2.5 : 1.25,
        'stroke-dasharray': '3 3',
      }),
    );
  return parts;
}
