/** Picture and table of delays, loaded when it is first shown. */

import type { Timeline } from '../api.ts';
import type { Request, ViewModule } from '../registry/definition.ts';
import { routeOf } from '../registry/one-run.ts';
import type { Answers, Settings } from './definition.ts';
import { DelaysView } from './DelaysView.ts';
import { byDefinition, delaysOf } from './model.ts';

/** Grains that are counted at most: as many as the service sends in one page. */
const LIMIT = 100_000;

const grainsOf = ({ run, unit }: Timeline): Request => ({
  route: routeOf(run, 'grains'),
  query: { metrics: `delay_${unit}`, limit: LIMIT },
  what: 'Reading the delays of the grains',
  format: 'arrow',
});

export const module: ViewModule<Answers, Settings> = {
  create: () => new DelaysView(),
  parts: ({ head, otherHead }) => ({
    grains: grainsOf(head),
    ...(otherHead ? { otherGrains: grainsOf(otherHead) } : {}),
  }),
  table({ head, grains }, { settings }) {
    const rows = grains ? byDefinition(delaysOf(grains, head.unit), settings.of === 'moved') : [];
    return {
      caption: 'Delays by definition',
      columns: [
        { id: 'definition', label: 'definition', kind: 'text' },
        { id: 'grains', label: 'grains', kind: 'number', unit: 'count' },
        { id: 'moved', label: 'moved', kind: 'number', unit: 'count' },
        { id: 'median', label: 'median delay', kind: 'number', unit: head.unit },
        { id: 'sum', label: 'sum of delays', kind: 'number', unit: head.unit },
      ],
      rows: rows.map((row) => [row.definition, row.grains, row.moved, row.median, row.sum]),
    };
  },
  empty({ scheduling, grains }) {
    if (typeof scheduling.absent === 'string')
      return { title: 'Delays are not known', text: scheduling.absent };
    if (grains?.rows === 0)
      return {
        title: 'No grain has a delay',
        text: 'This run has no tasks and no chunks of loops.',
      };
    return undefined;
  },
};
