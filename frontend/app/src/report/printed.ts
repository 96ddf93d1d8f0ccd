/** All pictures of a report on paper: the one on the screen, and below it the others. */

import type { View, ViewContext } from '@grainsheaf/views';
import { html } from '@grainsheaf/views/ui/dom.ts';
import type { Drawing, Picture } from './pictures.ts';

export class Printed {
  readonly #host: HTMLElement;
  readonly #context: ViewContext;
  readonly #drawing: (picture: Picture) => Drawing;
  readonly #pictures: readonly Picture[];
  /** Views that are not on the page. They exist before printing, which waits for nothing. */
  readonly #ready = new Map<Picture, View<never, never>>();
  #shown: View<never, never>[] = [];

  constructor(
    host: HTMLElement,
    context: ViewContext,
    pictures: readonly Picture[],
    drawing: (picture: Picture) => Drawing,
  ) {
    this.#host = host;
    this.#context = context;
    this.#pictures = pictures;
    this.#drawing = drawing;
    void this.#prepare();
  }

  /** Draws all pictures but one, which is on the page already, at a width in pixels. */
  show(except: Picture | undefined, width: number): void {
    this.hide();
    for (const picture of this.#pictures) {
      const view = this.#ready.get(picture);
      if (picture === except || !view) continue;
      const drawing = this.#drawing(picture);
      const about = [picture.about, picture.quantity(drawing.selection, drawing.settings)];
      const place = html('div', { class: `report-picture report-${picture.id}` });
      place.style.width = `${width}px`;
      this.#host.append(
        html(
          'section',
          { class: 'report-printed' },
          html('h2', {}, picture.title),
          html('p', { class: 'quiet' }, about.filter(Boolean).join(': ')),
          place,
        ),
      );
      this.#ready.delete(picture);
      this.#shown.push(view);
      view.mount(place, this.#context);
      picture.update(view, drawing);
    }
  }

  hide(): void {
    for (const view of this.#shown) view.destroy();
    this.#host.replaceChildren();
    this.#shown = [];
    void this.#prepare();
  }

  async #prepare(): Promise<void> {
    for (const picture of this.#pictures)
      if (!this.#ready.has(picture)) this.#ready.set(picture, await picture.create());
  }
}
