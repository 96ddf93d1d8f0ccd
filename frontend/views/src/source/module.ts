/** Text and table of a source file, loaded when it is first shown. */

import { noteTexts } from '../logic/notes.ts';
import type { Table, ViewModule } from '../registry/definition.ts';
import type { Answers, Settings } from './definition.ts';
import { type Source, sourceOf } from './model.ts';
import { SourceView } from './SourceView.ts';

export const module: ViewModule<Answers, Settings> = {
  create: () => new SourceView(),
  parts({ grain }, { selection: { shape, run, grain: wanted } }) {
    const [row] = grain?.rows ?? [];
    if (!row || grain?.run !== run || String(row.grain) !== wanted) return {};
    return {
      followed: {
        route: 'source',
        query: { lens: shape, group: row.definition },
        what: 'Reading the source',
      },
    };
  },
  table: (answers) => tableOf(sourceOf(answers)),
  empty(answers) {
    if (answers.grain?.rows.length === 0) return { title: 'The run has no such grain' };
    const source = sourceOf(answers);
    if (!source || source.file || source.lines.length > 0) return undefined;
    return {
      title: 'The source file is not known',
      text: 'No run of the lens has a file and line of this group. Programs with debug information (-g) have them.',
    };
  },
  notes: (answers) => noteTexts(sourceOf(answers)?.notes ?? []),
};

function tableOf(source: Source | undefined): Table {
  if (!source) return { caption: 'Reading the source', columns: [], rows: [] };
  return {
    caption: `Values of the lines of ${source.path ?? source.file ?? 'no file'}`,
    columns: [
      { id: 'line', label: 'line', kind: 'number' },
      { id: 'name', label: 'definition', kind: 'text' },
      { id: 'value', label: 'value', kind: 'number', unit: source.unit },
      { id: 'share', label: 'share', kind: 'number', unit: 'ratio' },
      { id: 'a', label: 'A', kind: 'number', unit: source.unit },
      { id: 'b', label: 'B', kind: 'number', unit: source.unit },
      { id: 'text', label: 'text', kind: 'text' },
    ],
    rows: source.values.map((value) => [
      value.line,
      value.name,
      value.value,
      value.share,
      value.a,
      value.b,
      source.lines[value.line - source.first_line],
    ]),
  };
}
