/** What every view offers and what it may ask of its surroundings. */

import type { components } from '../generated/api.ts';
import type { Palette } from '../logic/colour.ts';
import type { Field, Hover, Patch } from '../registry/selection.ts';

/** A view: draws data and selection into an element, reports what the user does. */
export interface View<Data, Selection> {
  mount(element: HTMLElement, context: ViewContext): void;
  update(data: Data, selection: Selection): void;
  destroy(): void;
  /** The picture as a self-contained document. */
  exportSvg(): string;
}

/** What is to fit the window. */
export type Side = 'all' | 'width' | 'height';

/** What a view that zooms and pans offers to the keys of the page. */
export interface Spatial {
  /** Makes the picture larger by a factor, about its middle. */
  zoom(factor: number): void;
  /** Moves the picture by pixels to the right and down. */
  pan(dx: number, dy: number): void;
  /** Shows everything, or the whole width or height where the view can. */
  fit(side?: Side): void;
  /** Shows what is selected. */
  fitSelection(): void;
}

/** What a view is given by its surroundings. */
export interface ViewContext {
  palette(): Palette;
  isMotionReduced(): boolean;
  /** Text of the lens that the picture answers. */
  lens(): string;
  emit(event: ViewEvent): void;
  /** What the pointer or the focus is on, in any view. */
  readonly hover: Field<Hover | undefined>;
}

type MappingChange = components['schemas']['MappingChange'];

/** One run, or several whose mean is shown. */
export interface Target {
  readonly name: string;
  readonly runs: readonly string[];
}

/** A change of the store, for the route of the same name. */
export type Edit = {
  /** Message for the reader: `Confirmed: a = b`. */
  readonly what: string;
} & (
  | { readonly route: 'mapping'; readonly changes: readonly MappingChange[] }
  | {
      readonly route: 'runs/rename';
      readonly run: string;
      readonly name: string;
      /** The name so far. */
      readonly before: string;
    }
  | { readonly route: 'runs/remove' | 'runs/restore'; readonly runs: readonly string[] }
);

/** Which changes can be made, and what became of the latest. */
export interface Edits {
  /** Whether the service may change the store. */
  readonly isAllowed: boolean;
  readonly isBusy: boolean;
  /** The change that can be taken back. */
  readonly undo: string | undefined;
  /** Why the latest change failed. */
  readonly fault: string | undefined;
}

/** What the user did in a view. */
export type ViewEvent =
  /** Changes the selection; `isReplacing` for changes that follow the pointer. */
  | { readonly type: 'select'; readonly patch: Patch; readonly isReplacing?: boolean }
  /** Changes settings of the view. */
  | {
      readonly type: 'set';
      readonly values: Readonly<Record<string, unknown>>;
      readonly isReplacing?: boolean;
    }
  | { readonly type: 'hover'; readonly hover: Hover | undefined }
  /** Shows another view of the page, with settings of its own. */
  | {
      readonly type: 'show';
      readonly view: string;
      readonly values: Readonly<Record<string, unknown>>;
    }
  /** Opens a run in depth, with what is to be selected in it, and in a view if one is named. */
  | {
      readonly type: 'open-run';
      readonly run: string;
      readonly patch?: Patch;
      readonly view?: string;
    }
  | { readonly type: 'select-group'; readonly group: string }
  | { readonly type: 'toggle-guides'; readonly group: string }
  | { readonly type: 'select-site'; readonly site: string }
  | { readonly type: 'zoom-site'; readonly site: string }
  | { readonly type: 'add-clause'; readonly clause: string }
  | { readonly type: 'set-target'; readonly run: string }
  | { readonly type: 'set-side'; readonly side: 'a' | 'b'; readonly run: string }
  /** Compares several runs with the other side. */
  | { readonly type: 'set-side-runs'; readonly side: 'a' | 'b'; readonly runs: readonly string[] }
  | { readonly type: 'keep-runs'; readonly runs: readonly string[] }
  | { readonly type: 'exclude-runs'; readonly runs: readonly string[] }
  | { readonly type: 'sort'; readonly column: string }
  | { readonly type: 'copy'; readonly text: string }
  | { readonly type: 'say'; readonly text: string }
  | { readonly type: 'edit'; readonly edit: Edit }
  | { readonly type: 'undo-edit' };
