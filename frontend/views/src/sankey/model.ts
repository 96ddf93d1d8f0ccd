/** What the ensemble-Sankey is drawn from. */

import type { Diff, DiffRow, Sankey, SankeyNode } from '../api.ts';
import {
  absentSide,
  boundOf,
  type Comparison,
  differenceIn,
  differenceText,
  type DiffMode,
} from '../logic/difference.ts';
import { hotPath } from '../logic/geometry.ts';
import { meanOf, meanOfSide, type Series } from '../logic/values.ts';
import type { Target } from '../ui/view.ts';
import type { Order } from './order.ts';

export interface SankeyData {
  readonly sankey: Sankey;
  readonly scope: 'inclusive' | 'exclusive';
  /** Names of runs by id. */
  readonly runNames: ReadonlyMap<string, string>;
  /** Present in diff mode. */
  readonly diff?: Diff | undefined;
  readonly diffMode?: DiffMode | undefined;
  /** The sentence that states what is compared. */
  readonly quantity?: string | undefined;
  /** Runs by cohort, with their share 0..1 of the scale of cohorts; for ticks. */
  readonly lanes?: readonly Lane[] | undefined;
  /** Values over ranks by node, as far as they have been asked for. */
  readonly ranks?: ReadonlyMap<string, RankBars> | undefined;
  /** Names of the cohorts in that order. */
  readonly cohorts?: readonly string[] | undefined;
}

/** How values of a node spread over the ranks of its runs. */
export interface RankBars {
  /** Ranks per bin, from the smallest value to the largest. */
  readonly counts: readonly number[];
  readonly low: number;
  readonly high: number;
  /** Ranks in all. */
  readonly count: number;
}

/** A run in the order of cohorts. */
export interface Lane {
  readonly run: number;
  readonly share: number;
}

export interface SankeySelection {
  readonly group: string;
  readonly target?: Target | undefined;
  readonly guides: readonly string[];
  readonly isHotPath: boolean;
  /** Share of its caller that a callee on the hot path holds at least. */
  readonly hotShare?: number | undefined;
  readonly isBackEdges: boolean;
  /** Order of nodes in a column. */
  readonly order?: Order | undefined;
  /** Places of nodes that were dragged, as shares of the height. */
  readonly moved?: ReadonlyMap<string, number> | undefined;
  /** Part of the picture that is seen (`place.ts`); empty for all. */
  readonly at?: string | undefined;
  /** Key of the class of a legend whose nodes stand out. */
  readonly legend?: string | undefined;
  /** Whether near nodes have bars of their ranks. */
  readonly isRanks?: boolean | undefined;
  /** Groups that a search found; the current one first. */
  readonly hits: readonly string[];
}

/** Space around the picture; below it are the legends. */
export const MARGIN = { left: 16, right: 12, top: 10, bottom: 58 } as const;

/** Height of the drawn border of a node. */
export const BORDER = 3;

/** Values per run that the lens asks about. */
export function valuesOf(node: SankeyNode, scope: 'inclusive' | 'exclusive'): Series {
  return scope === 'inclusive' ? node.inclusive_by_run : node.exclusive_by_run;
}

const places = new WeakMap<Sankey, ReadonlyMap<string, number>>();

/** Indices of runs in the answer's order. */
export function indicesOf(sankey: Sankey, runs: readonly string[]): number[] {
  let index = places.get(sankey);
  if (!index) {
    index = new Map(sankey.runs.map((run, at) => [run, at]));
    places.set(sankey, index);
  }
  return runs.map((run) => index.get(run) ?? -1).filter((at) => at >= 0);
}

/** Mean of the target's runs; `null` when absent in all of them. */
export function targetValue(
  node: SankeyNode,
  data: SankeyData,
  target: readonly number[],
): number | null {
  return meanOf(valuesOf(node, data.scope), target);
}

/** Border that fits a node of this height. */
export function borderOf(height: number): number {
  return Math.max(0.75, Math.min(BORDER, height / 3));
}

/** Shares of an edge that the target takes at the source's and at the target's end; 0 when absent. */
export function targetShares(
  sankey: Sankey,
  index: number,
  runs: readonly number[],
): [number, number] {
  const edge = sankey.edges[index];
  const own = edge && meanOf(edge.inclusive_by_run, runs);
  if (!edge || !own || edge.max_inclusive <= 0) return [0, 0];
  const left = own / edge.max_inclusive;
  const callee = sankey.nodes[edge.target];
  const incoming = sankey.edges.filter(
    (other) => other.target === edge.target && other.kind === 'forward',
  );
  const all = incoming.reduce((sum, other) => sum + other.max_inclusive, 0);
  const mine = incoming.reduce(
    (sum, other) => sum + (meanOf(other.inclusive_by_run, runs) ?? 0),
    0,
  );
  const reached = callee
    ? (meanOf(callee.inclusive_by_run, runs) ?? 0) / (callee.max_inclusive || 1)
    : left;
  const right = mine > 0 ? reached * (own / mine) * (all / edge.max_inclusive) : left;
  return [Math.min(1, left), Math.min(1, right)];
}

/** A node's difference: its row of the diff, or for collected groups the plain difference of means. */
export interface NodeDifference {
  /** B − A; null if a side is absent or was not measured. */
  readonly delta: number | null;
  readonly a: number | null;
  readonly b: number | null;
  /** The difference in the mode that is shown; null has no colour. */
  readonly value: number | null;
  readonly text: string;
  /** Side without the group. */
  readonly absent: 'a' | 'b' | 'both' | undefined;
  readonly row?: DiffRow | undefined;
  readonly verdict: DiffRow['verdict'];
}

const known = new WeakMap<SankeyData, ReadonlyMap<string, NodeDifference>>();

/** Differences by id of the node; computed once per data. */
export function differencesOf(data: SankeyData): ReadonlyMap<string, NodeDifference> {
  const present = known.get(data);
  if (present) return present;
  const found = computeDifferences(data);
  known.set(data, found);
  return found;
}

/** Properties that the differences of the picture share. */
export function comparisonOf({ diff, diffMode }: SankeyData): Comparison {
  return { mode: diffMode ?? 'absolute', unit: diff?.unit ?? '', totals: diff?.totals };
}

/** End of the symmetric domain of colours in the picture. */
export function differenceBound(data: SankeyData): number {
  const values = [...differencesOf(data).values()].map((difference) => difference.value);
  return boundOf(values, comparisonOf(data).mode);
}

function computeDifferences(data: SankeyData): Map<string, NodeDifference> {
  const found = new Map<string, NodeDifference>();
  if (!data.diff) return found;
  const { sankey, diff } = data;
  const comparison = comparisonOf(data);
  const rows = new Map(diff.rows.map((row) => [row.group, row]));
  const renamed = new Map(diff.rows.flatMap((row) => (row.group_a ? [[row.group_a, row]] : [])));
  const runs = { a: indicesOf(sankey, diff.a.runs), b: indicesOf(sankey, diff.b.runs) };
  for (const node of sankey.nodes) {
    const row = rows.get(node.id);
    const other = row ? undefined : renamed.get(node.id);
    if (other) {
      // A's half of a renamed group: the difference stands at B's half, which has both values.
      const name = other.path_b?.at(-1) ?? other.path.at(-1) ?? '';
      const sides = { a: other.a ?? null, b: null };
      const rest = { delta: null, value: null, row: other, verdict: other.verdict } as const;
      found.set(node.id, { ...sides, ...rest, absent: 'b', text: `in B: ${name}` });
      continue;
    }
    const values = valuesOf(node, diff.scope === 'inclusive' ? 'inclusive' : 'exclusive');
    const a = row ? (row.a ?? null) : meanOfSide(values, runs.a);
    const b = row ? (row.b ?? null) : meanOfSide(values, runs.b);
    const pair = { a, b, delta: row?.delta };
    const absent = absentSide(pair);
    found.set(node.id, {
      a,
      b,
      delta: absent ? null : (row?.delta ?? (b ?? 0) - (a ?? 0)),
      value: differenceIn(pair, comparison),
      text: differenceText(pair, comparison),
      absent,
      row,
      verdict: row?.verdict ?? 'untestable',
    });
  }
  return found;
}

/** How clauses call a node: by its name where no other node has it, else by its id. */
export function handleOf(node: SankeyNode, nodes: readonly SankeyNode[]): string {
  const isUnique = nodes.filter((other) => other.name === node.name).length === 1;
  return isUnique && node.kind !== 'others' ? node.name : node.id;
}

/** Ids of the nodes on the hot path, from the heaviest root on. */
export function hotNodes({ sankey }: SankeyData, share?: number): string[] {
  const weights = sankey.nodes.map((node) => node.max_inclusive);
  const most = Math.max(0, ...weights);
  const root = sankey.nodes.findIndex((node) => node.level === 0 && node.max_inclusive === most);
  const forward = sankey.edges.filter((edge) => edge.kind === 'forward');
  return hotPath(weights, forward, Math.max(0, root), share).flatMap(
    (index) => sankey.nodes[index]?.id ?? [],
  );
}
