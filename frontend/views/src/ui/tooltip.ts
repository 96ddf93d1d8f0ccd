/** One tooltip, beside the pointer or the focused mark. */

import { formatCount } from '../logic/format.ts';
import { shorten } from '../logic/names.ts';
import { html } from './dom.ts';

export interface TooltipContent {
  readonly title: string;
  readonly rows: readonly (readonly [label: string, value: string])[];
  readonly notes?: readonly string[];
}

export class Tooltip {
  readonly #box = html('div', { class: 'gs-tooltip', role: 'tooltip', hidden: '' });

  constructor() {
    document.body.append(this.#box);
  }

  /** Shows content near a point of the window. */
  show(content: TooltipContent, x: number, y: number): void {
    const list = html('dl');
    for (const [label, value] of content.rows)
      list.append(html('dt', {}, label), html('dd', {}, value));
    const notes = (content.notes ?? []).map((note) => html('p', {}, note));
    this.#box.replaceChildren(html('strong', {}, bounded(content.title)), list, ...notes);
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
