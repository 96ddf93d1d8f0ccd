/** Picture and table of a distribution, loaded when it is first shown. */

import { formatCount, formatPlural } from '../logic/format.ts';
import { noteTexts } from '../logic/notes.ts';
import type { Shown, ViewModule } from '../registry/definition.ts';
import type { View, ViewContext } from '../ui/view.ts';
import type { Answers, Settings } from './definition.ts';
import {
  COUNTED,
  type HistogramData,
  type HistogramSelection,
  HistogramView,
} from './HistogramView.ts';

/** Keeps the arguments of the picture as long as what they are made of. */
class RegisteredHistogram implements View<Answers, Shown<Settings>> {
  readonly #view = new HistogramView();

  mount(element: HTMLElement, context: ViewContext): void {
    this.#view.mount(element, context);
  }

  update({ distribution }: Answers, { selection, settings }: Shown<Settings>): void {
    const { a, b, comparison, isDiff, target } = selection;
    const data: HistogramData = {
      distribution,
      sides: isDiff && a && b ? { a: a.name, b: b.name } : undefined,
      title: comparison ? `${comparison.quantity}: ${comparison.text}` : undefined,
    };
    const marked: HistogramSelection = {
      target: isDiff ? undefined : target,
      isLogY: settings.log,
    };
    this.#view.update(data, marked);
  }

  destroy(): void {
    this.#view.destroy();
  }

  exportSvg(): string {
    return this.#view.exportSvg();
  }
}

export const module: ViewModule<Answers, Settings> = {
  create: () => new RegisteredHistogram(),
  table({ distribution }, { selection }) {
    const { unit } = distribution;
    const hasSides = selection.isDiff;
    return {
      caption: `Distribution of ${distribution.name} over ${COUNTED[distribution.mode]}s`,
      columns: [
        { id: 'from', label: 'from', kind: 'number', unit },
        { id: 'to', label: 'to', kind: 'number', unit },
        { id: 'count', label: `${COUNTED[distribution.mode]}s`, kind: 'number' },
        ...(hasSides
          ? ([
              { id: 'a', label: 'A', kind: 'number' },
              { id: 'b', label: 'B', kind: 'number' },
            ] as const)
          : []),
        { id: 'members', label: 'members', kind: 'text' },
      ],
      rows: distribution.bins.map((bin) => [
        bin.lo,
        bin.hi,
        bin.count,
        ...(hasSides ? [bin.baseline_count, bin.target_count] : []),
        bin.members.join(', '),
      ]),
    };
  },
  empty({ distribution }) {
    if (distribution.count > 0) return undefined;
    return {
      title: 'Nothing to count',
      text: `No ${COUNTED[distribution.mode]} has a value for this group.`,
      steps: [{ label: 'Count runs', action: { set: { mode: 'runs' } } }],
    };
  },
  notes: ({ distribution }) => [
    ...noteTexts(distribution.notes),
    ...(distribution.absent > 0
      ? [
          `absent in ${formatPlural(distribution.absent, 'run')} of ${formatCount(distribution.absent + distribution.count)}`,
        ]
      : []),
  ],
};
