/** Draws the names of nodes as the layout places them, and in diff mode the numbers. */

import type { SankeyNode } from '../api.ts';
import type { DiffMode } from '../logic/difference.ts';
import { formatChangeFrom } from '../logic/format.ts';
import { svg, textStyle } from '../ui/dom.ts';
import { ADVANCE, LINE } from './frame.ts';
import type { Layout } from './layout.ts';
import type { NodeDifference, SankeyData } from './model.ts';
import type { NodeStyle } from './nodes.ts';

/** The difference in the mode that is shown; a plain one also in percent. */
export function numbersOf(difference: NodeDifference, mode: DiffMode): string {
  const change = mode === 'absolute' ? formatChangeFrom(difference.a, difference.delta) : '';
  return [difference.text, change].filter(Boolean).join(' · ');
}

/** The longest form of the numbers that has room; the tooltip has all of them. */
function numbersThatFit(difference: NodeDifference, mode: DiffMode, room: number): string {
  const { absent, text } = difference;
  const forms = [numbersOf(difference, mode), text, absent ? text.replace(/,.*/, '') : ''];
  return forms.find((form) => form.length * ADVANCE <= room) ?? '';
}

/** Where the names of each column end: at the next column, those of the last at the edge of the picture. */
function endsOf({ nodes, column, width }: Layout): number[] {
  const starts: number[] = [];
  nodes.forEach(({ x }, node) => {
    const own = column[node] ?? 0;
    starts[own] = Math.min(starts[own] ?? Infinity, x);
  });
  return starts.map((_, at) => starts[at + 1] ?? width);
}

export function drawNames(
  data: SankeyData,
  layout: Layout,
  style: NodeStyle,
  differences: ReadonlyMap<string, NodeDifference>,
): SVGElement[] {
  const { palette } = style;
  const { nodes } = data.sankey;
  const casing = {
    stroke: palette.ground,
    'stroke-width': 3.5,
    'stroke-linejoin': 'round',
    'paint-order': 'stroke',
  };
  const ends = endsOf(layout);
  return layout.labels.map((label) => {
    const end = ends[layout.column[label.nodes[0] ?? -1] ?? 0] ?? layout.width;
    const members = label.nodes.flatMap((index) => nodes[index] ?? []);
    const group = svg('g', {
      'data-label-of': members.map((node) => node.id).join(' '),
    });
    const isDim = members.every((node) => node.kind === 'others');
    label.lines.forEach((line, at) => {
      const isLast = at === label.lines.length - 1;
      const text = svg(
        'text',
        {
          ...textStyle(11, true),
          ...casing,
          x: label.x,
          y: label.y + at * LINE,
          'dominant-baseline': 'central',
          fill: isDim ? palette.ink2 : palette.ink,
        },
        line,
      );
      if (isLast && label.glyph)
        text.append(svg('tspan', { fill: palette.ink2, dx: 4 }, label.glyph));
      group.append(text);
    });
    const strongest = strongestOf(members, differences);
    if (style.mode === 'diff' && strongest) {
      group.append(
        svg(
          'text',
          {
            ...textStyle(11),
            ...casing,
            x: label.x,
            y: label.y + label.lines.length * LINE,
            'dominant-baseline': 'central',
            fill: palette.ink2,
          },
          numbersThatFit(strongest, data.diffMode ?? 'absolute', end - label.x),
        ),
      );
    }
    return group;
  });
}

/** The largest difference within a chain. */
function strongestOf(
  members: readonly SankeyNode[],
  differences: ReadonlyMap<string, NodeDifference>,
): NodeDifference | undefined {
  return members
    .flatMap((node) => differences.get(node.id) ?? [])
    .sort((a, b) => Math.abs(b.value ?? 0) - Math.abs(a.value ?? 0))[0];
}
