/** What views of a graph share: head, canvas and foot, and the keys and highlights of the page. */

import { ChartView } from './chart-view.ts';
import { html } from './dom.ts';
import { GraphCanvas } from './graph-canvas.ts';
import type { Side, Spatial } from './view.ts';

export abstract class GraphView<A, S> extends ChartView<A, S> implements Spatial {
  protected readonly head: HTMLElement;
  protected readonly box: HTMLElement;
  protected readonly foot: HTMLElement;
  #graph: GraphCanvas | undefined;
  #hovered = '';

  /** Classes of the parts begin with the name: `gs-NAME-head`. */
  constructor(name: string) {
    super(name);
    this.head = html('div', { class: `gs-${name}-head` });
    this.box = html('div', { class: `gs-${name}-box` });
    this.foot = html('div', { class: `gs-legend gs-${name}-foot` });
  }

  override destroy(): void {
    this.#graph?.destroy();
    super.destroy();
  }

  override exportSvg(): string {
    return this.#graph?.exportSvg(this.palette.ground, this.context.lens()) ?? '';
  }

  zoom(factor: number): void {
    this.#graph?.zoom(factor);
  }
  pan(dx: number, dy: number): void {
    this.#graph?.pan(dx, dy);
  }
  fit(side?: Side): void {
    this.#graph?.fit(side);
  }
  fitSelection(): void {
    this.#graph?.fitCursor();
  }

  protected override mounted(): void {
    const graph = new GraphCanvas(this.tooltip);
    this.#graph = graph;
    this.arrange();
    graph.mount(this.box, () => this.redraw());
    const stop = this.context.hover.subscribe((hover) => {
      const grain = hover?.kind === 'grain' ? hover.id : '';
      if (grain === this.#hovered) return;
      this.#hovered = grain;
      graph.paint();
    });
    this.life.addEventListener('abort', stop);
  }

  /** Puts head, box and foot on the page. */
  protected arrange(): void {
    this.root.append(this.head, this.box, this.foot);
  }

  protected get graph(): GraphCanvas {
    if (!this.#graph) throw new Error('the view is not mounted');
    return this.#graph;
  }

  /** Grain under the pointer in any view, as text; empty if there is none. */
  protected get hovered(): string {
    return this.#hovered;
  }

  /** Reports the grain under the pointer to the other views. */
  protected point(grain: number | null | undefined): void {
    const hover =
      grain === null || grain === undefined
        ? undefined
        : ({ kind: 'grain', id: String(grain) } as const);
    this.context.emit({ type: 'hover', hover });
  }
}
