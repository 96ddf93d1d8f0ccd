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
  return {
    x: Float64Array.from(x),
    y: Float64Array.from(y),
    group: Uint32Array.from(group),
    run: Uint32Array.from(run),
    groups: groups.map(({ id, name, kind }) => ({ id, name, kind })),
    runs: answers.x.runs,
    absent,
    negative,
    xUnit: answers.x.unit,
    yUnit: of.unit,
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
