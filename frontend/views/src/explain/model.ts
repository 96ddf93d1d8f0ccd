/** The steps of a waterfall: from the baseline through the causes to the candidate. */

import type { components } from '../generated/api.ts';
import { formatPlural } from '../logic/format.ts';

export type Explanation = components['schemas']['Explanation'];
export type Cause = components['schemas']['Cause'];
export type ExplainedView = components['schemas']['ExplainedView'];

/** Causes that have a row of their own at most; the others share one. */
const MAX_CAUSES = 30;
/** Part of the largest cause below which a cause shares the last row. */
const MIN_PART = 0.001;

const WHOLE = 'the whole run';

/** A row of the waterfall. */
export interface Step {
  readonly key: string;
  /** Names from the outermost group. */
  readonly name: string;
  /** The innermost of these, with the one around it where several steps have the same. */
  readonly label: string;
  readonly kind: string;
  /** Value before the step and after it; a side begins at 0. */
  readonly from: number;
  readonly to: number;
  /** Whether it is the value of a side. */
  readonly isSide: boolean;
  readonly cause?: Cause;
}

/** The view that was asked for, else the first. */
export function viewOf(answer: Explanation, by: string): ExplainedView | undefined {
  return answer.views.find((view) => view.by === by) ?? answer.views[0];
}

/** The causes of a view, the largest first, as the answer has them. */
export function causesOf(answer: Explanation, view: ExplainedView | undefined): readonly Cause[] {
  return answer.causes.filter(({ by }) => by === view?.by);
}

export function stepsOf(answer: Explanation, view: ExplainedView): readonly Step[] {
  const causes = causesOf(answer, view);
  const least = Math.abs(causes[0]?.delta ?? 0) * MIN_PART;
  const own = causes.filter(({ delta }, at) => at < MAX_CAUSES && Math.abs(delta) >= least);
  const steps: Step[] = [
    { key: 'a', name: 'A', label: 'A', kind: 'baseline', from: 0, to: view.a, isSide: true },
  ];
  const labels = labelsOf(own);
  let at = view.a;
  for (const cause of own) {
    steps.push({
      key: `${cause.kind} ${cause.group ?? cause.path.join('\n')}`,
      name: cause.path.join(' › ') || WHOLE,
      label: labels.get(cause) ?? WHOLE,
      kind: cause.kind.replace('_', ' '),
      from: at,
      to: at + cause.delta,
      isSide: false,
      cause,
    });
    at += cause.delta;
  }
  const others = formatPlural(causes.length - own.length, 'smaller cause');
  if (own.length < causes.length)
    steps.push({
      key: 'others',
      name: others,
      label: others,
      kind: 'together',
      from: at,
      to: view.b,
      isSide: false,
    });
  steps.push({
    key: 'b',
    name: 'B',
    label: 'B',
    kind: 'candidate',
    from: 0,
    to: view.b,
    isSide: true,
  });
  return steps;
}

/** The chosen step, or the first that has a cause. */
export function chosenStep(steps: readonly Step[], key: string): Step | undefined {
  return steps.find((step) => step.key === key && step.cause) ?? steps.find(({ cause }) => cause);
}

/** Names of the definition of a cause, oldest first. */
function namesOf({ structure, path }: Cause): readonly string[] {
  const renamed = (structure ?? []).flatMap((note) =>
    note.code === 'other_names' ? [note.values.names] : [],
  );
  return renamed[0] ?? [path[path.length - 1] ?? ''];
}

/** A run in which a cause can be seen, the one next to it, and the definition that it is about. */
export interface Inside {
  readonly run: string;
  readonly otherRun: string;
  readonly definition: string;
}

/** Where to look inside the runs: in a run of the baseline, or of the candidate if only that has the definition. */
export function insideOf(
  cause: Cause,
  a: string | undefined,
  b: string | undefined,
): Inside | undefined {
  const isOfB = cause.kind === 'new';
  const [run, otherRun] = isOfB ? [b, a] : [a, b];
  if (run === undefined || otherRun === undefined) return undefined;
  const names = namesOf(cause);
  return { run, otherRun, definition: names[isOfB ? names.length - 1 : 0] ?? '' };
}

/** The innermost name of each cause; the one around it as well where other paths end in the same name. */
function labelsOf(causes: readonly Cause[]): ReadonlyMap<Cause, string> {
  const paths = new Map<string, Set<string>>();
  for (const { path } of causes) {
    const last = path.at(-1) ?? '';
    const known = paths.get(last) ?? new Set<string>();
    paths.set(last, known.add(path.join('\n')));
  }
  return new Map(
    causes.map((cause) => {
      const last = cause.path.at(-1) ?? WHOLE;
      const isShared = (paths.get(last)?.size ?? 0) > 1;
      return [cause, isShared ? cause.path.slice(-2).join(' › ') : last];
    }),
  );
}

/** The values that the axis spans: it begins at 0 unless the steps are too small to be seen then. */
export function rangeOf(steps: readonly Step[]): readonly [number, number] {
  const ends = steps.flatMap(({ from, to, isSide, cause }) =>
    isSide ? [to] : [from, to, ...(cause?.interval ?? []).map((end) => from + end)],
  );
  const [low, high] = [Math.min(...ends), Math.max(...ends)];
  const spread = high - low;
  return spread > 0 && spread < 0.4 * high
    ? [Math.max(0, low - spread / 4), high]
    : [Math.min(0, low), high];
}
