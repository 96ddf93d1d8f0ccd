/** Picture and table of the aggregated grain graph, loaded when it is first shown. */

import type { Facts, Table, ViewModule } from '../registry/definition.ts';
import { problemName } from '../logic/problems.ts';
import { nameOf } from '../logic/group-names.ts';
import { valueOf } from '../logic/group-tree.ts';
import type { Answers, Settings } from './definition.ts';
import { GroupsView } from './GroupsView.ts';
import { type Model, modelOf, partsOf } from './model.ts';
import { comparedAt, type Two } from './two.ts';

export const module: ViewModule<Answers, Settings> = {
  create: () => new GroupsView(),
  parts: (answers, { selection, settings }) =>
    partsOf(answers, settings, [selection.run, selection.otherRun]),
  table(answers, { settings, facts }) {
    const model = modelOf(answers, settings);
    const { two } = model;
    if (two) return tableOfTwo(model, two, facts);
    const { unit } = model.tree;
    const metric = model.marked?.metric;
    return {
      caption: 'Visible groups and grains',
      columns: [
        { id: 'group', label: 'group', kind: 'number' },
        { id: 'inside', label: 'inside', kind: 'number' },
        { id: 'name', label: 'name', kind: 'text' },
        { id: 'kind', label: 'kind', kind: 'text' },
        { id: 'grains', label: 'grains and team members', kind: 'number' },
        { id: 'work', label: 'work', kind: 'number', unit },
        ...(metric === undefined
          ? []
          : ([
              {
                id: metric,
                label: problemName(metric),
                kind: 'number',
                ...(model.unit === undefined ? {} : { unit: model.unit }),
              },
              { id: 'problem', label: 'problem', kind: 'flag' },
            ] as const)),
        { id: 'critical', label: 'critical', kind: 'flag' },
        ...(model.local ? [{ id: 'local', label: 'local path', kind: 'flag' } as const] : []),
        { id: 'structure', label: 'structure', kind: 'text' },
      ],
      rows: model.nodes.groups.flatMap((group, node) =>
        group
          ? [
              [
                group.group,
                group.parent ?? undefined,
                nameOf(group),
                group.kind,
                group.grains,
                valueOf(group, model.work),
                ...(metric === undefined
                  ? []
                  : [valueOf(group, metric), group.has_problem ?? undefined]),
                group.is_critical,
                ...(model.local ? [model.isOnPath(node)] : []),
                model.letters.get(group.structure ?? ''),
              ],
            ]
          : [],
      ),
    };
  },
  empty({ tree }) {
    if (tree.grains > 0) return undefined;
    return {
      title: 'This run has no grains',
      text: 'It is a call profile. Record the program with `grainsheaf record`, or add a file of a task or loop profiler.',
    };
  },
  notes({ tree, other }) {
    const notes: string[] = [];
    if (tree.unstructured > 0)
      notes.push(
        `${tree.unstructured} groups of grains depend on each other in a way that no nesting shows`,
      );
    if (other && other.unit !== tree.unit)
      notes.push('The two runs have times in different units: their work cannot be compared.');
    return notes;
  },
};

/** A row for each visible group of each run, with the same place in the other run. */
function tableOfTwo(model: Model, two: Two, { runLabels }: Facts): Table {
  const { unit } = model.tree;
  const { nodes } = model;
  return {
    caption: 'Visible groups and grains of both runs',
    columns: [
      { id: 'run', label: 'run', kind: 'text' },
      { id: 'group', label: 'group', kind: 'number' },
      { id: 'inside', label: 'inside', kind: 'number' },
      { id: 'name', label: 'name', kind: 'text' },
      { id: 'kind', label: 'kind', kind: 'text' },
      { id: 'grains', label: 'grains and team members', kind: 'number' },
      { id: 'work', label: 'work', kind: 'number', unit },
      { id: 'other_work', label: 'work in the other run', kind: 'number', unit },
      { id: 'ratio', label: 'second run by first', kind: 'number' },
      { id: 'critical', label: 'critical', kind: 'flag' },
      { id: 'alone', label: 'only in this run', kind: 'flag' },
    ],
    rows: nodes.groups.flatMap((group, node) => {
      if (!group) return [];
      const { other, ratio, isAlone } = comparedAt(two, nodes, node, model.work);
      const { run } = node >= nodes.second ? two.other : model.tree;
      return [
        [
          runLabels.get(run) ?? run,
          group.group,
          group.parent ?? undefined,
          nameOf(group),
          group.kind,
          group.grains,
          valueOf(group, model.work),
          other && valueOf(other, model.work),
          ratio,
          group.is_critical,
          isAlone,
        ],
      ];
    }),
  };
}
