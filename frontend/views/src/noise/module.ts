/** Picture and table of the noise page, loaded when it is first shown. */

import { noteTexts } from '../logic/notes.ts';
import type { ViewModule } from '../registry/definition.ts';
import type { Answers, Settings } from './definition.ts';
import { NoiseView } from './NoiseView.ts';

export const module: ViewModule<Answers, Settings> = {
  create: () => new NoiseView(),
  table: ({ noise }) => ({
    caption: 'Noise of groups over repeats',
    columns: [
      { id: 'configuration', label: 'configuration', kind: 'text' },
      { id: 'group', label: 'group', kind: 'text' },
      { id: 'runs', label: 'runs', kind: 'number' },
      { id: 'median', label: 'median', kind: 'number', unit: noise.unit },
      { id: 'spread', label: 'spread', kind: 'number', unit: 'ratio' },
      { id: 'visible', label: 'visible change', kind: 'number', unit: 'ratio' },
      { id: 'seen', label: 'change between halves', kind: 'number', unit: 'ratio' },
      { id: 'threshold', label: 'limit for gates', kind: 'number', unit: 'ratio' },
    ],
    rows: noise.cohorts.flatMap((cohort) =>
      cohort.groups.map((group) => [
        cohort.name,
        group.path.join(' › '),
        group.runs,
        group.median,
        group.spread,
        group.visible,
        group.seen,
        group.threshold,
      ]),
    ),
  }),
  empty: ({ noise }) =>
    noise.cohorts.length > 0
      ? undefined
      : { title: 'No repeats', text: 'Noise needs several runs of one configuration.' },
  notes: ({ noise }) => noteTexts(noise.notes),
};
