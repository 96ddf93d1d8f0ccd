/** Draws the grain graph: grains as marks, severity, edges, the critical path. */

import type { Group } from '../api.ts';
import { mix, type Palette, ratioColour } from '../logic/colour.ts';
import type { IsNamed } from '../logic/definition-names.ts';
import { type Edges, edgesOf, type Strokes, strokesOf } from '../logic/series-parallel-edges.ts';
import { LEAF, type Placed, type Spacing, STRIP } from '../logic/series-parallel.ts';
import { isBetweenRuns } from '../logic/two-runs.ts';
import type { Boxes, Window } from '../ui/graph-canvas.ts';
import { edgeColours } from '../ui/graph-legend.ts';
import type { Pen, Shape } from '../ui/pen.ts';
import { Styled } from '../ui/styled.ts';
import { isAlone } from './compare.ts';
import { isStructural, type Model, severityOf } from './model.ts';

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
  /** Colour of a definition, the same in all views of the run. */
  colours(definition: string): string;
  readonly grain: string;
  /** Whether a definition is the selected one. */
  readonly isNamed: IsNamed;
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

/** Scale below which outlines are thinner. */
const FAR = 0.25;
const NO_GRAIN = { grain: null };

function isChosen(
  known: Pick<Group, 'grain'>,
  group: Group,
  at: number,
  { grain, isNamed, model }: Painting,
): boolean {
  if (grain !== '' && String(known.grain) === grain) return true;
  if (isNamed(group.definition)) return true;
  const match = model.comparison?.matches.get(at);
  return match?.nodes.some((node) => isNamed(model.nodes.groups[node]?.definition)) ?? false;
}

export function paintGrains(pen: Pen, window: Window, boxes: Boxes, painting: Painting): void {
  const { model, edges, palette } = painting;
  const { nodes } = model;
  const isFar = window.scale < FAR;
  const made = kept.get(edges);
  const marks = made?.isFar === isFar ? made : marksOf(painting, isFar);
  kept.set(edges, marks);
  const colours = isStructural(model) ? edgeColours(palette) : [];
  for (const [kind, list] of marks.strokes.kinds.entries())
    pen.lines(list, colours[kind] ?? palette.ensemble, 1);
  pen.lines(marks.strokes.critical, palette.criticalPath, 2.5);
  marks.leaves.paint(pen, window, boxes);
  const hovered = painting.hovered();
  if (hovered !== '')
    for (let at = 0; at < nodes.kind.length; at += 1) {
      const shape = String(knownAt(model, at)?.grain) === hovered && leafOf(at, painting, isFar);
      const [x, y] = [boxes.x[at] ?? 0, boxes.y[at] ?? 0];
      if (shape)
        pen.rect(x, y, boxes.width[at] ?? 0, boxes.height[at] ?? 0, { ...shape, ...here(palette) });
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

/** What a frame draws, by style. */
interface Marks {
  /** Whether outlines are those of a picture from afar. */
  readonly isFar: boolean;
  readonly leaves: Styled;
  readonly strokes: Strokes;
}

/** Kept as long as the edges, which are made anew when the view is drawn. */
const kept = new WeakMap<Edges, Marks>();

function marksOf(painting: Painting, isFar: boolean): Marks {
  const { nodes } = painting.model;
  const strokes = strokesOf(
    painting.edges,
    (node) => !isBetweenRuns(nodes, node),
    (node) => nodes.groups[node]?.is_critical === true,
  );
  const leaves = new Styled(nodes.kind.length, (at) => leafOf(at, painting, isFar));
  return { isFar, leaves, strokes };
}

/** The group by whose row the other views know a grain: that of the first run. */
function knownAt({ nodes, comparison }: Model, at: number): Group | undefined {
  if (at < nodes.second) return nodes.groups[at];
  const match = comparison?.matches.get(at);
  return match && nodes.groups[match.nodes[0]];
}

/** How a grain or a closed group is drawn; nothing for other nodes. */
function leafOf(at: number, painting: Painting, isFar: boolean): Shape | undefined {
  const { model, palette } = painting;
  const { nodes } = model;
  const group = nodes.groups[at];
  if (nodes.kind[at] !== LEAF || !group) return undefined;
  const severity = severityOf(model, group);
  const isClosed = group.children > 0;
  const isBar = nodes.kind[nodes.parent[at] ?? -1] === STRIP;
  const alone = model.comparison ? isAlone(model.comparison, at, group) : false;
  const shape = {
    fill: model.comparison
      ? ratioColour(palette, model.comparison.matches.get(at)?.ratio)
      : severity === undefined
        ? quietOf(group, painting)
        : severityColour(palette, severity),
    stroke: alone
      ? palette.warning
      : group.is_critical
        ? palette.criticalPath
        : severity === undefined
          ? palette.ensemble
          : palette.ink,
    width: alone ? 2 : group.is_critical ? 2 : isBar ? 0.5 : isFar ? 0.5 : 1,
    dash: alone ? [4, 2] : isClosed ? [3, 2] : [],
  };
  const known = knownAt(model, at) ?? NO_GRAIN;
  const isHere = isChosen(known, group, at, painting);
  return isHere ? { ...shape, ...here(palette) } : shape;
}

/** Fill of a grain without the problem; if no problem is looked for, the colour of its definition. */
function quietOf({ definition }: Group, { model, palette, colours }: Painting): string {
  if (model.first) return palette.surface;
  return definition ? colours(definition) : palette.ensemble;
}

/** Outline of a grain that is selected or pointed at. */
function here(palette: Palette): Pick<Shape, 'stroke' | 'width'> {
  return { stroke: palette.accent, width: 3 };
}
