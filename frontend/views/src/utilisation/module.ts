/** Picture and table of utilisation, loaded when it is first shown. */

import { noteTexts } from '../logic/notes.ts';
import type { ViewModule } from '../registry/definition.ts';
import type { Answers, Settings } from './definition.ts';
import { intervalOf, panelsOf } from './model.ts';
import { UtilisationView } from './UtilisationView.ts';

export const module: ViewModule<Answers, Settings> = {
  create: () => new UtilisationView(),
  table: ({ scale }, { settings }) => ({
    caption: `Utilisation by ${scale.by}`,
    columns: [
      { id: 'program', label: 'program', kind: 'text' },
      { id: 'series', label: 'series', kind: 'text' },
      { id: 'p', label: scale.by, kind: 'number' },
      { id: 'utilisation', label: 'utilisation', kind: 'number' },
      { id: 'low', label: 'from', kind: 'number' },
      { id: 'high', label: 'to', kind: 'number' },
      { id: 'time', label: 'median time', kind: 'number', unit: scale.unit },
      { id: 'runs', label: 'runs', kind: 'number' },
    ],
    rows: panelsOf(scale, settings.split).panels.flatMap(({ title, lines }) =>
      lines.flatMap(({ name, points }) =>
        points.map((point) => [
          title,
          name,
          point.p,
          point.utilisation,
          intervalOf(point)?.[0],
          intervalOf(point)?.[1],
          point.value,
          point.runs.length,
        ]),
      ),
    ),
  }),
  empty: ({ scale }, { settings }) =>
    panelsOf(scale, settings.split).panels.length > 0
      ? undefined
      : {
          title: 'No utilisation',
          text: `It needs times of runs that differ in ${scale.by}.`,
          steps: [{ label: 'by threads', action: { set: { by: 'threads' } } }],
        },
  notes: ({ scale }) => noteTexts(scale.notes),
};
