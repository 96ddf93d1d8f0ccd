/** Layout and viewport of the picture: what is laid out for which window, and which part of it is seen. */

import type { Palette } from '../logic/colour.ts';
import { fitZooms } from './frame.ts';
import { type Arrangement, arrange, type Layout, layOut } from './layout.ts';
import { SankeyMinimap } from './minimap.ts';
import { MARGIN, type SankeyData, type SankeySelection } from './model.ts';
import { decodePlace, encodePlace } from './place.ts';
import type { Side } from '../ui/view.ts';
import { Viewport } from './viewport.ts';

/** Zoom below which a picture does not begin whole. */
const LEAST_HOME = 0.6;

export class Stage {
  readonly viewport: Viewport;
  readonly #root: SVGSVGElement;
  readonly #map: SankeyMinimap;
  #arrangement: { of: object; order: string; value: Arrangement } | undefined;
  #layout: Layout | undefined;
  #key = '';
  #window = '';
  /** Zooms at which the width and the height of the picture fit the window. */
  #fit = { width: 1, height: 1 };
  #palette: Palette | undefined;
  #isNew = true;
  #given: SankeyData | undefined;
  #at = '';

  /** `redraw` is called when another zoom asks for another layout, `settled` with the place that the reader went to. */
  constructor(
    root: SVGSVGElement,
    zoomed: SVGGElement,
    map: SVGGElement,
    redraw: () => void,
    settled: (at: string) => void,
  ) {
    this.#root = root;
    this.#map = new SankeyMinimap(map, (x, y) => this.viewport.moveTo(x, y));
    this.viewport = new Viewport(root, {
      window: () => this.window(),
      content: () => this.#content(),
      least: () => this.#all(),
      zoomed: redraw,
      moved: (x, y) => {
        zoomed.setAttribute('transform', `translate(${-x} ${-y})`);
        this.#drawMap();
      },
      settled: () => {
        const at = this.#isHome() ? '' : encodePlace(this.viewport.seen);
        if (at === this.#at) return;
        this.#at = at;
        settled(at);
      },
    });
  }

  get layout(): Layout | undefined {
    return this.#layout;
  }

  /** The part of the element that shows the picture; the legends are below it. */
  window(): { width: number; height: number } {
    return {
      width: this.#root.clientWidth,
      height: Math.max(60, this.#root.clientHeight - MARGIN.bottom),
    };
  }

  /** Lays out if anything that the layout depends on has changed; whether it did. */
  lay(given: SankeyData, selection: SankeySelection, palette: Palette): boolean {
    this.#palette = palette;
    this.#given = given;
    const order = selection.order ?? 'crossings';
    if (this.#arrangement?.of !== given.sankey.nodes || this.#arrangement.order !== order) {
      this.#arrangement = { of: given.sankey.nodes, order, value: arrange(given.sankey, order) };
      this.#key = '';
      this.#isNew = true;
    }
    const { width, height } = this.window();
    const extraLines = given.diff ? 1 : 0;
    const room = {
      width: width - MARGIN.left - MARGIN.right,
      height: height - MARGIN.top - 8,
      extraLines,
    };
    const window = `${width} ${height} ${extraLines}`;
    if (this.#isNew || window !== this.#window) {
      const { columns, order: units } = this.#arrangement.value;
      this.#fit = fitZooms(given.sankey, columns, units, room);
      this.#window = window;
      const at = selection.at ?? '';
      // The whole picture stays whole in another window.
      if (at === '') this.#isNew = true;
      // Known before the layout, so that the picture is laid out once.
      if (this.#isNew) this.viewport.preset(decodePlace(at)?.zoom ?? this.#homeZoom());
    }
    const { zoom } = this.viewport;
    const moved = [...(selection.moved ?? [])].flat().join(' ');
    const key = `${window} ${zoom} ${moved}`;
    if (key === this.#key && this.#layout) return false;
    this.#key = key;
    this.#layout = layOut(given.sankey, this.#arrangement.value, {
      ...room,
      zoom,
      ...(selection.moved ? { moved: selection.moved } : {}),
    });
    return true;
  }

  /** Shows the picture at a place of the address; without one from its heaviest root on. */
  refresh(at: string): void {
    if (!this.#isNew && at === this.#at) return this.viewport.refresh();
    this.#isNew = false;
    this.#at = at;
    const place = decodePlace(at);
    if (place) this.viewport.show(place);
    else this.#goHome();
  }

  /** Shows the whole picture, or its whole width or height from the heaviest root on. */
  fit(side: Side): void {
    this.viewport.place(0, 0, side === 'all' ? this.#all() : this.#fit[side]);
    this.viewport.moveTo(0, this.#homeOf());
  }

  #all(): number {
    return Math.min(this.#fit.width, this.#fit.height);
  }

  /** A picture begins whole, unless too few names had room. */
  #homeZoom(): number {
    return this.#all() < LEAST_HOME ? 1 : this.#all();
  }

  #goHome(): void {
    this.viewport.place(0, 0, this.#homeZoom());
    this.viewport.place(0, this.#homeOf());
  }

  #isHome(): boolean {
    const { zoom, origin } = this.viewport;
    if (zoom !== this.#homeZoom()) return false;
    this.viewport.place(0, this.#homeOf());
    const home = this.viewport.origin;
    this.viewport.place(origin.x, origin.y);
    return origin.x === home.x && origin.y === home.y;
  }

  /** Where a picture begins, so that its heaviest root is seen. */
  #homeOf(): number {
    const layout = this.#layout;
    const nodes = this.#given?.sankey.nodes ?? [];
    let root = -1;
    nodes.forEach((node, index) => {
      const best = nodes[root];
      if (layout?.column[index] === 0 && node.max_inclusive > (best?.max_inclusive ?? -1))
        root = index;
    });
    const box = layout?.nodes[root];
    if (!box) return 0;
    const room = this.window().height;
    const y = box.height > room ? box.y - 30 : box.y + box.height / 2 - room / 2;
    return y + MARGIN.top;
  }

  #content(): { width: number; height: number } {
    return {
      width: (this.#layout?.width ?? 0) + MARGIN.left,
      height: (this.#layout?.height ?? 0) + MARGIN.top + 8,
    };
  }

  #drawMap(): void {
    const [layout, palette] = [this.#layout, this.#palette];
    if (!layout || !palette) return;
    const own = this.window();
    this.#map.update(layout, { ...this.viewport.origin, ...own }, this.#content(), palette, [
      own.width - 10,
      own.height + 10,
    ]);
  }

  destroy(): void {
    this.viewport.destroy();
  }
}
