/** Draws the grain graph: grains as marks, severity, edges, the critical path. */

import type { Group } from '../api.ts';
import { mix, type Palette, ratioColour } from '../logic/colour.ts';
import { type Edges, edgesOf } from '../logic/series-parallel-edges.ts';
import { LEAF, type Placed, type Spacing, STRIP } from '../logic/series-parallel.ts';
import { isBetweenRuns } from '../logic/two-runs.ts';
import type { Boxes, Window } from '../ui/graph-canvas.ts';
import type { Pen } from '../ui/pen.ts';
import { isAlone } from './compare.ts';
import { type Model, severityOf } from './model.ts';

export const SPACING: Spacing = {
  along: 7,
  across: 5,
  band: 14,
  pad: 0,
  title: 0,
  bar: 1,
  row: 80,
};

export interface Painting {
  readonly model: Model;
  readonly placed: Placed;
  readonly edges: Edges;
  readonly palette: Palette;
  readonly grain: string;
  readonly definition: string;
  /** Grain that the pointer is on in any view, as text. */
  hovered(): string;
}

/** Boxes of a graph that runs down: along is the height. */
export function downwards(placed: Placed): Boxes {
  return { x: placed.y, y: placed.x, width: placed.across, height: placed.along };
}

export function edgesFor(model: Model, placed: Placed): Edges {
  return edgesOf(model.nodes, placed, SPACING);
}

/** Colour of a severity. */
export function severityColour(palette: Palette, severity: number): string {
  const [least, worst] = palette.severity;
  return mix(least, worst, severity);
}

const NO_GRAIN = { grain: null };

function isChosen(
  known: Pick<Group, 'grain'>,
  group: Group,
  grain: string,
  definition: string,
): boolean {
  if (grain !== '' && String(known.grain) === grain) return true;
  return definition !== '' && group.definition === definition;
}

export function paintGrains(pen: Pen, window: Window, boxes: Boxes, painting: Painting): void {
  const { model, edges, palette } = painting;
  const { nodes } = model;
  paintEdges(pen, painting);
  const hovered = painting.hovered();
  const edge = window.scale < 0.25 ? 0.5 : 1;
  for (let at = 0; at < nodes.kind.length; at += 1) {
    const group = nodes.groups[at];
    if (nodes.kind[at] !== LEAF || !group) continue;
    const [x, y] = [boxes.x[at] ?? 0, boxes.y[at] ?? 0];
    const [width, height] = [boxes.width[at] ?? 0, boxes.height[at] ?? 0];
    if (x > window.x1 || y > window.y1 || x + width < window.x0 || y + height < window.y0) continue;
    const severity = severityOf(model, group);
    const isClosed = group.children > 0;
    const isBar = nodes.kind[nodes.parent[at] ?? -1] === STRIP;
    // Rows of grains are those of the first run: a grain of the second is marked as its partner is.
    const match = model.comparison?.matches.get(at);
    const known = at < nodes.second ? group : match && nodes.groups[match.nodes[0]];
    const isHovered = hovered !== '' && String(known?.grain) === hovered;
    const isHere =
      isHovered || isChosen(known ?? NO_GRAIN, group, painting.grain, painting.definition);
    const alone = model.comparison ? isAlone(model.comparison, at, group) : false;
    const quiet = model.first ? palette.surface : palette.ensemble;
    pen.rect(x, y, width, height, {
      fill: model.comparison
        ? ratioColour(palette, match?.ratio)
        : severity === undefined
          ? quiet
          : severityColour(palette, severity),
      stroke: isHere
        ? palette.accent
        : alone
          ? palette.warning
          : group.is_critical
            ? palette.criticalPath
            : severity === undefined
              ? palette.ensemble
              : palette.ink,
      width: isHere ? 3 : alone ? 2 : group.is_critical ? 2 : isBar ? 0.5 : edge,
      dash: alone ? [4, 2] : isClosed ? [3, 2] : [],
    });
  }
  if (window.scale < 0.2) return;
  for (let at = 0; at < edges.forks.length; at += 1) {
    const across = edges.dots[3 * at + 2] ?? 0;
    if (nodes.groups[edges.forks[at] ?? 0]?.kind !== 'fork_join') continue;
    pen.circle(across, edges.dots[3 * at] ?? 0, 2.5, {
      fill: palette.ground,
      stroke: palette.fork,
      width: 1.5,
    });
    pen.circle(across, edges.dots[3 * at + 1] ?? 0, 2.5, { fill: palette.join });
  }
}

function paintEdges(pen: Pen, { model, edges, palette }: Painting): void {
  const plain: number[] = [];
  const critical: number[] = [];
  for (let at = 0; at < edges.node.length; at += 1) {
    const node = edges.node[at] ?? 0;
    if (isBetweenRuns(model.nodes, node)) continue;
    const group = model.nodes.groups[node];
    const into = group?.is_critical === true ? critical : plain;
    const { ends } = edges;
    into.push(
      ends[4 * at + 1] ?? 0,
      ends[4 * at] ?? 0,
      ends[4 * at + 3] ?? 0,
      ends[4 * at + 2] ?? 0,
    );
  }
  pen.lines(plain, palette.ensemble, 1);
  pen.lines(critical, palette.criticalPath, 2.5);
}
