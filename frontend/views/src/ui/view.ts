/** What every view offers and what it may ask of its surroundings. */

import type { Palette } from '../logic/colour.ts';

/** A view: draws data and selection into an element, reports what the user does. */
export interface View<Data, Selection> {
  mount(element: HTMLElement, context: ViewContext): void;
  update(data: Data, selection: Selection): void;
  destroy(): void;
  /** The picture as a self-contained document. */
  exportSvg(): string;
}

/** What a view is given by its surroundings. */
export interface ViewContext {
  palette(): Palette;
  isMotionReduced(): boolean;
  /** Text of the lens that the picture answers. */
  lens(): string;
  emit(event: ViewEvent): void;
}

/** One run, or several whose mean is shown. */
export interface Target {
  readonly name: string;
  readonly runs: readonly string[];
}

/** What the user did in a view. */
export type ViewEvent =
  | { readonly type: 'select-group'; readonly group: string }
  | { readonly type: 'toggle-guides'; readonly group: string }
  | { readonly type: 'select-site'; readonly site: string }
  | { readonly type: 'zoom-site'; readonly site: string }
  | { readonly type: 'add-clause'; readonly clause: string }
  | { readonly type: 'set-target'; readonly run: string }
  | { readonly type: 'set-side'; readonly side: 'a' | 'b'; readonly run: string }
  | { readonly type: 'keep-runs'; readonly runs: readonly string[] }
  | { readonly type: 'sort'; readonly column: string }
  | { readonly type: 'copy'; readonly text: string }
  | { readonly type: 'say'; readonly text: string };
