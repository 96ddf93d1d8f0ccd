/** What is selected on the page: one value per field, shared by all views. */

import type { DiffMode } from '../logic/difference.ts';
import type { Target } from '../ui/view.ts';

export type Scope = 'inclusive' | 'exclusive';

/** A metric as an answer of the service states it. */
export interface MetricChoice {
  readonly name: string;
  /** For people: the source's own label, or the name in words. */
  readonly label: string;
  /** Absent if the answer does not state it. It is never guessed. */
  readonly unit: string | undefined;
  readonly direction: string | undefined;
}

export interface StatedComparison {
  readonly mode: DiffMode;
  /** Such as `exclusive work, B − A, mean over runs`. */
  readonly quantity: string;
  /** The difference of the selected group; empty if none is selected. */
  readonly text: string;
}

/** What the pointer or the keyboard's focus is on. Not in the address. */
export interface Hover {
  readonly kind: 'group' | 'site' | 'run' | 'grain' | 'time' | 'location';
  readonly id: string;
  /** Time under the pointer, in views along time: all of them show it. */
  readonly time?: number;
}

/** From and to since the start of the run, in the unit of its times: nanoseconds or ticks. */
export type Interval = readonly [from: number, to: number];

/** Values of all fields at one moment. Views receive this; only changed fields change identity. */
export interface Selection {
  readonly store: string;
  /** Text of the lens. */
  readonly lens: string;
  /** The lens without `target` and `diff`: what answers with one value per run depend on. */
  readonly shape: string;
  /** Ids of the runs that the reader picked (multi-select); empty if none are picked. */
  readonly runs: readonly string[];
  /** The run that is opened in depth, for views of one run; empty if none is. */
  readonly run: string;
  /** A second opened run, for views of two runs; empty if none is. */
  readonly otherRun: string;
  /** Name of the definition that is looked at inside the opened run, or empty. */
  readonly definition: string;
  readonly target: Target | undefined;
  readonly a: Target | undefined;
  readonly b: Target | undefined;
  /** Whether the lens compares `a` and `b`. */
  readonly isDiff: boolean;
  /** Quantity that a diff compares, stated once for all views; nothing until it is known. */
  readonly comparison: StatedComparison | undefined;
  /** Unknown until an answer states it. */
  readonly metric: MetricChoice | undefined;
  readonly scope: Scope;
  /** Numeric parameter of the clause `by`, or else one that counts workers, in which the runs differ; empty if there is none. */
  readonly growing: string;
  /** Parameters in which the runs differ, without those that differ between repeats. */
  readonly varying: readonly string[];
  /** Id of the complete run with grains and the fewest workers, for questions that any run answers; empty if none is. */
  readonly serialRun: string;
  /** Selected group (node of the Sankey), or empty. */
  readonly group: string;
  /** Name of the selected group, or empty. */
  readonly groupName: string;
  /** Selected call site, or empty. */
  readonly site: string;
  /** Selected grain of the opened run: its row in the table of grains, as text; empty if none is. */
  readonly grain: string;
  /** Range that all views along the time of the opened run share; nothing for all of it. */
  readonly time: Interval | undefined;
}

/** What a view may change. */
export type Patch = Partial<
  Pick<
    Selection,
    'lens' | 'runs' | 'run' | 'otherRun' | 'definition' | 'group' | 'site' | 'grain' | 'time'
  >
>;

/** One observable value; a signal of any library fits. */
export interface Field<T> {
  readonly value: T;
  peek(): T;
  subscribe(listener: (value: T) => void): () => void;
}

/** The store of the selection. Every field is its own signal; `hover` never reaches the address. */
export type SelectionFields = { readonly [K in keyof Selection]: Field<Selection[K]> } & {
  readonly hover: Field<Hover | undefined>;
};
