/** Dots of a scatter: one per group and run that has both values. Pure. */

import type { SankeyNode } from '../api.ts';
import { valueAt } from '../logic/values.ts';
import type { Patch } from '../registry/selection.ts';
import type { Answers, Settings } from './definition.ts';

export interface Points {
  /** Values, dot by dot. */
  readonly x: Float64Array;
  readonly y: Float64Array;
  /** Place of the dot's group and run in the answer. */
  readonly group: Uint32Array;
  readonly run: Uint32Array;
  readonly groups: readonly Pick<SankeyNode, 'id' | 'name' | 'kind'>[];
  readonly runs: readonly string[];
  /** Values that are not drawn, and why. */
  readonly absent: number;
  readonly negative: number;
  readonly xUnit: string;
  readonly yUnit: string;
  /** What each axis shows. */
  readonly xName: string;
  readonly yName: string;
}

export function pointsOf(answers: Answers, settings: Settings): Points {
  const of = answers.y ?? answers.x;
  const others = new Map(of.nodes.map((node) => [node.id, node]));
  const runAt = new Map(of.runs.map((run, index) => [run, index]));
  const x: number[] = [];
  const y: number[] = [];
  const group: number[] = [];
  const run: number[] = [];
  let absent = 0;
  let negative = 0;
  const groups = answers.x.nodes.filter((node) => node.kind !== 'others');
  for (const [index, node] of groups.entries()) {
    const other = others.get(node.id);
    const xs = node[`${settings.x}_by_run`];
    const ys = other?.[`${settings.y}_by_run`];
    for (const [at, id] of answers.x.runs.entries()) {
      const a = valueAt(xs, at);
      const b = ys ? valueAt(ys, runAt.get(id) ?? -1) : null;
      if (a === null || b === null) absent += 1;
      else if (a < 0 || b < 0) negative += 1;
      else {
        x.push(a);
        y.push(b);
        group.push(index);
        run.push(at);
      }
    }
  }
  const other = settings.metric.trim();
  const first = { values: Float64Array.from(x), unit: answers.x.unit, name: settings.x };
  const second = {
    values: Float64Array.from(y),
    unit: of.unit,
    name: other ? `${settings.y} ${other}` : settings.y,
  };
  const [right, up] = settings.swap ? [second, first] : [first, second];
  return {
    x: right.values,
    y: up.values,
    group: Uint32Array.from(group),
    run: Uint32Array.from(run),
    groups: groups.map(({ id, name, kind }) => ({ id, name, kind })),
    runs: answers.x.runs,
    absent,
    negative,
    xUnit: right.unit,
    yUnit: up.unit,
    xName: right.name,
    yName: up.name,
  };
}

/** What is selected in the run of a dot when it opens: grains have definitions and contexts, not modules. */
export function patchOf(points: Points, at: number): Patch {
  const group = points.groups[points.group[at] ?? 0];
  if (group?.kind === 'definition') return { definition: group.name };
  if (group?.kind === 'context') return { definition: group.name, site: group.id };
  return {};
}

/** Spearman's rank correlation, with mean ranks for ties; absent below three dots or without spread. */
export function rankCorrelation(x: ArrayLike<number>, y: ArrayLike<number>): number | undefined {
  if (x.length < 3) return undefined;
  const [a, b] = [ranks(x), ranks(y)];
  const mean = (x.length + 1) / 2;
  let [ab, aa, bb] = [0, 0, 0];
  for (let at = 0; at < a.length; at += 1) {
    const [da, db] = [(a[at] ?? 0) - mean, (b[at] ?? 0) - mean];
    ab += da * db;
    aa += da * da;
    bb += db * db;
  }
  return aa > 0 && bb > 0 ? ab / Math.sqrt(aa * bb) : undefined;
}

function ranks(values: ArrayLike<number>): Float64Array {
  const order = Array.from({ length: values.length }, (_, at) => at).sort(
    (a, b) => (values[a] ?? 0) - (values[b] ?? 0),
  );
  const result = new Float64Array(values.length);
  for (let from = 0; from < order.length;) {
    let to = from;
    while (to + 1 < order.length && values[order[to + 1] ?? 0] === values[order[from] ?? 0])
      to += 1;
    for (let at = from; at <= to; at += 1) result[order[at] ?? 0] = (from + to) / 2 + 1;
    from = to + 1;
  }
  return result;
}

/** Dots of a group, and their largest value upwards. */
export interface GroupDots {
  readonly group: number;
  readonly dots: readonly number[];
  readonly most: number;
}

/** All groups that have dots, the largest first. */
export function groupDots(points: Points): GroupDots[] {
  const dots = new Map<number, number[]>();
  for (let at = 0; at < points.x.length; at += 1) {
    const group = points.group[at] ?? 0;
    const known = dots.get(group);
    if (known) known.push(at);
    else dots.set(group, [at]);
  }
  return [...dots]
    .map(([group, own]) => ({
      group,
      dots: own,
      most: own.reduce((most, at) => Math.max(most, points.y[at] ?? 0), 0),
    }))
    .sort((a, b) => b.most - a.most || a.group - b.group);
}

/** A line of ordinary least squares of y on x. In log space it is a power of x, and zeros are left out. */
export interface Fit {
  readonly n: number;
  /** Dots that have a zero, which no logarithm has. */
  readonly zeros: number;
  readonly slope: number;
  readonly r2: number;
  /** Ends of the values that were fitted. */
  readonly from: number;
  readonly to: number;
  at(x: number): number;
}

/** Nothing below three dots, or if all have the same x. */
export function fitOf(points: Points, dots: readonly number[], isLog: boolean): Fit | undefined {
  const into = (value: number): number => (isLog ? Math.log(value) : value);
  const used = dots.filter((at) => !isLog || ((points.x[at] ?? 0) > 0 && (points.y[at] ?? 0) > 0));
  const n = used.length;
  const xs = used.map((at) => into(points.x[at] ?? 0));
  const ys = used.map((at) => into(points.y[at] ?? 0));
  const mean = (values: readonly number[]): number => values.reduce((sum, v) => sum + v, 0) / n;
  const [mx, my] = [mean(xs), mean(ys)];
  const sum = (of: (at: number) => number): number => used.reduce((all, _, at) => all + of(at), 0);
  const xx = sum((at) => ((xs[at] ?? 0) - mx) ** 2);
  const yy = sum((at) => ((ys[at] ?? 0) - my) ** 2);
  // Equal values differ by rounding only.
  if (n < 3 || !(xx > 1e-18 * n * mx * mx)) return undefined;
  const slope = sum((at) => ((xs[at] ?? 0) - mx) * ((ys[at] ?? 0) - my)) / xx;
  const rest = sum((at) => ((ys[at] ?? 0) - my - slope * ((xs[at] ?? 0) - mx)) ** 2);
  const ends = used.map((at) => points.x[at] ?? 0);
  return {
    n,
    zeros: dots.length - n,
    slope,
    r2: yy > 1e-18 * n * my * my ? 1 - rest / yy : 1,
    from: Math.min(...ends),
    to: Math.max(...ends),
    at: (x) => {
      const y = my + slope * (into(x) - mx);
      return isLog ? Math.exp(y) : y;
    },
  };
}
