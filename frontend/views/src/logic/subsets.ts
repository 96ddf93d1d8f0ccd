/** Sub-ensembles that a reader has named: a text of the address, and the runs that it means. */

import type { Cohort } from '../api.ts';

/** Digits of an id that the address has. */
const DIGITS = 8;

/** Subsets of runs by id, as `name:id,id;name:id`. One with a name that is taken replaces it, one without runs goes. */
export function withSubset(text: string, name: string, runs: readonly string[]): string {
  const entry = encodeURIComponent(name);
  const others = text.split(';').filter((part) => part && !part.startsWith(`${entry}:`));
  const ids = runs.map((run) => run.slice(0, DIGITS));
  return [...others, ...(ids.length > 0 ? [`${entry}:${ids.join(',')}`] : [])].join(';');
}

/** Subsets that have a run among `runs`, as cohorts without values. */
export function subsetsOf(text: string, runs: readonly { readonly run: string }[]): Cohort[] {
  return text.split(';').flatMap((part) => {
    const [name = '', list = ''] = part.split(':');
    const ids = new Set(list.split(','));
    const own = runs.flatMap(({ run }) => (ids.has(run.slice(0, DIGITS)) ? [run] : []));
    try {
      return own.length > 0 ? [{ name: decodeURIComponent(name), runs: own, values: {} }] : [];
    } catch {
      // An address that was cut within an escape.
      return [];
    }
  });
}
