/** What views along time share: a canvas with an axis, gestures and keys on it, and the cursor of the other views. */

import type { Interval } from '../registry/selection.ts';
import { ChartView } from './chart-view.ts';
import { html } from './dom.ts';
import { type TimeAxis, TimeHands } from './time-hands.ts';
import type { Spatial } from './view.ts';

export abstract class TimeView<A, S> extends ChartView<A, S> implements Spatial {
  protected readonly head = html('div', { class: 'gs-timeline-head' });
  protected readonly axis = html('div', { class: 'gs-timeline-axis' });
  protected readonly canvas = html('canvas', { class: 'gs-dots', tabindex: 0, role: 'img' });
  protected readonly cursor = html('span', { class: 'gs-time-cursor', 'data-page-only': '' });
  protected readonly voice = html('span', { class: 'visually-hidden', 'aria-live': 'polite' });
  protected readonly stage = html('div', { class: 'gs-timeline-stage' });
  protected plot: TimeAxis = { range: [0, 1], end: 1, x0: 0, x1: 1 };
  protected hands: TimeHands | undefined;

  zoom(factor: number): void {
    this.hands?.zoom(factor);
  }
  pan(dx: number): void {
    this.hands?.pan(-dx / (this.plot.x1 - this.plot.x0));
  }
  fit(): void {
    this.hands?.fit();
  }
  fitSelection(): void {
    this.hands?.fitSelection();
  }

  protected override mounted(): void {
    this.cursor.hidden = true;
    this.stage.append(this.axis, this.canvas, this.cursor, this.voice);
    this.root.append(this.head, this.stage);
    this.hands = new TimeHands(
      this.canvas,
      {
        axis: () => this.plot,
        redraw: () => this.redraw(),
        measured: (range) => this.measure(range),
        pick: (x, y) => this.pick(x, y),
        selected: () => this.selectedRange(),
      },
      this.context,
      this.life,
    );
    const on = (type: string, act: (event: Event) => void): void =>
      this.canvas.addEventListener(type, act, { signal: this.life });
    on('pointermove', (event) => this.point(event as PointerEvent));
    on('pointerleave', () => this.leave());
    on('blur', () => this.leave());
    on('keydown', (event) => this.key(event as KeyboardEvent));
    const stop = this.context.hover.subscribe(() => this.showHover());
    this.life.addEventListener('abort', stop);
  }

  /** A range was measured, or the measure was cleared. */
  protected measure(range: Interval | undefined): void {
    void range;
  }

  /** The range of the selection, for the key that shows it. */
  protected selectedRange(): Interval | undefined {
    return undefined;
  }

  protected abstract pick(x: number, y: number): void;
  protected abstract point(event: PointerEvent): void;
  protected abstract leave(): void;
  protected abstract key(event: KeyboardEvent): void;
  /** Shows what the pointer is on in another view. */
  protected abstract showHover(): void;
}
