/** Picture and table of the aggregated grain graph, loaded when it is first shown. */

import type { ViewModule } from '../registry/definition.ts';
import { problemName } from '../logic/problems.ts';
import { nameOf } from '../logic/group-names.ts';
import { valueOf } from '../logic/group-tree.ts';
import type { Answers, Settings } from './definition.ts';
import { GroupsView } from './GroupsView.ts';
import { modelOf, partsOf } from './model.ts';

export const module: ViewModule<Answers, Settings> = {
  create: () => new GroupsView(),
  parts: (answers, { selection, settings }) => partsOf(answers, settings, selection.run),
  table(answers, { settings }) {
    const model = modelOf(answers, settings);
    const { unit } = model.tree;
    const metric = model.marked?.metric;
    return {
      caption: 'Visible groups and grains',
      columns: [
        { id: 'group', label: 'group', kind: 'number' },
        { id: 'inside', label: 'inside', kind: 'number' },
        { id: 'name', label: 'name', kind: 'text' },
        { id: 'kind', label: 'kind', kind: 'text' },
        { id: 'grains', label: 'grains', kind: 'number' },
        { id: 'work', label: 'work', kind: 'number', unit },
        ...(metric === undefined
          ? []
          : ([
              { id: metric, label: problemName(metric), kind: 'number' },
              { id: 'problem', label: 'problem', kind: 'flag' },
            ] as const)),
        { id: 'critical', label: 'critical', kind: 'flag' },
        { id: 'structure', label: 'structure', kind: 'text' },
      ],
      rows: model.nodes.groups.flatMap((group) =>
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
  notes({ tree }) {
    return tree.unstructured > 0
      ? [
          `${tree.unstructured} groups of grains depend on each other in a way that no nesting shows`,
        ]
      : [];
  },
};
