/** Sets of runs: their labels, the parameters that form cohorts, and what a selector of the lens names. */

import type { Cohort, Run, Runs } from '../api.ts';
import type { Target } from '../ui/view.ts';
import { formatParameter, formatPlural } from './format.ts';
import { uniqueLabels } from './labels.ts';
import { cohortExpression, words } from './lens.ts';
import { uniqueNames } from './unique-names.ts';

/** Characters of a run's name where there is little room. */
const LABEL = 15;

/** Name of a run without the first digits of its id at the end, which files without names of their own get. */
function withoutId(run: Run): string {
  const [, name = '', id = ''] = /^(.+)-([0-9a-f]{8,})$/.exec(run.name) ?? [];
  return id && run.run.startsWith(id) ? name : run.name;
}

/** Shortest texts that distinguish the runs, by id. */
export function labelsOfRuns(all: readonly Run[]): ReadonlyMap<string, string> {
  // Only the size distinguishes the requests of a series.
  const sizes = new Set(all.map((run) => run.ranks));
  if (all.length > 1 && sizes.size === all.length)
    return new Map(all.map((run) => [run.run, formatPlural(run.ranks, 'rank')]));
  // A name that ends in the run's id is as unique without it if all are.
  const bare = all.map((run) => withoutId(run));
  const names = new Set(bare).size === all.length ? bare : all.map((run) => run.name);
  const labels = uniqueLabels(names, LABEL);
  return new Map(all.map((run, index) => [run.run, labels[index] ?? run.name]));
}

/** Labels of the runs of one cohort, by id: what its head states is cut from labels that are too long. */
export function labelsWithin(
  cohort: readonly Run[],
  labels: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  const hasRoom = cohort.every(({ run }) => (labels.get(run) ?? '').length <= LABEL);
  return hasRoom ? labels : labelsOfRuns(cohort);
}

/** Length of a cohort's label up to which it also names the parameter. */
const COHORT_LABEL = 16;

/** Shortest texts that distinguish cohorts, by name: of one parameter the values, if one label would be long. */
export function labelsOfCohorts(
  cohorts: readonly Cohort[],
  by: readonly string[],
): ReadonlyMap<string, string> {
  const [only, other] = by;
  if (only === undefined || other !== undefined || !cohorts.some(isLong))
    return new Map(cohorts.map(({ name }) => [name, name]));
  const texts = uniqueNames(
    cohorts.map(({ values }) => formatParameter(values[only]).trim()),
    LABEL,
  );
  return new Map(cohorts.map(({ name }, at) => [name, texts[at] ?? name]));
}

function isLong({ name }: Cohort): boolean {
  return name.length >= COHORT_LABEL;
}

/** Numbers of workers, in the order in which people ask about them. */
const GROWING = ['threads', 'ranks', 'workers', 'cores', 'OMP_NUM_THREADS'];

/**
 * The number of workers in which the runs differ; empty if there is none. The first parameter of a clause `by` comes
 * first, if it is a number in all runs, or if they are not known yet.
 */
export function growingOf(table: Runs | undefined, by = ''): string {
  const [own = ''] = words(by);
  const isNumber = ({ params }: Run): boolean => typeof params[own] === 'number';
  const isOfAll = table?.runs.every(isNumber) ?? true;
  if (own === 'ranks' || own === 'workers' || (own && isOfAll)) return own;
  const varies = (name: string): boolean =>
    table?.parameters.some((one) => one.name === name && one.varies) === true ||
    (name === 'ranks' && new Set(table?.runs.map(({ ranks }) => ranks)).size > 1);
  return GROWING.find(varies) ?? '';
}

/** Values of a parameter up to which it groups runs. */
export const MAX_COHORTS = 16;

/** Parameters with more than one and at most `max` values, in which repeats do not differ. */
function groupingParameters(table: Runs | undefined, max: number): readonly string[] {
  return (table?.parameters ?? [])
    .filter(({ name, varies, distinct }) => {
      const isGroup = distinct > 1 && distinct <= Math.min(max, MAX_COHORTS);
      return varies && isGroup && name !== 'repeat';
    })
    .map(({ name }) => name);
}

/** Parameters in which the runs differ, and that have fewer values than there are runs, if these are more than three. */
export function varyingOf(table: Runs | undefined): readonly string[] {
  const count = table?.runs.length ?? 0;
  return groupingParameters(table, count <= 3 ? count : count - 1);
}

/**
 * Id of the complete run of one process with grains and the fewest workers, the first by name; empty if none is.
 * In a comparison, of those the first of the candidate: it is the program that may still be changed.
 */
export function serialRunOf(runs: readonly Run[], candidate: readonly string[] = []): string {
  const workersOf = ({ workers }: Run): number => workers ?? Infinity;
  const [first] = runs
    .filter((run) => (run.grains ?? 0) > 0 && run.is_complete && run.ranks <= 1)
    .sort(
      (a, b) =>
        workersOf(a) - workersOf(b) ||
        Number(candidate.includes(b.run)) - Number(candidate.includes(a.run)) ||
        a.name.localeCompare(b.name),
    );
  return first?.run ?? '';
}

/**
 * The complete run with grains and the most workers that have a processor each, the first by name. It shows problems of
 * parallel execution best.
 */
export function parallelRunOf(runs: readonly Run[]): Run | undefined {
  const workersOf = ({ workers }: Run): number => workers ?? 0;
  const isCrowded = (run: Run): boolean => {
    const cores = run.params['cores'];
    return typeof cores === 'number' && workersOf(run) > cores;
  };
  const [first] = runs
    .filter((run) => (run.grains ?? 0) > 0 && run.is_complete)
    .sort(
      (a, b) =>
        Number(isCrowded(a)) - Number(isCrowded(b)) ||
        workersOf(b) - workersOf(a) ||
        a.name.localeCompare(b.name),
    );
  return first;
}

/**
 * Whether a run has values of several ranks. A profile of several ranks with one value for all of them has no workers:
 * nothing in it distinguishes places.
 */
export function hasValuesByRank({ ranks, workers }: Run): boolean {
  return ranks > 1 && (workers ?? 1) > 1;
}

/** Parameters that form cohorts: those asked for, or else the first that varies over few values. */
export function cohortParameters(
  asked: readonly string[],
  table: Runs | undefined,
): readonly string[] {
  if (asked.length > 0) return asked;
  return groupingParameters(table, (table?.runs.length ?? 0) - 1).slice(0, 1);
}

/** Cohorts of an answer, or those that the parameters form. */
export function cohortsOf(table: Runs | undefined, by: readonly string[]): readonly Cohort[] {
  const given = table?.cohorts ?? [];
  if (given.length > 0 || by.length === 0) return given;
  const found = new Map<string, Cohort>();
  for (const run of table?.runs ?? []) {
    const values = Object.fromEntries(
      by.flatMap((name) => (run.params[name] === undefined ? [] : [[name, run.params[name]]])),
    );
    const name = by.map((key) => `${key}=${formatParameter(run.params[key])}`).join(', ');
    const cohort = found.get(name) ?? { values, name, runs: [] };
    cohort.runs.push(run.run);
    found.set(name, cohort);
  }
  const [first = ''] = by;
  return [...found.values()].sort((a, b) => {
    const [one, other] = [a.values[first], b.values[first]];
    return typeof one === 'number' && typeof other === 'number'
      ? one - other
      : String(one).localeCompare(String(other), 'en', { numeric: true });
  });
}

/** How the lens names a run. */
export function selectorOfRun(run: Run, all: readonly Run[]): string {
  const isUnique = all.filter((other) => other.name === run.name).length === 1;
  return isUnique && !/[=<>()]/.test(run.name) ? run.name : run.run;
}

/** An expression with one spelling: readers write `version = 1` and `version==1` too. */
function plainExpression(text: string): string {
  return text
    .trim()
    .replace(/\s*==?\s*/g, '=')
    .replace(/\s+/g, ' ');
}

/** Runs that a selector of the lens names; nothing if only the service can resolve it. */
export function resolveSelector(
  selector: string,
  runs: readonly Run[],
  cohorts: readonly Cohort[],
  by: readonly string[],
): Target | undefined {
  const run =
    runs.find((one) => one.run === selector || one.name === selector) ??
    runs.find((one) => /^[0-9a-f]{6,}$/.test(selector) && one.run.startsWith(selector));
  if (run) return { name: run.name, runs: [run.run] };
  const wanted = plainExpression(selector);
  const cohort = cohorts.find(
    (one) => plainExpression(cohortExpression(one.values, by)) === wanted,
  );
  return cohort && { name: cohort.name, runs: cohort.runs };
}
