/** Picture and table of the history page, loaded when it is first shown. */

import { formatParameter } from '../logic/format.ts';
import { noteTexts } from '../logic/notes.ts';
import type { ViewModule } from '../registry/definition.ts';
import type { Answers, Settings } from './definition.ts';
import { HistoryView } from './HistoryView.ts';

export const module: ViewModule<Answers, Settings> = {
  create: () => new HistoryView(),
  table({ history }) {
    const { unit } = history;
    return {
      caption: `Groups over ${history.by}`,
      columns: [
        { id: 'environment', label: 'environment', kind: 'text' },
        { id: 'group', label: 'group', kind: 'text' },
        { id: 'version', label: history.by, kind: 'text' },
        { id: 'runs', label: 'runs', kind: 'number' },
        { id: 'min', label: 'least', kind: 'number', unit },
        { id: 'median', label: 'median', kind: 'number', unit },
        { id: 'max', label: 'highest', kind: 'number', unit },
        { id: 'change', label: 'change', kind: 'text' },
      ],
      rows: history.series.flatMap((series) =>
        series.groups.flatMap((group) =>
          series.points.map((point, index) => {
            const value = group.values[index];
            return [
              series.name,
              group.path.join(' › '),
              formatParameter(point.version),
              value?.runs,
              value?.min,
              value?.median,
              value?.max,
              group.changes.find((change) => change.point === index)?.verdict,
            ];
          }),
        ),
      ),
    };
  },
  empty: ({ history }) =>
    history.versions.length > 0
      ? undefined
      : {
          title: `No run has a value of ${history.by}`,
          text: 'A parameter distinguishes the versions.',
        },
  notes: ({ history }) => noteTexts(history.notes),
};
