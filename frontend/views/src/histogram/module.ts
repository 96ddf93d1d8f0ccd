/** Picture and table of a distribution, loaded when it is first shown. */

import { formatCount, formatPlural } from '../logic/format.ts';
import { noteTexts } from '../logic/notes.ts';
import { distributionLens, hasClause, withClause } from '../logic/lens.ts';
import type { Request, Shown, ViewModule } from '../registry/definition.ts';
import type { View, ViewContext } from '../ui/view.ts';
import type { Distribution } from '../api.ts';
import type { Answers, Settings } from './definition.ts';
import {
  FEWEST_BARS,
  type HistogramData,
  type HistogramSelection,
  HistogramView,
} from './HistogramView.ts';
import { COUNTED } from './parts.ts';
import { suggestedBins } from './rule.ts';

/** Whether the rule of Freedman and Diaconis chooses the bins, rather than a clause of the lens. */
const isByRule = ({ selection }: Shown<Settings>): boolean => !hasClause(selection.lens, 'bins');

/** The answer with the bins of the rule; until it is here, the one with the bins of the lens. */
function binnedOf({ distribution, binned }: Answers, shown: Shown<Settings>): Distribution {
  const isOfSame =
    binned?.group === distribution.group &&
    binned.mode === distribution.mode &&
    binned.metric === distribution.metric &&
    binned.scope === distribution.scope;
  return isByRule(shown) && isOfSame ? binned : distribution;
}

/** How the bins were chosen. */
function ruleText({ distribution }: Answers, shown: Shown<Settings>, bins: number): string {
  const count = formatPlural(bins, 'bin');
  if (!isByRule(shown)) return count;
  return suggestedBins(distribution) === undefined
    ? `${count}; no spread between the quartiles`
    : suggestedBins(distribution) === bins
      ? `${count} by Freedman–Diaconis`
      : count;
}

/** Keeps the arguments of the picture as long as what they are made of. */
class RegisteredHistogram implements View<Answers, Shown<Settings>> {
  readonly #view = new HistogramView();

  mount(element: HTMLElement, context: ViewContext): void {
    this.#view.mount(element, context);
  }

  /** Goes to the bin of the value next farthest from the others. */
  step(by: number): void {
    this.#view.step(by);
  }

  update(answers: Answers, shown: Shown<Settings>): void {
    const { selection, settings, facts } = shown;
    const distribution = binnedOf(answers, shown);
    const { a, b, comparison, isDiff, target } = selection;
    const data: HistogramData = {
      distribution,
      sides: isDiff && a && b ? { a: a.name, b: b.name } : undefined,
      rule: ruleText(answers, shown, distribution.bins.length),
      runNames: facts.runNames,
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
  parts({ distribution }, shown): Readonly<Record<string, Request>> {
    const { selection, settings } = shown;
    const bins = isByRule(shown) ? suggestedBins(distribution) : undefined;
    if (bins === undefined || bins === distribution.bins.length || distribution.count < FEWEST_BARS)
      return {};
    const lens = withClause(distributionLens(selection, settings.mode), `bins ${bins}`);
    return {
      binned: {
        route: 'distribution',
        query: { lens, group: selection.group, mode: settings.mode },
        what: `Counting ${settings.mode.replace('_', ' ')} of ${selection.groupName}`,
      },
    };
  },
  table(answers, shown) {
    const { selection } = shown;
    const distribution = binnedOf(answers, shown);
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
