/** What part of the picture is seen, and how large: text keeps its size, so that zooming shows more names. */

import type { Place } from './place.ts';

const MOST_ZOOM = 8;

interface Host {
  /** Extent of the window. */
  window(): { width: number; height: number };
  /** Extent of the picture at the present zoom. */
  content(): { width: number; height: number };
  /** The zoom at which everything is seen: the smallest one. */
  least(): number;
  /** Lays out for a zoom. */
  zoomed(zoom: number): void;
  /** Shows the picture from this point on. */
  moved(x: number, y: number): void;
  /** The reader has stopped moving. */
  settled(): void;
}

/** Milliseconds after which a movement is over. */
const SETTLED = 250;

export class Viewport {
  #zoom = 1;
  #x = 0;
  #y = 0;
  readonly #host: Host;
  readonly #stop = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(root: SVGSVGElement, host: Host) {
    this.#host = host;
    const { signal } = this.#stop;
    root.addEventListener(
      'wheel',
      (event) => {
        event.preventDefault();
        const isSideways = event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY);
        if (isSideways) return this.pan(-(event.deltaX || event.deltaY), 0);
        const box = root.getBoundingClientRect();
        this.zoomBy(
          Math.exp(-event.deltaY * 0.0016),
          event.clientX - box.left,
          event.clientY - box.top,
        );
      },
      { signal, passive: false },
    );
    root.addEventListener('pointerdown', (event) => this.#drag(root, event), { signal });
  }

  get zoom(): number {
    return this.#zoom;
  }

  /** Point of the picture at the window's corner. */
  get origin(): { x: number; y: number } {
    return { x: this.#x, y: this.#y };
  }

  /** The zoom of a layout that is about to be made. */
  preset(zoom: number): void {
    this.#zoom = this.#within(zoom);
  }

  #within(zoom: number): number {
    return Math.min(MOST_ZOOM, Math.max(this.#host.least(), zoom));
  }

  /** Zooms around a point of the window; its middle when none is given. */
  zoomBy(factor: number, x?: number, y?: number): void {
    const { width, height } = this.#host.window();
    const [px, py] = [x ?? width / 2, y ?? height / 2];
    const before = this.#host.content();
    const zoom = this.#within(this.#zoom * factor);
    if (zoom === this.#zoom) return;
    this.#zoom = zoom;
    this.#host.zoomed(zoom);
    const after = this.#host.content();
    // Columns and rows grow by different factors, as text does not grow.
    this.#x = (this.#x + px) * (after.width / Math.max(1, before.width)) - px;
    this.#y = (this.#y + py) * (after.height / Math.max(1, before.height)) - py;
    this.refresh();
    this.#touched();
  }

  pan(x: number, y: number): void {
    this.moveTo(this.#x - x, this.#y - y);
  }

  moveTo(x: number, y: number): void {
    this.place(x, y);
    this.#touched();
  }

  /** Like {@link moveTo}, without a report: the page itself asks for it. */
  place(x: number, y: number, zoom = this.#zoom): void {
    const within = this.#within(zoom);
    if (within !== this.#zoom) {
      this.#zoom = within;
      this.#host.zoomed(within);
    }
    this.#x = x;
    this.#y = y;
    this.refresh();
  }

  /** The middle of the window as shares of the picture. */
  get seen(): Place {
    const own = this.#host.window();
    const content = this.#host.content();
    const share = (at: number, size: number, whole: number): number =>
      Math.min(1, Math.max(0, (at + size / 2) / Math.max(1, whole)));
    return {
      zoom: this.#zoom,
      x: share(this.#x, own.width, content.width),
      y: share(this.#y, own.height, content.height),
    };
  }

  /** Shows what {@link seen} returned, here or in another window. */
  show({ zoom, x, y }: Place): void {
    this.place(this.#x, this.#y, zoom);
    const own = this.#host.window();
    const content = this.#host.content();
    this.place(x * content.width - own.width / 2, y * content.height - own.height / 2);
  }

  #touched(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#host.settled(), SETTLED);
  }

  /** Brings a rectangle of the picture into the window, with the least movement. */
  reveal(x: number, y: number, width: number, height: number): void {
    const own = this.#host.window();
    const near = (at: number, from: number, size: number, room: number): number => {
      if (at < from + 24) return at - 24;
      if (at + size > from + room - 24) return at + size + 24 - room;
      return from;
    };
    this.moveTo(near(x, this.#x, width, own.width), near(y, this.#y, height, own.height));
  }

  /** Brings a rectangle of the picture to the middle of the window. */
  centre(x: number, y: number, width: number, height: number): void {
    const own = this.#host.window();
    this.moveTo(x + width / 2 - own.width / 2, y + height / 2 - own.height / 2);
  }

  /** Keeps the picture in the window. */
  refresh(): void {
    const own = this.#host.window();
    const content = this.#host.content();
    // Whole pixels, so that a link shows exactly the same.
    this.#x = Math.round(Math.max(0, Math.min(this.#x, content.width - own.width)));
    this.#y = Math.round(Math.max(0, Math.min(this.#y, content.height - own.height)));
    this.#host.moved(this.#x, this.#y);
  }

  destroy(): void {
    clearTimeout(this.#timer);
    this.#stop.abort();
  }

  #drag(root: SVGSVGElement, start: PointerEvent): void {
    const isOnMark =
      start.target instanceof Element && start.target.closest('[data-mark]') !== null;
    if (start.button !== 0 || isOnMark) return;
    const stop = new AbortController();
    let [x, y] = [start.clientX, start.clientY];
    root.setPointerCapture(start.pointerId);
    root.addEventListener(
      'pointermove',
      (event) => {
        this.pan(event.clientX - x, event.clientY - y);
        [x, y] = [event.clientX, event.clientY];
      },
      { signal: stop.signal },
    );
    const end = (): void => stop.abort();
    root.addEventListener('pointerup', end, { signal: stop.signal });
    root.addEventListener('pointercancel', end, { signal: stop.signal });
  }
}
