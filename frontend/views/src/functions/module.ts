/** Picture and table of functions, loaded when they are first shown. */

import { noteTexts } from '../logic/notes.ts';
import type { ViewModule } from '../registry/definition.ts';
import type { Answers, Settings } from './definition.ts';
import { FunctionsView } from './FunctionsView.ts';
import { functionRows } from './model.ts';

export const module: ViewModule<Answers, Settings> = {
  create: () => new FunctionsView(),
  table(answers, { settings }) {
    const unit = answers.exclusive.rows[0]?.unit ?? 'unknown';
    return {
      caption: answers.diff
        ? 'Functions, means over the runs of both sides, and of A and B'
        : 'Functions, mean over runs',
      columns: [
        { id: 'function', label: 'function', kind: 'text' },
        { id: 'exclusive', label: 'exclusive', kind: 'number', unit },
        { id: 'share', label: 'share', kind: 'number', unit: 'ratio' },
        { id: 'inclusive', label: 'inclusive', kind: 'number', unit },
        { id: 'runs', label: 'runs', kind: 'number' },
        { id: 'a', label: 'A, exclusive', kind: 'number', unit },
        { id: 'b', label: 'B, exclusive', kind: 'number', unit },
        { id: 'delta', label: 'B − A', kind: 'number', unit },
        { id: 'verdict', label: 'verdict', kind: 'text' },
      ],
      rows: functionRows(answers, settings.filter).map((row) => [
        row.name,
        row.exclusive?.mean,
        row.exclusive?.share,
        row.inclusive?.mean,
        row.inclusive?.runs,
        row.diff?.a,
        row.diff?.b,
        row.diff?.delta,
        row.diff?.verdict,
      ]),
    };
  },
  empty(answers, { settings }) {
    if (functionRows(answers, settings.filter).length > 0) return undefined;
    return settings.filter.trim()
      ? {
          title: `No function is called ${settings.filter.trim()}`,
          steps: [{ label: 'Show all functions', action: { set: { filter: '' } } }],
        }
      : { title: 'No function has a value', text: 'The lens selects no run or hides all groups.' };
  },
  notes: ({ exclusive }) => noteTexts(exclusive.notes),
};
