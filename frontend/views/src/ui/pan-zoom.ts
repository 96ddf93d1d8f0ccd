/** Zooms and pans a group of an SVG: wheel at the pointer, drag on the ground, and by command. */

const LEAST = 0.4;
const MOST = 12;

export class PanZoom {
  #x = 0;
  #y = 0;
  #scale = 1;
  readonly #root: SVGSVGElement;
  readonly #group: SVGGElement;
  readonly #stop = new AbortController();

  constructor(root: SVGSVGElement, group: SVGGElement) {
    this.#root = root;
    this.#group = group;
    const { signal } = this.#stop;
    root.addEventListener(
      'wheel',
      (event) => {
        event.preventDefault();
        const box = root.getBoundingClientRect();
        this.zoom(
          Math.exp(-event.deltaY * 0.0016),
          event.clientX - box.left,
          event.clientY - box.top,
        );
      },
      { signal, passive: false },
    );
    root.addEventListener('pointerdown', (event) => this.#drag(event), { signal });
  }

  get scale(): number {
    return this.#scale;
  }

  /** Zooms by a factor around a point of the picture; its middle when none is given. */
  zoom(factor: number, x = this.#root.clientWidth / 2, y = this.#root.clientHeight / 2): void {
    const scale = Math.min(MOST, Math.max(LEAST, this.#scale * factor));
    const ratio = scale / this.#scale;
    this.#x = x - (x - this.#x) * ratio;
    this.#y = y - (y - this.#y) * ratio;
    this.#scale = scale;
    this.#apply();
  }

  pan(x: number, y: number): void {
    this.#x += x;
    this.#y += y;
    this.#apply();
  }

  /** Back to the whole picture. */
  reset(): void {
    this.#x = 0;
    this.#y = 0;
    this.#scale = 1;
    this.#apply();
  }

  /** Brings a rectangle of the picture to the middle. */
  fit(x: number, y: number, width: number, height: number): void {
    const [all, high] = [this.#root.clientWidth, this.#root.clientHeight];
    this.#scale = Math.min(
      4,
      Math.max(LEAST, Math.min((all * 0.5) / width, (high * 0.7) / height)),
    );
    this.#x = all / 2 - (x + width / 2) * this.#scale;
    this.#y = high / 2 - (y + height / 2) * this.#scale;
    this.#apply();
  }

  destroy(): void {
    this.#stop.abort();
  }

  #drag(start: PointerEvent): void {
    const isOnMark =
      start.target instanceof Element && start.target.closest('[data-mark]') !== null;
    if (start.button !== 0 || isOnMark) return;
    const stop = new AbortController();
    let [x, y] = [start.clientX, start.clientY];
    this.#root.setPointerCapture(start.pointerId);
    this.#root.addEventListener(
      'pointermove',
      (event) => {
        this.pan(event.clientX - x, event.clientY - y);
        [x, y] = [event.clientX, event.clientY];
      },
      { signal: stop.signal },
    );
    const end = (): void => stop.abort();
    this.#root.addEventListener('pointerup', end, { signal: stop.signal });
    this.#root.addEventListener('pointercancel', end, { signal: stop.signal });
  }

  #apply(): void {
    this.#group.setAttribute('transform', `translate(${this.#x} ${this.#y}) scale(${this.#scale})`);
  }
}
