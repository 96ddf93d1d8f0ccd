/** What the panel of predictions shows of its answers. Pure. */

import type { components } from '../generated/api.ts';
import type { Run } from '../api.ts';

type Schemas = components['schemas'];
export type WhatIf = Schemas['WhatIf'];
export type WhatFirst = Schemas['WhatFirst'];
export type Prediction = Schemas['Prediction'];
export type Priority = Schemas['Priority'];

/** Elapsed times of recorded runs with one number of workers. */
export type RecordedTimes = Schemas['RecordedTimes'];

/** Predictions on numbers of workers, and that on unlimited workers. */
export interface Curve {
  readonly points: readonly (Prediction & { readonly workers: number })[];
  readonly unlimited: Prediction | undefined;
  readonly recorded: readonly RecordedTimes[];
}

function isFinite(row: Prediction): row is Prediction & { readonly workers: number } {
  return typeof row.workers === 'number';
}

/** The curve of the first run of an answer. */
export function curveOf(answer: WhatIf): Curve {
  const run = answer.runs[0]?.run;
  const rows = answer.rows.filter((row) => row.run === run);
  return {
    points: rows.filter(isFinite).sort((a, b) => a.workers - b.workers),
    unlimited: rows.find((row) => !isFinite(row)),
    recorded: (answer.recorded ?? []).filter((times) => times.run === run),
  };
}

/** Workers that gains are for: those asked for, or else the largest recorded number, at least 2. */
export function workersOf(answer: WhatIf, asked: number): number {
  if (asked > 0) return asked;
  const own = answer.runs[0]?.workers ?? 1;
  return Math.max(2, own, ...curveOf(answer).recorded.map(({ workers }) => workers));
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
