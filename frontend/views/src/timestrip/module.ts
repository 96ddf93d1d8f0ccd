/** Picture and table of the strip of runs, loaded when it is first shown. */

import type { ViewModule } from '../registry/definition.ts';
import type { Answers, Settings } from './definition.ts';
import { stripOf } from './model.ts';
import { TimeStripView } from './TimeStripView.ts';

export const module: ViewModule<Answers, Settings> = {
  create: () => new TimeStripView(),
  table(_, { facts, settings, selection }) {
    const strip = stripOf(facts.runs, settings.along);
    const isTime = strip.kind === 'time';
    return {
      caption: 'Runs in the order in which they were made',
      columns: [
        { id: 'run', label: 'run', kind: 'text' },
        { id: 'at', label: strip.along || 'place', kind: isTime ? 'text' : 'number' },
        { id: 'total', label: 'total', kind: 'number', unit: selection.metric?.unit ?? 'unknown' },
        { id: 'elapsed', label: 'elapsed', kind: 'number', unit: 'ns' },
      ],
      rows: [...strip.places]
        .sort((a, b) => a.at - b.at)
        .map(({ run, at }) => [
          run.name,
          isTime ? new Date(at).toISOString() : at,
          run.total,
          run.elapsed_ns,
        ]),
    };
  },
  empty: (_, { facts }) =>
    facts.runs.length > 0
      ? undefined
      : {
          title: 'There are no runs to show',
          text: 'The lens selects no run.',
          steps: [{ label: 'Reset the lens', action: { command: 'lens-reset' } }],
        },
};
