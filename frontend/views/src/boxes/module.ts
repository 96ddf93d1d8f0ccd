/** Picture and table of box plots, loaded when they are first shown. */

import { noteTexts } from '../logic/notes.ts';
import type { Request, ViewModule } from '../registry/definition.ts';
import { BoxesView } from './BoxesView.ts';
import type { Answers, Settings } from './definition.ts';
import { boxRows, cohortName, ratioOf } from './model.ts';

export const module: ViewModule<Answers, Settings> = {
  create: () => new BoxesView(),
  // The picture of the page has the same answer, so that it comes from the cache.
  parts: (_, { selection, settings }): Readonly<Record<string, Request>> =>
    settings.over === 'runs'
      ? {
          values: {
            route: 'sankey',
            query: { lens: selection.shape },
            what: 'Reading the values of runs',
            format: 'arrow',
          },
        }
      : {},
  table(answers, { settings, selection }) {
    const rows = boxRows(answers, settings, selection);
    const unit = rows[0]?.unit ?? 'unknown';
    const numbers = ['min', 'q1', 'median', 'q3', 'max', 'mean', 'std'] as const;
    return {
      caption: `Distributions of groups over ${settings.over}`,
      columns: [
        { id: 'group', label: 'group', kind: 'text' },
        { id: 'cohort', label: 'cohort', kind: 'text' },
        { id: 'runs', label: settings.over, kind: 'number' },
        ...numbers.map((name) => ({ id: name, label: name, kind: 'number' as const, unit })),
        { id: 'ratio', label: 'median over the lowest', kind: 'number' },
        { id: 'load_balance', label: 'load balance', kind: 'number' },
        { id: 'outliers', label: 'outliers', kind: 'number' },
        { id: 'absent', label: 'absent', kind: 'number' },
        { id: 'target', label: 'target', kind: 'number', unit },
      ],
      rows: rows.flatMap((row) =>
        row.cohorts.map((cohort) => [
          row.path.join(' › '),
          cohortName(cohort) || 'all runs',
          cohort.runs,
          ...numbers.map((name) => cohort[name]),
          ratioOf(row, cohort),
          cohort.load_balance,
          cohort.box_plot?.outlier_count,
          cohort.absent,
          row.target,
        ]),
      ),
    };
  },
  empty(answers, { settings, selection }) {
    const { over } = settings;
    const located = answers.locations?.runs ?? [];
    if (over !== 'runs' && located.length > 0 && located.every(({ locations }) => locations < 2))
      return {
        title: `Each run has one ${over.slice(0, -1)}`,
        text: 'There is no distribution over one value.',
        steps: [{ label: 'Show distributions over runs', action: { set: { over: 'runs' } } }],
      };
    if (boxRows(answers, settings, selection).length > 0) return undefined;
    return settings.filter.trim()
      ? {
          title: `No group is called ${settings.filter.trim()}`,
          steps: [{ label: 'Show all groups', action: { set: { filter: '' } } }],
        }
      : { title: 'No group has a value', text: 'The lens selects no run or hides all groups.' };
  },
  notes: ({ stats, locations }) => noteTexts((stats ?? locations)?.notes ?? []),
};
