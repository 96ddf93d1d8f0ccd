/** What the page shows of the store: resources, and what follows from them. */

import { computed, effect, signal } from '@preact/signals';
import type {
  Cohort,
  Diff,
  Hierarchy,
  MetricChoice,
  Run,
  Runs,
  Sankey,
  StoreInfo,
  Target,
} from '@grainsheaf/views';
import {
  clauseValue,
  cohortExpression,
  diffOf,
  geometryLens,
  joinClauses,
  splitClauses,
  targetOf,
  words,
} from '@grainsheaf/views/logic/lens.ts';
import {
  type Comparison,
  comparedQuantity,
  diffModeOf,
} from '@grainsheaf/views/logic/difference.ts';
import {
  cohortParameters,
  cohortsOf,
  labelsOfCohorts,
  growingOf,
  serialRunOf,
  varyingOf,
  labelsOfRuns,
  resolveSelector,
  selectorOfRun as selectorOf,
} from '@grainsheaf/views/logic/run-sets.ts';
import { runsExpression } from '@grainsheaf/views/logic/selectors.ts';
import { subsetsOf } from '@grainsheaf/views/logic/subsets.ts';
import { metricLabel } from '@grainsheaf/views/logic/metrics.ts';
import { formatPlural } from '@grainsheaf/views/logic/format.ts';
import { ask, cache, refreshAll, Resource } from './resource.ts';
import { differencesOf, type NodeDifference } from '@grainsheaf/views/sankey/model.ts';
import { API, changes, connection } from './service.ts';
import { isShown, leftOut } from './layouts.ts';
import { page, say } from './state.ts';

export const storeInfo = new Resource<StoreInfo>();
export const runTable = new Resource<Runs>();
export const picture = new Resource<Sankey>();
export const difference = new Resource<Diff>();
export const tree = new Resource<Hierarchy>();

/** Address of a route with the page's store. */
export function addressOf(
  route: string,
  query: Readonly<Record<string, string | number>> = {},
): string {
  const search = new URLSearchParams();
  if (page.value.store) search.set('store', page.value.store);
  for (const [name, value] of Object.entries(query))
    if (value !== '') search.set(name, String(value));
  const text = search.toString();
  return `${API}/${route}${text ? `?${text}` : ''}`;
}

const lens = computed(() => page.value.lens);
const shape = computed(() => geometryLens(lens.value));
/** Of the lens, what the list of runs depends on. */
const runsLens = computed(() =>
  joinClauses(
    splitClauses(lens.value).filter((clause) =>
      ['where', 'by', 'metric', 'over'].includes(clause.keyword),
    ),
  ),
);

export const scope = computed<'inclusive' | 'exclusive'>(() =>
  clauseValue(lens.value, 'scope') === 'exclusive' ? 'exclusive' : 'inclusive',
);
/** The metric that is shown: the lens's, or else the one that an answer states; unknown until then. */
export const metric = computed(() => {
  const isAsked = splitClauses(lens.value).some((clause) => clause.keyword === 'metric');
  const asked = isAsked ? words(clauseValue(lens.value, 'metric') ?? '')[0] : undefined;
  return (
    asked ?? runTable.answer.value.data?.metric ?? picture.answer.value.data?.metric ?? undefined
  );
});

/** The metric as an answer states it. */
export const metricInfo = computed<MetricChoice | undefined>(() => {
  const name = metric.value;
  if (name === undefined) return undefined;
  const found = runTable.answer.value.data?.metrics.find((one) => one.name === name);
  if (found) {
    const { unit, direction } = found;
    return { name, label: metricLabel(found), unit, direction };
  }
  const data = picture.answer.value.data;
  if (data?.metric !== name) return undefined;
  return { name, label: metricLabel({ name }), unit: data.unit, direction: data.direction };
});

/** One sentence for what is shown, the same on the picture, the tree and the list. */
export const quantity = computed(() => {
  const data = picture.answer.value.data;
  const what = [shownScope.value, metricInfo.value?.label ?? data?.metric]
    .filter(Boolean)
    .join(' ');
  const [place = '', how = ''] = (data?.over ?? '').split('=');
  // Nothing is combined over the only rank of a program.
  const isCombined = how !== '' && (place !== 'ranks' || runs.value.some(({ ranks }) => ranks > 1));
  const over = isCombined ? `${how} over ${place}` : '';
  if (isDiff.value) return comparedQuantity(what, diffMode.value, over);
  return over ? `${what}, ${over}` : what;
});

/** How differences are stated. */
export const diffMode = computed(() => diffModeOf(page.value.diffMode));

/** Description of the quantity that all differences of the page share, once it is known. */
export const comparison = computed<Comparison | undefined>(() => {
  const diff = isDiff.value ? difference.answer.value.data : undefined;
  return diff && { mode: diffMode.value, unit: diff.unit, totals: diff.totals };
});

/** Scope of what is shown: that of the diff where there is one. */
export const shownScope = computed<'inclusive' | 'exclusive'>(() => {
  if (!isDiff.value) return scope.value;
  return difference.answer.value.data?.scope === 'inclusive' ? 'inclusive' : 'exclusive';
});

/** Unit of the metric; unknown until an answer states it. */
export const unit = computed(() => metricInfo.value?.unit);

export const runs = computed<readonly Run[]>(() => runTable.answer.value.data?.runs ?? []);
export const runNames = computed<ReadonlyMap<string, string>>(
  () => new Map(runs.value.map((run) => [run.run, run.name])),
);

/** Shortest texts that distinguish the runs, by id. */
export const runLabels = computed<ReadonlyMap<string, string>>(() => labelsOfRuns(runs.value));

/** Runs in the order of their names. */
export const namedRuns = computed<readonly Run[]>(() =>
  [...runs.value].sort((a, b) => labelOf(a).localeCompare(labelOf(b), 'en', { numeric: true })),
);

/** Runs in the order in which one chooses a target: the largest total first, or by name. */
export const orderedRuns = computed<readonly Run[]>(() => {
  if (page.value.runOrder === 'name') return namedRuns.value;
  // Runs without a total come last.
  return [...runs.value].sort((a, b) => (b.total ?? -Infinity) - (a.total ?? -Infinity) || 0);
});

/** Runs as the panel lists them: cohort by cohort, where there are cohorts. */
export const listedRuns = computed<readonly Run[]>(() => {
  if (cohorts.value.length === 0) return orderedRuns.value;
  return cohorts.value.flatMap((cohort) => {
    const members = new Set(cohort.runs);
    return orderedRuns.value.filter((run) => members.has(run.run));
  });
});

function labelOf(run: Run): string {
  return runLabels.value.get(run.run) ?? run.name;
}

/** As text, so that cohorts stay the same objects when another clause changes. */
const byText = computed(() => clauseValue(lens.value, 'by') ?? '');

/** The number of workers in which the runs differ; empty if there is none. */
export const growingParameter = computed(() => growingOf(runTable.answer.value.data));
/** What grows over the runs for the lens; empty if nothing does. */
export const growingByLens = computed(() => growingOf(runTable.answer.value.data, byText.value));
export const varying = computed(() => varyingOf(runTable.answer.value.data));

/** Parameters that form cohorts: the lens's, or else the first that varies over few values. */
export const cohortBy = computed<readonly string[]>(() =>
  cohortParameters(words(byText.value), runTable.answer.value.data),
);

export const cohorts = computed<readonly Cohort[]>(() =>
  cohortsOf(runTable.answer.value.data, cohortBy.value),
);

/** Shortest texts that distinguish the cohorts, by name. */
export const cohortLabels = computed(() => labelsOfCohorts(cohorts.value, cohortBy.value));

/** How the lens names a run. */
export function selectorOfRun(run: Run): string {
  return selectorOf(run, runs.peek());
}

/** Sub-ensembles that the reader has named. */
export const subsets = computed<readonly Cohort[]>(() =>
  subsetsOf(page.value.views['projection.subsets'] ?? '', runs.value),
);

/** How the lens names a cohort, or a subset, which has no values. */
export function selectorOfCohort(cohort: Cohort): string {
  if (Object.keys(cohort.values).length === 0) return runsExpression(cohort.runs);
  return cohortExpression(cohort.values, cohortBy.peek());
}

/** Sets of runs that only the service can resolve, by selector. */
const resolved = signal<ReadonlyMap<string, readonly string[]>>(new Map());

function resolve(selector: string): Target | undefined {
  const found =
    resolveSelector(selector, runs.value, cohorts.value, cohortBy.value) ??
    subsets.value.find((one) => runsExpression(one.runs) === selector);
  if (found) return found;
  const known = resolved.value.get(selector);
  return known && { name: selector, runs: known };
}

/** The target, once its runs are known. */
export const target = computed<Target | undefined>(() => {
  const selector = targetOf(lens.value);
  return selector === undefined ? undefined : resolve(selector);
});

/** Whether the lens names a target that the ensemble does not have. */
export const isTargetMissing = computed(() => {
  const selector = targetOf(lens.value);
  return (
    selector !== undefined &&
    runs.value.length > 0 &&
    (target.value === undefined || !target.value.runs.some((run) => runNames.value.has(run)))
  );
});

/** Baseline and candidate: of the lens's diff, or picked so far. */
export const sides = computed<{ a: Target | undefined; b: Target | undefined }>(() => {
  const diff = diffOf(lens.value);
  const [a, b] = diff ?? [page.value.a, page.value.b];
  return {
    a: a ? (resolve(a) ?? { name: a, runs: [] }) : undefined,
    b: b ? (resolve(b) ?? { name: b, runs: [] }) : undefined,
  };
});

export const isDiff = computed(() => diffOf(lens.value) !== undefined);

/** The run that predictions start from. */
export const serialRun = computed(() =>
  serialRunOf(runs.value, isDiff.value ? (sides.value.b?.runs ?? []) : []),
);

effect(() => {
  leftOut.value = serialRun.value === '' ? ['what-if'] : [];
});

/** Text of a selector for people. */
export function nameOfSelector(selector: string): string {
  const found = resolve(selector);
  if (!found) return selector;
  const [run, other] = found.runs;
  const label = other === undefined ? runLabels.value.get(run ?? '') : undefined;
  return cohortLabels.value.get(found.name) ?? label ?? found.name;
}

/** The selected node, as far as the picture has it. */
export const selectedNode = computed(() =>
  picture.answer.value.data?.nodes.find((node) => node.id === page.value.group),
);

/** The selected node's difference, in the mode that is shown. */
export const selectedDifference = computed<NodeDifference | undefined>(() => {
  const data = picture.answer.value.data;
  const diff = isDiff.value ? difference.answer.value.data : undefined;
  if (!data || !diff || !selectedNode.value) return undefined;
  return differencesOf({
    sankey: data,
    scope: scope.value,
    runNames: runNames.value,
    diff,
    diffMode: diffMode.value,
  }).get(selectedNode.value.id);
});

/** Names of groups by id, for chips. */
export const groupNames = computed<ReadonlyMap<string, string>>(
  () => new Map((picture.answer.value.data?.nodes ?? []).map((node) => [node.id, node.name])),
);

interface Warning {
  readonly who: string;
  readonly text: string;
  /** Whether a comparison shows what it is about. */
  readonly isComparable?: true;
}

/** Things a reader must know, from the runs and from the picture. */
export const warnings = computed<readonly Warning[]>(() => {
  const found: Warning[] = runs.value.flatMap((run) =>
    run.warnings.map((text) => ({ who: run.name, text })),
  );
  const data = picture.answer.value.data;
  // First, since only the first fits above the picture and this one explains all of its hatching.
  if (isTargetMissing.value)
    found.push({ who: 'target', text: 'The target is not among the runs that the lens selects.' });
  // Renamed groups have no contexts in common, but a comparison knows them again.
  const unmatched = difference.answer.value.data?.structure.matched_work.unmatched ?? 1;
  const [program, other] = new Set(runs.value.map((run) => run.program));
  for (const { code, text } of data?.notes ?? [])
    if (code !== 'few_common_contexts') found.push({ who: 'picture', text });
    else if (program && other === undefined && !isDiff.value)
      found.push({
        who: 'picture',
        text: `definitions differ between ${/version|commit/.test(cohortBy.value[0] ?? '') ? 'versions' : 'runs'} of ${program}; a comparison matches renamed ones`,
        isComparable: true,
      });
    else if (unmatched > 0.5) found.push({ who: 'picture', text });
  for (const { text } of difference.answer.value.data?.notes ?? [])
    found.push({ who: 'diff', text });
  return found;
});

/** Asks everything again: the store has changed. */
export function askAgain(): void {
  cache.clear();
  refreshAll(true);
}

/** Values that come with the first picture at most. */
const FIRST_VALUES = 40_000;

/** Runs of the whole store by name, in which targets outside of the ensemble are looked up. */
function startEffects(): void {
  effect(() => storeInfo.load(addressOf('store'), 'Opening the store'));
  effect(() => {
    // Whatever asked for the store anew has included its runs.
    if (storeInfo.answer.value.data) newRuns.value = 0;
  });
  effect(() => runTable.load(addressOf('runs', { lens: runsLens.value }), 'Reading the run table'));
  effect(() => {
    const count = runTable.answer.peek().data?.runs.length;
    const what = `Laying out the ensemble-Sankey${count === undefined ? '' : ` of ${formatPlural(count, 'run')}`}`;
    // Of few runs values come at once; of many the picture first, which needs only what all runs have in common.
    const query = { lens: shape.value, format: 'arrow' };
    const first = addressOf('sankey', { ...query, values: FIRST_VALUES });
    picture.load(first, what, addressOf('sankey', query));
  });
  effect(() => {
    if (isDiff.value)
      difference.load(
        addressOf('diff', { lens: lens.value }),
        'Comparing candidate and baseline, group by group',
      );
    else difference.clear();
  });
  const node = selectedNode;
  effect(() => {
    if (!isShown('tree')) return;
    if (!node.value || node.value.kind === 'others') tree.clear();
    else
      tree.load(
        addressOf('hierarchy', { lens: shape.value, group: node.value.id, format: 'arrow' }),
        `Reading the call tree of ${node.value.name}`,
      );
  });
  effect(() => {
    const selector = targetOf(lens.value);
    if (selector === undefined || runs.value.length === 0 || resolve(selector)) return;
    const missing = selector;
    ask<Runs>(addressOf('runs', { lens: `where ${missing}` }))
      .then(
        (found) =>
          (resolved.value = new Map(resolved.peek()).set(
            missing,
            found.runs.map((run) => run.run),
          )),
      )
      .catch(() => (resolved.value = new Map(resolved.peek()).set(missing, [])));
  });
}

/** Runs that the store has gained and the reader has not included yet. */
export const newRuns = signal(0);

/** Shows the runs that the store has gained. */
export function includeRuns(): void {
  newRuns.value = 0;
  refreshAll();
}

/** New runs wait until the reader includes them; other changes of the store are shown at once. */
async function onChange(): Promise<void> {
  const { name, runs: now } = await ask<StoreInfo>(addressOf('store'));
  const shown = storeInfo.answer.peek().data;
  if (shown?.name === name && now > shown.runs) {
    newRuns.value = now - shown.runs;
    return;
  }
  say('The store has changed');
  includeRuns();
}

/** Asks again what failed when the service is back, and what has changed when the store has. */
function startReconnecting(): void {
  let before = connection.peek();
  effect(() => {
    const now = connection.value;
    if (now === 'good' && before !== 'good') refreshAll();
    before = now;
  });
  let count = changes.peek();
  effect(() => {
    if (changes.value === count) return;
    count = changes.value;
    void onChange().catch(() => undefined);
  });
  const look = (): void => {
    if (document.visibilityState !== 'visible') return;
    // The answer itself does not matter: its state and its revision do.
    ask(addressOf('store')).catch(() => undefined);
  };
  setInterval(() => (connection.peek() === 'good' ? undefined : look()), 2_000);
  setInterval(look, 30_000);
  window.addEventListener('focus', look);
}

startEffects();
startReconnecting();
