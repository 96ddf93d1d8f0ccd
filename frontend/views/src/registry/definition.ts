/** What a view declares about itself. Adding a view touches its folder and one line of `views.ts`. */

import type { Cohort, ErrorBody, Run } from '../api.ts';
import type { Cell } from '../logic/table.ts';
import type { Edits, View, ViewEvent } from '../ui/view.ts';
import type { Patch, Selection } from './selection.ts';
import type { Schema, SettingsOf } from './settings.ts';

/** A question to the service. Answers are cached by store, route and query. */
export interface Request {
  /** Below `/api/v1/`, such as `distribution`. */
  readonly route: string;
  readonly query: Readonly<Record<string, string | number>>;
  /** What is computed, for the reader: `Counting runs of sort`. */
  readonly what: string;
  /** `arrow` answers arrive as columns (`Columns` of `data/columns.ts`). */
  readonly format?: 'json' | 'arrow';
}

/** Why there is nothing to see, and the way on. */
export interface EmptyState {
  readonly title: string;
  readonly text?: string;
  readonly steps?: readonly { readonly label: string; readonly action: Action }[];
}

/** What a step of a state does. */
export type Action =
  | { readonly command: string }
  | { readonly select: Patch }
  | { readonly event: ViewEvent }
  | { readonly set: Readonly<Record<string, unknown>> };

/** Requests by name, or why none can be made. A request that is `undefined` is not needed now. */
export type Question<A> =
  | { readonly requests: { readonly [K in keyof A]: Request | undefined } }
  | { readonly empty: EmptyState };

/** A metric of the runs, with the name that its source used. */
export interface KnownMetric {
  readonly name: string;
  readonly source?: string | null;
}

/** What is known of the runs, whatever the view. */
export interface Facts {
  readonly runs: readonly Run[];
  readonly runNames: ReadonlyMap<string, string>;
  /** Shortest texts that tell the runs apart. */
  readonly runLabels: ReadonlyMap<string, string>;
  readonly cohorts: readonly Cohort[];
  /** Metrics that at least one run has; missing where they are not known. */
  readonly metrics?: readonly KnownMetric[];
  readonly edits: Edits;
}

/** What a view is drawn for, next to its answers. A snapshot: unchanged fields keep their identity. */
export interface Shown<S> {
  readonly selection: Selection;
  readonly settings: S;
  readonly facts: Facts;
}

/** Rows behind a picture: for readers of the screen, CSV and copying. */
export interface Table {
  readonly caption: string;
  readonly columns: readonly TableColumn[];
  readonly rows: readonly (readonly Cell[])[];
}

export interface TableColumn {
  readonly id: string;
  readonly label: string;
  readonly kind: 'text' | 'number' | 'flag';
  readonly unit?: string;
}

/** The part of a view that is loaded when the view is first shown. */
export interface ViewModule<A, S> {
  create(): View<A, Shown<S>>;
  /** The table twin of the picture. */
  table(answers: A, shown: Shown<S>): Table;
  /**
   * Further requests that follow from the answers so far, such as the children of an open group. The view is drawn
   * without their answers, and again with each that arrives, under its name.
   */
  parts?(answers: A, shown: Shown<S>): Readonly<Record<string, Request>>;
  /** Why complete answers have nothing to show. */
  empty?(answers: A, shown: Shown<S>): EmptyState | undefined;
  /** What a reader must know; shown in the status bar. */
  notes?(answers: A, shown: Shown<S>): readonly string[];
}

export interface ViewDefinition<A = unknown, C extends Schema = Schema> {
  /** Stable: part of the address. Lower case, words joined by `-`. */
  readonly id: string;
  readonly title: string;
  /** Key that shows the view, such as `Shift+D`. */
  readonly key?: string;
  /** One sentence: the question that the view answers. */
  readonly about: string;
  /** Where it fits: as the main picture, as a second panel, or as either. */
  readonly place: 'main' | 'second' | 'either';
  readonly settings: C;
  /** Clauses of the lens that have a control among the view's: so far `bins`. */
  readonly clauses?: readonly 'bins'[];
  query(selection: Selection, settings: SettingsOf<C>): Question<A>;
  /** What an error of the service means for this view, if it is a state to design: a run without times. */
  refused?(error: ErrorBody, selection: Selection): EmptyState | undefined;
  /** One sentence with the quantity shown: `exclusive work, mean over ranks`. */
  quantity?(selection: Selection, settings: SettingsOf<C>): string;
  load(): Promise<ViewModule<A, SettingsOf<C>>>;
}

/** A definition without its type parameters, for lists. */
export type AnyView = ViewDefinition<never, never>;

/** Checks a definition's types without widening them. */
export function defineView<A, C extends Schema>(
  definition: ViewDefinition<A, C>,
): ViewDefinition<A, C> {
  return definition;
}
