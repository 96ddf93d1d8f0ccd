/** What follows from the state and the answers about runs: the selection that views are drawn for. */

import type { Diff, Facts, MetricChoice, Runs, Sankey, Selection, Target } from '@grainsheaf/views';
import { comparedQuantity } from '@grainsheaf/views/logic/difference.ts';
import {
  clauseValue,
  diffOf,
  geometryLens,
  joinClauses,
  splitClauses,
  targetOf,
  words,
} from '@grainsheaf/views/logic/lens.ts';
import { metricLabel } from '@grainsheaf/views/logic/metrics.ts';
import {
  cohortParameters,
  cohortsOf,
  growingOf,
  serialRunOf,
  varyingOf,
  labelsOfRuns,
  resolveSelector,
} from '@grainsheaf/views/logic/run-sets.ts';
import type { State } from './model.ts';

/** Answers that all views share, as far as they are here. */
export interface Known {
  readonly runs: Runs | undefined;
  readonly sankey: Sankey | undefined;
  readonly diff: Diff | undefined;
  /** Runs by selector, for selectors that only the service can resolve. */
  readonly resolved: ReadonlyMap<string, readonly string[]>;
}

/** Of the lens, what the list of runs depends on. */
export function runsLens(lens: string): string {
  return joinClauses(
    splitClauses(lens).filter(({ keyword }) => ['where', 'by', 'metric', 'over'].includes(keyword)),
  );
}

/** Parameters that form cohorts. */
export function cohortBy(lens: string, runs: Runs | undefined): readonly string[] {
  return cohortParameters(words(clauseValue(lens, 'by') ?? ''), runs);
}

export function factsOf(lens: string, runs: Runs | undefined): Facts {
  const all = runs?.runs ?? [];
  return {
    runs: all,
    cohorts: cohortsOf(runs, cohortBy(lens, runs)),
    metrics: runs?.metrics ?? [],
    runNames: new Map(all.map((run) => [run.run, run.name])),
    runLabels: labelsOfRuns(all),
    // A notebook changes nothing in the store.
    edits: { isAllowed: false, isBusy: false, undo: undefined, fault: undefined },
  };
}

/** Runs that a selector names; nothing until it is resolved. */
export function targetNamed(
  selector: string | undefined,
  lens: string,
  facts: Facts,
  known: Known,
): Target | undefined {
  if (selector === undefined || selector === '') return undefined;
  const by = cohortBy(lens, known.runs);
  const found = resolveSelector(selector, facts.runs, facts.cohorts, by);
  if (found) return found;
  const runs = known.resolved.get(selector);
  return runs && { name: selector, runs };
}

/** The metric as an answer states it. */
function metricOf(lens: string, { runs, sankey }: Known): MetricChoice | undefined {
  const isAsked = splitClauses(lens).some(({ keyword }) => keyword === 'metric');
  const asked = isAsked ? words(clauseValue(lens, 'metric') ?? '')[0] : undefined;
  const name = asked ?? runs?.metric ?? sankey?.metric;
  if (name === undefined) return undefined;
  const found = runs?.metrics.find((one) => one.name === name);
  if (found) {
    const { unit, direction } = found;
    return { name, label: metricLabel(found), unit, direction };
  }
  if (sankey?.metric !== name) return undefined;
  const { unit, direction } = sankey;
  return { name, label: metricLabel({ name }), unit, direction };
}

export function selectionOf(
  { lens, selection: picked }: State,
  pending: { readonly a: string; readonly b: string },
  facts: Facts,
  known: Known,
): Selection {
  const sides = diffOf(lens);
  const isDiff = sides !== undefined;
  const side = (selector: string): Target | undefined =>
    selector === ''
      ? undefined
      : (targetNamed(selector, lens, facts, known) ?? { name: selector, runs: [] });
  const [a, b] = sides ?? [pending.a, pending.b];
  const metric = metricOf(lens, known);
  const diff = isDiff ? known.diff : undefined;
  const scope = isDiff
    ? diff?.scope === 'inclusive'
      ? 'inclusive'
      : 'exclusive'
    : clauseValue(lens, 'scope') === 'exclusive'
      ? 'exclusive'
      : 'inclusive';
  const [place = '', how = ''] = (known.sankey?.over ?? '').split('=');
  const what = [scope, metric?.label].filter(Boolean).join(' ');
  const quantity = comparedQuantity(what, 'absolute', how && `${how} over ${place}`);
  const group = picked.group ?? '';
  return {
    store: '',
    lens,
    shape: geometryLens(lens),
    runs: picked.runs ?? [],
    run: picked.run ?? '',
    otherRun: picked.other_run ?? '',
    definition: picked.definition ?? '',
    target: targetNamed(targetOf(lens), lens, facts, known),
    a: side(a),
    b: side(b),
    isDiff,
    comparison: diff && { mode: 'absolute', quantity, text: '' },
    metric,
    scope,
    growing: growingOf(known.runs, clauseValue(lens, 'by')),
    varying: varyingOf(known.runs),
    serialRun: serialRunOf(known.runs?.runs ?? [], isDiff ? side(b)?.runs : []),
    group,
    groupName: known.sankey?.nodes.find((node) => node.id === group)?.name ?? '',
    site: picked.site ?? '',
    grain: picked.grain === undefined ? '' : String(picked.grain),
    time: picked.time,
  };
}
