/** Draws the task graph: from the top to the bottom, what forks around what it forks. */

import type { Group } from '../api.ts';
import { categoryColour } from '../logic/categories.ts';
import { mix, type Palette, textOn } from '../logic/colour.ts';
import { nameOf } from '../logic/group-names.ts';
import { shorten } from '../logic/names.ts';
import { CONTINUATION, CREATION, type Edges, edgesOf } from '../logic/series-parallel-edges.ts';
import { LEAF, type Placed, type Spacing, STRIP } from '../logic/series-parallel.ts';
import { isBetweenRuns } from '../logic/two-runs.ts';
import { visible } from '../logic/visible.ts';
import { monoAdvance } from '../ui/dom.ts';
import type { Boxes, Window } from '../ui/graph-canvas.ts';
import type { Pen } from '../ui/pen.ts';
import type { Settings } from './definition.ts';
import { definitionAt, isAlone, isUntimed, type Model, sideOf } from './model.ts';

export const SPACING: Spacing = {
  along: 10,
  across: 8,
  band: 20,
  pad: 5,
  title: 0,
  bar: 1,
  row: 60,
};
/** Texts are drawn from this scale on. */
const READABLE = 0.6;
const SIZE = 10;

export interface Painting {
  readonly model: Model;
  readonly placed: Placed;
  readonly edges: Edges;
  readonly settings: Settings;
  readonly palette: Palette;
  colours(definition: string): string;
  readonly grain: string;
  readonly definition: string;
  /** Grain that the pointer is on in any view, as text. */
  hovered(): string;
  /** Node of the other run that corresponds to the one under the pointer; -1 for none. */
  partner(): number;
}

/** Boxes of a graph that runs down: along is the height. */
export function downwards(placed: Placed): Boxes {
  return { x: placed.y, y: placed.x, width: placed.across, height: placed.along };
}

export function edgesFor(model: Model, placed: Placed): Edges {
  return edgesOf(model.nodes, placed, SPACING);
}

export function paintDag(pen: Pen, window: Window, boxes: Boxes, painting: Painting): void {
  const { model, palette } = painting;
  const { nodes } = model;
  const isSeen = (at: number): boolean =>
    (boxes.x[at] ?? 0) <= window.x1 &&
    (boxes.y[at] ?? 0) <= window.y1 &&
    (boxes.x[at] ?? 0) + (boxes.width[at] ?? 0) >= window.x0 &&
    (boxes.y[at] ?? 0) + (boxes.height[at] ?? 0) >= window.y0;
  for (let at = 0; at < nodes.kind.length; at += 1) {
    if (!nodes.framed[at] || !isSeen(at)) continue;
    const alone = isAlone(model, at);
    pen.rect(boxes.x[at] ?? 0, boxes.y[at] ?? 0, boxes.width[at] ?? 0, boxes.height[at] ?? 0, {
      fill: nodes.groups[at]?.kind === 'linear' ? palette.surface : palette.ground,
      stroke: alone ? palette.warning : palette.line,
      width: alone ? 2 : 1,
      dash: alone ? [5, 3] : [],
      radius: 6,
    });
  }
  if (boxes.x === painting.placed.y && painting.settings.edges !== 'none')
    paintEdges(pen, painting);
  for (let at = 0; at < nodes.kind.length; at += 1)
    if (nodes.kind[at] === LEAF && isSeen(at)) paintNode(pen, window, boxes, at, painting);
}

interface Strokes {
  readonly byColour: ReadonlyMap<string, readonly number[]>;
  readonly critical: readonly number[];
}

/** Segments by colour, kept as long as the edges, which are made anew when the view is drawn. */
const kept = new WeakMap<Edges, Strokes>();

/** Edges by kind; those on the critical path are red and wide. */
function paintEdges(pen: Pen, painting: Painting): void {
  const strokes = kept.get(painting.edges) ?? strokesOf(painting);
  kept.set(painting.edges, strokes);
  for (const [colour, list] of strokes.byColour) pen.lines(list, colour, 1.2);
  pen.lines(strokes.critical, painting.palette.criticalPath, 3);
}

function strokesOf({ model, edges, settings, palette }: Painting): Strokes {
  const strokes = new Map<string, number[]>();
  const critical: number[] = [];
  const into = (colour: string): number[] => {
    const known = strokes.get(colour) ?? [];
    strokes.set(colour, known);
    return known;
  };
  const { ends } = edges;
  const { groups } = model.nodes;
  for (let at = 0; at < edges.node.length; at += 1) {
    const node = edges.node[at] ?? 0;
    if (isBetweenRuns(model.nodes, node)) continue;
    const kind = edges.kind[at];
    let last = at;
    if (settings.edges === 'straight')
      while (edges.node[last + 1] === node && edges.kind[last + 1] === kind) last += 1;
    const list =
      settings.critical && groups[node]?.is_critical === true
        ? critical
        : into(
            kind === CREATION ? palette.fork : kind === CONTINUATION ? palette.ink2 : palette.join,
          );
    list.push(ends[4 * at + 1] ?? 0, ends[4 * at] ?? 0);
    list.push(ends[4 * last + 3] ?? 0, ends[4 * last + 2] ?? 0);
    at = last;
  }
  return { byColour: strokes, critical };
}

/** Colour of a node: by definition, or by the worker of a grain; nothing if several workers may have run it. */
export function fillOf(group: Group, at: number, painting: Painting): string | undefined {
  const { settings, palette, model } = painting;
  if (settings.colour === 'definition') {
    const definition = definitionAt(model, at);
    return definition ? painting.colours(definition) : palette.ensemble;
  }
  const worker = group.kind === 'grain' ? sideOf(model, at).times?.worker(group.grain) : undefined;
  return worker === undefined ? undefined : categoryColour(palette, worker);
}

function paintNode(pen: Pen, window: Window, boxes: Boxes, at: number, painting: Painting): void {
  const { model, palette, settings } = painting;
  const group = model.nodes.groups[at];
  if (!group) return;
  const [x, y] = [boxes.x[at] ?? 0, boxes.y[at] ?? 0];
  const [width, height] = [boxes.width[at] ?? 0, boxes.height[at] ?? 0];
  const isGrain = group.kind === 'grain';
  const colour = fillOf(group, at, painting);
  const isFaint = painting.definition !== '' && definitionAt(model, at) !== painting.definition;
  const fill =
    colour === undefined ? palette.surface : isFaint ? mix(palette.ground, colour, 0.22) : colour;
  const isHere =
    isGrain &&
    (String(group.grain) === painting.grain || String(group.grain) === painting.hovered());
  const isCritical = settings.critical && group.is_critical;
  const isOther = at === painting.partner();
  const isBar = model.nodes.kind[model.nodes.parent[at] ?? -1] === STRIP;
  pen.rect(x, y, width, height, {
    fill,
    stroke: isHere || isOther ? palette.accent : isCritical ? palette.criticalPath : palette.ink2,
    width: isHere || isOther ? 3 : isCritical ? 2.5 : isBar ? 0.5 : 1,
    dash: isUntimed(model, at, settings) ? [3, 2] : [],
    radius: isGrain ? (isBar ? 0 : Math.min(width, height) / 2) : 5,
  });
  if (isAlone(model, at))
    pen.rect(x - 3, y - 3, width + 6, height + 6, {
      stroke: palette.warning,
      width: 1.5,
      dash: [4, 3],
      radius: 5,
    });
  if (isGrain || window.scale < READABLE || height < SIZE + 4) return;
  const most = Math.floor((width - 10) / monoAdvance(SIZE));
  pen.text(shorten(visible(`+ ${nameOf(group)}`), most), x + 5, y + height / 2 + 3.5, {
    size: SIZE,
    colour: textOn(fill),
    isMono: true,
  });
}
