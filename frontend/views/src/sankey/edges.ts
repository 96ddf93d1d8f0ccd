/** Draws bands, the target's share of them, and arcs of back edges. */

import type { Palette } from '../logic/colour.ts';
import { backPath, bandPath } from '../logic/geometry.ts';
import { svg } from '../ui/dom.ts';
import { indicesOf, type SankeyData, type SankeySelection, targetShares } from './model.ts';

export function drawEdges(data: SankeyData, palette: Palette): SVGGElement[] {
  return data.sankey.edges.map((edge, index) => {
    const mark = svg('g', { class: 'gs-edge', 'data-mark': 'edge', 'data-edge': index });
    if (edge.kind === 'forward') {
      mark.append(
        svg('path', { d: bandPath(edge.band), fill: palette.band, 'fill-opacity': 0.85 }),
      );
    }
    return mark;
  });
}

/** The target's flow, on top of the ensemble's. */
export function drawTargetEdges(
  data: SankeyData,
  selection: SankeySelection,
  palette: Palette,
): SVGElement[] {
  if (!selection.target || data.diff) return [];
  const runs = indicesOf(data.sankey, selection.target.runs);
  return data.sankey.edges.flatMap((edge, index) => {
    if (edge.kind !== 'forward') return [];
    const shares = targetShares(data.sankey, index, runs);
    if (shares[0] <= 0) return [];
    return [
      svg('path', {
        d: bandPath(edge.band, shares),
        fill: palette.target,
        'fill-opacity': palette.theme === 'dark' ? 0.36 : 0.3,
        'pointer-events': 'none',
        'data-flow': index,
      }),
    ];
  });
}

/** Dashed arcs of removed edges. */
export function drawBackEdges(data: SankeyData, palette: Palette): SVGElement[] {
  const { nodes, edges } = data.sankey;
  return edges.flatMap((edge, index) => {
    const [from, to] = [nodes[edge.source], nodes[edge.target]];
    if (edge.kind !== 'back' || !from || !to || edge.source === edge.target) return [];
    const d = backPath(from.geometry, to.geometry);
    return [
      svg(
        'g',
        { 'data-mark': 'edge', 'data-edge': index },
        svg('path', { d, fill: 'none', stroke: 'transparent', 'stroke-width': 10 }),
        svg('path', {
          d,
          fill: 'none',
          stroke: palette.ink2,
          'stroke-width': 1.25,
          'stroke-dasharray': '4 3',
        }),
      ),
    ];
  });
}
