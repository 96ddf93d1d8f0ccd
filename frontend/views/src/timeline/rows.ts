/** Places of the rows of workers, of one run or of two one below the other. Pure. */

import type { Timeline } from '../api.ts';
import type { Settings } from './definition.ts';
import { workerOrder } from './model.ts';
import type { Row } from './paint.ts';

const TOP = 4;
/** Room for the name of a run, if there are two. */
const TITLE = 20;
const HIGHEST = 22;
const LOWEST = 4;
const GAP = 2;
/** Room for the axis below. */
export const AXIS = 26;

export interface Rows {
  readonly rows: readonly Row[];
  readonly titles: readonly { readonly text: string; readonly y: number }[];
  /** Height of rows and axis. */
  readonly bottom: number;
}

/** Rows that fill a height, as far as their least and largest heights allow it. */
export function rowsOf(
  heads: readonly Timeline[],
  names: readonly string[],
  sort: Settings['sort'],
  height: number,
  pinned: ReadonlySet<string> = new Set(),
): Rows {
  const count = heads.reduce((sum, { workers }) => sum + workers.length, 0);
  const titled = heads.length > 1 ? TITLE * heads.length : 0;
  const room = (height - TOP - AXIS - titled) / Math.max(1, count) - GAP;
  const own = Math.max(LOWEST, Math.min(HIGHEST, Math.floor(room)));
  const rows: Row[] = [];
  const titles: { text: string; y: number }[] = [];
  let y = TOP;
  heads.forEach((head, lane) => {
    if (heads.length > 1) {
      titles.push({ text: names[lane] ?? '', y: y + 13 });
      y += TITLE;
    }
    for (const worker of workerOrder(head, sort, pinned)) {
      rows.push({ lane, worker, y, height: own });
      y += own + GAP;
    }
  });
  return { rows, titles, bottom: y + AXIS };
}

/** Where a worker ran, as far as the source states it. */
export function placeRows(worker: Timeline['workers'][number] | undefined): [string, string][] {
  const rows: [string, string][] = [];
  if (typeof worker?.core === 'number') rows.push(['processor', String(worker.core)]);
  if (typeof worker?.node === 'number') rows.push(['NUMA node', String(worker.node)]);
  return rows;
}
