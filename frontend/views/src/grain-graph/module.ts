/** Picture and table of the grain graph, loaded when it is first shown. */

import { formatCount } from '../logic/format.ts';
import { problemName } from '../logic/problems.ts';
import type { ViewModule } from '../registry/definition.ts';
import type { Answers, Settings } from './definition.ts';
import { GrainGraphView } from './GrainGraphView.ts';
import { INTERVALS, modelOf, partsOf, WHOLE } from './model.ts';
import { worstRows } from './values.ts';

/** Rows of the table at most. */
const ROWS = 1000;

export const module: ViewModule<Answers, Settings> = {
  create: () => new GrainGraphView(),
  parts: (answers, { selection, settings }) =>
    partsOf(answers, settings, selection.run, selection.otherRun),
  table(answers, { settings }) {
    const model = modelOf(answers, settings);
    const { values, counts, first } = model;
    const rows =
      values && counts && first ? worstRows(values, counts, first.test.isBelow, ROWS) : [];
    const name = first ? problemName(first.metric) : 'value';
    return {
      caption: first
        ? `The ${formatCount(rows.length)} worst of ${formatCount(counts?.grains)} grains with the problem ${first.condition}`
        : 'No problem is looked for',
      columns: [
        { id: 'grain', label: 'grain', kind: 'number' },
        { id: 'path', label: 'path', kind: 'text' },
        { id: 'definition', label: 'definition', kind: 'text' },
        {
          id: first?.metric ?? 'value',
          label: name,
          kind: 'number',
          ...(first ? { unit: first.unit } : {}),
        },
        { id: 'work', label: 'work', kind: 'number', unit: model.tree.unit },
      ],
      rows: rows.map((row) => [
        values?.grain[row],
        values?.path(row),
        values?.definitions[values.definition[row] ?? 0],
        values?.first[row],
        values?.work[row],
      ]),
    };
  },
  empty({ tree }) {
    if (tree.grains > 0) return undefined;
    return {
      title: 'This run has no grains',
      text: 'It is a call profile. Record the program with `grainsheaf record`, or add a file of a task or loop profiler.',
    };
  },
  notes(answers, { settings }) {
    const model = modelOf(answers, settings);
    const { reference } = answers.problems;
    const notes: string[] = [];
    if (settings.fragments && !model.isUnreduced)
      notes.push(
        `Fragments are drawn of one run with times, at most ${formatCount(WHOLE)} nodes and ${formatCount(INTERVALS)} intervals per worker`,
      );
    if (model.nodes.isFull || model.closed > 0)
      notes.push(`${formatCount(model.closed)} groups of the grain graph are drawn closed`);
    if (reference && reference.unmatched_grains > 0)
      notes.push(
        `${formatCount(reference.unmatched_grains)} grains have no partner in the reference`,
      );
    return notes;
  },
};
