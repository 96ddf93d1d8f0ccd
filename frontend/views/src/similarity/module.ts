/** Picture and table of the similarity of runs, loaded when it is first shown. */

import { noteTexts } from '../logic/notes.ts';
import type { ViewModule } from '../registry/definition.ts';
import type { Answers, Settings } from './definition.ts';
import { SimilarityView } from './SimilarityView.ts';

export const module: ViewModule<Answers, Settings> = {
  create: () => new SimilarityView(),
  table: ({ similar }) => ({
    caption: 'Similarity of each run to each',
    columns: [
      { id: 'run', label: 'run', kind: 'text' },
      { id: 'cluster', label: 'cluster', kind: 'number' },
      ...similar.runs.map((run) => ({ id: run.run, label: run.name, kind: 'number' as const })),
    ],
    rows: similar.runs.map((run, index) => [
      run.name,
      run.cluster + 1,
      ...(similar.matrix[index] ?? []),
    ]),
  }),
  empty: ({ similar }) =>
    similar.runs.length > 1
      ? undefined
      : { title: 'Similarity needs two runs', text: 'The lens selects fewer.' },
  notes: ({ similar }) => noteTexts(similar.notes),
};
