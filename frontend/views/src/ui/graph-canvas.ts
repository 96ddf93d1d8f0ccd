/** A placed graph on a canvas: pan, zoom, hit test, keyboard cursor, and changes that keep one node in place. */

import Flatbush from 'flatbush';
import { visible } from '../logic/visible.ts';
import { assign, html, svg } from './dom.ts';
import { between, startOf } from './graph-move.ts';
import { Minimap } from './minimap.ts';
import { CanvasPen, type Pen, SvgPen } from './pen.ts';
import { serialiseSvg } from './export.ts';
import type { Tooltip, TooltipContent } from './tooltip.ts';
import type { Side } from './view.ts';
import './graph-canvas.css';

/** Places of the nodes; later nodes lie over earlier ones. */
export interface Boxes {
  readonly x: Float64Array;
  readonly y: Float64Array;
  readonly width: Float64Array;
  readonly height: Float64Array;
}

/** The visible part of a graph, and how large a unit is in pixels. */
export interface Window {
  readonly x0: number;
  readonly y0: number;
  readonly x1: number;
  readonly y1: number;
  readonly scale: number;
}

export interface Scene {
  readonly boxes: Boxes;
  readonly width: number;
  readonly height: number;
  readonly label: string;
  /** Stable over changes, so that a node is known again. */
  key(node: number): string;
  paint(pen: Pen, window: Window, boxes: Boxes): void;
  tip(node: number): TooltipContent | undefined;
  pick(node: number, event: Event): void;
  toggle?(node: number): void;
  /** The node that a key leads to. */
  step(node: number, key: string): number | undefined;
  /** Node that is in view when not all of the graph can be read, and the scale from which on it can. */
  readonly focus?: number | undefined;
  readonly readable?: number;
  /** The pointer is on another node, or on none. */
  hover?(node: number | undefined): void;
  /** Whether a key was used for something else. */
  command?(node: number, key: string): boolean;
}

export interface Change {
  /** Key of the node that stays where it is; without one the whole graph is shown. */
  readonly keep?: string | undefined;
  readonly accent: string;
  /** Milliseconds of the way from the old places to the new ones. */
  readonly duration: number;
}

const MIN_SCALE = 0.01;
const MAX_SCALE = 6;
/** Largest scale at which the width or height of a graph is shown. */
const MAX_FIT = 2;
/** Scale from which on texts can be read, unless a scene has another. */
const READABLE = 0.75;
/** Pixels after which a press is a drag. */
const DRAG = 4;
/** Room around the graph. */
const MARGIN = 12;

export class GraphCanvas {
  readonly canvas = html('canvas', { class: 'gs-graph', tabindex: 0, role: 'img' });
  readonly #voice = html('span', { class: 'visually-hidden', 'aria-live': 'polite' });
  readonly #tooltip: Tooltip;
  readonly #stop = new AbortController();
  readonly #map = new Minimap((x, y) => this.#centre(x, y));
  #scene: Scene | undefined;
  #shown: Boxes | undefined;
  #index: Flatbush | undefined;
  #accent = '#000000';
  #cursor = '';
  #keys = new Map<string, number>();
  #x = 0;
  #y = 0;
  #scale = 1;
  #frame = 0;
  #isFocused = false;
  #isMoved = false;
  /** Whether no group was opened or closed since the graph was fitted to the canvas. */
  #isFitted = false;
  #hovered: number | undefined;
  #size: readonly [number, number] = [0, 0];

  constructor(tooltip: Tooltip) {
    this.#tooltip = tooltip;
    const { signal } = this.#stop;
    const on = <K extends keyof HTMLElementEventMap>(
      type: K,
      act: (event: HTMLElementEventMap[K]) => void,
      options: AddEventListenerOptions = {},
    ): void => this.canvas.addEventListener(type, act, { ...options, signal });
    on('pointermove', (event) => this.#hover(event));
    on('pointerleave', () => {
      tooltip.hide();
      this.#point(undefined);
    });
    on('pointerdown', (event) => this.#press(event));
    on('dblclick', (event) => {
      const node = this.#at(event);
      if (node !== undefined) this.#scene?.toggle?.(node);
    });
    on('wheel', (event) => this.#wheel(event), { passive: false });
    on('keydown', (event) => this.#key(event));
    on('focus', () => {
      this.#isFocused = this.canvas.matches(':focus-visible');
      if (this.#isFocused) this.go(this.cursor ?? 0);
    });
    on('blur', () => {
      this.#isFocused = false;
      tooltip.hide();
      this.paint();
    });
  }

  /** Puts the canvas into a box; `resized` is called when the box has another size than the canvas. */
  mount(box: HTMLElement, resized: () => void): void {
    box.append(this.canvas, this.#map.canvas, this.#voice);
    const observer = new ResizeObserver(() => {
      const { canvas } = this;
      if (canvas.clientWidth !== box.clientWidth || canvas.clientHeight !== box.clientHeight)
        resized();
    });
    observer.observe(box);
    this.#stop.signal.addEventListener('abort', () => observer.disconnect());
  }

  /** The node that the keyboard's cursor is on. */
  get cursor(): number | undefined {
    return this.#keys.get(this.#cursor);
  }

  /** Whether somebody moved, zoomed or walked through the picture since it was shown whole. */
  get isMoved(): boolean {
    return this.#isMoved;
  }

  /** Shows a graph on a canvas of a size in pixels of the page. */
  show(scene: Scene, width: number, height: number, change: Change): void {
    const before = this.#scene;
    const old = this.#shown;
    const [wide, high] = this.#size;
    const isResized = wide !== width || high !== height;
    this.#size = [width, height];
    const ratio = window.devicePixelRatio || 1;
    this.canvas.width = Math.max(1, Math.round(width * ratio));
    this.canvas.height = Math.max(1, Math.round(height * ratio));
    this.canvas.style.width = `${width}px`;
    this.canvas.style.height = `${height}px`;
    assign(this.canvas, { 'aria-label': scene.label });
    const from = this.#keys;
    this.#scene = scene;
    this.#map.show(scene);
    this.#accent = change.accent;
    this.#index = undefined;
    this.#keys = new Map();
    for (let node = 0; node < scene.boxes.x.length; node += 1)
      this.#keys.set(scene.key(node), node);
    cancelAnimationFrame(this.#frame);
    const kept = change.keep === undefined ? undefined : from.get(change.keep);
    const now = change.keep === undefined ? undefined : this.#keys.get(change.keep);
    const isSame = old?.x.length === scene.boxes.x.length;
    // A picture that was fitted to the old size is fitted to the new one.
    const isRefitted = isResized && (wide === 0 || (isSame && this.#isFitted && !this.#isMoved));
    if (!before || !old || kept === undefined || now === undefined || isRefitted) {
      this.#shown = scene.boxes;
      if (isResized || change.keep === undefined) this.#first();
      else this.paint();
      return;
    }
    // The group that was opened or closed keeps its corner on the screen.
    if (!isSame) this.#isFitted = false;
    const { boxes } = scene;
    this.#x += ((old.x[kept] ?? 0) - (boxes.x[now] ?? 0)) * this.#scale;
    this.#y += ((old.y[kept] ?? 0) - (boxes.y[now] ?? 0)) * this.#scale;
    this.#move(from, old, [kept, now], change.duration);
  }

  /** Moves from old places to those of the scene; a node of the old ones stands where one of the new ones does. */
  #move(
    from: ReadonlyMap<string, number>,
    old: Boxes,
    [kept, now]: readonly [number, number],
    duration: number,
  ): void {
    const scene = this.#scene;
    if (!scene) return;
    const { boxes } = scene;
    if (duration <= 0 || boxes.x.length > 2000) {
      this.#shown = boxes;
      this.paint();
      return;
    }
    const shift = [
      (boxes.x[now] ?? 0) - (old.x[kept] ?? 0),
      (boxes.y[now] ?? 0) - (old.y[kept] ?? 0),
    ] as const;
    const start = startOf(scene, from, old, kept, shift);
    const begin = performance.now();
    const step = (time: number): void => {
      const share = Math.min(1, Math.max(0, (time - begin) / duration));
      this.#shown = share >= 1 ? boxes : between(start, boxes, 1 - (1 - share) ** 3);
      this.paint();
      if (share < 1) this.#frame = requestAnimationFrame(step);
    };
    this.#frame = requestAnimationFrame(step);
  }

  /** Shows the whole graph, or all of its width or height. */
  fit(side: Side = 'all'): void {
    const scene = this.#scene;
    if (!scene) return;
    const [width, height] = this.#size;
    const wide = side === 'height' ? Infinity : Math.max(1, width - 2 * MARGIN) / scene.width;
    const high = side === 'width' ? Infinity : Math.max(1, height - 2 * MARGIN) / scene.height;
    const scale = Math.min(side === 'all' ? 1 : MAX_FIT, wide, high);
    this.#scale = Math.max(MIN_SCALE, scale);
    this.#x = (width - scene.width * this.#scale) / 2;
    this.#y = (height - scene.height * this.#scale) / 2;
    if (side === 'width' && this.#y < 0) this.#y = MARGIN;
    this.#isMoved = false;
    this.#isFitted = true;
    this.#shown = scene.boxes;
    this.paint();
  }

  /** Moves the picture by pixels. */
  pan(dx: number, dy: number): void {
    this.#x += dx;
    this.#y += dy;
    this.#isMoved = true;
    this.paint();
  }

  /** Brings a point of the graph into the middle. */
  #centre(x: number, y: number): void {
    const [width, height] = this.#size;
    this.pan(width / 2 - x * this.#scale - this.#x, height / 2 - y * this.#scale - this.#y);
  }

  /** Shows the node that the cursor is on as large as fits. */
  fitCursor(): void {
    this.#fitNode(this.cursor ?? 0);
  }

  /** The whole graph, or as much around its node of interest as can be read. */
  #first(): void {
    this.fit();
    const scene = this.#scene;
    const least = scene?.readable ?? READABLE;
    if (!scene || this.#scale >= least || scene.focus === undefined) return;
    const { boxes, focus } = scene;
    const [width, height] = this.#size;
    this.#scale = least;
    const middle = (at: number, length: number, all: number, room: number): number => {
      const whole = all * least;
      if (whole <= room) return (room - whole) / 2;
      const wanted = room / 2 - (at + length / 2) * least;
      return Math.min(MARGIN, Math.max(room - whole - MARGIN, wanted));
    };
    this.#x = middle(boxes.x[focus] ?? 0, boxes.width[focus] ?? 0, scene.width, width);
    this.#y = middle(boxes.y[focus] ?? 0, boxes.height[focus] ?? 0, scene.height, height);
    this.paint();
  }

  /** Zooms by a factor around a point of the canvas. */
  zoom(factor: number, x = this.#size[0] / 2, y = this.#size[1] / 2): void {
    const scale = Math.min(MAX_SCALE, Math.max(MIN_SCALE, this.#scale * factor));
    this.#x = x - ((x - this.#x) * scale) / this.#scale;
    this.#y = y - ((y - this.#y) * scale) / this.#scale;
    this.#scale = scale;
    this.#isMoved = true;
    this.paint();
  }

  /** Puts the cursor on a node, and brings it into view. */
  go(node: number): void {
    const [scene, boxes] = [this.#scene, this.#shown];
    if (!scene || !boxes || node >= boxes.x.length) return;
    this.#cursor = scene.key(node);
    this.#isMoved = true;
    this.#reveal(node, boxes);
    this.paint();
    const tip = scene.tip(node);
    if (!tip) return;
    const box = this.canvas.getBoundingClientRect();
    const x = box.left + this.#x + ((boxes.x[node] ?? 0) + (boxes.width[node] ?? 0)) * this.#scale;
    const y = box.top + this.#y + ((boxes.y[node] ?? 0) + (boxes.height[node] ?? 0)) * this.#scale;
    if (this.#isFocused)
      this.#tooltip.show(tip, Math.min(x, box.right - 20), Math.min(y, box.bottom - 20));
    this.#voice.textContent = visible(
      [tip.title, ...tip.rows.map(([label, value]) => `${label} ${value}`)].join(', '),
    );
  }

  #reveal(node: number, boxes: Boxes): void {
    const [width, height] = this.#size;
    const x = this.#x + (boxes.x[node] ?? 0) * this.#scale;
    const y = this.#y + (boxes.y[node] ?? 0) * this.#scale;
    const [wide, high] = [
      Math.min((boxes.width[node] ?? 0) * this.#scale, width - 2 * MARGIN),
      Math.min((boxes.height[node] ?? 0) * this.#scale, height - 2 * MARGIN),
    ];
    this.#x += Math.max(0, MARGIN - x) - Math.max(0, x + wide - (width - MARGIN));
    this.#y += Math.max(0, MARGIN - y) - Math.max(0, y + high - (height - MARGIN));
  }

  /** Node of a key, if it is shown. */
  node(key: string): number | undefined {
    return this.#keys.get(key);
  }

  paint(): void {
    const [scene, boxes, context] = [this.#scene, this.#shown, this.canvas.getContext('2d')];
    if (!scene || !boxes || !context) return;
    const ratio = window.devicePixelRatio || 1;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, this.canvas.width, this.canvas.height);
    const scale = ratio * this.#scale;
    context.setTransform(scale, 0, 0, scale, ratio * this.#x, ratio * this.#y);
    const pen = new CanvasPen(context);
    const [width, height] = this.#size;
    const seen = {
      x0: -this.#x / this.#scale,
      y0: -this.#y / this.#scale,
      x1: (width - this.#x) / this.#scale,
      y1: (height - this.#y) / this.#scale,
      scale: this.#scale,
    };
    scene.paint(pen, seen, boxes);
    this.#map.draw(seen, this.#accent);
    const cursor = this.cursor;
    if (cursor === undefined) return;
    const edge = 3 / this.#scale;
    pen.rect(
      (boxes.x[cursor] ?? 0) - edge,
      (boxes.y[cursor] ?? 0) - edge,
      (boxes.width[cursor] ?? 0) + 2 * edge,
      (boxes.height[cursor] ?? 0) + 2 * edge,
      {
        stroke: this.#accent,
        width: (this.#isFocused ? 2.5 : 1.5) / this.#scale,
        radius: edge,
        dash: this.#isFocused ? [] : [4 / this.#scale, 3 / this.#scale],
      },
    );
  }

  /** The whole graph as an SVG document, in its own size. */
  exportSvg(ground: string, lens: string): string {
    const scene = this.#scene;
    const [width, height] = [(scene?.width ?? 0) + 2 * MARGIN, (scene?.height ?? 0) + 2 * MARGIN];
    const group = svg('g', { transform: `translate(${MARGIN} ${MARGIN})` });
    scene?.paint(
      new SvgPen(group),
      { x0: -Infinity, y0: -Infinity, x1: Infinity, y1: Infinity, scale: 1 },
      scene.boxes,
    );
    return serialiseSvg(svg('svg', { width, height }, group), ground, lens);
  }

  destroy(): void {
    cancelAnimationFrame(this.#frame);
    this.#stop.abort();
    this.#map.destroy();
    for (const part of [this.canvas, this.#map.canvas, this.#voice]) part.remove();
  }

  /** The innermost node at a pointer. */
  #at(event: MouseEvent): number | undefined {
    const boxes = this.#shown;
    if (!boxes || boxes.x.length === 0) return undefined;
    if (!this.#index) {
      const index = new Flatbush(boxes.x.length);
      for (let node = 0; node < boxes.x.length; node += 1) {
        const [x, y] = [boxes.x[node] ?? 0, boxes.y[node] ?? 0];
        index.add(x, y, x + (boxes.width[node] ?? 0), y + (boxes.height[node] ?? 0));
      }
      index.finish();
      this.#index = index;
    }
    const box = this.canvas.getBoundingClientRect();
    const x = (event.clientX - box.left - this.#x) / this.#scale;
    const y = (event.clientY - box.top - this.#y) / this.#scale;
    const reach = 1.5 / this.#scale;
    const hits = this.#index.search(x - reach, y - reach, x + reach, y + reach);
    const found = hits
      .filter((node) => this.#scene?.tip(node) !== undefined)
      .reduce((best, node) => Math.max(best, node), -1);
    return found < 0 ? undefined : found;
  }

  #hover(event: PointerEvent): void {
    if (event.buttons !== 0) return;
    const node = this.#at(event);
    const tip = node === undefined ? undefined : this.#scene?.tip(node);
    this.#point(node);
    if (tip) this.#tooltip.show(tip, event.clientX, event.clientY);
    else this.#tooltip.hide();
    this.canvas.classList.toggle('is-on-node', tip !== undefined);
  }

  #point(node: number | undefined): void {
    if (node === this.#hovered) return;
    this.#hovered = node;
    this.#scene?.hover?.(node);
  }

  #press(start: PointerEvent): void {
    if (start.button !== 0) return;
    const stop = new AbortController();
    const { signal } = stop;
    let isDrag = false;
    let [x, y] = [start.clientX, start.clientY];
    this.canvas.setPointerCapture(start.pointerId);
    const move = (event: PointerEvent): void => {
      const far = Math.hypot(event.clientX - start.clientX, event.clientY - start.clientY);
      if (!isDrag && far < DRAG) return;
      isDrag = true;
      this.#tooltip.hide();
      this.#x += event.clientX - x;
      this.#y += event.clientY - y;
      [x, y] = [event.clientX, event.clientY];
      this.paint();
    };
    const end = (event: PointerEvent): void => {
      stop.abort();
      const node = isDrag ? undefined : this.#at(event);
      if (node === undefined) return;
      this.#cursor = this.#scene?.key(node) ?? '';
      this.paint();
      this.#scene?.pick(node, event);
    };
    this.canvas.addEventListener('pointermove', move, { signal });
    this.canvas.addEventListener('pointerup', end, { signal });
    this.canvas.addEventListener('pointercancel', () => stop.abort(), { signal });
  }

  #wheel(event: WheelEvent): void {
    event.preventDefault();
    const box = this.canvas.getBoundingClientRect();
    this.zoom(Math.exp(-event.deltaY * 0.0016), event.clientX - box.left, event.clientY - box.top);
  }

  #key(event: KeyboardEvent): void {
    const scene = this.#scene;
    if (!scene || event.ctrlKey || event.metaKey || event.altKey) return;
    this.#isFocused = true;
    const node = this.cursor ?? 0;
    if (event.key === 'Home') this.go(0);
    else if (event.key === '0') this.fit();
    else if (event.key === 'h' || event.key === 'v')
      this.fit(event.key === 'h' ? 'width' : 'height');
    else if (event.key === 'f' || event.key === 'F') this.#fitNode(node);
    else if (!scene.command?.(node, event.key)) {
      const next = scene.step(node, event.key);
      if (next === undefined) {
        if (event.key === 'Enter' || event.key === ' ') scene.pick(node, event);
        else if (!event.key.startsWith('Arrow')) return;
      } else this.go(next);
    }
    event.preventDefault();
    event.stopPropagation();
  }

  /** Makes a node as large as fits. */
  #fitNode(node: number): void {
    const boxes = this.#shown;
    if (!boxes) return;
    const [width, height] = this.#size;
    const [wide, high] = [boxes.width[node] ?? 1, boxes.height[node] ?? 1];
    this.#scale = Math.min(2, (width - 2 * MARGIN) / wide, (height - 2 * MARGIN) / high);
    this.#x = width / 2 - ((boxes.x[node] ?? 0) + wide / 2) * this.#scale;
    this.#y = height / 2 - ((boxes.y[node] ?? 0) + high / 2) * this.#scale;
    this.go(node);
  }
}
