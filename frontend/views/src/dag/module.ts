/** Picture and table of the task graph, loaded when it is first shown. */

import { kindOf, nameOf } from '../logic/group-names.ts';
import { valueOf } from '../logic/group-tree.ts';
import type { ViewModule } from '../registry/definition.ts';
import { DagView } from './DagView.ts';
import type { Answers, Settings } from './definition.ts';
import { isAlone, isCut, modelOf, partsOf, sideOf, timeOf } from './model.ts';

export const module: ViewModule<Answers, Settings> = {
  create: () => new DagView(),
  parts: (answers, { selection, settings }) =>
    partsOf(answers, settings, [selection.run, selection.otherRun]),
  table(answers, { settings, facts }) {
    const model = modelOf(answers, settings);
    const { unit } = model.first.tree;
    return {
      caption: 'Visible nodes of the task graph',
      columns: [
        { id: 'run', label: 'run', kind: 'text' },
        { id: 'group', label: 'group', kind: 'number' },
        { id: 'inside', label: 'inside', kind: 'number' },
        { id: 'name', label: 'name', kind: 'text' },
        { id: 'kind', label: 'kind', kind: 'text' },
        { id: 'grains', label: 'grains and team members', kind: 'number' },
        { id: 'work', label: 'work', kind: 'number', unit },
        { id: 'time', label: 'time', kind: 'number', unit },
        { id: 'worker', label: 'worker', kind: 'text' },
        { id: 'critical', label: 'critical', kind: 'flag' },
        { id: 'alone', label: 'only in this run', kind: 'flag' },
      ],
      rows: model.nodes.groups.flatMap((group, node) => {
        if (!group) return [];
        const side = sideOf(model, node);
        const worker = group.kind === 'grain' ? side.times?.worker(group.grain) : undefined;
        return [
          [
            facts.runLabels.get(side.tree.run) ?? side.tree.run,
            group.group,
            group.parent ?? undefined,
            nameOf(group),
            kindOf(group),
            group.grains,
            valueOf(group, model.work),
            side.times && timeOf(side, group, model.work),
            worker === undefined ? undefined : side.times?.workers[worker],
            group.is_critical,
            model.partners ? isAlone(model, node) : undefined,
          ],
        ];
      }),
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
    const { first, second } = modelOf(answers, settings);
    const notes: string[] = [];
    if (settings.height !== 'same' && first.times && first.times.elapsed === undefined)
      notes.push('The source of this run has no times: the height of a grain is its work.');
    if ([first, second].some((side) => side && isCut(side.tree, settings)))
      notes.push(
        'Times and workers are read of the first million grains of a run; others have none.',
      );
    if (second && second.tree.unit !== first.tree.unit)
      notes.push('The two runs have times in different units: their heights cannot be compared.');
    return notes;
  },
};
