/** Picture and table of a scatter, loaded when it is first shown. */

import type { ViewModule } from '../registry/definition.ts';
import type { Answers, Settings } from './definition.ts';
import { pointsOf } from './model.ts';
import { ScatterView } from './ScatterView.ts';

export const module: ViewModule<Answers, Settings> = {
  create: () => new ScatterView(),
  table(answers, { settings, facts }) {
    const points = pointsOf(answers, settings);
    return {
      caption: `${points.xName} and ${points.yName} values of groups and runs`,
      columns: [
        { id: 'group', label: 'group', kind: 'text' },
        { id: 'run', label: 'run', kind: 'text' },
        { id: 'x', label: points.xName, kind: 'number', unit: points.xUnit },
        { id: 'y', label: points.yName, kind: 'number', unit: points.yUnit },
      ],
      rows: Array.from({ length: points.x.length }, (_, at) => {
        const run = points.runs[points.run[at] ?? 0] ?? '';
        return [
          points.groups[points.group[at] ?? 0]?.name,
          facts.runNames.get(run) ?? run,
          points.x[at],
          points.y[at],
        ];
      }),
    };
  },
  empty(answers, { settings }) {
    if (pointsOf(answers, settings).x.length > 0) return undefined;
    return {
      title: 'No group has both values',
      text: 'Choose another metric: no run has both of these.',
      steps: [{ label: 'Use the same metric', action: { set: { metric: '' } } }],
    };
  },
};
