/** A small picture of a whole graph with the part that is seen, if there is room; a press or a drag on it moves there. */

import { html } from './dom.ts';
import { onDrag } from './drag.ts';
import type { Scene, Window } from './graph-canvas.ts';
import { CanvasPen } from './pen.ts';

const WIDTH = 150;
const HEIGHT = 96;
/** Milliseconds after the last change after which the small picture is drawn anew. */
const WAIT = 120;

export class Minimap {
  readonly canvas = html('canvas', { class: 'gs-graph-map', 'aria-hidden': 'true', hidden: '' });
  /** The picture without the rectangle. */
  readonly #whole = document.createElement('canvas');
  #scene: Scene | undefined;
  #scale = 1;
  #timer = 0;
  #draw = (): void => undefined;

  /** `move` brings a point of the graph into the middle. */
  constructor(move: (x: number, y: number) => void) {
    onDrag(this.canvas, (x, y) => move(x / this.#scale, y / this.#scale));
  }

  /** Takes another graph; its picture follows when nothing has changed for a moment. */
  show(scene: Scene): void {
    this.#scene = scene;
    clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => this.#paint(scene), WAIT);
  }

  /** Marks the part of the graph that is seen; hidden while that is all of it. */
  draw(seen: Window, accent: string): void {
    const scene = this.#scene;
    if (!scene) return;
    const { x0, y0, x1, y1, scale } = seen;
    const isWhole = x0 <= 1 && y0 <= 1 && x1 >= scene.width - 1 && y1 >= scene.height - 1;
    const [width, height] = [(x1 - x0) * scale, (y1 - y0) * scale];
    this.canvas.hidden = isWhole || width < 2 * WIDTH || height < 2 * HEIGHT;
    this.#draw = () => {
      const context = this.canvas.getContext('2d');
      if (!context) return;
      const unit = this.#scale * (window.devicePixelRatio || 1);
      const { width, height } = this.canvas;
      context.clearRect(0, 0, width, height);
      context.drawImage(this.#whole, 0, 0);
      const [left, top] = [Math.max(0, x0 * unit), Math.max(0, y0 * unit)];
      const [right, bottom] = [Math.min(width, x1 * unit), Math.min(height, y1 * unit)];
      context.strokeStyle = context.fillStyle = accent;
      context.lineWidth = 2;
      context.globalAlpha = 0.16;
      context.fillRect(left, top, right - left, bottom - top);
      context.globalAlpha = 1;
      context.strokeRect(left + 1, top + 1, right - left - 2, bottom - top - 2);
    };
    if (!this.canvas.hidden) this.#draw();
  }

  destroy(): void {
    clearTimeout(this.#timer);
  }

  #paint(scene: Scene): void {
    const ratio = window.devicePixelRatio || 1;
    this.#scale = Math.min(WIDTH / scene.width, HEIGHT / scene.height);
    for (const canvas of [this.canvas, this.#whole]) {
      canvas.width = Math.max(1, Math.round(scene.width * this.#scale * ratio));
      canvas.height = Math.max(1, Math.round(scene.height * this.#scale * ratio));
    }
    this.canvas.style.width = `${this.canvas.width / ratio}px`;
    this.canvas.style.height = `${this.canvas.height / ratio}px`;
    const context = this.#whole.getContext('2d');
    const scale = this.#scale * ratio;
    context?.setTransform(scale, 0, 0, scale, 0, 0);
    const all = { x0: -Infinity, y0: -Infinity, x1: Infinity, y1: Infinity, scale: this.#scale };
    if (context) scene.paint(new CanvasPen(context), all, scene.boxes);
    this.#draw();
  }
}
