/** Picture and table of the scaling page, loaded when it is first shown. */

import { noteTexts } from '../logic/notes.ts';
import type { ViewModule } from '../registry/definition.ts';
import type { Answers, Settings } from './definition.ts';
import { ScalingView } from './ScalingView.ts';

export const module: ViewModule<Answers, Settings> = {
  create: () => new ScalingView(),
  table({ scale }) {
    const { unit } = scale;
    return {
      caption: `Scaling by ${scale.by}`,
      columns: [
        { id: 'series', label: 'series', kind: 'text' },
        { id: 'group', label: 'group', kind: 'text' },
        { id: 'p', label: scale.by, kind: 'number' },
        { id: 'value', label: 'median', kind: 'number', unit },
        { id: 'speedup', label: 'speed-up', kind: 'number' },
        { id: 'low', label: 'from', kind: 'number' },
        { id: 'high', label: 'to', kind: 'number' },
        { id: 'efficiency', label: 'efficiency', kind: 'number' },
        { id: 'area', label: 'workers × time', kind: 'number', unit },
        { id: 'ideal', label: 'ideal', kind: 'number', unit },
        { id: 'inflation', label: 'inflation', kind: 'number', unit },
        { id: 'overhead', label: 'overhead', kind: 'number', unit },
        { id: 'idle', label: 'idle', kind: 'number', unit },
        { id: 'unexplained', label: 'unexplained', kind: 'number', unit },
      ],
      rows: [
        ...scale.points.map((point) => {
          const loss = scale.loss.find(
            (one) => one.series === point.series && one.p === point.p && one.path.length === 0,
          );
          return [
            scale.series[point.series]?.name,
            'whole run',
            point.p,
            point.value,
            point.speedup,
            low(point.speedup_interval, 0),
            low(point.speedup_interval, 1),
            point.efficiency ?? point.weak_efficiency,
            loss?.area,
            loss?.ideal,
            loss?.inflation,
            loss?.overhead,
            loss?.idle,
            loss?.unexplained,
          ];
        }),
        ...scale.loss
          .filter((loss) => loss.path.length > 0)
          .map((loss) => [
            scale.series[loss.series]?.name,
            loss.path.join(' › '),
            loss.p,
            null,
            null,
            null,
            null,
            loss.area > 0 ? loss.ideal / loss.area : null,
            loss.area,
            loss.ideal,
            loss.inflation,
            loss.overhead,
            loss.idle,
            loss.unexplained,
          ]),
      ],
    };
  },
  empty({ scale }) {
    if (scale.points.length > 0) return undefined;
    return {
      title: `No run has a value of ${scale.by}`,
      text: 'Scaling needs runs that differ in a number, such as threads or ranks.',
      steps: [{ label: 'Show the runs', action: { command: 'tab-runs' } }],
    };
  },
  notes: ({ scale }) => noteTexts(scale.notes),
};

function low(interval: readonly unknown[] | null | undefined, at: number): number | null {
  const value = interval?.[at];
  return typeof value === 'number' ? value : null;
}
