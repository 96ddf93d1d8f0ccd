/** Draws the task graph: from the top to the bottom, what forks around what it forks. */

import type { Group } from '../api.ts';
import { categoryColour } from '../logic/categories.ts';
import { mix, type Palette, textOn } from '../logic/colour.ts';
import type { IsNamed } from '../logic/definition-names.ts';
import { nameOf } from '../logic/group-names.ts';
import { shorten } from '../logic/names.ts';
import { type Edges, edgesOf, type Strokes, strokesOf } from '../logic/series-parallel-edges.ts';
import { LEAF, type Placed, type Spacing, STRIP } from '../logic/series-parallel.ts';
import { isBetweenRuns } from '../logic/two-runs.ts';
import { visible } from '../logic/visible.ts';
import { monoAdvance } from '../ui/dom.ts';
import type { Boxes, Window } from '../ui/graph-canvas.ts';
import { edgeColours } from '../ui/graph-legend.ts';
import type { Filled, Pen, Shape } from '../ui/pen.ts';
import { depthsOf, Styled } from '../ui/styled.ts';
import type { Settings } from './definition.ts';
import { definitionAt, isAlone, isUntimed, type Model, sideOf } from './model.ts';
import { type Share, sharesOf } from './workers.ts';

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
  /** Whether a definition is the selected one; nothing if none is selected. */
  readonly isNamed: IsNamed | undefined;
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
  const { nodes, partners } = painting.model;
  const marks = kept.get(painting.edges) ?? marksOf(painting);
  kept.set(painting.edges, marks);
  marks.frames.paint(pen, window, boxes);
  if (boxes.x === painting.placed.y && painting.settings.edges !== 'none') {
    for (const [kind, colour] of edgeColours(painting.palette).entries())
      pen.lines(marks.strokes.kinds[kind] ?? [], colour, 1.2);
    pen.lines(marks.strokes.critical, painting.palette.criticalPath, 3);
  }
  marks.leaves.paint(pen, window, boxes);
  for (const [at, shares] of marks.workers)
    if (isIn(window, boxes, at)) paintWorkers(pen, boxes, at, shares, painting.palette);
  const isPointed = painting.partner() >= 0 || painting.hovered() !== '';
  if (!isPointed && !partners && window.scale < READABLE) return;
  for (let at = 0; at < nodes.kind.length; at += 1)
    if (nodes.kind[at] === LEAF && isIn(window, boxes, at))
      paintOver(pen, window, boxes, at, painting);
}

function isIn(window: Window, { x, y, width, height }: Boxes, at: number): boolean {
  const [left, top] = [x[at] ?? 0, y[at] ?? 0];
  return (
    left <= window.x1 &&
    top <= window.y1 &&
    left + (width[at] ?? 0) >= window.x0 &&
    top + (height[at] ?? 0) >= window.y0
  );
}

/** What a frame draws, by style. */
interface Marks {
  readonly frames: Styled;
  readonly leaves: Styled;
  /** Workers of closed groups, if colours are those of workers. */
  readonly workers: ReadonlyMap<number, readonly Share[]>;
  /** Segments on the critical path are red and wide. */
  readonly strokes: Strokes;
}

/** Kept as long as the edges, which are made anew when the view is drawn. */
const kept = new WeakMap<Edges, Marks>();

function marksOf(painting: Painting): Marks {
  const { edges, settings } = painting;
  const { nodes } = painting.model;
  const count = nodes.kind.length;
  const depths = depthsOf(nodes.parent);
  const isLeaf = (at: number): boolean => nodes.kind[at] === LEAF;
  return {
    frames: new Styled(
      count,
      (at) => (nodes.framed[at] ? frameOf(at, painting) : undefined),
      (at) => depths[at] ?? 0,
    ),
    leaves: new Styled(count, (at) => (isLeaf(at) ? leafOf(at, painting) : undefined)),
    workers: workersOf(painting),
    strokes: strokesOf(
      edges,
      (node) => !isBetweenRuns(nodes, node),
      (node) => settings.critical && nodes.groups[node]?.is_critical === true,
      settings.edges === 'straight',
    ),
  };
}

/** Workers of the closed groups that can be seen. */
function workersOf({ model, settings }: Painting): ReadonlyMap<number, readonly Share[]> {
  const workers = new Map<number, readonly Share[]>();
  if (settings.colour !== 'worker') return workers;
  model.nodes.groups.forEach((group, at) => {
    const { known, times } = sideOf(model, at);
    if (group && group.kind !== 'grain' && model.nodes.kind[at] === LEAF && times)
      workers.set(at, sharesOf(known, times, group));
  });
  return workers;
}

/** Stripes at the lower edge of a closed group, as wide as the shares of its workers. */
function paintWorkers(
  pen: Pen,
  { x, y, width, height }: Boxes,
  at: number,
  shares: readonly Share[],
  palette: Palette,
): void {
  const high = stripesIn(height[at] ?? 0);
  let from = 0;
  for (const [worker, share] of shares) {
    const wide = share * (width[at] ?? 0);
    pen.rect((x[at] ?? 0) + from, (y[at] ?? 0) + (height[at] ?? 0) - high, wide, high, {
      fill: categoryColour(palette, worker),
    });
    from += wide;
  }
}

/** Height of the stripes of workers: the name is above them. */
function stripesIn(height: number): number {
  return Math.min(8, height);
}

function frameOf(at: number, { model, palette }: Painting): Shape {
  const alone = isAlone(model, at);
  return {
    fill: model.nodes.groups[at]?.kind === 'linear' ? palette.surface : palette.ground,
    stroke: alone ? palette.warning : palette.line,
    width: alone ? 2 : 1,
    dash: alone ? [5, 3] : [],
    radius: 6,
  };
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

/** Whether a node is a grain of the first run, whose rows the other views know, under this text. */
function isGrainOf({ nodes }: Model, at: number, grain: string): boolean {
  const group = nodes.groups[at];
  return group?.kind === 'grain' && at < nodes.second && String(group.grain) === grain;
}

/** How a closed group or a grain is drawn; nothing for what has no group. */
function leafOf(at: number, painting: Painting): Filled | undefined {
  const { model, palette, settings } = painting;
  const group = model.nodes.groups[at];
  if (!group) return undefined;
  const isGrain = group.kind === 'grain';
  const colour = fillOf(group, at, painting);
  const isFaint = painting.isNamed?.(definitionAt(model, at)) === false;
  const isCritical = settings.critical && group.is_critical;
  const isBar = model.nodes.kind[model.nodes.parent[at] ?? -1] === STRIP;
  const shape = {
    fill:
      colour === undefined ? palette.surface : isFaint ? mix(palette.ground, colour, 0.22) : colour,
    stroke: isCritical ? palette.criticalPath : palette.ink2,
    width: isCritical ? 2.5 : isBar ? 0.5 : 1,
    dash: isUntimed(model, at, settings) ? [3, 2] : [],
    radius: isGrain ? (isBar ? 0 : Infinity) : 5,
  };
  return isGrainOf(model, at, painting.grain) ? { ...shape, ...here(palette) } : shape;
}

/** Outline of a node that is selected or pointed at. */
function here(palette: Palette): Pick<Shape, 'stroke' | 'width'> {
  return { stroke: palette.accent, width: 3 };
}

/** What lies over a node: marks of the pointer and of the other run, and the name of a closed group. */
function paintOver(pen: Pen, window: Window, boxes: Boxes, at: number, painting: Painting): void {
  const { model, palette } = painting;
  const group = model.nodes.groups[at];
  if (!group) return;
  const [x, y] = [boxes.x[at] ?? 0, boxes.y[at] ?? 0];
  const [width, height] = [boxes.width[at] ?? 0, boxes.height[at] ?? 0];
  if (at === painting.partner() || isGrainOf(model, at, painting.hovered()))
    pen.rect(x, y, width, height, { ...leafOf(at, painting), ...here(palette) });
  if (isAlone(model, at))
    pen.rect(x - 3, y - 3, width + 6, height + 6, {
      stroke: palette.warning,
      width: 1.5,
      dash: [4, 3],
      radius: 5,
    });
  if (group.kind === 'grain' || window.scale < READABLE || height < SIZE + 4) return;
  const most = Math.floor((width - 10) / monoAdvance(SIZE));
  const room = painting.settings.colour === 'worker' ? height - stripesIn(height) : height;
  pen.text(shorten(visible(`+ ${nameOf(group)}`), most), x + 5, y + room / 2 + 3.5, {
    size: SIZE,
    colour: textOn(leafOf(at, painting)?.fill ?? palette.ground),
    isMono: true,
  });
}
