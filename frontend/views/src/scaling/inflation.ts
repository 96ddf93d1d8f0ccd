/** Groups whose work grows with workers: the answer to the question which groups inflate. */

import { formatShort } from '../logic/format.ts';
import { uniqueNames } from '../logic/unique-names.ts';
import { html } from '../ui/dom.ts';
import type { GroupData, SeriesData } from './model.ts';

/** Groups that are named. */
const MOST = 3;
/** Characters of a name. */
const NAME = 36;
/** Least ratio of work at which a group is shown: smaller changes do not count as inflation. */
const LEAST = 1.05;
/** Share of workers × time that additional work has at least. */
const LEAST_SHARE = 0.001;

export interface Inflated {
  readonly group: GroupData;
  /** Work at the last point over that of the reference run. */
  readonly ratio: number;
  readonly interval: readonly [number, number] | undefined;
}

/** Groups that work longer at the last point, the most additional time first. A group whose interval contains 1 is left out. */
export function inflatedGroups({ groups, losses }: SeriesData): readonly Inflated[] {
  const whole = losses[losses.length - 1];
  const last = whole?.p;
  const least = (whole?.area ?? 0) * LEAST_SHARE;
  return groups
    .flatMap((group) => {
      const at = group.losses.find(({ p }) => p === last);
      const ratio = at?.inflation_ratio ?? 0;
      const [low, high] = at?.inflation_interval ?? [];
      const interval = low === undefined || high === undefined ? undefined : ([low, high] as const);
      if (!at || ratio < LEAST || at.inflation <= least || (interval && interval[0] <= 1))
        return [];
      return [{ group, ratio, interval, added: at.inflation }];
    })
    .sort((a, b) => b.added - a.added);
}

/** One line of the head; absent if no group inflates. */
export function drawInflation(
  series: SeriesData,
  by: string,
  select: (group: GroupData) => void,
): HTMLElement | undefined {
  const found = inflatedGroups(series);
  const last = series.points[series.points.length - 1];
  if (found.length === 0 || !last) return undefined;
  const line = html(
    'p',
    { class: 'gs-inflation', title: 'Work over that of the reference run, with its interval' },
    `Groups that inflate at ${by} ${formatShort(last.p)}, most additional work first:`,
  );
  const shown = found.slice(0, MOST);
  const names = uniqueNames(
    shown.map(({ group }) => group.path.at(-1) ?? ''),
    NAME,
  );
  for (const [at, { group, ratio, interval }] of shown.entries()) {
    const name = html('button', { type: 'button', class: 'gs-link gs-mono' }, names[at] ?? '');
    name.title = group.path.join(' › ');
    name.addEventListener('click', () => select(group));
    const range = interval
      ? html('span', { class: 'gs-quiet' }, ` (${interval.map(formatShort).join(' to ')})`)
      : '';
    line.append(html('span', {}, name, ' ', html('strong', {}, `×${formatShort(ratio)}`), range));
  }
  if (found.length > MOST)
    line.append(html('span', { class: 'gs-quiet' }, `+ ${found.length - MOST} more`));
  return line;
}
