/** Content of a report next to its tables: answers of the service, and the pictures to draw. */

import type { Cohort, Run, Runs, Target } from '@grainsheaf/views';
import type { MetricChoice, Selection } from '@grainsheaf/views';
import type { Columns } from '@grainsheaf/views/data/columns.ts';
import { comparedQuantity, type DiffMode, diffModeOf } from '@grainsheaf/views/logic/difference.ts';
import { uniqueLabels } from '@grainsheaf/views/logic/labels.ts';
import { clauseValue, diffOf, geometryLens } from '@grainsheaf/views/logic/lens.ts';
import { metricLabel } from '@grainsheaf/views/logic/metrics.ts';
import type { Facts } from '@grainsheaf/views/registry/definition.ts';

/** Written by the command line (`render/report.rs`) and by the page. */
export interface ReportContent {
  readonly schema: 'report/1';
  /** Text of the lens. */
  readonly lens: string;
  /** Answers of the service, by a name. `runs` has the runs that the report is about. */
  readonly answers: Readonly<Record<string, unknown>>;
  readonly pictures: readonly PictureContent[];
  /** The selection of the page. */
  readonly group?: string;
  readonly target?: Target;
  /** How differences are stated. */
  readonly diffMode?: string;
  /** What is opened and selected inside a run. */
  readonly inside?: Partial<Pick<Selection, 'run' | 'otherRun' | 'definition' | 'grain' | 'time'>>;
}

/** A view, the places of the answers that it draws (`diff`, or `gate.diff`), and its settings as texts. */
export interface PictureContent {
  readonly view: string;
  readonly answers: Readonly<Record<string, string>>;
  readonly settings?: Readonly<Record<string, string>>;
}

/** Element that holds the content as JSON. */
export const CONTENT = 'report-content';

/** The content as the text of a script element: no text in it can end the element. */
export function embedded(content: ReportContent): string {
  return JSON.stringify(content, plainArrays).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Arrays of an Arrow stream as lists: NaN is absent, and floats of 32 bits have seven digits. */
function plainArrays(_: string, value: unknown): unknown {
  if (!(value instanceof Float32Array || value instanceof Float64Array)) return value;
  const digits = value instanceof Float32Array ? 7 : 17;
  return Array.from(value, (one) => (Number.isNaN(one) ? null : Number(one.toPrecision(digits))));
}

/** Lists of numbers in a table of columns are arrays again, in which NaN is absent; for `JSON.parse`. */
export function revived(_: string, value: unknown): unknown {
  const { schema, columns } = (value ?? {}) as Partial<Columns>;
  if (schema !== 'columns/1' || columns === undefined) return value;
  const isNumber = (one: unknown): boolean => typeof one === 'number';
  const arrays = Object.entries(columns).map(([name, column]) => [
    name,
    [...column].every((one) => one === null || isNumber(one)) && [...column].some(isNumber)
      ? Float64Array.from(column as readonly (number | null)[], (one) => one ?? NaN)
      : column,
  ]);
  return { ...(value as object), columns: Object.fromEntries(arrays) };
}

/** Characters of a run's name where there is little room. */
const LABEL = 15;

export function factsOf({ answers }: ReportContent): Facts {
  const { runs, cohorts, metrics } = runsOf(answers);
  const labels = uniqueLabels(
    runs.map((run) => run.name),
    LABEL,
  );
  return {
    runs,
    cohorts,
    metrics,
    runNames: new Map(runs.map((run) => [run.run, run.name])),
    runLabels: new Map(runs.map((run, index) => [run.run, labels[index] ?? run.name])),
    // A report changes nothing.
    edits: { isAllowed: false, isBusy: false, undo: undefined, fault: undefined },
  };
}

function runsOf(answers: ReportContent['answers']): {
  readonly runs: readonly Run[];
  readonly cohorts: readonly Cohort[];
  readonly metrics: Runs['metrics'];
} {
  const runs = answers['runs'] as Runs | undefined;
  return {
    runs: runs?.runs ?? [],
    cohorts: runs?.cohorts ?? [],
    metrics: runs?.metrics ?? [],
  };
}

/** An answer about a metric. */
interface Measured {
  readonly metric?: string;
  readonly unit?: string;
  readonly direction?: string;
  readonly label?: string | null;
}

/** The selection that the report was made with. */
export function selectionOf(content: ReportContent): Selection {
  const { lens, answers } = content;
  const gate = answers['gate'] as { readonly diff: Measured } | undefined;
  const diff = (gate?.diff ?? answers['diff']) as
    (Measured & { readonly a: Target; readonly b: Target; readonly scope: string }) | undefined;
  const isDiff = diffOf(lens) !== undefined;
  const measured = (diff ?? answers['sankey'] ?? answers['runs']) as Measured | undefined;
  const scope = isDiff && diff ? diff.scope : clauseValue(lens, 'scope');
  const metric = measured && metricOf(measured, answers['runs'] as Runs | undefined);
  const mode = diffModeOf(content.diffMode ?? '');
  const what = [scope, metric?.label].filter(Boolean).join(' ');
  return {
    store: '',
    lens,
    shape: geometryLens(lens),
    runs: [],
    run: '',
    otherRun: '',
    definition: '',
    target: content.target,
    a: isDiff ? diff?.a : undefined,
    b: isDiff ? diff?.b : undefined,
    isDiff,
    comparison:
      isDiff && diff ? { mode, quantity: comparedQuantity(what, mode), text: '' } : undefined,
    metric,
    scope: scope === 'exclusive' ? 'exclusive' : 'inclusive',
    group: content.group ?? '',
    groupName: '',
    site: '',
    grain: '',
    growing: '',
    varying: [],
    serialRun: '',
    time: undefined,
    ...content.inside,
  };
}

/** The same with differences in another mode. */
export function inMode(selection: Selection, mode: DiffMode): Selection {
  const { comparison, metric, scope } = selection;
  if (!comparison || comparison.mode === mode) return selection;
  const what = [scope, metric?.label].filter(Boolean).join(' ');
  const quantity = comparedQuantity(what, mode);
  return { ...selection, comparison: { ...comparison, mode, quantity } };
}

function metricOf(measured: Measured, runs: Runs | undefined): MetricChoice | undefined {
  const { metric: name } = measured;
  if (name === undefined) return undefined;
  const known = runs?.metrics.find((one) => one.name === name);
  return {
    name,
    label: metricLabel(known ?? { name }),
    unit: measured.unit ?? known?.unit,
    direction: measured.direction ?? known?.direction,
  };
}
