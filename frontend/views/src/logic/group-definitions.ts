/** What leads from a group into a run: its definitions, and the runs that have it. */

import type { Hierarchy } from '../api.ts';
import { type Series, valueAt } from './values.ts';

/** Definitions of the contexts of a group, the largest exclusive value first. The root of several trees has none. */
export function definitionsIn({ sites }: Pick<Hierarchy, 'sites'>): readonly string[] {
  const most = new Map<string, number>();
  for (const { name, kind, max_exclusive: value } of sites)
    if (kind !== 'group') most.set(name, Math.max(value, most.get(name) ?? 0));
  return [...most].sort((a, b) => b[1] - a[1]).map(([name]) => name);
}

/** Runs that have a value, the largest first. */
export function runsByValue(
  runs: readonly string[],
  values: Series,
): readonly { readonly run: string; readonly value: number }[] {
  return runs
    .flatMap((run, at) => {
      const value = valueAt(values, at);
      return value === null ? [] : [{ run, value }];
    })
    .sort((a, b) => b.value - a.value);
}
