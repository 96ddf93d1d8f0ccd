/** Picture and table of predictions, loaded when they are first shown. */

import { noteTexts } from '../logic/notes.ts';
import type { ViewModule } from '../registry/definition.ts';
import type { Answers, Settings } from './definition.ts';
import { curveOf, workersOf } from './model.ts';
import { WhatIfView } from './WhatIfView.ts';

export const module: ViewModule<Answers, Settings> = {
  create: () => new WhatIfView(),
  parts({ whatIf }, { settings }) {
    const [run] = whatIf.runs;
    if (!run) return {};
    const query = { runs: run.run, workers: workersOf(whatIf, settings.at) };
    return { first: { route: 'what-if/first', query, what: 'Looking for the largest gain' } };
  },
  table({ whatIf, first }) {
    const { unit } = whatIf;
    const { points, unlimited, recorded } = curveOf(whatIf);
    const rows = [...points, ...(unlimited ? [unlimited] : [])];
    const times = new Map(recorded.map((one) => [one.workers, one]));
    const counts = new Set<number | null | undefined>(rows.map(({ workers }) => workers));
    const time = (id: string, label: string) => ({ id, label, kind: 'number', unit }) as const;
    return {
      caption: `Predicted elapsed time of ${whatIf.runs[0]?.name ?? 'a run'}`,
      columns: [
        { id: 'what', label: 'row', kind: 'text' },
        { id: 'name', label: 'definition', kind: 'text' },
        { id: 'workers', label: 'workers', kind: 'number' },
        time('predicted', 'predicted'),
        time('min', 'from'),
        time('max', 'to'),
        time('lower', 'max(span, work / workers)'),
        time('upper', 'work / workers + span'),
        time('unchanged', 'without changes'),
        time('recorded', 'recorded, median'),
        { id: 'runs', label: 'recorded runs', kind: 'number' },
        time('gain_10', 'gain, 10 % less'),
        time('gain_25', 'gain, 25 % less'),
        time('gain_50', 'gain, 50 % less'),
        time('gain_parallel', 'gain, parallel'),
      ],
      rows: [
        ...rows.map((row) => {
          const found = typeof row.workers === 'number' ? times.get(row.workers) : undefined;
          return [
            typeof row.workers === 'number' ? 'prediction' : 'unlimited workers',
            null,
            row.workers,
            row.predicted,
            row.min,
            row.max,
            row.lower,
            row.upper,
            row.unchanged,
            found?.median,
            found?.runs,
          ];
        }),
        ...recorded
          .filter(({ workers }) => !counts.has(workers))
          .map((one) => [
            'recorded',
            null,
            one.workers,
            ...Array.from({ length: 6 }, () => null),
            one.median,
            one.runs,
          ]),
        ...(first?.rows ?? []).map((row) => [
          'definition',
          row.definition,
          row.workers,
          ...Array.from({ length: 5 }, () => null),
          row.unchanged,
          null,
          null,
          row.gain_10,
          row.gain_25,
          row.gain_50,
          row.gain_parallel,
        ]),
      ],
    };
  },
  empty: ({ whatIf }) =>
    whatIf.rows.length > 0
      ? undefined
      : { title: 'Nothing was predicted', text: 'The answer has no number of workers.' },
  notes: ({ whatIf, first }) => [...new Set(noteTexts([...whatIf.notes, ...(first?.notes ?? [])]))],
};
