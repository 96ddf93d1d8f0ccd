/** Where the arrow keys lead. */

import type { Sankey, SankeyNode } from '../api.ts';

/** Heaviest callee or caller, or the next node of the column. */
export function neighbour(sankey: Sankey, at: number, key: string): SankeyNode | undefined {
  const { nodes, edges } = sankey;
  const here = nodes[at];
  if (!here) return undefined;
  if (key === 'ArrowRight' || key === 'ArrowLeft') {
    const isForward = key === 'ArrowRight';
    const heaviest = edges
      .filter((edge) => edge.kind === 'forward' && (isForward ? edge.source : edge.target) === at)
      .sort((a, b) => b.max_inclusive - a.max_inclusive)[0];
    return heaviest && nodes[isForward ? heaviest.target : heaviest.source];
  }
  const column = nodes
    .filter((node) => node.level === here.level)
    .sort((a, b) => a.geometry.y - b.geometry.y);
  return column[column.indexOf(here) + (key === 'ArrowDown' ? 1 : -1)];
}
