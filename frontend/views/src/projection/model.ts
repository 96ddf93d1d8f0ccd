/** What distinguishes chosen runs from the rest, and the colours of a projection. Pure. */

import type { components } from '../generated/api.ts';
import { formatParameter } from '../logic/format.ts';

type Projection = components['schemas']['Projection'];
export type ProjectedRun = Projection['runs'][number];

/** One parameter of the chosen runs against the rest. */
export interface Contrast {
  readonly parameter: string;
  readonly inside: string;
  readonly outside: string;
  /** 0: the same in both; 1: no value in common. */
  readonly difference: number;
}

/** Parameters by how much the shares of their values differ, those that differ most first. */
export function contrasts(runs: readonly ProjectedRun[], chosen: ReadonlySet<string>): Contrast[] {
  const inside = runs.filter(({ run }) => chosen.has(run));
  const outside = runs.filter(({ run }) => !chosen.has(run));
  if (inside.length === 0 || outside.length === 0) return [];
  const names = [...new Set(runs.flatMap(({ params }) => Object.keys(params)))].sort();
  return names
    .map((parameter) => {
      const a = sharesOf(inside, parameter);
      const b = sharesOf(outside, parameter);
      const values = new Set([...a.keys(), ...b.keys()]);
      let common = 0;
      for (const value of values) common += Math.min(a.get(value) ?? 0, b.get(value) ?? 0);
      return { parameter, inside: describe(a), outside: describe(b), difference: 1 - common };
    })
    .filter(({ difference }) => difference > 1e-9)
    .sort((a, b) => b.difference - a.difference || a.parameter.localeCompare(b.parameter));
}

function sharesOf(runs: readonly ProjectedRun[], parameter: string): Map<string, number> {
  const shares = new Map<string, number>();
  for (const run of runs) {
    const value = formatParameter(run.params[parameter]);
    shares.set(value, (shares.get(value) ?? 0) + 1 / runs.length);
  }
  return shares;
}

/** The most frequent values of a parameter. */
function describe(shares: ReadonlyMap<string, number>): string {
  const sorted = [...shares].sort(
    (a, b) => b[1] - a[1] || a[0].localeCompare(b[0], 'en', { numeric: true }),
  );
  const [first, ...others] = sorted;
  if (!first) return '–';
  if (others.length === 0) return first[0];
  return others.length === 1 && others[0]
    ? `${first[0]}, ${others[0][0]}`
    : `${first[0]} + ${others.length} more`;
}

/** Categories of runs: clusters, or the values of a parameter in their order. */
export function categoriesOf(
  runs: readonly ProjectedRun[],
  by: 'behaviour' | 'parameters',
  colour: string,
): {
  readonly names: readonly string[];
  readonly of: readonly number[];
  readonly isOrdered: boolean;
} {
  const parameter = colour.trim();
  if (parameter === '' || !runs.some(({ params }) => params[parameter] !== undefined)) {
    const count = Math.max(0, ...runs.map((run) => run[by].cluster)) + 1;
    return {
      names: Array.from({ length: count }, (_, index) => `cluster ${index + 1}`),
      of: runs.map((run) => run[by].cluster),
      isOrdered: false,
    };
  }
  const values = [...new Set(runs.map(({ params }) => params[parameter]))].sort((a, b) =>
    typeof a === 'number' && typeof b === 'number'
      ? a - b
      : String(a ?? '').localeCompare(String(b ?? ''), 'en', { numeric: true }),
  );
  return {
    names: values.map((value) => `${parameter} = ${formatParameter(value)}`),
    of: runs.map(({ params }) => values.indexOf(params[parameter])),
    isOrdered: values.every((value) => typeof value === 'number'),
  };
}
