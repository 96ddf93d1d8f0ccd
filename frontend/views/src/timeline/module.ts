/** Picture and table of the time line, loaded when it is first shown. */

import type { Timeline } from '../api.ts';
import type { Columns } from '../data/columns.ts';
import type { ViewModule } from '../registry/definition.ts';
import { definitionsOf } from '../registry/one-run.ts';
import type { Interval } from '../registry/selection.ts';
import { alignedParts, alignmentNotes, phaseOf, shiftOf } from './align.ts';
import type { Answers, Settings } from './definition.ts';
import { firstAfter, intervalsOf, placeNote, workerName } from './model.ts';
import { TimelineView } from './TimelineView.ts';

export const module: ViewModule<Answers, Settings> = {
  create: () => new TimelineView(),
  parts: (answers, { selection, settings }) => ({
    definitions: definitionsOf(selection.run),
    ...alignedParts(answers, settings, selection),
  }),
  table(answers, { selection, settings, facts }) {
    const { head, rows, otherHead, otherRows } = answers;
    const shift = shiftOf(phaseOf(answers, settings));
    const [from, to] = selection.time ?? [0, Infinity];
    const others = answers.alignedRows ?? otherRows;
    const isTwo = otherHead !== undefined && others !== undefined;
    const name = (run: string): string => facts.runLabels.get(run) ?? run;
    const cells = isTwo
      ? [
          ...cellsOf(head, rows, [from, to]).map((row) => [name(head.run), ...row]),
          ...cellsOf(otherHead, others, [from + shift, to + shift]).map((row) => [
            name(otherHead.run),
            ...row,
          ]),
        ]
      : cellsOf(head, rows, [from, to]);
    return {
      caption: 'Intervals of workers in the visible range',
      columns: [
        ...(isTwo ? ([{ id: 'run', label: 'run', kind: 'text' }] as const) : []),
        { id: 'worker', label: 'worker', kind: 'text' },
        { id: 'start', label: 'begin', kind: 'number', unit: head.unit },
        { id: 'end', label: 'end', kind: 'number', unit: head.unit },
        { id: 'busy', label: 'busy', kind: 'number', unit: 'ratio' },
        { id: 'intervals', label: 'intervals', kind: 'number', unit: 'count' },
        { id: 'grain', label: 'grain', kind: 'number', unit: 'count' },
        { id: 'definition', label: 'definition', kind: 'text' },
      ],
      rows: cells,
    };
  },
  empty: ({ head }) =>
    head.workers.length > 0 && head.elapsed > 0
      ? undefined
      : { title: 'No interval', text: 'No worker of this run has an interval with a length.' },
  notes: (answers, { settings }) => {
    const { head, otherHead } = answers;
    const place = settings.sort === 'place' ? placeNote(head) : undefined;
    return [
      ...(place ? [place] : []),
      ...(otherHead && otherHead.unit !== head.unit
        ? ['The two runs have times in different units: their lengths cannot be compared.']
        : alignmentNotes(answers, settings)),
    ];
  },
};

/** Rows of the intervals of a run in a range, at the times of this run. */
function cellsOf(
  head: Timeline,
  rows: Columns,
  [from, to]: Interval,
): (string | number | null)[][] {
  const all = intervalsOf(rows, head.workers.length);
  const cells: (string | number | null)[][] = [];
  head.workers.forEach((_, worker) => {
    const end = all.first[worker + 1] ?? 0;
    for (let at = firstAfter(all, worker, from); at < end; at += 1) {
      if ((all.start[at] ?? 0) >= to) break;
      const grain = all.grain[at] ?? -1;
      cells.push([
        workerName(head, worker),
        all.start[at] ?? null,
        all.end[at] ?? null,
        all.busy[at] ?? null,
        all.intervals[at] ?? null,
        grain < 0 ? null : grain,
        all.names[all.definition[at] ?? -1] ?? null,
      ]);
    }
  });
  return cells;
}
