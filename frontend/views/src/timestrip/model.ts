/** Places of runs on a strip: by time, by a parameter, or in the order of their names. Pure. */

import type { Run } from '../api.ts';

export interface Place {
  readonly run: Run;
  readonly at: number;
}

export interface Strip {
  readonly places: readonly Place[];
  readonly kind: 'time' | 'number' | 'order';
  /** Parameter of the places; empty for the order of names. */
  readonly along: string;
  readonly missing: number;
}

/** Parameters that say when a run was made, if it has any, likeliest first. */
const TIMES = ['started', 'start', 'launchdate', 'date', 'timestamp', 'time', 'version', 'commit'];
/** Seconds since 1970 are numbers between 2001 and 2100. */
const EPOCH = [1e9, 4.1e9] as const;

export function stripOf(runs: readonly Run[], along: string): Strip {
  const wanted = along.trim();
  const names = wanted ? [wanted] : TIMES;
  for (const name of names) {
    const values = runs.map((run) => run.params[name]);
    const known = values.filter((value) => value !== undefined);
    if (known.length === 0 || (new Set(known).size < 2 && !wanted)) continue;
    const times = values.map(timeOf);
    const hasTimes = times.some((time) => time !== undefined);
    const numbers = values.map((value) => (typeof value === 'number' ? value : undefined));
    if (!hasTimes && numbers.every((value) => value === undefined)) continue;
    return strip(runs, hasTimes ? times : numbers, hasTimes ? 'time' : 'number', name);
  }
  return strip(
    runs,
    runs.map((_, index) => index),
    'order',
    '',
  );
}

function strip(
  runs: readonly Run[],
  at: readonly (number | undefined)[],
  kind: Strip['kind'],
  along: string,
): Strip {
  const places = runs.flatMap((run, index) => {
    const place = at[index];
    return place === undefined ? [] : [{ run, at: place }];
  });
  return { places, kind, along, missing: runs.length - places.length };
}

/** Milliseconds since 1970 of a text or of a number of seconds. */
function timeOf(value: string | number | boolean | undefined): number | undefined {
  if (typeof value === 'number')
    return value >= EPOCH[0] && value <= EPOCH[1] ? value * 1000 : undefined;
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\d/.test(value)) return undefined;
  const time = Date.parse(value);
  return Number.isFinite(time) ? time : undefined;
}
