/** Picture and table of a projection, loaded when it is first shown. */

import { noteTexts } from '../logic/notes.ts';
import type { ViewModule } from '../registry/definition.ts';
import type { Answers, Settings } from './definition.ts';
import { ProjectionView } from './ProjectionView.ts';

export const module: ViewModule<Answers, Settings> = {
  create: () => new ProjectionView(),
  table: ({ projection }, { settings, selection }) => ({
    caption: `Projection of runs by ${settings.by}`,
    columns: [
      { id: 'run', label: 'run', kind: 'text' },
      { id: 'x', label: 'x', kind: 'number' },
      { id: 'y', label: 'y', kind: 'number' },
      { id: 'cluster', label: 'cluster', kind: 'number' },
      { id: 'chosen', label: 'chosen', kind: 'flag' },
      ...projection.used.map((name) => ({
        id: `param:${name}`,
        label: name,
        kind: 'text' as const,
      })),
    ],
    rows: projection.runs.map((run) => {
      const { x, y, cluster } = run[settings.by];
      return [
        run.name,
        x,
        y,
        cluster + 1,
        selection.runs.includes(run.run),
        ...projection.used.map((name) => run.params[name]),
      ];
    }),
  }),
  empty: ({ projection }) =>
    projection.runs.length > 2
      ? undefined
      : { title: 'A projection needs three runs', text: 'The lens selects fewer.' },
  notes: ({ projection }) => noteTexts(projection.notes),
};
