/** Draws bands, the target's share of them, and arcs of back edges. */

import type { Palette } from '../logic/colour.ts';
import { backPath, bandPath } from '../logic/geometry.ts';
import type { SankeyEdge } from '../api.ts';
import { assign, svg } from '../ui/dom.ts';
import { edgeTitle } from './content.ts';
import { indicesOf, type SankeyData, type SankeySelection, targetShares } from './model.ts';

/** Attributes that let the arrow keys reach an edge. */
function focusable(
  edge: SankeyEdge,
  index: number,
  data: SankeyData,
): Record<string, string | number> {
  return {
    'data-edge': index,
    role: 'graphics-symbol',
    'aria-roledescription': 'edge',
    'aria-label': edgeTitle(edge, data),
    tabindex: -1,
  };
}

function outline(palette: Palette): Record<string, string | number> {
  return {
    class: 'gs-focus',
    fill: 'none',
    stroke: palette.accent,
    'stroke-width': 2,
    'data-page-only': '',
  };
}

/** Lets some edges stand out, and dims the others if asked to. */
export function emphasise(
  [bands, flows]: readonly [SVGGElement, SVGGElement],
  edges: readonly SankeyEdge[],
  palette: Palette,
  isStrong: (edge: SankeyEdge) => boolean,
  isOthersDim = false,
): void {
  [...bands.children].forEach((mark, index) => {
    const edge = edges[index];
    const path = mark.firstElementChild;
    if (!edge || !path) return;
    const strong = isStrong(edge);
    assign(path, {
      stroke: strong ? palette.ink2 : undefined,
      'stroke-width': strong ? 1 : undefined,
    });
    assign(mark, { opacity: isOthersDim && !strong ? 0.3 : undefined });
  });
  for (const flow of flows.children) {
    const edge = edges[Number(flow.getAttribute('data-flow'))];
    assign(flow, { opacity: isOthersDim && edge && !isStrong(edge) ? 0.3 : undefined });
  }
}

export function drawEdges(data: SankeyData, palette: Palette): SVGGElement[] {
  return data.sankey.edges.map((edge, index) => {
    const mark = svg('g', { class: 'gs-edge', 'data-mark': 'edge' });
    if (edge.kind !== 'forward' || edge.band.length === 0) return mark;
    const d = bandPath(edge.band);
    assign(mark, focusable(edge, index, data));
    mark.append(
      svg('path', { d, fill: palette.band, 'fill-opacity': 0.85 }),
      svg('path', { ...outline(palette), d }),
    );
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
        { class: 'gs-edge', 'data-mark': 'edge', ...focusable(edge, index, data) },
        svg('path', { d, fill: 'none', stroke: 'transparent', 'stroke-width': 10 }),
        svg('path', {
          d,
          fill: 'none',
          stroke: palette.ink2,
          'stroke-width': 1.25,
          'stroke-dasharray': '4 3',
        }),
        svg('path', { ...outline(palette), d }),
      ),
    ];
  });
}
