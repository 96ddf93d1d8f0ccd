/** Draws the aggregated grain graph: groups, grains, edges, badges. */

import type { Group } from '../api.ts';
import type { Palette } from '../logic/colour.ts';
import { formatNumber, formatPlural, formatValue } from '../logic/format.ts';
import { valueOf } from '../logic/group-tree.ts';
import { kindOf, nameOf } from '../logic/group-names.ts';
import { shorten } from '../logic/names.ts';
import { type Edges, edgesOf } from '../logic/series-parallel-edges.ts';
import { LEAF, type Placed, type Spacing, STRIP } from '../logic/series-parallel.ts';
import { visible } from '../logic/visible.ts';
import { monoAdvance } from '../ui/dom.ts';
import type { Boxes, Window } from '../ui/graph-canvas.ts';
import type { Pen } from '../ui/pen.ts';
import type { Model } from './model.ts';

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
  readonly palette: Palette;
  /** Colour of a definition, the same in all views of the run. */
  colours(definition: string): string;
  /** Selected grain, as text. */
  readonly grain: string;
  readonly definition: string;
  /** Grain that the pointer is on in any view, as text. */
  hovered(): string;
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
  const edges = edgesOf(nodes, now, SPACING);
  const isSeen = (at: number): boolean =>
    (boxes.x[at] ?? 0) <= window.x1 &&
    (boxes.y[at] ?? 0) <= window.y1 &&
    (boxes.x[at] ?? 0) + (boxes.width[at] ?? 0) >= window.x0 &&
    (boxes.y[at] ?? 0) + (boxes.height[at] ?? 0) >= window.y0;
  for (let at = 0; at < nodes.kind.length; at += 1)
    if (nodes.framed[at] && isSeen(at)) frame(pen, window, boxes, at, painting);
  paintEdges(pen, edges, painting);
  for (let at = 0; at < nodes.kind.length; at += 1) {
    if (nodes.kind[at] !== LEAF || !isSeen(at)) continue;
    if (nodes.kind[nodes.parent[at] ?? -1] === STRIP) bar(pen, boxes, at, painting);
    else closed(pen, window, boxes, at, painting);
  }
  for (let at = 0; at < edges.forks.length; at += 1) {
    const node = edges.forks[at] ?? 0;
    if (nodes.groups[node]?.kind !== 'fork_join') continue;
    const y = edges.dots[3 * at + 2] ?? 0;
    const isCritical = nodes.groups[node]?.is_critical === true;
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

function paintEdges(pen: Pen, edges: Edges, { model, palette }: Painting): void {
  const plain: number[] = [];
  const critical: number[] = [];
  const { nodes } = model;
  for (let at = 0; at < edges.node.length; at += 1) {
    const node = edges.node[at] ?? 0;
    const into = nodes.groups[node]?.is_critical === true ? critical : plain;
    for (let part = 0; part < 4; part += 1) into.push(edges.ends[4 * at + part] ?? 0);
  }
  pen.lines(plain, palette.ensemble, 1.5);
  pen.lines(critical, palette.criticalPath, 3);
}

function frame(pen: Pen, window: Window, boxes: Boxes, at: number, painting: Painting): void {
  const { model, palette } = painting;
  const group = model.nodes.groups[at];
  if (!group) return;
  const [x, y] = [boxes.x[at] ?? 0, boxes.y[at] ?? 0];
  const [width, height] = [boxes.width[at] ?? 0, boxes.height[at] ?? 0];
  const isProblem = group.has_problem === true;
  pen.rect(x, y, width, height, {
    fill: group.kind === 'linear' ? palette.surface : palette.ground,
    stroke: isProblem ? palette.problem : palette.line,
    width: isProblem ? 1.5 : 1,
    dash: group.kind === 'unstructured' ? [6, 4] : group.has_problem === false ? [4, 3] : [],
    radius: RADIUS,
  });
  if (window.scale < READABLE) return;
  const letter = model.letters.get(group.structure ?? '');
  const room = Math.floor((width - 34) / monoAdvance(SIZE));
  const text = visible(`− ${nameOf(group)}  ${kindOf(group)}, ${worth(group, model)}`);
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

function closed(pen: Pen, window: Window, boxes: Boxes, at: number, painting: Painting): void {
  const { model, palette } = painting;
  const group = model.nodes.groups[at];
  if (!group) return;
  const [x, y] = [boxes.x[at] ?? 0, boxes.y[at] ?? 0];
  const [width, height] = [boxes.width[at] ?? 0, boxes.height[at] ?? 0];
  const isProblem = group.has_problem === true;
  const isGrain = group.kind === 'grain';
  const colour = group.definition ? painting.colours(group.definition) : palette.ink2;
  const isChosen = isSelected(group, painting);
  pen.rect(x, y, width, height, {
    fill: isChosen ? palette.exclusive[0] : palette.ground,
    stroke: isProblem ? palette.problem : group.has_problem === false ? palette.fork : palette.ink2,
    width: isProblem ? 2 : 1,
    dash: group.has_problem === false ? [4, 3] : [],
    radius: isGrain ? 0 : RADIUS,
  });
  if (group.is_critical)
    pen.rect(x - 3, y - 3, width + 6, height + 6, {
      stroke: palette.criticalPath,
      width: 1,
      radius: isGrain ? 0 : RADIUS + 3,
    });
  if (isGrain && String(group.grain) === painting.hovered())
    pen.rect(x - 1, y - 1, width + 2, height + 2, { stroke: palette.accent, width: 2 });
  if (isGrain) pen.rect(x + 1, y + 1, 4, height - 2, { fill: colour });
  else pen.rect(x + 4, y + 6, 3, height - 12, { fill: colour });
  if (window.scale < READABLE) return;
  const letter = model.letters.get(group.structure ?? '');
  const most = Math.floor((width - (letter ? 36 : 18)) / monoAdvance(SIZE));
  const name = visible(`${signOf(group, false)}${nameOf(group)}`);
  const left = x + 11;
  pen.text(shorten(name, most), left, y + 14, {
    size: SIZE,
    colour: palette.ink,
    isMono: true,
    isBold: !isGrain,
  });
  const value = model.marked ? valueOf(group, model.marked.metric) : undefined;
  let from = left;
  if (group.has_problem === true) {
    warning(pen, from + 4, y + 28, palette);
    from += 12;
  } else if (group.has_problem === false) {
    pen.text('✓', from, y + 28, { size: SIZE, colour: palette.ink2 });
    from += 12;
  }
  if (value !== undefined) {
    const text = formatNumber(value);
    pen.text(text, from, y + 28, {
      size: SIZE,
      colour: isProblem ? palette.problem : palette.ink,
      isBold: isProblem,
    });
    from += 7 * text.length + 6;
  }
  pen.text(worth(group, model), from, y + 28, { size: SIZE, colour: palette.ink2 });
  if (letter) badge(pen, letter, x + width - 19, y + 3, palette);
}

export function isSelected(group: Group, { grain, definition }: Painting): boolean {
  if (grain !== '') return group.kind === 'grain' && String(group.grain) === grain;
  return definition !== '' && group.definition === definition;
}

/** A bar of a strip: as long as its work. */
function bar(pen: Pen, boxes: Boxes, at: number, painting: Painting): void {
  const { model, palette } = painting;
  const group = model.nodes.groups[at];
  if (!group) return;
  const isProblem = group.has_problem === true;
  const fill = isProblem ? palette.problem : palette.ensemble;
  const box = [
    boxes.x[at] ?? 0,
    boxes.y[at] ?? 0,
    boxes.width[at] ?? 0,
    boxes.height[at] ?? 0,
  ] as const;
  pen.rect(...box, { fill: isSelected(group, painting) ? palette.accent : fill });
  if (group.is_critical) pen.rect(...box, { stroke: palette.criticalPath, width: 1.5 });
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
