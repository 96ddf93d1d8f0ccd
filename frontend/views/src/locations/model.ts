/** The matrix of a heat map: groups × ranks or workers, of one run, several, or B − A. Pure. */

import type { Run } from '../api.ts';
import type { EmptyState } from '../registry/definition.ts';
import type { Selection } from '../registry/selection.ts';
import type { Target } from '../ui/view.ts';
import type { Answers, Settings } from './definition.ts';

type Answer = Answers['locations'];
type Group = Answer['groups'][number];
type Values = Group['runs'][number];
type Column = Answer['runs'][number]['columns'][number];

export interface HeatColumn {
  /** NUMA node, if all of the column is on one and the source names it. */
  readonly node: number | undefined;
  /** `3`, `3.1`, or `0–3` if it stands for several. */
  readonly text: string;
  /** Sum over groups if values are exclusive, else the largest. */
  readonly total: number;
}

export interface HeatRow {
  readonly group: string;
  readonly path: readonly string[];
  /** Parallel to the columns; absent where the group does not occur. */
  readonly values: readonly (number | undefined)[];
  readonly mean: number | undefined;
  /** Maximum less mean. */
  readonly excess: number | undefined;
  /** The same divided by the maximum. */
  readonly imbalance: number | undefined;
  readonly max: number | undefined;
  readonly maxAt: string;
  readonly minAt: string;
}

export interface Matrix {
  readonly kind: 'relative' | 'difference';
  /** Names of the two sides of a difference. */
  readonly sides: readonly [a: string, b: string];
  /** Names of the runs that are shown. */
  readonly runs: readonly string[];
  readonly columns: readonly HeatColumn[];
  readonly rows: readonly HeatRow[];
  /** Whether columns are in the order of their NUMA nodes. */
  readonly isByNode: boolean;
  /** Largest distance from the middle of the scale. */
  readonly bound: number;
  /** Groups that the answer has not. */
  readonly omitted: number;
}

/** Which runs are compared: those of B less those of A, or of one side alone. */
export interface Sides {
  readonly a: readonly number[] | undefined;
  readonly b: readonly number[];
  /** Answer that A is part of, if it is not that of B. */
  readonly others?: Answer;
}

/** The runs to show, as places in the answer. */
export function sidesOf(
  answer: Answer,
  selection: {
    readonly isDiff: boolean;
    readonly a: Target | undefined;
    readonly b: Target | undefined;
    readonly target: Target | undefined;
  },
  run: string,
  others?: Answer,
): Sides {
  const places = (side: Target | undefined): number[] =>
    (side?.runs ?? [])
      .map((id) => answer.runs.findIndex((one) => one.run === id))
      .filter((at) => at >= 0);
  if (selection.isDiff) {
    const [a, b] = [places(selection.a), places(selection.b)];
    if (a.length > 0 && b.length > 0) return { a, b };
  }
  const target = places(selection.target);
  if (target.length > 0) {
    const ids = new Set(selection.target?.runs);
    const places = (others?.runs ?? []).flatMap((one, at) => (ids.has(one.run) ? [] : [at]));
    if (others && places.length > 0) return { a: places, b: target, others };
    return { a: undefined, b: target };
  }
  const chosen = answer.runs.findIndex((one) => one.run === run);
  return { a: undefined, b: [chosen >= 0 ? chosen : widest(answer)] };
}

/** Runs of the ensemble that no answer has: of many runs, the service reads the first ones and the target. */
export function countLeftOut(
  answer: Answer,
  sides: Sides,
  { isDiff, target }: Pick<Selection, 'isDiff' | 'target'>,
  run: string,
  runs: readonly { readonly run: string }[],
): number {
  const isOfSome = isDiff || run !== '' || (target !== undefined && !sides.others);
  if (isOfSome) return 0;
  const read = new Set([...answer.runs, ...(sides.others?.runs ?? [])].map((one) => one.run));
  return runs.filter((one) => !read.has(one.run)).length;
}

/** The run with the most locations; the first of equals. */
function widest(answer: Answer): number {
  let best = 0;
  answer.runs.forEach(({ locations }, at) => {
    if (locations > (answer.runs[best]?.locations ?? 0)) best = at;
  });
  return best;
}

export function textOf({ rank, thread, last }: Column): string {
  const one = (of: {
    readonly rank: number;
    readonly thread?: number | null | undefined;
  }): string => (typeof of.thread === 'number' ? `${of.rank}.${of.thread}` : String(of.rank));
  const first = one({ rank, thread });
  return last ? `${first}–${one(last)}` : first;
}

export function matrixOf(answer: Answer, sides: Sides, settings: Settings, selected = ''): Matrix {
  const { others } = sides;
  const shown = others ? sides.b : [...(sides.a ?? []), ...sides.b];
  const found = columnsOf(answer, shown);
  const columns = found.map(([text]) => text);
  const kind = sides.a ? 'difference' : 'relative';
  const rows = answer.groups
    .map((group) => rowOf(answer, group, sides, columns))
    .filter((row): row is HeatRow => row !== undefined);
  const totals = columns.map((_, at) => totalOf(rows, at, settings.scope));
  const order = columns.map((_, at) => at);
  if (settings.columns === 'total')
    order.sort((a, b) => Math.abs(totals[b] ?? 0) - Math.abs(totals[a] ?? 0) || a - b);
  const nodeOf = (at: number): number | undefined => found[at]?.[1].node ?? undefined;
  // Columns whose node is not known are last.
  if (settings.columns === 'node')
    order.sort((a, b) => compareNodes(nodeOf(a), nodeOf(b)) || a - b);
  if (kind === 'difference') rows.sort((a, b) => largest(b) - largest(a));
  // A rank that computes less waits longer: what makes ranks uneven comes before what follows from it.
  else if (settings.order === 'imbalance')
    rows.sort((a, b) => Number(isMessagePassing(a)) - Number(isMessagePassing(b)));
  if (settings.columns === 'group') {
    const { values = [] } = chosenRow(rows, selected) ?? {};
    const size = (at: number): number => values[at] ?? -Infinity;
    order.sort((a, b) => (size(a) === size(b) ? a - b : size(b) - size(a)));
  }
  const sorted = rows.map((row) => ({ ...row, values: order.map((at) => row.values[at]) }));
  return {
    kind,
    sides: others ? ['the other runs', 'target'] : ['A', 'B'],
    runs: [...new Set(shown)].map((at) => answer.runs[at]?.name ?? ''),
    columns: order.map((at) => ({
      text: columns[at] ?? '',
      total: totals[at] ?? 0,
      node: nodeOf(at),
    })),
    rows: sorted,
    isByNode: settings.columns === 'node' && columns.some((_, at) => nodeOf(at) !== undefined),
    bound: boundOf(sorted, kind),
    omitted: answer.num_groups - answer.groups.length,
  };
}

/** The selected row, or else the first one. */
export function chosenRow<T extends { readonly group: string }>(
  rows: readonly T[],
  selected: string,
): T | undefined {
  return rows.find(({ group }) => group === selected) ?? rows[0];
}

/** The columns where a row is farthest above its mean, the farthest first, at most `most`. */
export function highest(
  row: HeatRow,
  { columns, kind }: Pick<Matrix, 'columns' | 'kind'>,
  most: number,
): readonly { readonly text: string; readonly place: number }[] {
  return columns
    .map(({ text }, at) => ({ text, place: placeOf(row, row.values[at], kind) ?? 0 }))
    .filter(({ place }) => place > 0)
    .sort((a, b) => b.place - a.place)
    .slice(0, most);
}

/** Whether a group is a function of MPI by its usual name, as `PartRules::is_message_passing` of `crates/model` has it. */
export function isMessagePassing({ path }: Pick<HeatRow, 'path'>): boolean {
  return /^(P?MPI_|p?mpi_|MPI[RD]_)/.test(path.at(-1) ?? '');
}

function compareNodes(a: number | undefined, b: number | undefined): number {
  if (a === b) return 0;
  if (a === undefined) return 1;
  return b === undefined ? -1 : a - b;
}

/** Locations of all runs, in the order of ranks and threads. */
function columnsOf(answer: Answer, runs: readonly number[]): [text: string, column: Column][] {
  const known = new Map<string, Column>();
  for (const at of runs)
    for (const column of answer.runs[at]?.columns ?? [])
      if (!known.has(textOf(column))) known.set(textOf(column), column);
  return [...known].sort(([, a], [, b]) => a.rank - b.rank || (a.thread ?? 0) - (b.thread ?? 0));
}

function rowOf(
  answer: Answer,
  group: Group,
  { a, b, others }: Sides,
  columns: readonly string[],
): HeatRow | undefined {
  const ofB = meansOf(answer, group, b);
  const same = others ? others.groups.find((one) => one.group === group.group) : group;
  const ofA = a && (same ? meansOf(others ?? answer, same, a) : new Map<string, number>());
  if (ofB.size === 0 && !ofA?.size) return undefined;
  const values = columns.map((text) => {
    const value = ofB.get(text);
    if (!ofA) return value;
    const before = ofA.get(text);
    return value === undefined || before === undefined ? undefined : value - before;
  });
  const common = { group: group.group, path: group.path, values };
  const [only] = group.runs.filter(({ run }) => b.includes(run));
  if (!ofA && b.length === 1 && only) return { ...common, ...figuresOf(only) };
  // A rank without the group spent nothing there; a difference needs both sides.
  const counted = values.flatMap((value, at) =>
    value !== undefined || !ofA ? [{ value: value ?? 0, text: columns[at] ?? '' }] : [],
  );
  return { ...common, ...figuresOfValues(counted) };
}

function figuresOf(values: Values): Omit<HeatRow, 'group' | 'path' | 'values'> {
  return {
    mean: values.spread.mean ?? undefined,
    excess: values.excess,
    imbalance: values.imbalance ?? undefined,
    max: values.spread.max ?? undefined,
    maxAt: textOf(values.max_at),
    minAt: textOf(values.min_at),
  };
}

/** Whether values are means over several runs, or differences. */
function figuresOfValues(
  values: readonly { readonly value: number; readonly text: string }[],
): Omit<HeatRow, 'group' | 'path' | 'values'> {
  let [most, least] = [values[0], values[0]];
  let sum = 0;
  for (const one of values) {
    sum += one.value;
    if (most && one.value > most.value) most = one;
    if (least && one.value < least.value) least = one;
  }
  const mean = values.length > 0 ? sum / values.length : undefined;
  const max = most?.value;
  const excess = mean === undefined || max === undefined ? undefined : max - mean;
  const isShare = excess !== undefined && max !== undefined && max > 0 && (least?.value ?? -1) >= 0;
  return {
    mean,
    max,
    excess,
    imbalance: isShare ? excess / max : undefined,
    maxAt: most?.text ?? '',
    minAt: least?.text ?? '',
  };
}

/** Mean over runs at each location where the group occurs. */
function meansOf(answer: Answer, group: Group, runs: readonly number[]): Map<string, number> {
  const sums = new Map<string, [sum: number, count: number]>();
  for (const { run, values } of group.runs) {
    if (!runs.includes(run)) continue;
    answer.runs[run]?.columns.forEach((column, at) => {
      const value = values[at];
      if (typeof value !== 'number') return;
      const entry = sums.get(textOf(column)) ?? [0, 0];
      sums.set(textOf(column), [entry[0] + value, entry[1] + 1]);
    });
  }
  return new Map([...sums].map(([text, [sum, count]]) => [text, sum / count]));
}

function totalOf(rows: readonly HeatRow[], at: number, scope: Settings['scope']): number {
  let total = 0;
  for (const { values } of rows) {
    const value = values[at] ?? 0;
    if (scope === 'exclusive') total += value;
    else if (Math.abs(value) > Math.abs(total)) total = value;
  }
  return total;
}

/** Such as `B − A`. */
export function differenceName({ sides: [a, b] }: Pick<Matrix, 'sides'>): string {
  return `${b} − ${a}`;
}

function largest({ values }: HeatRow): number {
  let most = 0;
  for (const value of values) most = Math.max(most, Math.abs(value ?? 0));
  return most;
}

/** Where a value is on the scale: its distance from the row's mean as a share of the mean, or the difference. */
export function placeOf(
  row: HeatRow,
  value: number | undefined,
  kind: Matrix['kind'],
): number | undefined {
  if (value === undefined) return undefined;
  if (kind === 'difference') return value;
  return row.mean ? value / row.mean - 1 : 0;
}

/** At most twice the mean: what is above has the last colour. */
function boundOf(rows: readonly HeatRow[], kind: Matrix['kind']): number {
  let bound = 0;
  for (const row of rows)
    for (const value of row.values) {
      const place = placeOf(row, value, kind);
      if (place !== undefined) bound = Math.max(bound, Math.abs(place));
    }
  return kind === 'relative' ? Math.min(1, bound) : bound;
}

/** What to say of runs that have one rank or worker each, or values for all of their ranks only. */
export function oneLocation(
  { runs }: Answers['locations'],
  by: Settings['by'],
  known: readonly Run[],
): EmptyState {
  const ids = new Set(runs.map(({ run }) => run));
  const isWhole = by === 'ranks' && known.some(({ run, ranks }) => ids.has(run) && ranks > 1);
  const [title, text] = isWhole
    ? [
        'The runs have no values by rank',
        'Each has several ranks, but its source states one value for all of them.',
      ]
    : [`Each run has one ${by.slice(0, -1)}`, 'Nothing can be imbalanced.'];
  const steps =
    by === 'ranks' ? [{ label: 'Show workers', action: { set: { by: 'workers' } } }] : [];
  return { title, text, steps };
}
