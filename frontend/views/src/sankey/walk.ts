/** Where the arrow keys lead: from a node to its edges, along an edge to its other node, and up and down between both. */

import type { Sankey, SankeyEdge } from '../api.ts';

/** A node or an edge by index; of an edge also the end from which it was reached. */
export type Stop =
  { readonly node: number } | { readonly edge: number; readonly end: 'source' | 'target' };

/** The next stop; nothing at the border of the picture. `hasBack`: whether arcs of recursive edges are drawn. */
export function step(sankey: Sankey, from: Stop, key: string, hasBack = false): Stop | undefined {
  const isDrawn = (edge: SankeyEdge): boolean =>
    edge.kind === 'forward' ? edge.band.length > 0 : hasBack && edge.source !== edge.target;
  const isSideways = key === 'ArrowRight' || key === 'ArrowLeft';
  if ('edge' in from) {
    const edge = sankey.edges[from.edge];
    if (!edge) return undefined;
    if (isSideways) return { node: key === 'ArrowRight' ? edge.target : edge.source };
    const siblings = sankey.edges
      .map((_, index) => index)
      .filter((index) => {
        const other = sankey.edges[index];
        return other !== undefined && isDrawn(other) && other[from.end] === edge[from.end];
      })
      .sort((a, b) => endOf(sankey, a, from.end) - endOf(sankey, b, from.end) || a - b);
    const next = siblings[siblings.indexOf(from.edge) + (key === 'ArrowDown' ? 1 : -1)];
    return next === undefined ? undefined : { edge: next, end: from.end };
  }
  if (isSideways) {
    const end = key === 'ArrowRight' ? 'source' : 'target';
    const own = sankey.edges
      .map((edge, index) => ({ edge, index }))
      .filter(({ edge }) => edge[end] === from.node)
      .sort((a, b) => b.edge.max_inclusive - a.edge.max_inclusive || a.index - b.index);
    const drawn = own.find(({ edge }) => isDrawn(edge));
    if (drawn) return { edge: drawn.index, end };
    // Nodes of a chain touch: there is no band between them.
    const joined = own.find(({ edge }) => edge.kind === 'forward')?.edge;
    return joined && { node: end === 'source' ? joined.target : joined.source };
  }
  const here = sankey.nodes[from.node];
  const column = sankey.nodes
    .map((node, index) => ({ node, index }))
    .filter(({ node }) => node.level === here?.level)
    .sort((a, b) => a.node.geometry.y - b.node.geometry.y);
  const at = column.findIndex(({ index }) => index === from.node);
  const next = column[at + (key === 'ArrowDown' ? 1 : -1)];
  return next && { node: next.index };
}

/** Height at which an edge leaves or enters; arcs come last. */
function endOf(sankey: Sankey, index: number, end: 'source' | 'target'): number {
  const band = sankey.edges[index]?.band ?? [];
  return band.at(end === 'source' ? 0 : -1)?.y ?? Infinity;
}
