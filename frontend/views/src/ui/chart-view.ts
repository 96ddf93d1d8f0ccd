/** What views of charts share: root, tooltip, marks, redraw with kept focus, export. */

import type { Palette } from '../logic/colour.ts';
import type { Shown } from '../registry/definition.ts';
import { composeSvg } from './compose-svg.ts';
import { html } from './dom.ts';
import { activeElement } from './layer.ts';
import { Marks } from './marks.ts';
import { Tooltip } from './tooltip.ts';
import type { View, ViewContext } from './view.ts';
import './charts.css';

export abstract class ChartView<A, S> implements View<A, Shown<S>> {
  protected readonly root: HTMLElement;
  readonly #stop = new AbortController();
  #drawn = new AbortController();
  #tooltip: Tooltip | undefined;
  #marks: Marks | undefined;
  #context: ViewContext | undefined;
  #latest: readonly [A, Shown<S>] | undefined;

  constructor(name: string) {
    this.root = html('div', { class: `gs-view gs-${name}` });
  }

  mount(element: HTMLElement, context: ViewContext): void {
    this.#context = context;
    this.#tooltip = new Tooltip(this.root);
    this.#marks = new Marks(this.root, this.#tooltip, this.#stop.signal, (run, patch) =>
      context.emit({ type: 'open-run', run, ...(patch ? { patch } : {}) }),
    );
    element.append(this.root);
    this.mounted();
  }

  update(answers: A, shown: Shown<S>): void {
    this.#latest = [answers, shown];
    this.redraw();
  }

  destroy(): void {
    this.#stop.abort();
    this.#drawn.abort();
    this.#tooltip?.destroy();
    this.root.remove();
  }

  exportSvg(): string {
    return composeSvg(this.root, this.palette.ground, this.context.lens());
  }

  /** Draws answers anew into the emptied or kept root. */
  protected abstract draw(answers: A, shown: Shown<S>): void;

  /** Called once, when the root is on the page. */
  protected mounted(): void {
    // Most views make everything anew when they draw.
  }

  protected redraw(): void {
    if (!this.#latest || !this.#marks) return;
    const [answers, shown] = this.#latest;
    this.#drawn.abort();
    this.#drawn = new AbortController();
    const held = activeElement(this.root);
    this.#marks.redraw(() => this.draw(answers, shown));
    // An element that is put back into the page, such as a table, has lost the focus.
    if (
      held instanceof HTMLElement &&
      this.root.contains(held) &&
      held !== activeElement(this.root)
    )
      held.focus({ preventScroll: true });
  }

  protected get context(): ViewContext {
    if (!this.#context) throw new Error('the view is not mounted');
    return this.#context;
  }

  protected get palette(): Palette {
    return this.context.palette();
  }

  protected get tooltip(): Tooltip {
    if (!this.#tooltip) throw new Error('the view is not mounted');
    return this.#tooltip;
  }

  protected get marks(): Marks {
    if (!this.#marks) throw new Error('the view is not mounted');
    return this.#marks;
  }

  /** Ends with the view. */
  protected get life(): AbortSignal {
    return this.#stop.signal;
  }

  /** Ends when the view is drawn anew: for listeners on what is drawn. */
  protected get drawing(): AbortSignal {
    return this.#drawn.signal;
  }
}

/** A part of a page: a heading, the quantity in one sentence, and what is below. */
export function section(
  title: string,
  quantity: string,
  ...children: readonly (Node | string)[]
): HTMLElement {
  return html(
    'section',
    { class: 'gs-part' },
    html('h3', {}, title, ' ', html('small', {}, quantity)),
    ...children,
  );
}

/** A name of a trace: kept apart from the direction of writing around it, whole in the title. */
export function nameOf(full: string, text = full): HTMLElement {
  return html('bdi', { class: 'gs-name', title: full }, text);
}
