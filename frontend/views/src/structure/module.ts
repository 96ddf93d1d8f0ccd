/** Picture and table of the structure page, loaded when it is first shown. */

import { noteTexts } from '../logic/notes.ts';
import type { ViewModule } from '../registry/definition.ts';
import type { Answers, Settings } from './definition.ts';
import { StructureView } from './StructureView.ts';

export const module: ViewModule<Answers, Settings> = {
  create: () => new StructureView(),
  table: ({ diff }) => ({
    caption: `Structure: ${diff.structure.reason.text}`,
    columns: [
      { id: 'kind', label: 'what', kind: 'text' },
      { id: 'a', label: 'A', kind: 'text' },
      { id: 'b', label: 'B', kind: 'text' },
      { id: 'share', label: 'share', kind: 'number', unit: 'ratio' },
      { id: 'work_a', label: 'work of A', kind: 'number', unit: diff.unit },
      { id: 'work_b', label: 'work of B', kind: 'number', unit: diff.unit },
      { id: 'matched_by', label: 'matched by', kind: 'text' },
      { id: 'score', label: 'score', kind: 'number' },
    ],
    rows: [
      ...Object.entries(diff.structure.matched_work).map(([tier, share]) => [
        `matched: ${tier}`,
        null,
        null,
        share,
        null,
        null,
        tier,
        null,
      ]),
      ...diff.structure.changes.map((change) => [
        change.kind,
        change.definition_a,
        change.definition_b,
        change.share,
        change.runs_a > 0 ? change.work_a : null,
        change.runs_b > 0 ? change.work_b : null,
        change.matched_by,
        change.score,
      ]),
    ],
  }),
  notes: ({ diff, mapping }) => noteTexts([...diff.notes, ...(mapping?.notes ?? [])]),
};
