/** Picture and table of parallelism over time, loaded when it is first shown. */

import type { ViewModule } from '../registry/definition.ts';
import { routeOf } from '../registry/one-run.ts';
import type { Answers, Settings } from './definition.ts';
import { conditionOf, conditionsOf, profileOf } from './model.ts';
import { ParallelismView } from './ParallelismView.ts';
import { formatShare } from '../logic/format.ts';

/** Grains of the chosen time that are asked for. */
const LISTED = 6;

export const module: ViewModule<Answers, Settings> = {
  create: () => new ParallelismView(),
  parts(_, { selection, settings }) {
    const { at } = settings;
    if (!/^\d+$/.test(at) || selection.run === '') return {};
    return {
      running: {
        route: routeOf(selection.run, 'timeline'),
        query: { start: at, end: Number(at) + 1, pixels: 1 },
        what: 'Reading what ran then',
      },
      ready: {
        route: routeOf(selection.run, 'grains'),
        query: {
          where: `created <= ${at} and start > ${at}`,
          metrics: 'work_ns',
          limit: LISTED,
        },
        what: 'Reading what was ready then',
      },
    };
  },
  table({ head, rows }, { selection }) {
    const profile = profileOf(rows);
    const [from, to] = selection.time ?? [0, head.elapsed];
    const cells: (string | number | null)[][] = [];
    for (let at = 0; at < profile.count; at += 1) {
      if ((profile.end[at] ?? 0) <= from || (profile.start[at] ?? 0) >= to) continue;
      cells.push([
        profile.start[at] ?? null,
        profile.end[at] ?? null,
        ...profile.layers.map(({ mean }) => mean[at] ?? null),
        conditionOf(profile, at, head.workers.length) ?? null,
      ]);
    }
    return {
      caption: 'Mean number of fragments in each part of the visible range',
      columns: [
        { id: 'start', label: 'begin', kind: 'number', unit: head.unit },
        { id: 'end', label: 'end', kind: 'number', unit: head.unit },
        ...profile.layers.map(({ name, label }) => ({
          id: name,
          label,
          kind: 'number' as const,
          unit: 'ratio',
        })),
        { id: 'condition', label: 'condition', kind: 'text' },
      ],
      rows: cells,
    };
  },
  notes({ head, rows, scheduling }, { selection }) {
    const profile = profileOf(rows);
    const range = selection.time ?? ([0, head.elapsed] as const);
    const length = Math.max(1, range[1] - range[0]);
    const { waits, lacks } = conditionsOf(profile, head.workers.length, range);
    return [
      profile.ready
        ? `Workers are idle while work waits in ${formatShare(waits / length)} of the visible time, and for lack of work in ${formatShare(lacks / length)}.`
        : 'The source has no dependences between fragments: only what ran is known.',
      ...scheduling.faults,
    ];
  },
};
