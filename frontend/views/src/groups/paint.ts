/** Draws the aggregated grain graph: groups, grains, edges, badges. */

import type { Group } from '../api.ts';
import { type Palette, ratioColour, textOn } from '../logic/colour.ts';
import type { IsNamed } from '../logic/definition-names.ts';
import { formatFactor, formatPlural, formatValue } from '../logic/format.ts';
import { valueOf } from '../logic/group-tree.ts';
import { kindOf, nameOf } from '../logic/group-names.ts';
import { shorten } from '../logic/names.ts';
import { type Edges, edgesOf } from '../logic/series-parallel-edges.ts';
import { LEAF, type Placed, type Spacing, STRIP } from '../logic/series-parallel.ts';
import { counterpart } from '../logic/aligned-runs.ts';
import { isBetweenRuns } from '../logic/two-runs.ts';
import { visible } from '../logic/visible.ts';
import { monoAdvance } from '../ui/dom.ts';
import type { Boxes, Window } from '../ui/graph-canvas.ts';
import type { Filled, Pen, Shape } from '../ui/pen.ts';
import { depthsOf, Styled } from '../ui/styled.ts';
import type { Model } from './model.ts';
import { type Compared, comparedAt } from './two.ts';

export const SPACING: Spacing = {
  along: 22,
  across: 10,
  band: 26,
  pad: 9,
  title: 14,
  bar: 1,
  row: 100,
};
/** Texts are drawn from this scale on. */
const READABLE = 0.45;
const SIZE = 11;
const RADIUS = 7;

/** Sign in front of a name. */
function signOf(group: Group, isOpen: boolean): string {
  return group.children === 0 ? '' : isOpen ? '− ' : '+ ';
}

export interface Painting {
  readonly model: Model;
  readonly placed: Placed;
  readonly edges: Edges;
  readonly palette: Palette;
  /** Colour of a definition, the same in all views of the run. */
  colours(definition: string): string;
  /** Selected grain, as text. */
  readonly grain: string;
  /** Whether a definition is the selected one. */
  readonly isNamed: IsNamed;
  /** Grain that the pointer is on in any view, as text. */
  hovered(): string;
  /** Names of the runs, if there are two. */
  readonly runs: readonly [string, string];
  /** Node of the other run at the place under the pointer; -1 for none. */
  partner(): number;
}

/** What a node is compared with, if there are two runs. */
function comparison({ model }: Painting, at: number): Compared | undefined {
  return model.two && comparedAt(model.two, model.nodes, at, model.work);
}

/** The group by which the other views know a node: that of the first run. */
function knownAt({ model }: Painting, at: number): Group | undefined {
  const node = model.two && at >= model.nodes.second ? counterpart(model.nodes, at) : at;
  return model.nodes.groups[node];
}

/** Paints what is in the window. */
export function paintGroups(pen: Pen, window: Window, boxes: Boxes, painting: Painting): void {
  const { model, placed, palette } = painting;
  const { nodes } = model;
  // While groups move, edges follow the boxes.
  const now: Placed =
    boxes.x === placed.x
      ? placed
      : { ...placed, x: boxes.x, y: boxes.y, along: boxes.width, port: portsOf(placed, boxes) };
  const edges = now === placed ? painting.edges : edgesOf(nodes, now, SPACING);
  const isSeen = (at: number): boolean =>
    (boxes.x[at] ?? 0) <= window.x1 &&
    (boxes.y[at] ?? 0) <= window.y1 &&
    (boxes.x[at] ?? 0) + (boxes.width[at] ?? 0) >= window.x0 &&
    (boxes.y[at] ?? 0) + (boxes.height[at] ?? 0) >= window.y0;
  const bodies = keptBodies.get(painting.edges) ?? bodiesOf(painting);
  keptBodies.set(painting.edges, bodies);
  bodies.frames.paint(pen, window, boxes);
  if (model.two || window.scale >= READABLE)
    for (let at = 0; at < nodes.kind.length; at += 1)
      if (nodes.framed[at] && isSeen(at)) overFrame(pen, window, boxes, at, painting);
  paintEdges(pen, edges, painting);
  bodies.closed.paint(pen, window, boxes);
  for (let at = 0; at < nodes.kind.length; at += 1) {
    if (isSeen(at) && isGap(painting, at)) gap(pen, boxes, at, painting);
    if (nodes.kind[at] !== LEAF || !isSeen(at)) continue;
    if (nodes.kind[nodes.parent[at] ?? -1] === STRIP) bar(pen, boxes, at, painting);
    else overClosed(pen, window, boxes, at, painting);
  }
  // Circles of less than a pixel cannot be seen.
  if (4.5 * window.scale < 0.5) return;
  for (let at = 0; at < edges.forks.length; at += 1) {
    const node = edges.forks[at] ?? 0;
    if (nodes.groups[node]?.kind !== 'fork_join') continue;
    const y = edges.dots[3 * at + 2] ?? 0;
    const isCritical = painting.model.isOnPath(node);
    pen.circle(edges.dots[3 * at] ?? 0, y, 4.5, {
      fill: palette.ground,
      stroke: palette.fork,
      width: isCritical ? 2.5 : 2,
    });
    pen.circle(edges.dots[3 * at + 1] ?? 0, y, 4.5, { fill: palette.join });
  }
}

function portsOf(placed: Placed, boxes: Boxes): Float64Array {
  return placed.port.map((port, at) => port - (placed.y[at] ?? 0) + (boxes.y[at] ?? 0));
}

/** Segments of edges on the critical path and of the others, kept as long as the edges. */
const kept = new WeakMap<Edges, { plain: number[]; critical: number[] }>();

function paintEdges(pen: Pen, edges: Edges, { model, palette }: Painting): void {
  const lists = kept.get(edges) ?? listsOf(edges, model);
  kept.set(edges, lists);
  pen.lines(lists.plain, palette.ensemble, 1.5);
  pen.lines(lists.critical, palette.criticalPath, 3);
}

function listsOf(edges: Edges, model: Model): { plain: number[]; critical: number[] } {
  const plain: number[] = [];
  const critical: number[] = [];
  const { nodes } = model;
  for (let at = 0; at < edges.node.length; at += 1) {
    const node = edges.node[at] ?? 0;
    // A gap has no edges.
    if (isBetweenRuns(nodes, node) || isLost(nodes, node)) continue;
    const into = model.isOnPath(node) ? critical : plain;
    for (let part = 0; part < 4; part += 1) into.push(edges.ends[4 * at + part] ?? 0);
  }
  return { plain, critical };
}

/** Whether a node stands for a group that its run does not have; strips have none of their own. */
function isLost({ groups, kind, parent }: Model['nodes'], node: number): boolean {
  const at = kind[node] === STRIP ? (parent[node] ?? -1) : node;
  return groups[at] === undefined;
}

/** Whether a gap is the outermost one at its place. */
function isGap(painting: Painting, at: number): boolean {
  if (comparison(painting, at)?.isGap !== true) return false;
  const above = painting.model.nodes.parent[at] ?? -1;
  return comparison(painting, above)?.isGap !== true;
}

/** The place of a group that only the other run has. */
function gap(pen: Pen, boxes: Boxes, at: number, { palette }: Painting): void {
  pen.rect(boxes.x[at] ?? 0, boxes.y[at] ?? 0, boxes.width[at] ?? 0, boxes.height[at] ?? 0, {
    stroke: palette.warning,
    width: 1,
    dash: [2, 4],
    radius: RADIUS,
  });
}

/** A mark around a group that only its run has, and around the partner of the one under the pointer. */
function outline(pen: Pen, boxes: Boxes, at: number, colour: string, dash: number[]): void {
  pen.rect(
    (boxes.x[at] ?? 0) - 4,
    (boxes.y[at] ?? 0) - 4,
    (boxes.width[at] ?? 0) + 8,
    (boxes.height[at] ?? 0) + 8,
    { stroke: colour, width: 2, dash, radius: RADIUS + 4 },
  );
}

/** Groups and grains without what lies over them, by style. */
interface Bodies {
  readonly frames: Styled;
  readonly closed: Styled;
}

/** Kept as long as the edges of the placed graph, which are made anew when the view is drawn. */
const keptBodies = new WeakMap<Edges, Bodies>();

function bodiesOf(painting: Painting): Bodies {
  const { kind, framed, parent } = painting.model.nodes;
  const depths = depthsOf(parent);
  const isClosed = (at: number): boolean => kind[at] === LEAF && kind[parent[at] ?? -1] !== STRIP;
  return {
    frames: new Styled(
      kind.length,
      (at) => (framed[at] ? frameOf(at, painting) : undefined),
      (at) => depths[at] ?? 0,
    ),
    closed: new Styled(kind.length, (at) => (isClosed(at) ? closedOf(at, painting) : undefined)),
  };
}

/** How an open group is drawn; nothing for what has no group. */
function frameOf(at: number, { model, palette }: Painting): Shape | undefined {
  const group = model.nodes.groups[at];
  if (!group) return undefined;
  const isProblem = group.has_problem === true;
  return {
    fill: group.kind === 'linear' ? palette.surface : palette.ground,
    stroke: isProblem ? palette.problem : palette.line,
    width: isProblem ? 1.5 : 1,
    dash: group.kind === 'unstructured' ? [6, 4] : group.has_problem === false ? [4, 3] : [],
    radius: RADIUS,
  };
}

/** How a closed group or a grain is drawn; nothing for what has no group. */
function closedOf(at: number, painting: Painting): Filled | undefined {
  const { model, palette } = painting;
  const group = model.nodes.groups[at];
  if (!group) return undefined;
  const isProblem = group.has_problem === true;
  const compared = comparison(painting, at);
  return {
    fill: compared
      ? ratioColour(palette, compared.ratio)
      : isSelected(group, painting)
        ? (palette.exclusive[0] ?? palette.ground)
        : palette.ground,
    stroke: isProblem ? palette.problem : group.has_problem === false ? palette.fork : palette.ink2,
    width: isProblem ? 2 : 1,
    dash: group.has_problem === false ? [4, 3] : [],
    radius: group.kind === 'grain' ? 0 : RADIUS,
  };
}

/** Marks and texts of an open group. */
function overFrame(pen: Pen, window: Window, boxes: Boxes, at: number, painting: Painting): void {
  const { model, palette } = painting;
  const group = model.nodes.groups[at];
  if (!group) return;
  const [x, y, width] = [boxes.x[at] ?? 0, boxes.y[at] ?? 0, boxes.width[at] ?? 0];
  const isProblem = group.has_problem === true;
  const compared = comparison(painting, at);
  if (compared?.isAlone) outline(pen, boxes, at, palette.warning, [6, 4]);
  if (window.scale < READABLE) return;
  const letter = model.letters.get(group.structure ?? '');
  const room = Math.floor((width - 34) / monoAdvance(SIZE));
  const isTop = compared !== undefined && model.nodes.parent[at] === 0;
  const run = isTop ? `${painting.runs[at < model.nodes.second ? 0 : 1]}: ` : '';
  const ratio = compared?.ratio === undefined ? '' : `, ${formatFactor(compared.ratio)}`;
  const text = visible(
    `− ${run}${nameOf(group)}  ${kindOf(group)}, ${worth(group, model)}${ratio}`,
  );
  pen.text(shorten(text, Math.max(3, room)), x + 9, y + 15, {
    size: SIZE,
    colour: palette.ink,
    isMono: true,
  });
  if (isProblem) warning(pen, x + width - 14, y + 15, palette);
  if (letter) badge(pen, letter, x + width - (isProblem ? 36 : 22), y + 4, palette);
}

/** Grains and work of a group. */
function worth(group: Group, model: Model): string {
  const work = formatValue(valueOf(group, model.work), model.tree.unit);
  return group.kind === 'grain' ? work : `${formatPlural(group.grains, 'grain')}, ${work}`;
}

/** Marks and texts of a closed group or a grain. */
function overClosed(pen: Pen, window: Window, boxes: Boxes, at: number, painting: Painting): void {
  const { model, palette } = painting;
  const group = model.nodes.groups[at];
  if (!group) return;
  const [x, y] = [boxes.x[at] ?? 0, boxes.y[at] ?? 0];
  const [width, height] = [boxes.width[at] ?? 0, boxes.height[at] ?? 0];
  const isGrain = group.kind === 'grain';
  const known = knownAt(painting, at) ?? group;
  const compared = comparison(painting, at);
  const isChosen = isSelected(known, painting);
  if (model.isOnPath(at))
    pen.rect(x - 3, y - 3, width + 6, height + 6, {
      stroke: palette.criticalPath,
      width: 1,
      radius: isGrain ? 0 : RADIUS + 3,
    });
  if (compared?.isAlone) outline(pen, boxes, at, palette.warning, [4, 3]);
  const hovered = painting.hovered();
  const isHovered = isGrain && hovered !== '' && String(known.grain) === hovered;
  if (isHovered || at === painting.partner() || (compared && isChosen))
    outline(pen, boxes, at, palette.accent, []);
  // Stripes of less than a pixel cannot be seen.
  if (4 * window.scale < 1) return;
  const colour = known.definition ? painting.colours(known.definition) : palette.ink2;
  if (isGrain) pen.rect(x + 1, y + 1, 4, height - 2, { fill: colour });
  else pen.rect(x + 4, y + 6, 3, height - 12, { fill: colour });
  if (window.scale < READABLE) return;
  const fill = closedOf(at, painting)?.fill ?? palette.ground;
  caption(pen, boxes, at, painting, compared, fill);
}

/** Name and figures of a closed group or a grain. */
function caption(
  pen: Pen,
  boxes: Boxes,
  at: number,
  { model, palette }: Painting,
  compared: Compared | undefined,
  fill: string,
): void {
  const group = model.nodes.groups[at];
  if (!group) return;
  const [x, y, width] = [boxes.x[at] ?? 0, boxes.y[at] ?? 0, boxes.width[at] ?? 0];
  const letter = model.letters.get(group.structure ?? '');
  const most = Math.floor((width - (letter ? 36 : 18)) / monoAdvance(SIZE));
  const name = visible(`${signOf(group, false)}${nameOf(group)}`);
  const left = x + 11;
  const [ink, quiet] = compared ? [textOn(fill), textOn(fill)] : [palette.ink, palette.ink2];
  pen.text(shorten(name, most), left, y + 14, {
    size: SIZE,
    colour: ink,
    isMono: true,
    isBold: group.kind !== 'grain',
  });
  const isProblem = group.has_problem === true;
  let from = left;
  if (isProblem) {
    warning(pen, from + 4, y + 28, palette);
    from += 12;
  } else if (group.has_problem === false) {
    pen.text('✓', from, y + 28, { size: SIZE, colour: palette.ink2 });
    from += 12;
  }
  const value = model.marked ? valueOf(group, model.marked.metric) : undefined;
  const figure =
    compared?.ratio !== undefined
      ? formatFactor(compared.ratio)
      : value === undefined
        ? ''
        : formatValue(value, model.unit);
  if (figure !== '') {
    pen.text(figure, from, y + 28, {
      size: SIZE,
      colour: isProblem ? palette.problem : ink,
      isBold: isProblem || compared !== undefined,
    });
    from += 7 * figure.length + 6;
  }
  pen.text(worth(group, model), from, y + 28, { size: SIZE, colour: quiet });
  if (letter) badge(pen, letter, x + width - 19, y + 3, palette);
}

export function isSelected(group: Group, { grain, isNamed }: Painting): boolean {
  if (grain !== '') return group.kind === 'grain' && String(group.grain) === grain;
  return isNamed(group.definition);
}

/** A bar of a strip: as long as its work. */
function bar(pen: Pen, boxes: Boxes, at: number, painting: Painting): void {
  const { model, palette } = painting;
  const group = model.nodes.groups[at];
  if (!group) return;
  const compared = comparison(painting, at);
  const [x, y] = [boxes.x[at] ?? 0, boxes.y[at] ?? 0];
  const [width, height] = [boxes.width[at] ?? 0, boxes.height[at] ?? 0];
  // With two runs, the longer bar fills the place.
  const works = [group, compared?.other].map((one) => (one && valueOf(one, model.work)) ?? 0);
  const length = width * Math.min(1, (works[0] ?? 0) / Math.max(1, ...works));
  const isChosen = isSelected(knownAt(painting, at) ?? group, painting);
  const fill = compared
    ? ratioColour(palette, compared.ratio)
    : group.has_problem === true
      ? palette.problem
      : palette.ensemble;
  const box = [x, y, compared ? length : width, height] as const;
  pen.rect(...box, {
    fill: isChosen ? palette.accent : fill,
    ...(compared ? { stroke: compared.isAlone ? palette.warning : palette.ink2, width: 0.5 } : {}),
  });
  if (model.isOnPath(at)) pen.rect(...box, { stroke: palette.criticalPath, width: 1.5 });
  if (at === painting.partner()) outline(pen, boxes, at, palette.accent, []);
}

/** The icon of a problem. */
function warning(pen: Pen, x: number, y: number, palette: Palette): void {
  pen.text('▲', x, y, { size: SIZE, colour: palette.problem, anchor: 'middle' });
}

function badge(pen: Pen, letter: string, x: number, y: number, palette: Palette): void {
  const width = 6 + 7 * letter.length;
  pen.rect(x, y, width, 13, { fill: palette.ground, stroke: palette.ink, radius: 3 });
  pen.text(letter, x + width / 2, y + 10, {
    size: 10,
    colour: palette.ink,
    isBold: true,
    anchor: 'middle',
  });
}
