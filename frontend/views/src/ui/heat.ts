/** A matrix of colours on a canvas: tooltip, keyboard cursor, picking of cells. */

import { visible } from '../logic/visible.ts';
import { assign, html } from './dom.ts';
import type { Tooltip, TooltipContent } from './tooltip.ts';

export interface HeatData {
  readonly rows: number;
  readonly columns: number;
  /** Size of a cell in pixels of the page; may be less than one. */
  readonly cellWidth: number;
  readonly cellHeight: number;
  /** Colour of a cell; absent ones are hatched. */
  colour(row: number, column: number): string | undefined;
}

export interface HeatOptions {
  readonly label: string;
  readonly accent: string;
  readonly absent: string;
  tip(row: number, column: number): TooltipContent;
  pick?(row: number, column: number, event: Event): void;
  /** A double click, or `O` on the cell with the cursor. */
  open?(row: number, column: number): void;
}

export class Heat {
  readonly root = html('div', { class: 'gs-heat' });
  readonly canvas = html('canvas', { tabindex: 0, role: 'img', class: 'gs-dots' });
  readonly #cursorBox = html('span', { class: 'gs-heat-cursor', 'data-page-only': '' });
  readonly #voice = html('span', { class: 'visually-hidden', 'aria-live': 'polite' });
  readonly #tooltip: Tooltip;
  #data: HeatData | undefined;
  #options: HeatOptions | undefined;
  #cursor: readonly [row: number, column: number] = [0, 0];

  constructor(tooltip: Tooltip, signal: AbortSignal) {
    this.#tooltip = tooltip;
    this.#cursorBox.hidden = true;
    this.root.append(this.canvas, this.#cursorBox, this.#voice);
    const { canvas } = this;
    canvas.addEventListener('pointermove', (event) => this.#hover(event), { signal });
    canvas.addEventListener('pointerleave', () => tooltip.hide(), { signal });
    canvas.addEventListener('click', (event) => this.#click(event), { signal });
    canvas.addEventListener('dblclick', (event) => this.#open(event), { signal });
    canvas.addEventListener('keydown', (event) => this.#key(event), { signal });
    canvas.addEventListener(
      'blur',
      () => {
        tooltip.hide();
        this.#cursorBox.hidden = true;
      },
      { signal },
    );
    canvas.addEventListener(
      'focus',
      () => {
        if (canvas.matches(':focus-visible')) this.#go(...this.#cursor);
      },
      { signal },
    );
  }

  draw(data: HeatData, options: HeatOptions): void {
    this.#data = data;
    this.#options = options;
    const ratio = window.devicePixelRatio || 1;
    const width = data.columns * data.cellWidth;
    const height = data.rows * data.cellHeight;
    this.canvas.width = Math.max(1, Math.round(width * ratio));
    this.canvas.height = Math.max(1, Math.round(height * ratio));
    this.canvas.style.width = `${width}px`;
    this.canvas.style.height = `${height}px`;
    this.#cursorBox.style.borderColor = options.accent;
    assign(this.canvas, {
      'aria-label': options.label,
      class: options.pick ? 'gs-dots gs-pickable' : 'gs-dots',
    });
    const context = this.canvas.getContext('2d');
    if (!context) return;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    const absent = hatching(context, options.absent);
    const gap = Math.min(data.cellWidth, data.cellHeight) >= 6 ? 1 : 0;
    for (let row = 0; row < data.rows; row += 1)
      for (let column = 0; column < data.columns; column += 1) {
        const colour = data.colour(row, column);
        const [x, y] = [column * data.cellWidth, row * data.cellHeight];
        context.fillStyle = colour ?? absent;
        context.fillRect(x, y, data.cellWidth - gap, data.cellHeight - gap);
      }
  }

  #at(event: MouseEvent): readonly [number, number] | undefined {
    const data = this.#data;
    if (!data) return undefined;
    const box = this.canvas.getBoundingClientRect();
    const column = Math.floor((event.clientX - box.left) / data.cellWidth);
    const row = Math.floor((event.clientY - box.top) / data.cellHeight);
    const isInside = row >= 0 && row < data.rows && column >= 0 && column < data.columns;
    return isInside ? [row, column] : undefined;
  }

  #hover(event: PointerEvent): void {
    const at = this.#at(event);
    if (at && this.#options)
      this.#tooltip.show(this.#options.tip(...at), event.clientX, event.clientY);
    else this.#tooltip.hide();
  }

  #click(event: MouseEvent): void {
    const at = this.#at(event);
    if (!at) return;
    this.#cursor = at;
    // The second click of two opens the cell, and must not take the choice back.
    if (!this.#options?.open || event.detail < 2) this.#options?.pick?.(...at, event);
  }

  #open(event: MouseEvent): void {
    const at = this.#at(event);
    if (at) this.#options?.open?.(...at);
  }

  #key(event: KeyboardEvent): void {
    const [row, column] = this.#cursor;
    if (event.ctrlKey || event.metaKey || event.altKey || !this.#data) return;
    if (event.key === 'ArrowUp') this.#go(row - 1, column);
    else if (event.key === 'ArrowDown') this.#go(row + 1, column);
    else if (event.key === 'ArrowLeft') this.#go(row, column - 1);
    else if (event.key === 'ArrowRight') this.#go(row, column + 1);
    else if (event.key === 'Home') this.#go(row, 0);
    else if (event.key === 'End') this.#go(row, this.#data.columns - 1);
    else if (event.key === 'Enter' || event.key === ' ') this.#options?.pick?.(row, column, event);
    else if (event.key === 'o' && this.#options?.open) this.#options.open(row, column);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  #go(row: number, column: number): void {
    const [data, options] = [this.#data, this.#options];
    if (!data || !options || data.rows === 0 || data.columns === 0) return;
    const at = [
      Math.max(0, Math.min(data.rows - 1, row)),
      Math.max(0, Math.min(data.columns - 1, column)),
    ] as const;
    this.#cursor = at;
    const { style } = this.#cursorBox;
    const [x, y] = [at[1] * data.cellWidth, at[0] * data.cellHeight];
    style.left = `${x - 1}px`;
    style.top = `${y - 1}px`;
    style.width = `${Math.max(3, data.cellWidth + 1)}px`;
    style.height = `${Math.max(3, data.cellHeight + 1)}px`;
    this.#cursorBox.hidden = false;
    const tip = options.tip(...at);
    const box = this.canvas.getBoundingClientRect();
    this.#tooltip.show(tip, box.left + x + data.cellWidth, box.top + y + data.cellHeight);
    this.#voice.textContent = visible(
      [tip.title, ...tip.rows.map(([label, value]) => `${label} ${value}`)].join(', '),
    );
  }
}

/** Diagonal lines that go on from cell to cell, however narrow cells are. */
export function hatching(
  context: CanvasRenderingContext2D,
  colour: string,
): CanvasPattern | string {
  const tile = html('canvas', { width: 6, height: 6 });
  const lines = tile.getContext('2d');
  if (!lines) return colour;
  lines.strokeStyle = colour;
  lines.beginPath();
  for (const at of [-6, 0, 6]) {
    lines.moveTo(at, 6);
    lines.lineTo(at + 6, 0);
  }
  lines.stroke();
  return context.createPattern(tile, 'repeat') ?? colour;
}
