/** What lies over the nodes: names beside them, the target's line, text guides, rings. */

import type { SankeyNode } from '../api.ts';
import { formatValue } from '../logic/format.ts';
import { binsOf, guidesOf } from '../logic/histogram.ts';
import { placeOf, valueAt } from '../logic/values.ts';
import { svg, textStyle } from '../ui/dom.ts';
import { borderOf, type SankeyData, targetValue, valuesOf } from './model.ts';
import type { NodeStyle } from './nodes.ts';
import { hasTicks, tickPlace } from './ticks.ts';

const LINE = 13;

/** Place of the target in a node's distribution, in the node's own coordinates. */
export function targetPlace(
  node: SankeyNode,
  data: SankeyData,
  runs: readonly number[],
): number | null {
  const value = targetValue(node, data, runs);
  if (value === null) return null;
  return placeIn(node, value, data);
}

/** Place of a value in a node: between zero and the largest with ticks, else between the smallest and the largest. */
function placeIn(node: SankeyNode, value: number, data: SankeyData): number {
  const border = borderOf(node.geometry.height);
  const { min, max } = node.histogram;
  const share = hasTicks(data) ? tickPlace(node, value) : placeOf(value, min, max);
  return border + share * (node.geometry.height - 2 * border);
}

/** The target's line: casing, line and a triangle on the left; around y = 0. */
function drawTargetLine(node: SankeyNode, style: NodeStyle): SVGGElement {
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
function drawTargetTicks(
  node: SankeyNode,
  data: SankeyData,
  runs: readonly number[],
  style: NodeStyle,
): SVGElement[] {
  if (runs.length < 2) return [];
  const values = valuesOf(node, data.scope);
  return runs.flatMap((run) => {
    const value = valueAt(values, run);
    if (value === null) return [];
    const y = placeIn(node, value, data);
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
  const bin_of = binsOf(node.histogram, valuesOf(node, data.scope));
  const rows = guidesOf({ ...node.histogram, bin_of }, names, LINE / spread);
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

/** Puts the target's line and ticks into a node's group; the line stays, so that it is seen to move. */
export function drawTarget(
  group: SVGGElement,
  node: SankeyNode,
  data: SankeyData,
  runs: readonly number[],
  style: NodeStyle,
): void {
  const place = style.mode === 'target' ? targetPlace(node, data, runs) : null;
  if (place === null) {
    group.replaceChildren();
    return;
  }
  // The line stays the same element, so that a change of target shows as its movement.
  let line = group.querySelector<SVGGElement>('.gs-target');
  const stamp = `${node.geometry.width}/${node.geometry.height}/${style.palette.theme}`;
  if (line?.getAttribute('data-stamp') !== stamp) {
    line = drawTargetLine(node, style);
    line.setAttribute('data-stamp', stamp);
  }
  line.style.transform = `translate(0px, ${place}px)`;
  const ticks = drawTargetTicks(node, data, runs, style);
  if (
    line.parentNode !== group ||
    group.childElementCount !== ticks.length + 1 ||
    ticks.length > 0
  ) {
    for (const child of [...group.children]) if (child !== line) child.remove();
    if (line.parentNode !== group) group.append(line);
    group.prepend(...ticks);
  }
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
