/** Lays the Sankey out for a window: columns, heights, bands and room for names. Asks the service nothing. */

import type { Geometry, Point, Sankey, SankeyNode } from '../api.ts';
import { columnsOf, type Columns } from './columns.ts';
import {
  boxesOf,
  frameOf,
  heightOf,
  LEAST_HEIGHT,
  LEAST_WIDTH,
  LINE,
  LINKED,
  NODE,
  type PlainLabel,
  type Room,
  type UnitBox,
} from './frame.ts';
import { type Order, orderOf } from './order.ts';

const ROUNDS = 32;

/** What is laid out once per answer, whatever the window. */
export interface Arrangement {
  readonly columns: Columns;
  readonly order: readonly (readonly number[])[];
}

export function arrange(sankey: Sankey, order: Order = 'crossings'): Arrangement {
  const columns = columnsOf(sankey);
  const nodeOf = (unit: number): SankeyNode | undefined =>
    sankey.nodes[columns.units[unit]?.nodes[0] ?? -1];
  return {
    columns,
    order: orderOf(columns, order, (unit) => {
      const node = nodeOf(unit);
      if (order === 'name') return node?.name ?? '';
      if (order === 'exclusive') return node?.max_exclusive ?? 0;
      return columns.units[unit]?.weight ?? 0;
    }),
  };
}

/** The name of a unit: of its node, or of the ends of a chain. */
export interface UnitLabel {
  readonly unit: number;
  /** Nodes that it names. */
  readonly nodes: readonly number[];
  readonly lines: readonly string[];
  readonly glyph: string;
  readonly x: number;
  /** Middle of the first line. */
  readonly y: number;
  readonly place: 'above' | 'beside';
}

export interface Layout {
  readonly width: number;
  readonly height: number;
  readonly pitch: number;
  readonly nodes: readonly Geometry[];
  readonly bands: readonly (readonly Point[])[];
  readonly labels: readonly UnitLabel[];
  /** Column of each node, from the left. */
  readonly column: readonly number[];
}

/** Places everything. Values have one scale; no two nodes and no two names of a column overlap. */
export function layOut(sankey: Sankey, { columns, order }: Arrangement, room: Room): Layout {
  const frame = frameOf(sankey, columns, order, room);
  const { xs, gap, labels, padding, height, shrink } = frame;
  const boxes = boxesOf(columns, labels);
  const scale = scaleOf(order, boxes, height, padding);
  const tops = place(columns, order, boxes, scale, [height, padding]);
  moveNodes(sankey, columns, order, boxes, scale, tops, [height, padding], room.moved);
  const nodes: Geometry[] = [];
  const column: number[] = [];
  columns.units.forEach((unit, index) => {
    const single = (unit.nodes.length === 1 ? NODE : LINKED) * shrink;
    unit.nodes.forEach((node, at) => {
      const own = (sankey.nodes[node]?.max_inclusive ?? 0) * scale;
      nodes[node] = {
        x: (xs[unit.column] ?? 0) + at * (single + 1),
        y: tops[index] ?? 0,
        width: Math.max(LEAST_WIDTH, single),
        height: Math.max(LEAST_HEIGHT, own),
      };
      column[node] = unit.column;
    });
  });
  return {
    width: frame.width,
    height,
    pitch: gap + NODE * shrink,
    nodes,
    bands: bandsOf(sankey, columns, nodes, xs, tops, [scale, NODE * shrink]),
    labels: placedLabels(columns, labels, nodes),
    column,
  };
}

/** Pixels per unit of value: the largest at which every column fits. */
function scaleOf(
  order: readonly (readonly number[])[],
  boxes: readonly UnitBox[],
  height: number,
  padding: number,
): number {
  const fits = (scale: number): boolean =>
    order.every(
      (column) =>
        column.reduce((sum, unit) => sum + padding + heightOf(boxes[unit], scale), 0) <=
        height + padding,
    );
  const most = Math.max(...boxes.map((box) => box.value), 1e-300);
  let [low, high] = [0, height / most];
  for (let round = 0; round < 24; round += 1) {
    const middle = (low + high) / 2;
    if (fits(middle)) low = middle;
    else high = middle;
  }
  return low;
}

/** Tops of units below their names: near the mean of their neighbours, none over another. */
function place(
  columns: Columns,
  order: readonly (readonly number[])[],
  boxes: readonly UnitBox[],
  scale: number,
  [height, padding]: readonly [number, number],
): number[] {
  const { units, steps } = columns;
  const full = units.map((_, unit) => heightOf(boxes[unit], scale));
  const top = new Array<number>(units.length).fill(0);
  for (const column of order) {
    const used = column.reduce((sum, unit) => sum + padding + (full[unit] ?? 0), -padding);
    let at = Math.max(0, (height - used) / 2);
    for (const unit of column) {
      top[unit] = at;
      at += (full[unit] ?? 0) + padding;
    }
  }
  const left = units.map((): [number, number][] => []);
  const right = units.map((): [number, number][] => []);
  for (const { from, to, weight } of steps) {
    right[from]?.push([to, weight]);
    left[to]?.push([from, weight]);
  }
  const middleOf = (unit: number): number => (top[unit] ?? 0) + (full[unit] ?? 0) / 2;
  for (let round = 0; round < ROUNDS; round += 1) {
    const isForward = round % 2 === 0;
    const strength = 0.96 ** round;
    let moved = 0;
    for (let step = 0; step < order.length; step += 1) {
      const column = order[isForward ? step : order.length - 1 - step] ?? [];
      const wanted = column.map((unit) => {
        const links = (isForward ? left : right)[unit] ?? [];
        const weight = links.reduce((sum, [, own]) => sum + own, 0);
        if (weight <= 0) return top[unit] ?? 0;
        const mean = links.reduce((sum, [other, own]) => sum + middleOf(other) * own, 0) / weight;
        return (top[unit] ?? 0) + (mean - middleOf(unit)) * strength;
      });
      separate(column, wanted, full, [height, padding]).forEach((y, index) => {
        const unit = column[index] ?? 0;
        moved = Math.max(moved, Math.abs(y - (top[unit] ?? 0)));
        top[unit] = y;
      });
    }
    if (moved < 0.5) break;
  }
  return top.map((y, unit) => y + (boxes[unit]?.above ?? 0));
}

/** Tops in the order of the column, near those that are wanted, without overlap and inside of the height. */
function separate(
  column: readonly number[],
  wanted: readonly number[],
  full: readonly number[],
  [height, padding]: readonly [number, number],
): number[] {
  const tops = [...wanted];
  let limit = 0;
  column.forEach((unit, index) => {
    tops[index] = Math.max(tops[index] ?? 0, limit);
    limit = (tops[index] ?? 0) + (full[unit] ?? 0) + padding;
  });
  limit = height;
  for (let index = column.length - 1; index >= 0; index -= 1) {
    const own = full[column[index] ?? 0] ?? 0;
    tops[index] = Math.min(tops[index] ?? 0, limit - own);
    limit = (tops[index] ?? 0) - padding;
  }
  return tops;
}

/** Puts nodes where the reader dragged them; the others of the column make room. */
function moveNodes(
  sankey: Sankey,
  columns: Columns,
  order: readonly (readonly number[])[],
  boxes: readonly UnitBox[],
  scale: number,
  tops: number[],
  [height, padding]: readonly [number, number],
  moved: ReadonlyMap<string, number> | undefined,
): void {
  if (!moved || moved.size === 0) return;
  const full = columns.units.map((_, unit) => heightOf(boxes[unit], scale));
  for (const column of order) {
    const anchors = new Map<number, number>();
    for (const unit of column) {
      for (const node of columns.units[unit]?.nodes ?? []) {
        const share = moved.get(sankey.nodes[node]?.id ?? '');
        if (share !== undefined) anchors.set(unit, share * height - (boxes[unit]?.above ?? 0));
      }
    }
    if (anchors.size === 0) continue;
    const wanted = (unit: number): number =>
      anchors.get(unit) ?? (tops[unit] ?? 0) - (boxes[unit]?.above ?? 0);
    const sorted = [...column].sort((one, other) => wanted(one) - wanted(other) || one - other);
    const places = separate(sorted, sorted.map(wanted), full, [height, padding]);
    // A single node that was moved stays where it is; those above and below it keep to their sides.
    const at = sorted.findIndex((unit) => anchors.has(unit));
    const y = Math.min(Math.max(0, wanted(sorted[at] ?? 0)), height - (full[sorted[at] ?? 0] ?? 0));
    const [upper, lower] = [sorted.slice(0, at), sorted.slice(at + 1)];
    const used = (units: readonly number[]): number =>
      units.reduce((sum, unit) => sum + (full[unit] ?? 0) + padding, 0);
    const end = y + (full[sorted[at] ?? 0] ?? 0) + padding;
    const hasRoom = used(upper) <= y && used(lower) <= height - end + padding;
    if (anchors.size === 1 && hasRoom) {
      places.splice(0, at, ...separate(upper, upper.map(wanted), full, [y - padding, padding]));
      places[at] = y;
      const below = separate(
        lower,
        lower.map((unit) => wanted(unit) - end),
        full,
        [height - end, padding],
      );
      places.splice(at + 1, lower.length, ...below.map((top) => top + end));
    }
    sorted.forEach((unit, index) => {
      tops[unit] = (places[index] ?? 0) + (boxes[unit]?.above ?? 0);
    });
  }
}

/**
 * Cross-sections of each edge. The left end takes the edge's part of its caller, but never more than its share of the
 * caller's value; the right end takes its part of what its callee receives.
 */
function bandsOf(
  sankey: Sankey,
  columns: Columns,
  nodes: readonly Geometry[],
  xs: readonly number[],
  tops: readonly number[],
  [scale, width]: readonly [number, number],
): Point[][] {
  const bands: Point[][] = sankey.edges.map(() => []);
  const ends = (side: 'source' | 'target'): { y: number; height: number }[] => {
    const found: { y: number; height: number }[] = [];
    const byNode = sankey.nodes.map((): number[] => []);
    sankey.edges.forEach((edge, index) => {
      if ((columns.routes[index] ?? []).length > 0) byNode[edge[side]]?.push(index);
    });
    byNode.forEach((list, node) => {
      const box = nodes[node];
      if (!box) return;
      const sum = list.reduce((all, edge) => all + (sankey.edges[edge]?.max_inclusive ?? 0), 0);
      const next = (edge: number): number => {
        const route = columns.routes[edge] ?? [];
        return tops[(side === 'source' ? route[1] : route[route.length - 2]) ?? 0] ?? 0;
      };
      let y = box.y;
      for (const edge of [...list].sort((a, b) => next(a) - next(b) || a - b)) {
        const weight = sankey.edges[edge]?.max_inclusive ?? 0;
        const part = sum > 0 ? (box.height * weight) / sum : 0;
        const own = side === 'source' ? Math.min(part, weight * scale) : part;
        found[edge] = { y, height: own };
        y += own;
      }
    });
    return found;
  };
  const [sources, targets] = [ends('source'), ends('target')];
  sankey.edges.forEach((edge, index) => {
    const route = columns.routes[index] ?? [];
    const [from, to] = [sources[index], targets[index]];
    const [caller, callee] = [nodes[edge.source], nodes[edge.target]];
    if (!from || !to || !caller || !callee) return;
    const band: Point[] = [{ x: caller.x + caller.width, ...from }];
    for (const unit of route.slice(1, -1)) {
      const x = xs[columns.units[unit]?.column ?? 0] ?? 0;
      const height = Math.max(1, (columns.units[unit]?.weight ?? 0) * scale);
      band.push({ x, y: tops[unit] ?? 0, height }, { x: x + width, y: tops[unit] ?? 0, height });
    }
    band.push({ x: callee.x, ...to });
    bands[index] = band;
  });
  return bands;
}

function placedLabels(
  columns: Columns,
  labels: readonly (PlainLabel | undefined)[],
  nodes: readonly Geometry[],
): UnitLabel[] {
  return columns.units.flatMap((unit, index) => {
    const label = labels[index];
    const first = nodes[unit.nodes[0] ?? -1];
    const last = nodes[unit.nodes[unit.nodes.length - 1] ?? -1];
    if (!label || !first || !last) return [];
    const isAbove = label.place === 'above';
    const high = Math.max(first.height, label.height);
    return [
      {
        unit: index,
        nodes: unit.nodes,
        lines: label.lines,
        glyph: label.glyph,
        place: label.place,
        x: isAbove ? first.x : last.x + last.width + 6,
        y: isAbove
          ? first.y - label.height + LINE / 2
          : first.y + (first.height < label.height ? 0 : (high - label.height) / 2) + LINE / 2 + 1,
      },
    ];
  });
}

/** The answer with the geometry of a layout, and columns as levels. */
export function withLayout(sankey: Sankey, layout: Layout): Sankey {
  return {
    ...sankey,
    width: layout.width,
    height: layout.height,
    levels: 1 + Math.max(-1, ...layout.column),
    nodes: sankey.nodes.map((node, index) => ({
      ...node,
      level: layout.column[index] ?? node.level,
      geometry: layout.nodes[index] ?? node.geometry,
    })),
    edges: sankey.edges.map((edge, index) => ({ ...edge, band: [...(layout.bands[index] ?? [])] })),
  };
}
