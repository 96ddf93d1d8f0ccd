/** Picture and table of the gate page, loaded when it is first shown. */

import { noteTexts } from '../logic/notes.ts';
import type { ViewModule } from '../registry/definition.ts';
import type { Answers, Settings } from './definition.ts';
import { GateView } from './GateView.ts';

export const module: ViewModule<Answers, Settings> = {
  create: () => new GateView(),
  table: ({ gate }) => ({
    caption: `Gate: ${gate.outcome}`,
    columns: [
      { id: 'group', label: 'group', kind: 'text' },
      { id: 'state', label: 'gate', kind: 'text' },
      { id: 'regression', label: 'worse by', kind: 'number', unit: 'ratio' },
      { id: 'limit', label: 'limit', kind: 'number', unit: 'ratio' },
      { id: 'share', label: 'share', kind: 'number', unit: 'ratio' },
      { id: 'q', label: 'q', kind: 'number' },
      { id: 'reason', label: 'why', kind: 'text' },
    ],
    rows: gate.groups.map((row) => [
      row.path.join(' › '),
      row.state,
      row.regression,
      row.limit,
      row.share,
      gate.diff.rows[row.row]?.q,
      row.reason.text,
    ]),
  }),
  empty: ({ gate }) =>
    gate.groups.length > 0
      ? undefined
      : {
          title: 'Nothing to judge',
          text: gate.untested_total?.text ?? 'The sides have no group in common.',
        },
  notes: ({ gate }) => noteTexts(gate.diff.notes),
};
