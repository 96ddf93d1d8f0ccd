/** Gestures and keys of a time axis: zoom, pan and measure. Views along time share the range through the selection. */

import { clampRange, panRange, selectedRange, timeAt, zoomRange } from '../logic/time-range.ts';
import type { Interval } from '../registry/selection.ts';
import type { ViewContext } from './view.ts';

/** Where time lies on a surface, in pixels of the surface. */
export interface TimeAxis {
  readonly range: Interval;
  /** End of all time. */
  readonly end: number;
  readonly x0: number;
  readonly x1: number;
}

export interface TimeHost {
  axis(): TimeAxis;
  /** Draws with `hands.preview` or without it. */
  redraw(): void;
  /** The measured range has changed; nothing if it was cleared. */
  measured(range: Interval | undefined): void;
  /** A click or Enter that is no drag. */
  pick?(x: number, y: number): void;
  /** Range of what is selected, for the key F. */
  selected(): Interval | undefined;
}

/** Pixels that a pointer moves before it drags. */
const SLACK = 3;
/** Milliseconds between changes of the address while a gesture goes on. */
const PAUSE = 100;
/** Milliseconds without a change after which the next one is another step of the history. */
const ONE_STEP = 600;

export class TimeHands {
  /** Range of a gesture that the selection does not have yet. */
  preview: Interval | undefined;
  readonly #host: TimeHost;
  readonly #context: ViewContext;
  readonly #surface: HTMLElement;
  #timer = 0;
  #frame = 0;
  #sentAt = -Infinity;
  #pointerAt: number | undefined;

  constructor(surface: HTMLElement, host: TimeHost, context: ViewContext, signal: AbortSignal) {
    this.#surface = surface;
    this.#host = host;
    this.#context = context;
    surface.addEventListener('wheel', (event) => this.#wheel(event), { signal, passive: false });
    surface.addEventListener('pointerdown', (event) => this.#press(event), { signal });
    surface.addEventListener('pointermove', (event) => (this.#pointerAt = this.#x(event)), {
      signal,
    });
    surface.addEventListener('pointerleave', () => (this.#pointerAt = undefined), { signal });
    surface.addEventListener('keydown', (event) => this.#key(event), { signal });
    signal.addEventListener('abort', () => {
      clearTimeout(this.#timer);
      cancelAnimationFrame(this.#frame);
    });
  }

  /** Called when the view is drawn for a selection: a gesture that it has arrived at is over. */
  settle(): void {
    if (this.#timer === 0) this.preview = undefined;
  }

  /** Makes the range shorter by a factor, about the pointer or the middle. */
  zoom(factor: number, x = this.#pointerAt): void {
    const { range, end, x0, x1 } = this.#host.axis();
    const at = x === undefined ? (range[0] + range[1]) / 2 : timeAt(x, range, x0, x1);
    this.show(zoomRange(range, factor, at, end));
  }

  /** Moves the range by a share of its length. */
  pan(share: number): void {
    const { range, end } = this.#host.axis();
    this.show(panRange(range, share * (range[1] - range[0]), end));
  }

  fit(): void {
    this.show([0, this.#host.axis().end]);
  }

  fitSelection(): void {
    const range = this.#host.selected();
    if (!range) {
      this.#context.emit({ type: 'say', text: 'Nothing with times is selected' });
      return;
    }
    const margin = (range[1] - range[0]) * 0.1;
    this.show([range[0] - margin, range[1] + margin]);
  }

  /** Shows a range at once, and changes the selection when it rests. */
  show(range: Interval): void {
    this.preview = clampRange(range, this.#host.axis().end);
    if (this.#frame === 0)
      this.#frame = requestAnimationFrame(() => {
        this.#frame = 0;
        this.#host.redraw();
      });
    if (this.#timer === 0) this.#timer = window.setTimeout(() => this.#send(), PAUSE);
  }

  #send(): void {
    this.#timer = 0;
    if (!this.preview) return;
    const now = performance.now();
    const isReplacing = now - this.#sentAt < ONE_STEP;
    this.#sentAt = now;
    const time = selectedRange(this.preview, this.#host.axis().end);
    this.#context.emit({ type: 'select', patch: { time }, isReplacing });
  }

  #x(event: MouseEvent): number {
    return event.clientX - this.#surface.getBoundingClientRect().left;
  }

  #wheel(event: WheelEvent): void {
    event.preventDefault();
    const { x0, x1 } = this.#host.axis();
    const lines = event.deltaMode === 1 ? 16 : 1;
    const across = event.shiftKey ? event.deltaY : event.deltaX;
    if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY))
      this.pan((across * lines) / (x1 - x0));
    else this.zoom(Math.exp(-event.deltaY * lines * 0.002), this.#x(event));
  }

  #press(event: PointerEvent): void {
    if (event.button !== 0) return;
    const isMeasure = event.shiftKey;
    const axis = this.#host.axis();
    const start = this.#x(event);
    const box = this.#surface.getBoundingClientRect();
    const y = event.clientY - box.top;
    let isDrag = false;
    const stop = new AbortController();
    const { signal } = stop;
    this.#surface.setPointerCapture(event.pointerId);
    this.#surface.addEventListener(
      'pointermove',
      (moved) => {
        const x = this.#x(moved);
        if (!isDrag && Math.abs(x - start) < SLACK) return;
        isDrag = true;
        if (isMeasure) this.#host.measured(this.#between(axis, start, x));
        else {
          const length = axis.range[1] - axis.range[0];
          const by = ((start - x) / (axis.x1 - axis.x0)) * length;
          this.show(panRange(axis.range, by, axis.end));
        }
      },
      { signal },
    );
    const end = (): void => {
      stop.abort();
      if (isDrag) return;
      if (isMeasure) this.#host.measured(undefined);
      else this.#host.pick?.(start, y);
    };
    this.#surface.addEventListener('pointerup', end, { signal });
    this.#surface.addEventListener('pointercancel', () => stop.abort(), { signal });
  }

  #between({ range, end, x0, x1 }: TimeAxis, one: number, other: number): Interval {
    const from = timeAt(Math.min(one, other), range, x0, x1);
    const to = timeAt(Math.max(one, other), range, x0, x1);
    return [Math.max(0, from), Math.min(end, to)];
  }

  #key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    const act: Readonly<Record<string, () => void>> = {
      w: () => this.zoom(1.5),
      s: () => this.zoom(1 / 1.5),
      a: () => this.pan(-0.15),
      d: () => this.pan(0.15),
      '+': () => this.zoom(1.5),
      '-': () => this.zoom(1 / 1.5),
      '0': () => this.fit(),
      f: () => this.fitSelection(),
      m: () => this.#host.measured(this.#host.axis().range),
    };
    const done = act[event.key];
    if (!done) return;
    done();
    event.preventDefault();
    event.stopPropagation();
  }
}
