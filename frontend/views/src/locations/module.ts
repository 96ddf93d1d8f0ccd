/** Picture and table of the heat map of locations, loaded when it is first shown. */

import { noteTexts } from '../logic/notes.ts';
import type { ViewModule } from '../registry/definition.ts';
import type { Answers, Settings } from './definition.ts';
import { LocationsView } from './LocationsView.ts';
import { differenceName, matrixOf, oneLocation, sidesOf } from './model.ts';

export const module: ViewModule<Answers, Settings> = {
  create: () => new LocationsView(),
  table({ locations, others }, { selection, settings }) {
    const sides = sidesOf(locations, selection, settings.run, others);
    const matrix = matrixOf(locations, sides, settings);
    const { rows, columns, runs } = matrix;
    const { unit } = locations;
    return {
      caption: `${sides.a ? differenceName(matrix) : 'Values'} of groups by ${locations.by}, ${runs.join(', ')}`,
      columns: [
        { id: 'group', label: 'group', kind: 'text' },
        { id: 'mean', label: 'mean', kind: 'number', unit },
        { id: 'excess', label: 'max − mean', kind: 'number', unit },
        { id: 'imbalance', label: 'imbalance', kind: 'number', unit: 'ratio' },
        { id: 'max_at', label: 'maximum at', kind: 'text' },
        ...columns.map(({ text }) => ({ id: text, label: text, kind: 'number' as const, unit })),
      ],
      rows: rows.map((row) => [
        row.path.join(' › '),
        row.mean,
        row.excess,
        row.imbalance,
        row.maxAt,
        ...row.values,
      ]),
    };
  },
  empty({ locations }, { settings, facts }) {
    if (locations.groups.length === 0)
      return {
        title: `No group has values by ${settings.by.slice(0, -1)}`,
        text: 'The sources have values over all ranks only, or the lens selects no run.',
      };
    if (locations.runs.some((run) => run.locations > 1)) return undefined;
    return oneLocation(locations, settings.by, facts.runs);
  },
  notes({ locations, others }, { settings }) {
    const hasNode = locations.runs.some(({ columns }) =>
      columns.some(({ node }) => typeof node === 'number'),
    );
    return [
      ...new Set(noteTexts([...locations.notes, ...(others?.notes ?? [])])),
      ...(settings.columns === 'node' && !hasNode
        ? ['the sources name no NUMA nodes: columns are in the order of their numbers']
        : []),
    ];
  },
};
