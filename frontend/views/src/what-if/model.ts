/** What the panel of predictions shows of its answers. Pure. */

import type { components } from '../generated/api.ts';
import type { Run, Runs } from '../api.ts';
import { summarise } from '../logic/values.ts';

type Schemas = components['schemas'];
export type WhatIf = Schemas['WhatIf'];
export type WhatFirst = Schemas['WhatFirst'];
export type Prediction = Schemas['Prediction'];
export type Priority = Schemas['Priority'];

/** Elapsed times of recorded runs on one number of workers. */
export interface RecordedTime {
  readonly workers: number;
  readonly runs: number;
  readonly median: number;
  readonly min: number;
  readonly max: number;
  /** Whether the workers outnumber the processors that the runs state. */
  readonly isOversubscribed: boolean;
}

/** Predictions on numbers of workers, and that on unlimited workers. */
export interface Curve {
  readonly points: readonly (Prediction & { readonly workers: number })[];
  readonly unlimited: Prediction | undefined;
  readonly recorded: readonly RecordedTime[];
}

function isFinite(row: Prediction): row is Prediction & { readonly workers: number } {
  return typeof row.workers === 'number';
}

/** Parameters that state the number of workers, or number the repeats of one configuration. */
const NOT_COMPARED = ['threads', 'omp_num_threads', 'rep', 'repeat', 'repetition', 'run', 'trial'];

/** Recorded times of runs that differ from a run in the number of workers at most, by number of workers. */
export function recordedOf({ runs, parameters }: Runs, id: string | undefined): RecordedTime[] {
  const like = runs.find(({ run }) => run === id);
  if (!like) return [];
  const left = new Set(
    parameters.filter(({ role }) => role === 'incidental').map(({ name }) => name),
  );
  const seriesOf = ({ program, params }: Run): string =>
    JSON.stringify([
      program,
      Object.entries(params)
        .filter(([name]) => !left.has(name) && !NOT_COMPARED.includes(name.toLowerCase()))
        .sort(([a], [b]) => (a < b ? -1 : 1)),
    ]);
  const series = seriesOf(like);
  const alike = runs.filter(
    (run) =>
      run.is_complete && run.ranks <= 1 && (run.elapsed_ns ?? 0) > 0 && seriesOf(run) === series,
  );
  const counts = [...new Set(alike.flatMap(({ workers }) => (workers ? [workers] : [])))];
  return counts
    .sort((a, b) => a - b)
    .map((workers) => {
      const own = alike.filter((run) => run.workers === workers);
      const times = own.flatMap((run) => run.elapsed_ns ?? []);
      const isOversubscribed = own.some(({ params }) => workers > Number(params['cores'] ?? NaN));
      return {
        workers,
        runs: times.length,
        median: summarise(times).median ?? NaN,
        min: Math.min(...times),
        max: Math.max(...times),
        isOversubscribed,
      };
    });
}

/** The curve of the first run of an answer. Recorded times are in nanoseconds, predictions perhaps in ticks. */
export function curveOf(answer: WhatIf, runs: Runs): Curve {
  const run = answer.runs[0]?.run;
  const rows = answer.rows.filter((row) => row.run === run);
  return {
    points: rows.filter(isFinite).sort((a, b) => a.workers - b.workers),
    unlimited: rows.find((row) => !isFinite(row)),
    recorded: answer.unit === 'ns' ? recordedOf(runs, run) : [],
  };
}

/** Workers that gains are for: those asked for, or else the largest recorded number, at least 2. */
export function workersOf(answer: WhatIf, runs: Runs, asked: number): number {
  if (asked > 0) return asked;
  const own = answer.runs[0]?.workers ?? 1;
  return Math.max(2, own, ...curveOf(answer, runs).recorded.map(({ workers }) => workers));
}

/** The prediction for a number of workers. */
export function predictionAt(curve: Curve, workers: number): Prediction | undefined {
  return curve.points.find((point) => point.workers === workers);
}

/** Percent by which the work of definitions falls, as the question writes it: `NAME=20%;NAME=50%`. */
export function readFaster(text: string): Map<string, number> {
  const found = new Map<string, number>();
  for (const entry of text.split(';')) {
    const [, name, percent] = /^(.+)=(\d+)%$/s.exec(entry) ?? [];
    const value = Number(percent);
    if (name !== undefined && value > 0 && value <= 100) found.set(name, value);
  }
  return found;
}

export function writeFaster(faster: ReadonlyMap<string, number>): string {
  return [...faster]
    .filter(([name, percent]) => percent > 0 && canBeAsked(name))
    .map(([name, percent]) => `${name}=${percent}%`)
    .join(';');
}

/** Whether a question can name a definition: `;` separates names, and spaces around them are cut. */
export function canBeAsked(name: string): boolean {
  return name !== '' && !name.includes(';') && name.trim() === name;
}

/** Definitions for a number of workers, the largest gain first. Changed ones come first, so that they stay in reach. */
export function prioritiesOf(
  first: WhatFirst,
  workers: number,
  faster: ReadonlyMap<string, number>,
): readonly Priority[] {
  const rows = first.rows.filter((row) => row.workers === workers);
  const isChanged = (row: Priority): boolean => faster.has(row.definition);
  return [...rows.filter(isChanged), ...rows.filter((row) => !isChanged(row))];
}

/** Runs that a prediction can start from. */
export function startsOf(runs: readonly Run[]): readonly Run[] {
  return runs.filter((run) => (run.grains ?? 0) > 0 && run.is_complete && run.ranks <= 1);
}
