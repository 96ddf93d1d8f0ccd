/** Rows of box plots: one per group, with a box per cohort. Pure. */

import { formatParameter } from '../logic/format.ts';
import { rangesFrom } from '../logic/outliers.ts';
import { type Cell, sortRows } from '../logic/table.ts';
import { valueAt } from '../logic/values.ts';
import type { Facts } from '../registry/definition.ts';
import type { Selection } from '../registry/selection.ts';
import type { Answers, Settings } from './definition.ts';

/** A distribution of one group. */
export type StatsRow = Pick<
  NonNullable<Answers['stats']>['rows'][number],
  | 'cohort'
  | 'runs'
  | 'absent'
  | 'min'
  | 'q1'
  | 'median'
  | 'q3'
  | 'max'
  | 'mean'
  | 'std'
  | 'load_balance'
  | 'box_plot'
>;
type Located = NonNullable<Answers['locations']>;

export interface BoxRow {
  readonly group: string;
  readonly path: readonly string[];
  readonly cohorts: readonly StatsRow[];
  /** Value of the target, if it has the group. */
  readonly target: number | undefined;
  readonly unit: string;
}

/** Name of a cohort; empty if there is only one. */
export function cohortName(row: Pick<StatsRow, 'cohort'>): string {
  return Object.entries(row.cohort)
    .map(([name, value]) => `${name}=${formatParameter(value)}`)
    .join(', ');
}

/** Groups whose names contain the filter, in the order asked for, each with its distributions. */
export function boxRows(
  answers: Answers,
  settings: Pick<Settings, 'filter' | 'over' | 'sort' | 'whiskers'>,
  selection: Pick<Selection, 'target' | 'a' | 'b' | 'isDiff'>,
): BoxRow[] {
  const { sort, whiskers } = settings;
  const rows = unsortedRows(answers, settings, selection).map((row) => ({
    ...row,
    cohorts: row.cohorts.map((cohort) => withWhiskers(cohort, whiskers)),
  }));
  return sortRows(rows, CELLS[sort.replace(/^-/, '')] ?? CELLS['median'], sort.startsWith('-'));
}

function unsortedRows(
  answers: Answers,
  { filter, over }: Pick<Settings, 'filter' | 'over'>,
  selection: Pick<Selection, 'target' | 'a' | 'b' | 'isDiff'>,
): BoxRow[] {
  if (over !== 'runs')
    return answers.locations ? locatedRows(answers.locations, filter, selection) : [];
  const { stats, target } = answers;
  if (!stats) return [];
  const wanted = filter.trim().toLowerCase();
  const values = new Map(target?.rows.map((row) => [row.group, row.median ?? undefined]));
  const groups = new Map<string, (typeof stats.rows)[number][]>();
  for (const row of stats.rows) {
    if (wanted && !row.path.some((name) => name.toLowerCase().includes(wanted))) continue;
    const known = groups.get(row.group);
    if (known) known.push(row);
    else groups.set(row.group, [row]);
  }
  return [...groups].map(([group, cohorts]) => ({
    group,
    path: cohorts[0]?.path ?? [],
    cohorts,
    target: values.get(group),
    unit: cohorts[0]?.unit ?? 'unknown',
  }));
}

/** Distributions over the locations of all runs, then of the target or of A and B if each is one run. */
function locatedRows(
  { groups, runs, unit }: Located,
  filter: string,
  { target, a, b, isDiff }: Pick<Selection, 'target' | 'a' | 'b' | 'isDiff'>,
): BoxRow[] {
  const wanted = filter.trim().toLowerCase();
  const sides = (isDiff ? [a, b] : [target]).flatMap((side) =>
    side?.runs.length === 1 ? [side.runs[0]] : [],
  );
  const places = runs.length > 1 ? sides.map((id) => runs.findIndex(({ run }) => run === id)) : [];
  return groups
    .filter(({ path }) => !wanted || path.some((name) => name.toLowerCase().includes(wanted)))
    .map((group) => {
      const absent = group.runs.reduce((sum, values) => sum + values.absent, 0);
      const balances = group.runs.flatMap(({ imbalance }) =>
        typeof imbalance === 'number' ? [1 - imbalance] : [],
      );
      const mean = balances.reduce((sum, value) => sum + value, 0) / balances.length;
      const all = spreadRow(group.all, {}, absent, balances.length > 0 ? mean : undefined);
      const ofSides = places.flatMap((place) => {
        const values = group.runs.find(({ run }) => run === place);
        if (!values) return [];
        const { spread, imbalance } = values;
        const balance = typeof imbalance === 'number' ? 1 - imbalance : undefined;
        return [spreadRow(spread, { run: runs[place]?.name ?? '' }, values.absent, balance)];
      });
      return {
        group: group.group,
        path: group.path,
        cohorts: [all, ...ofSides],
        target: undefined,
        unit,
      };
    });
}

function spreadRow(
  spread: Located['groups'][number]['all'],
  cohort: StatsRow['cohort'],
  absent: number,
  balance: number | undefined,
): StatsRow {
  return {
    ...spread,
    cohort,
    absent,
    runs: spread.locations,
    ...(balance === undefined ? {} : { load_balance: balance }),
  };
}

/** A run with its value of a group, or the largest value over its locations. */
export interface RunValue {
  readonly run: string;
  readonly value: number;
}

/** Values of the runs of a cohort; of all runs if it is the only one. Empty until they are known. */
export function runValues(
  { values, stats, locations }: Answers,
  { group }: Pick<BoxRow, 'group'>,
  cohort: StatsRow | undefined,
  cohorts: Facts['cohorts'],
): RunValue[] {
  const name = cohort ? cohortName(cohort) : '';
  if (locations) {
    const rows = locations.groups.find((one) => one.group === group)?.runs ?? [];
    return rows.flatMap(({ run: place, spread }) => {
      const run = locations.runs[place];
      const isIn = run && (name === '' || name === cohortName({ cohort: { run: run.name } }));
      return isIn && typeof spread.max === 'number' ? [{ run: run.run, value: spread.max }] : [];
    });
  }
  const node = values?.nodes.find(({ id }) => id === group);
  const scope = stats?.rows.find((row) => row.group === group)?.scope;
  if (!values || !node || !scope) return [];
  const own = scope === 'inclusive' ? node.inclusive_by_run : node.exclusive_by_run;
  const known = cohorts.find((one) => name !== '' && cohortName({ cohort: one.values }) === name);
  return values.runs.flatMap((run, at) => {
    const value = valueAt(own, at);
    if (known && !known.runs.includes(run)) return [];
    return value === null ? [] : [{ run, value }];
  });
}

/** The run whose value is the nearest, or has the largest value if nothing is given. */
export function nearestRun(runs: readonly RunValue[], value = Infinity): RunValue | undefined {
  let best: RunValue | undefined;
  for (const one of runs) {
    const isNearer =
      !best ||
      (value === Infinity
        ? one.value > best.value
        : Math.abs(one.value - value) < Math.abs(best.value - value));
    if (isNearer) best = one;
  }
  return best;
}

/** A statistic of a group: the largest over its cohorts. */
export function largest(
  row: BoxRow,
  of: (cohort: StatsRow) => number | null | undefined,
): number | undefined {
  let most: number | undefined;
  for (const cohort of row.cohorts) {
    const value = of(cohort);
    if (typeof value === 'number' && (most === undefined || value > most)) most = value;
  }
  return most;
}

/** Relative spread of the run values; absent below two runs or at zero. */
export function spreadOf(row: StatsRow): number | undefined {
  return typeof row.std === 'number' && row.mean ? row.std / Math.abs(row.mean) : undefined;
}

/** How much the busiest worker exceeds the mean, from the load balance (mean over largest). */
export function imbalanceOf(row: StatsRow): number | undefined {
  return typeof row.load_balance === 'number' ? 1 - row.load_balance : undefined;
}

/** The largest difference between medians of cohorts, or between the target and the median of all runs. */
export function differenceOf({ cohorts, target }: BoxRow): number | undefined {
  const medians = cohorts.flatMap(({ median }) => (typeof median === 'number' ? [median] : []));
  if (target !== undefined) medians.push(target);
  return medians.length > 1 ? Math.max(...medians) - Math.min(...medians) : undefined;
}

/** The lowest median of the cohorts. */
export function lowestOf({ cohorts }: Pick<BoxRow, 'cohorts'>): number | undefined {
  const medians = cohorts.flatMap(({ median }) => (typeof median === 'number' ? [median] : []));
  return medians.length > 0 ? Math.min(...medians) : undefined;
}

/** Median of a cohort over the lowest of the row; absent at zero, and where there is one cohort. */
export function ratioOf(row: Pick<BoxRow, 'cohorts'>, cohort: StatsRow): number | undefined {
  const lowest = lowestOf(row);
  const { median } = cohort;
  return row.cohorts.length > 1 && typeof median === 'number' && lowest !== undefined && lowest > 0
    ? median / lowest
    : undefined;
}

/** What rows can be sorted by. */
export const CELLS: Readonly<Record<string, (row: BoxRow) => Cell>> & {
  readonly median: (row: BoxRow) => Cell;
} = {
  median: (row) => largest(row, ({ median }) => median),
  mean: (row) => largest(row, ({ mean }) => mean),
  max: (row) => largest(row, ({ max }) => max),
  spread: (row) => largest(row, spreadOf),
  imbalance: (row) => largest(row, imbalanceOf),
  absent: (row) => largest(row, ({ absent }) => absent),
  difference: differenceOf,
  lowest: lowestOf,
  ratio: (row) => largest(row, (cohort) => ratioOf(row, cohort)),
  name: ({ path }) => path.join(' › '),
};

/** Whether the answer lists only the farthest values beyond the whiskers. */
const isCut = ({ box_plot: box }: StatsRow): boolean =>
  box !== undefined && box !== null && box.outlier_count > box.outliers.length;

/** Whether a row keeps whiskers of 1.5 heights of the box, since the answer does not list all values beyond them. */
export const keepsWhiskers = ({ cohorts }: BoxRow, whiskers: Settings['whiskers']): boolean =>
  whiskers !== 'range' && whiskers !== '1.5' && cohorts.some(isCut);

/** A distribution with longer whiskers. The answer has those of 1.5 heights of the box and the values beyond them. */
export function withWhiskers(row: StatsRow, whiskers: Settings['whiskers']): StatsRow {
  const { box_plot: box, min, max, q1, q3 } = row;
  if (whiskers === '1.5' || !box || typeof min !== 'number' || typeof max !== 'number') return row;
  if (whiskers === 'range' || typeof q1 !== 'number' || typeof q3 !== 'number')
    return { ...row, box_plot: { whiskers: [min, max], outlier_count: 0, outliers: [] } };
  if (isCut(row)) return row;
  const isFar = ({ value }: { value: number }): boolean =>
    rangesFrom(value, q1, q3) > Number(whiskers);
  const near = box.outliers.filter((one) => !isFar(one)).map(({ value }) => value);
  const outliers = box.outliers.filter(isFar);
  return {
    ...row,
    box_plot: {
      whiskers: [
        Math.min(...near, box.whiskers[0] ?? min),
        Math.max(...near, box.whiskers[1] ?? max),
      ],
      outlier_count: outliers.length,
      outliers,
    },
  };
}

/** A value beyond the whiskers. */
export interface FarValue {
  readonly group: string;
  readonly path: readonly string[];
  /** Place of its cohort in the row. */
  readonly cohort: number;
  readonly owner: string;
  readonly value: number;
  readonly unit: string;
  /** Distance from the box in heights of the box. */
  readonly ranges: number;
}

/** Values beyond the whiskers of all rows, the farthest first. */
export function farValues(rows: readonly BoxRow[]): FarValue[] {
  return rows
    .flatMap(({ group, path, unit, cohorts }) =>
      cohorts.flatMap(({ q1, q3, box_plot: box }, cohort) =>
        (box?.outliers ?? []).map(({ owner, value }) => {
          const ranges = rangesFrom(value, q1 ?? value, q3 ?? value);
          return { group, path, cohort, owner, value, unit, ranges };
        }),
      ),
    )
    .sort((a, b) => b.ranges - a.ranges || b.value - a.value);
}

/** Ends of an axis for some rows: from zero, or from the smallest positive value if logarithmic. */
export function extentOf(rows: readonly BoxRow[], isLog: boolean): readonly [number, number] {
  let low = Infinity;
  let high = 0;
  for (const row of rows)
    for (const { min, max } of row.cohorts) {
      if (typeof max === 'number') high = Math.max(high, max);
      if (typeof min === 'number' && min > 0) low = Math.min(low, min);
    }
  for (const { target } of rows) high = Math.max(high, target ?? 0);
  if (!(high > 0)) return [0, 1];
  return isLog && low < high ? [low, high] : [0, high];
}
