/** Selecting by dragging: a range, a rectangle or a free shape. Escape gives up. */

import type { Palette } from '../logic/colour.ts';
import { assign, svg } from './dom.ts';

export type Point = readonly [x: number, y: number];

/** How a new selection goes with the one before: Shift adds, Alt removes. */
export type Combine = 'replace' | 'add' | 'remove';

export interface Drag {
  readonly combine: Combine;
  /** Corners of a rectangle, or all points of a shape. */
  readonly points: readonly Point[];
}

export interface BrushOptions {
  readonly kind: 'range' | 'rectangle' | 'lasso';
  /** Where a drag may begin and go, in pixels of the picture. */
  readonly area: {
    readonly x0: number;
    readonly x1: number;
    readonly y0: number;
    readonly y1: number;
  };
  readonly palette: Palette;
  /** While it is dragged. */
  preview?(drag: Drag): void;
  /** At the end; not called for a click. */
  done(drag: Drag): void;
}

/** Pixels below which a drag is a click. */
const CLICK = 4;

/** Lets people drag on a picture. */
export function brush(root: SVGSVGElement, options: BrushOptions, signal: AbortSignal): void {
  root.style.touchAction = 'none';
  root.style.cursor = 'crosshair';
  root.addEventListener(
    'pointerdown',
    (event) => {
      if (event.button === 0) start(root, options, event);
    },
    { signal },
  );
}

function start(root: SVGSVGElement, options: BrushOptions, event: PointerEvent): void {
  const { area, kind, palette } = options;
  const place = (at: PointerEvent): Point => {
    const box = root.getBoundingClientRect();
    return [
      Math.min(area.x1, Math.max(area.x0, at.clientX - box.left)),
      Math.min(area.y1, Math.max(area.y0, at.clientY - box.top)),
    ];
  };
  const first = place(event);
  const points: Point[] = [first];
  const shape = svg('path', {
    class: 'gs-brush',
    'data-page-only': '',
    fill: palette.accent,
    'fill-opacity': 0.12,
    stroke: palette.accent,
    'pointer-events': 'none',
  });
  const combine: Combine = event.shiftKey ? 'add' : event.altKey ? 'remove' : 'replace';
  const stop = new AbortController();
  const { signal } = stop;
  const drag = (): Drag => ({ combine, points: cornersOf(kind, points, area) });
  const end = (isDone: boolean): void => {
    stop.abort();
    shape.remove();
    if (isDone && isDragged(points)) {
      options.done(drag());
      // The click after a drag picks nothing.
      root.addEventListener('click', (click) => click.stopPropagation(), {
        capture: true,
        once: true,
        signal: AbortSignal.timeout(50),
      });
    }
  };
  const isDragged = (all: readonly Point[]): boolean =>
    all.some(([x, y]) => Math.hypot(x - first[0], y - first[1]) > CLICK);
  root.addEventListener(
    'pointermove',
    (move) => {
      const point = place(move);
      if (kind === 'lasso') points.push(point);
      else points[1] = point;
      if (!isDragged(points)) return;
      if (!root.hasPointerCapture(event.pointerId)) {
        root.setPointerCapture(event.pointerId);
        root.append(shape);
      }
      assign(shape, { d: outline(drag().points) });
      options.preview?.(drag());
    },
    { signal },
  );
  root.addEventListener('pointerup', () => end(true), { signal });
  root.addEventListener('pointercancel', () => end(false), { signal });
  document.addEventListener(
    'keydown',
    (key) => {
      if (key.key !== 'Escape') return;
      key.stopPropagation();
      end(false);
    },
    { signal, capture: true },
  );
}

/** Points of the outline of what is dragged. */
function cornersOf(
  kind: BrushOptions['kind'],
  points: readonly Point[],
  area: BrushOptions['area'],
): readonly Point[] {
  if (kind === 'lasso') return points;
  const [[x0, y0], [x1, y1]] = [points[0] ?? [0, 0], points[1] ?? points[0] ?? [0, 0]];
  const [top, bottom] =
    kind === 'range' ? [area.y0, area.y1] : [Math.min(y0, y1), Math.max(y0, y1)];
  return [
    [Math.min(x0, x1), top],
    [Math.max(x0, x1), top],
    [Math.max(x0, x1), bottom],
    [Math.min(x0, x1), bottom],
  ];
}

function outline(points: readonly Point[]): string {
  return `M${points.map(([x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`).join('L')}Z`;
}

/** Whether a point lies inside a shape (even-odd rule). */
export function isInside([x, y]: Point, shape: readonly Point[]): boolean {
  let inside = false;
  for (let at = 0, before = shape.length - 1; at < shape.length; before = at, at += 1) {
    const [x1, y1] = shape[at] ?? [0, 0];
    const [x2, y2] = shape[before] ?? [0, 0];
    if (y1 > y !== y2 > y && x < ((x2 - x1) * (y - y1)) / (y2 - y1) + x1) inside = !inside;
  }
  return inside;
}

/** A selection after a drag. */
export function combined<T>(
  before: ReadonlySet<T>,
  chosen: Iterable<T>,
  combine: Combine,
): ReadonlySet<T> {
  if (combine === 'replace') return new Set(chosen);
  const result = new Set(before);
  for (const one of chosen) {
    if (combine === 'add') result.add(one);
    else result.delete(one);
  }
  return result;
}
