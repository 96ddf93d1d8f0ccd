/** Page for tests of the views that the frame draws itself: Sankey, call tree, list of differences and run table. */

import { DiffBarsView } from '@grainsheaf/views/diff-bars/DiffBarsView.ts';
import { IcicleView } from '@grainsheaf/views/icicle/IcicleView.ts';
import { paletteOf, type Theme } from '@grainsheaf/views/logic/colour.ts';
import { RunTableView } from '@grainsheaf/views/run-table/RunTableView.ts';
import { SankeyView } from '@grainsheaf/views/sankey/SankeyView.ts';
import type { Spatial, View, ViewEvent } from '@grainsheaf/views';

const VIEWS = {
  sankey: SankeyView,
  icicle: IcicleView,
  'diff-bars': DiffBarsView,
  'run-table': RunTableView,
} as const;

/** Input of a test, as JSON. */
export interface OwnScene {
  readonly own: keyof typeof VIEWS;
  readonly data: object;
  readonly selection: object;
  readonly theme?: Theme;
  readonly width?: number;
  readonly height?: number;
}

const events: ViewEvent[] = [];
let view: View<never, never> | undefined;

/** Fields that are maps are given as lists of pairs. */
function withMaps(given: object): never {
  const entries = Object.entries(given).map(([name, value]: [string, unknown]) => [
    name,
    ['runNames', 'moved', 'ranks'].includes(name) ? new Map(value as [string, unknown][]) : value,
  ]);
  return Object.fromEntries(entries) as never;
}

let scene: OwnScene | undefined;
let held: readonly [object, never] | undefined;

function dataOf(given: OwnScene): never {
  // The same data stays the same object, as on the page.
  const text = JSON.stringify(given.data);
  if (!held || JSON.stringify(held[0]) !== text) held = [given.data, withMaps(given.data)];
  return held[1];
}

export const own = {
  ownEvents: events,
  showOwn(given: OwnScene): void {
    view?.destroy();
    events.length = 0;
    held = undefined;
    scene = given;
    const theme = given.theme ?? 'light';
    document.documentElement.dataset['theme'] = theme;
    const host = document.querySelector<HTMLElement>('#host');
    if (!host) throw new Error('no host');
    host.style.width = `${given.width ?? 1200}px`;
    host.style.height = `${given.height ?? 600}px`;
    view = new VIEWS[given.own]();
    view.mount(host, {
      palette: () => paletteOf(theme),
      isMotionReduced: () => true,
      lens: () => '',
      emit: (event) => events.push(event),
      hover: { value: undefined, peek: () => undefined, subscribe: () => () => undefined },
    });
    view.update(dataOf(given), withMaps(given.selection));
  },
  updateOwn(selection: object): void {
    if (scene) view?.update(dataOf(scene), withMaps(selection));
  },
  /** Pans as often, once per frame. */
  async panOwn(frames: number): Promise<void> {
    const spatial = view as unknown as Spatial;
    for (let at = 0; at < frames; at += 1)
      await new Promise<void>((done) => {
        // Within the callback of the frame: what awaits it counts as no script.
        requestAnimationFrame(() => {
          spatial.pan(at % 2 === 0 ? 9 : -9, 3);
          done();
        });
      });
  },
  ownSvg: (): string => view?.exportSvg() ?? '',
  destroyOwn(): number {
    view?.destroy();
    view = undefined;
    return document.querySelectorAll('#host *, .gs-tooltip').length;
  },
};
