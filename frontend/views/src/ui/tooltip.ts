/** One tooltip, beside the pointer or the focused mark. */

import { formatCount } from '../logic/format.ts';
import { shorten } from '../logic/names.ts';
import { html } from './dom.ts';
import { layerOf } from './layer.ts';

export interface TooltipContent {
  readonly title: string;
  readonly rows: readonly (readonly [label: string, value: string])[];
  readonly notes?: readonly string[];
}

export class Tooltip {
  readonly #box = html('div', { class: 'gs-tooltip', role: 'tooltip', hidden: '' });

  readonly #near: Node;
  #isGone = false;

  /** A tooltip of a view, which is near. */
  constructor(near: Node) {
    this.#near = near;
  }

  /** Shows content near a point of the window. */
  show(content: TooltipContent, x: number, y: number): void {
    const list = html('dl');
    for (const [label, value] of content.rows)
      list.append(html('dt', {}, label), html('dd', {}, value));
    const notes = (content.notes ?? []).map((note) => html('p', {}, note));
    this.#box.replaceChildren(html('strong', {}, bounded(content.title)), list, ...notes);
    // A view that was left may still report a movement that came before.
    if (this.#isGone) return;
    // Not before: a view is made before it is on the page.
    if (!this.#box.isConnected) layerOf(this.#near).append(this.#box);
    this.#box.hidden = false;
    const { width, height } = this.#box.getBoundingClientRect();
    const left = x + 14 + width > window.innerWidth - 8 ? x - width - 14 : x + 14;
    const top = Math.min(y + 14, window.innerHeight - height - 8);
    this.#box.style.left = `${Math.max(8, left)}px`;
    this.#box.style.top = `${Math.max(8, top)}px`;
  }

  hide(): void {
    this.#box.hidden = true;
  }

  destroy(): void {
    this.#isGone = true;
    this.#box.remove();
  }
}

/** Characters of a title up to which it is shown as it is. */
const LONGEST = 300;

/** A name of thousands of characters would fill the window: its ends, and how long it is. */
function bounded(title: string): string {
  if (title.length <= LONGEST) return title;
  return `${shorten(title, LONGEST)} (${formatCount(title.length)} characters)`;
}
