/** The frame of a layout: distances of columns, height, and the names that have room. */

import type { Sankey, SankeyNode } from '../api.ts';
import { labelLines, partsOf } from '../logic/labels.ts';
import type { Columns } from './columns.ts';

/** Width of a node, and of one in a chain. */
export const NODE = 50;
export const LINKED = 34;
/** Distance of columns, at least; and the room for a name in it. */
export const LEAST_PITCH = 112;
const NAME_GAP = 8;
/** A name with fewer characters in a line is not drawn. */
const LEAST_CHARS = 6;
/** Height of a line of a name, and width of one of its characters. */
export const LINE = 13;
export const ADVANCE = 6.7;
/** Lines of a name, and those where the window has room for them. */
const MOST_LINES = 3;
const MORE_LINES = 4;
/** Space between units of a column, and at least where there are many. */
const PADDING = 8;
const LEAST_PADDING = 3;
/** Share of the densest column that values have at least. */
const VALUES = 0.3;
/** Distance of columns from which on names stand beside nodes without callees. */
const BESIDE_GAP = 120;
/** A node is never smaller. */
export const LEAST_HEIGHT = 2;
export const LEAST_WIDTH = 4;

export interface Room {
  readonly width: number;
  readonly height: number;
  /** Lines that every name has below it, such as a difference. */
  readonly extraLines?: number;
  /** Places of nodes that the reader moved, as shares of the height. */
  readonly moved?: ReadonlyMap<string, number>;
  /** Enlargement. */
  readonly zoom?: number;
}

/** The name of a node as it is shown; collected groups are counted, a single one is named. */
export function shownName(node: SankeyNode): string {
  if (node.kind !== 'others') return node.name;
  const [only] = node.members;
  return node.members.length === 1 && only !== undefined ? only : `others (${node.members.length})`;
}

export interface Frame {
  readonly width: number;
  readonly height: number;
  /** Left sides of the columns, and the room between two of them. */
  readonly xs: readonly number[];
  readonly gap: number;
  readonly labels: readonly (PlainLabel | undefined)[];
  readonly padding: number;
  /** Widths of nodes, relative to those at zoom 1. */
  readonly shrink: number;
}

type Order = readonly (readonly number[])[];

/**
 * The frame at a zoom. From zoom 1 on all names have room. Below zoom 1 the picture shrinks until it fits the window:
 * names of small nodes are dropped first, and all names where columns are too narrow.
 */
export function frameOf(sankey: Sankey, columns: Columns, order: Order, room: Room): Frame {
  const zoom = room.zoom ?? 1;
  const full = fullFrame(sankey, columns, order, { ...room, zoom: Math.max(1, zoom) });
  return zoom < 1 ? shrunk(sankey, columns, order, room, full) : full;
}

/** The largest zooms, up to 1, at which the width and the height of the picture fit the window. */
export function fitZooms(
  sankey: Sankey,
  columns: Columns,
  order: Order,
  room: Room,
): { readonly width: number; readonly height: number } {
  const full = fullFrame(sankey, columns, order, { ...room, zoom: 1 });
  return {
    width: Math.min(1, room.width / full.width),
    height: Math.min(1, room.height / full.height),
  };
}

function fullFrame(sankey: Sankey, columns: Columns, order: Order, room: Room): Frame {
  const zoom = room.zoom ?? 1;
  const widths = order.map((column) =>
    Math.max(NODE, ...column.map((unit) => widthOf(columns, unit))),
  );
  const total = widths.reduce((sum, width) => sum + width, 0);
  const gaps = Math.max(1, widths.length);
  // The last column has room for its names too.
  const gap = Math.max(LEAST_PITCH - NODE, ((room.width - total) / gaps) * zoom);
  const xs: number[] = [];
  let right = 0;
  for (const width of widths) {
    xs.push(right);
    right += width + gap;
  }
  // Names of the last column stand beside it.
  const lastGap = Math.max(gap, BESIDE_GAP);
  right += lastGap - gap;
  const labelsIn = (most: number): Frame['labels'] =>
    labelsOf(sankey, columns, order, [gap, lastGap], { most, extra: room.extraLines ?? 0 });
  const high = room.height * zoom;
  const isHigher = (one: Frame['labels']): boolean =>
    contentHeight(order, boxesOf(columns, one), PADDING) > high;
  const more = labelsIn(MORE_LINES);
  const labels = isHigher(more) ? labelsIn(MOST_LINES) : more;
  const boxes = boxesOf(columns, labels);
  const padding = isHigher(labels) ? LEAST_PADDING : PADDING;
  const height = Math.max(high, contentHeight(order, boxes, padding));
  return { width: right, height, xs, gap, labels, padding, shrink: 1 };
}

function shrunk(sankey: Sankey, columns: Columns, order: Order, room: Room, full: Frame): Frame {
  const zoom = room.zoom ?? 1;
  const shrink = Math.min(1, Math.max(zoom, room.width / full.width));
  const gap = full.gap * shrink;
  const labels =
    shrink < 1
      ? labelsOf(
          sankey,
          columns,
          order,
          [gap, Math.max(full.gap, BESIDE_GAP) * shrink],
          { most: MOST_LINES, extra: room.extraLines ?? 0 },
          shrink,
        )
      : [...full.labels];
  const high = Math.max(full.height * zoom, Math.min(full.height, room.height));
  for (const column of order) dropNames(columns, column, labels, high);
  const least = contentHeight(order, boxesOf(columns, []), LEAST_PADDING);
  return {
    width: full.width * shrink,
    height: Math.max(high, least),
    xs: full.xs.map((x) => x * shrink),
    gap,
    labels,
    padding: LEAST_PADDING,
    shrink,
  };
}

/** Drops names of a column, those of the smallest nodes first, until the others have room in a height. */
function dropNames(
  columns: Columns,
  column: readonly number[],
  labels: (PlainLabel | undefined)[],
  height: number,
): void {
  const used = (unit: number): number => LEAST_PADDING + (labels[unit]?.height ?? 0);
  let sum = column.reduce((all, unit) => all + used(unit), 0);
  const weightOf = (unit: number): number => columns.units[unit]?.weight ?? 0;
  for (const unit of [...column].sort((a, b) => weightOf(a) - weightOf(b) || b - a)) {
    if (sum <= height * (1 - VALUES)) return;
    sum -= labels[unit]?.height ?? 0;
    labels[unit] = undefined;
  }
}

/** Values of units, and the room that their names need. */
export function boxesOf(columns: Columns, labels: Frame['labels']): UnitBox[] {
  return columns.units.map((unit, index) => ({
    value: unit.weight,
    above: labels[index]?.place === 'above' ? (labels[index]?.height ?? 0) : 0,
    least: labels[index]?.place === 'beside' ? (labels[index]?.height ?? 0) : 0,
  }));
}

function widthOf(columns: Columns, unit: number): number {
  const count = columns.units[unit]?.nodes.length ?? 0;
  return count < 2 ? NODE : count * (LINKED + 1) - 1;
}

export interface PlainLabel {
  readonly lines: readonly string[];
  readonly glyph: string;
  readonly height: number;
  readonly place: 'above' | 'beside';
}

function labelsOf(
  sankey: Sankey,
  columns: Columns,
  order: Order,
  [gap, lastGap]: readonly [number, number],
  { most, extra }: { readonly most: number; readonly extra: number },
  shrink = 1,
): (PlainLabel | undefined)[] {
  const found: (PlainLabel | undefined)[] = [];
  const isCaller = new Set(columns.steps.map((step) => step.from));
  for (const [at, column] of order.entries()) {
    const isLast = at === order.length - 1;
    const named = column.filter((unit) => (columns.units[unit]?.nodes.length ?? 0) > 0);
    for (const place of ['above', 'beside'] as const) {
      const units = named.filter((unit) => {
        const isBeside = isLast || (!isCaller.has(unit) && gap >= BESIDE_GAP);
        return isBeside === (place === 'beside');
      });
      const parts = units.map((unit) => {
        const members = columns.units[unit]?.nodes ?? [];
        const all = members.map((node) => {
          const one = sankey.nodes[node];
          return partsOf(one ? shownName(one) : '', one?.definition_kind ?? '');
        });
        const text =
          all.length > 3
            ? `${all[0]?.text ?? ''} › … › ${all[all.length - 1]?.text ?? ''}, ${all.length} levels`
            : all.map((one) => one.text).join(' › ');
        return { text, glyph: all[all.length - 1]?.glyph ?? '' };
      });
      const width =
        place === 'above'
          ? gap + NODE * shrink - NAME_GAP
          : (isLast ? lastGap : gap) - NAME_GAP - 6;
      const chars = Math.floor(width / ADVANCE) - 2;
      if (chars < LEAST_CHARS) continue;
      const lines = labelLines(
        parts.map((part) => part.text),
        chars,
        most,
      );
      units.forEach((unit, index) => {
        const own = lines[index] ?? [];
        found[unit] = {
          lines: own,
          glyph: parts[index]?.glyph ?? '',
          height: (own.length + extra) * LINE + 3,
          place,
        };
      });
    }
  }
  return found;
}

export interface UnitBox {
  readonly value: number;
  /** Room for a name above. */
  readonly above: number;
  /** Height at least, for a name beside. */
  readonly least: number;
}

function contentHeight(order: Order, boxes: readonly UnitBox[], padding: number): number {
  const fixed = order.map((column) =>
    column.reduce(
      (sum, unit) => sum + padding + (boxes[unit]?.above ?? 0) + (boxes[unit]?.least ?? 0),
      0,
    ),
  );
  return Math.max(0, ...fixed) / (1 - VALUES);
}

export function heightOf(box: UnitBox | undefined, scale: number): number {
  if (!box) return 0;
  return box.above + Math.max(box.least, LEAST_HEIGHT, box.value * scale);
}
