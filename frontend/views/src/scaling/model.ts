/** What the scaling page shows of an answer: series, curves of laws, losses, groups. Pure. */

import type { components } from '../generated/api.ts';

type Schemas = components['schemas'];
export type Scale = Schemas['Scale'];
export type ScalePoint = Schemas['ScalePoint'];
export type ScaleModel = Schemas['ScaleModel'];
export type ScaleLoss = Schemas['ScaleLoss'];
export type OutOfOrder = Schemas['OutOfOrder'];

/** What is drawn over p. */
export type Quantity = 'speedup' | 'efficiency' | 'time';

/** Names of laws for people. */
export const LAWS: Readonly<Record<string, string>> = {
  amdahl: 'Amdahl',
  usl: 'USL',
  usl_free: 'USL, free',
  gustafson: 'Gustafson',
  log2: 'logarithm',
  power: 'power law',
  pmnf: 'normal form',
};

/** One series with everything that belongs to it. */
export interface SeriesData {
  readonly index: number;
  readonly name: string;
  readonly kind: string;
  readonly points: readonly ScalePoint[];
  readonly models: readonly ScaleModel[];
  /** Losses of the whole, by p. */
  readonly losses: readonly ScaleLoss[];
  readonly groups: readonly GroupData[];
  readonly outOfOrder: readonly OutOfOrder[];
  readonly missing: readonly number[];
}

/** A group over p. */
export interface GroupData {
  readonly group: string;
  readonly path: readonly string[];
  readonly losses: readonly ScaleLoss[];
  /** Share of workers × time that it lost at the largest p. */
  readonly lost: number;
}

export function seriesOf(scale: Scale, index: number): SeriesData | undefined {
  const series = scale.series[index];
  if (!series) return undefined;
  const points = scale.points.filter((point) => point.series === index);
  const losses = scale.loss.filter((loss) => loss.series === index);
  const whole = losses.filter((loss) => loss.path.length === 0);
  return {
    index,
    name: series.name,
    kind: series.kind,
    points,
    models: scale.models.filter((model) => model.series === index && model.path.length === 0),
    losses: whole,
    groups: groupsOf(losses, whole),
    outOfOrder: scale.out_of_order.filter((pair) => pair.series === index),
    missing: scale.missing.filter((point) => point.series === index).map(({ p }) => p),
  };
}

/** The series with most points; the first of several. */
export function fullestSeries(scale: Scale): number {
  const counts = scale.series.map(
    (_, index) => scale.points.filter((point) => point.series === index).length,
  );
  return Math.max(0, counts.indexOf(Math.max(...counts)));
}

function groupsOf(losses: readonly ScaleLoss[], whole: readonly ScaleLoss[]): GroupData[] {
  const last = whole[whole.length - 1];
  const groups = new Map<string, ScaleLoss[]>();
  for (const loss of losses) {
    if (loss.path.length === 0) continue;
    const key = loss.group ?? loss.path.join('\u0000');
    groups.set(key, [...(groups.get(key) ?? []), loss]);
  }
  return [...groups.entries()]
    .map(([group, all]) => {
      const at = all.find((loss) => loss.p === last?.p);
      const lost = at && last && last.area > 0 ? (at.area - at.ideal) / last.area : 0;
      return { group, path: all[0]?.path ?? [], losses: all, lost };
    })
    .sort((a, b) => b.lost - a.lost || a.group.localeCompare(b.group));
}

/** Time that a law gives at p, or `undefined` if its parameters do not say. */
export function timeOf(model: ScaleModel, first: ScalePoint): ((p: number) => number) | undefined {
  const values = new Map(model.parameters.map(({ name, value }) => [name, value ?? undefined]));
  const of = (name: string): number | undefined => values.get(name);
  switch (model.law) {
    case 'amdahl':
      return two(of('serial_time'), of('parallel_time'), (a, b) => (p) => a + b / p);
    case 'usl':
    case 'usl_free': {
      const lambda = of('lambda') ?? 1;
      const kappa = of('kappa') ?? 0;
      const base = first.value * first.p;
      return two(of('sigma'), kappa, (sigma, k) => {
        return (p) => (base * (1 + sigma * (p - 1) + k * p * (p - 1))) / (lambda * p);
      });
    }
    case 'gustafson':
      return two(of('serial_fraction'), 0, (s) => (p) => (first.value * p) / (p - s * (p - 1)));
    case 'log2':
      return two(of('constant'), of('slope'), (a, b) => (p) => a + b * Math.log2(p));
    case 'power':
      return two(of('coefficient'), of('exponent'), (a, b) => (p) => a * p ** b);
    case 'pmnf':
      return two(of('constant'), of('factor') ?? 0, (a, b) => {
        const [i, j] = [of('exponent') ?? 0, of('log_exponent') ?? 0];
        return (p) => a + b * p ** i * Math.log2(p) ** j;
      });
    default:
      return undefined;
  }
}

function two(
  a: number | undefined,
  b: number | undefined,
  make: (a: number, b: number) => (p: number) => number,
): ((p: number) => number) | undefined {
  return a === undefined || b === undefined ? undefined : make(a, b);
}

/** The value of a quantity at a point, from its time. */
export function quantityOf(
  quantity: Quantity,
  kind: string,
  first: ScalePoint,
  p: number,
  time: number,
): number {
  if (quantity === 'time') return time;
  const ratio = first.value / time;
  if (quantity === 'speedup') return kind === 'weak' ? (ratio * p) / first.p : ratio;
  return kind === 'weak' ? ratio : (ratio * first.p) / p;
}

/** Whether the second point of a pair takes less time than the first. */
export function isFaster({ values }: OutOfOrder): boolean {
  return (values[1] ?? 0) < (values[0] ?? 0);
}

/** The measured value of a quantity, and its interval if there is one. */
export function measuredOf(
  quantity: Quantity,
  kind: string,
  point: ScalePoint,
  first: ScalePoint,
): { readonly value: number; readonly interval: readonly [number, number] | undefined } {
  const value = quantityOf(quantity, kind, first, point.p, point.value);
  if (quantity === 'time') return { value, interval: pair(point.interval) };
  // In weak scaling, the interval belongs to the weak efficiency.
  const given = pair(point.speedup_interval);
  const factor =
    kind === 'weak'
      ? quantity === 'speedup'
        ? point.p / first.p
        : 1
      : quantity === 'speedup'
        ? 1
        : first.p / point.p;
  return { value, interval: given && [given[0] * factor, given[1] * factor] };
}

function pair(
  interval: readonly unknown[] | null | undefined,
): readonly [number, number] | undefined {
  const [low, high] = interval ?? [];
  return typeof low === 'number' && typeof high === 'number' ? [low, high] : undefined;
}

/** Parts of the area of a loss, in the order in which they are stacked. They add up to the area. */
export const PARTS = ['ideal', 'inflation', 'overhead', 'idle', 'unexplained'] as const;
export type Part = (typeof PARTS)[number];

/** Words for parts. */
export const PART_WORDS: Readonly<Record<Part, string>> = {
  ideal: 'ideal',
  inflation: 'inflation',
  overhead: 'overhead',
  idle: 'idle',
  unexplained: 'unexplained',
};

/** What each part is, in one sentence. */
export const PART_MEANING: Readonly<Record<Part, string>> = {
  ideal: 'Work of the reference run: what would be left if nothing was lost.',
  inflation: 'Work beyond that of the reference run; negative if more workers made work cheaper.',
  overhead: 'Workers ran nothing though something was ready, or communicated.',
  idle: 'Nothing was ready for these workers.',
  unexplained: 'No work; overhead and idleness cannot be separated.',
};

export interface Slice {
  readonly part: Part;
  /** Share of the area, 0..1; negative for inflation that is a gain. */
  readonly share: number;
  readonly value: number;
  /** Where it is stacked, as shares. */
  readonly from: number;
  readonly to: number;
}

/** Slices of a bar. A negative part lies below zero, so that the others still end at 1 less it. */
export function slicesOf(loss: ScaleLoss): Slice[] {
  let up = 0;
  let down = 0;
  return PARTS.flatMap((part) => {
    const value = loss[part];
    if (value === null || value === undefined || value === 0 || !(loss.area > 0)) return [];
    const share = value / loss.area;
    const from = share > 0 ? up : down;
    const to = from + share;
    if (share > 0) up = to;
    else down = to;
    return [{ part, share, value, from, to }];
  });
}

/** Shares of reductions by group, 0..1, as they stand in the address: `id:0.6,id:0.3`. */
export function readReductions(text: string): Map<string, number> {
  const found = new Map<string, number>();
  for (const entry of text.split(',')) {
    const at = entry.lastIndexOf(':');
    const share = Number(entry.slice(at + 1));
    if (at > 0 && share > 0 && share <= 1) found.set(entry.slice(0, at), share);
  }
  return found;
}

export function writeReductions(reductions: ReadonlyMap<string, number>): string {
  return [...reductions]
    .filter(([, share]) => share > 0)
    .map(([group, share]) => `${group}:${Math.round(share * 100) / 100}`)
    .join(',');
}

/**
 * Time at a point if groups lost less. A bound: everything else stays as it was measured, and what a
 * group loses is taken to be on every worker's way.
 */
export function whatIf(
  series: SeriesData,
  reductions: ReadonlyMap<string, number>,
  p: number,
): number {
  const point = series.points.find((one) => one.p === p);
  const whole = series.losses.find((loss) => loss.p === p);
  if (!point || !whole || !(whole.area > 0)) return point?.value ?? NaN;
  let saved = 0;
  for (const { group, losses } of series.groups) {
    const share = reductions.get(group);
    const at = losses.find((loss) => loss.p === p);
    if (share && at) saved += share * Math.max(0, at.area - at.ideal);
  }
  return point.value * Math.max(0, 1 - saved / whole.area);
}
