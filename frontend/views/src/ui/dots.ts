/** Many dots on a canvas: drawing, hit test, keyboard cursor. SVG is for fewer than 2,000 marks. */

import Flatbush from 'flatbush';
import { visible } from '../logic/visible.ts';
import { assign, html } from './dom.ts';
import type { Tooltip, TooltipContent } from './tooltip.ts';

/** Marks above this number are drawn on a canvas. */
export const SVG_MARKS = 2000;

export interface DotData {
  readonly x: Float32Array;
  readonly y: Float32Array;
  readonly radius: number;
  /** Fill of each dot, as an index of `fills`. */
  readonly colour: Uint8Array;
  readonly fills: readonly string[];
  /** Opacity of all dots: what lies over one another becomes darker. */
  readonly opacity: number;
}

export interface DotOptions {
  readonly label: string;
  tip(index: number): TooltipContent;
  pick?(index: number, event: Event): void;
  /** Opens the run that a dot stands for: by a double click or `O`. */
  open?(index: number): void;
}

/** Pixels around the pointer in which a dot is found. */
const REACH = 6;

export class Dots {
  readonly canvas = html('canvas', { class: 'gs-dots', tabindex: 0, role: 'img' });
  readonly #voice = html('span', { class: 'visually-hidden', 'aria-live': 'polite' });
  readonly #tooltip: Tooltip;
  readonly #stop = new AbortController();
  #options: DotOptions | undefined;
  #data: DotData | undefined;
  #index: Flatbush | undefined;
  #cursor = -1;
  #accent = '#000000';

  constructor(parent: HTMLElement, tooltip: Tooltip) {
    this.#tooltip = tooltip;
    parent.append(this.canvas, this.#voice);
    const { signal } = this.#stop;
    this.canvas.addEventListener('pointermove', (event) => this.#hover(event), { signal });
    this.canvas.addEventListener('pointerleave', () => tooltip.hide(), { signal });
    this.canvas.addEventListener('click', (event) => this.#click(event), { signal });
    this.canvas.addEventListener(
      'dblclick',
      (event) => {
        const at = this.#at(event);
        if (at >= 0) this.#options?.open?.(at);
      },
      { signal },
    );
    this.canvas.addEventListener('keydown', (event) => this.#key(event), { signal });
    this.canvas.addEventListener(
      'blur',
      () => {
        tooltip.hide();
        this.#paint(-1);
      },
      { signal },
    );
  }

  /** Draws dots on a canvas of a size in pixels of the page. */
  draw(data: DotData, width: number, height: number, accent: string, options: DotOptions): void {
    const ratio = window.devicePixelRatio || 1;
    this.canvas.width = Math.max(1, Math.round(width * ratio));
    this.canvas.height = Math.max(1, Math.round(height * ratio));
    this.canvas.style.width = `${width}px`;
    this.canvas.style.height = `${height}px`;
    assign(this.canvas, { 'aria-label': options.label });
    this.#options = options;
    this.#data = data;
    this.#accent = accent;
    this.#index = undefined;
    this.#cursor = -1;
    this.#paint(-1);
  }

  /** Puts the cursor on a dot, with the focus. */
  go(index: number): void {
    this.canvas.focus();
    this.#go(index);
  }

  destroy(): void {
    this.#stop.abort();
    this.canvas.remove();
    this.#voice.remove();
  }

  /** Indices of the dots in a rectangle. */
  within(x0: number, y0: number, x1: number, y1: number): number[] {
    return this.#tree()?.search(x0, y0, x1, y1) ?? [];
  }

  /** Made when it is first asked for: pictures that nobody points at need none. */
  #tree(): Flatbush | undefined {
    const data = this.#data;
    if (!data || data.x.length === 0) return undefined;
    if (!this.#index) {
      const tree = new Flatbush(data.x.length, 16, Float32Array);
      for (let at = 0; at < data.x.length; at += 1)
        tree.add(data.x[at] ?? 0, data.y[at] ?? 0, data.x[at] ?? 0, data.y[at] ?? 0);
      tree.finish();
      this.#index = tree;
    }
    return this.#index;
  }

  #at(event: MouseEvent): number {
    const box = this.canvas.getBoundingClientRect();
    const [found] =
      this.#tree()?.neighbors(event.clientX - box.left, event.clientY - box.top, 1, REACH) ?? [];
    return found ?? -1;
  }

  #hover(event: PointerEvent): void {
    const at = this.#at(event);
    if (at < 0) this.#tooltip.hide();
    else if (this.#options) this.#tooltip.show(this.#options.tip(at), event.clientX, event.clientY);
  }

  #click(event: MouseEvent): void {
    const at = this.#at(event);
    if (at >= 0) this.#options?.pick?.(at, event);
  }

  #key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey || !this.#data) return;
    const count = this.#data.x.length;
    if (count === 0) return;
    if (event.key === 'Enter' || event.key === ' ') {
      if (this.#cursor >= 0) this.#options?.pick?.(this.#cursor, event);
    } else if (event.key === 'o' && this.#options?.open) {
      if (this.#cursor >= 0) this.#options.open(this.#cursor);
    } else if (event.key === 'Home') this.#go(0);
    else if (event.key === 'End') this.#go(count - 1);
    else if (event.key.startsWith('Arrow')) this.#go(this.#next(event.key));
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** The nearest dot in a direction among those around, widening the search. */
  #next(key: string): number {
    const data = this.#data;
    if (!data || this.#cursor < 0) return 0;
    const [dx, dy] = DIRECTIONS[key] ?? [0, 0];
    const [x, y] = [data.x[this.#cursor] ?? 0, data.y[this.#cursor] ?? 0];
    const near = this.#tree()?.neighbors(x, y, 200) ?? [];
    let best = this.#cursor;
    let least = Infinity;
    for (const at of near) {
      const along = ((data.x[at] ?? 0) - x) * dx + ((data.y[at] ?? 0) - y) * dy;
      const aside = Math.abs(((data.x[at] ?? 0) - x) * dy) + Math.abs(((data.y[at] ?? 0) - y) * dx);
      if (along > 0.25 && along + 2 * aside < least) [best, least] = [at, along + 2 * aside];
    }
    return best;
  }

  #go(to: number): void {
    const data = this.#data;
    if (!data || !this.#options) return;
    this.#cursor = to;
    this.#paint(to);
    const tip = this.#options.tip(to);
    const box = this.canvas.getBoundingClientRect();
    this.#tooltip.show(tip, box.left + (data.x[to] ?? 0), box.top + (data.y[to] ?? 0));
    this.#voice.textContent = visible(
      [tip.title, ...tip.rows.map(([label, value]) => `${label} ${value}`)].join(', '),
    );
  }

  #paint(cursor: number): void {
    const [data, context] = [this.#data, this.canvas.getContext('2d')];
    if (!data || !context) return;
    const ratio = window.devicePixelRatio || 1;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, this.canvas.width, this.canvas.height);
    context.globalAlpha = data.opacity;
    data.fills.forEach((fill, colour) => {
      context.fillStyle = fill;
      const size = 2 * data.radius;
      for (let at = 0; at < data.x.length; at += 1) {
        if (data.colour[at] !== colour) continue;
        context.fillRect(
          (data.x[at] ?? 0) - data.radius,
          (data.y[at] ?? 0) - data.radius,
          size,
          size,
        );
      }
    });
    context.globalAlpha = 1;
    if (cursor < 0) return;
    context.strokeStyle = this.#accent;
    context.lineWidth = 2;
    context.beginPath();
    context.arc(data.x[cursor] ?? 0, data.y[cursor] ?? 0, data.radius + 4, 0, 2 * Math.PI);
    context.stroke();
  }
}

const DIRECTIONS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};
