/** Views that are no part of the registry, as the registry would know them. */

import type {
  Diff,
  Hierarchy,
  RegisteredView,
  Request,
  Runs,
  Sankey,
  Selection,
  Shown,
  View,
  ViewContext,
} from '@grainsheaf/views';
import { DiffBarsView } from '@grainsheaf/views/diff-bars/DiffBarsView.ts';
import { IcicleView } from '@grainsheaf/views/icicle/IcicleView.ts';
import { noteTexts } from '@grainsheaf/views/logic/notes.ts';
import { defineView, type ViewDefinition } from '@grainsheaf/views/registry/definition.ts';
import {
  choice,
  flag,
  type Schema,
  type SettingsOf,
  text,
} from '@grainsheaf/views/registry/settings.ts';
import { RunTableView } from '@grainsheaf/views/run-table/RunTableView.ts';
import { lanesOf } from '@grainsheaf/views/sankey/lanes.ts';
import { decodeMoved } from '@grainsheaf/views/sankey/place.ts';
import { SankeyView } from '@grainsheaf/views/sankey/SankeyView.ts';

type Values = Readonly<Record<string, unknown>>;

/** A view of another interface behind that of the registry. */
class Adapted<A, S> implements View<A, Shown<S>> {
  readonly #view: View<never, never>;
  readonly #data: (answers: A, shown: Shown<S>) => Values;
  readonly #selection: (shown: Shown<S>) => Values;
  #latest: Values = {};

  constructor(
    view: unknown,
    data: (answers: A, shown: Shown<S>) => Values,
    selection: (shown: Shown<S>) => Values,
  ) {
    this.#view = view as View<never, never>;
    this.#data = data;
    this.#selection = selection;
  }

  mount(element: HTMLElement, context: ViewContext): void {
    this.#view.mount(element, context);
  }

  update(answers: A, shown: Shown<S>): void {
    const data = this.#data(answers, shown);
    const names = new Set([...Object.keys(data), ...Object.keys(this.#latest)]);
    // The same object if nothing in it has changed, so that a selection does not draw everything anew.
    if ([...names].some((name) => data[name] !== this.#latest[name])) this.#latest = data;
    this.#view.update(this.#latest as never, this.#selection(shown) as never);
  }

  destroy(): void {
    this.#view.destroy();
  }

  exportSvg(): string {
    return this.#view.exportSvg();
  }
}

/** A table for views that have none of their own here. */
const noTable = () => ({ caption: '', columns: [], rows: [] });

/** Request of the picture that all views of an ensemble share. */
export function pictureOf(shape: string): Request {
  return {
    route: 'sankey',
    query: { lens: shape },
    what: 'Laying out the ensemble-Sankey',
    format: 'arrow',
  };
}

/** Request of the comparison; nothing if the lens compares nothing. */
export function comparisonOf({ isDiff, lens }: Selection): Request | undefined {
  return isDiff
    ? { route: 'diff', query: { lens }, what: 'Comparing candidate and baseline' }
    : undefined;
}

function lanes(answer: Sankey): (shown: Shown<unknown>) => Values {
  let [known, from] = [{} as Values, undefined as unknown];
  return ({ facts }) => {
    if (from !== facts) known = lanesOf(answer.runs, facts.runs, facts.cohorts);
    from = facts;
    return known;
  };
}

const sankeySettings = {
  order: choice(
    [
      ['crossings', 'fewest crossings'],
      ['inclusive', 'largest first'],
      ['exclusive', 'exclusive first'],
      ['name', 'by name'],
    ],
    'order',
    'list',
  ),
  hot: flag('hot path', false, 'Follows the heaviest callee while it holds half of its caller'),
  back: flag('recursive edges'),
  /** Part of the picture, class of a legend, moved nodes and groups with guides. */
  at: text(),
  legend: text(),
  moved: text(),
  guides: text(),
};

const sankey = defineView<{ sankey: Sankey; diff?: Diff | undefined }, typeof sankeySettings>({
  id: 'sankey',
  title: 'Sankey',
  about: 'How the metric flows from callers to callees, and how runs vary',
  place: 'main',
  settings: sankeySettings,
  query: (selection) => ({
    requests: { sankey: pictureOf(selection.shape), diff: comparisonOf(selection) },
  }),
  quantity: ({ comparison, metric, scope }) =>
    comparison?.quantity ?? [scope, metric?.label].filter(Boolean).join(' '),
  load: () => {
    let [known, laned] = [
      undefined as Sankey | undefined,
      (() => ({})) as ReturnType<typeof lanes>,
    ];
    const data = (
      { sankey: answer, diff }: { sankey: Sankey; diff?: Diff | undefined },
      shown: Shown<unknown>,
    ): Values => {
      if (known !== answer) laned = lanes(answer);
      known = answer;
      return {
        sankey: answer,
        diff,
        scope: shown.selection.scope,
        runNames: shown.facts.runNames,
        diffMode: 'absolute',
        quantity: shown.selection.comparison?.quantity,
        ...laned(shown),
      };
    };
    return Promise.resolve({
      create: () =>
        new Adapted<{ sankey: Sankey; diff?: Diff | undefined }, SettingsOf<typeof sankeySettings>>(
          new SankeyView(),
          data,
          ({ selection, settings }) => ({
            group: selection.group,
            target: selection.target,
            guides: settings.guides === '' ? [] : settings.guides.split(' '),
            isHotPath: settings.hot,
            hotShare: 0.5,
            isBackEdges: settings.back,
            order: settings.order,
            moved: decodeMoved(settings.moved === '' ? [] : settings.moved.split(' ')),
            at: settings.at,
            legend: settings.legend,
            hits: [],
          }),
        ),
      table: noTable,
      empty: ({ sankey: answer }) =>
        answer.nodes.length > 0
          ? undefined
          : {
              title: 'All groups are filtered out',
              steps: [
                {
                  label: 'Show every group',
                  action: { event: { type: 'add-clause', clause: 'below 0%' } },
                },
              ],
            },
      notes: ({ sankey: answer }) => noteTexts(answer.notes),
    });
  },
});

const treeSettings = { uniform: flag('uniform width'), zoom: text() };

const tree = defineView<{ hierarchy: Hierarchy; diff?: Diff | undefined }, typeof treeSettings>({
  id: 'tree',
  title: 'Icicle',
  about: 'Call sites inside of the selected group',
  place: 'either',
  settings: treeSettings,
  query(selection) {
    const { group, groupName, shape } = selection;
    if (group === '')
      return {
        empty: { title: 'Select a group', text: 'Choose one in the list above.', steps: [] },
      };
    const hierarchy: Request = {
      route: 'hierarchy',
      query: { lens: shape, group },
      what: `Reading the call tree of ${groupName || 'the group'}`,
      format: 'arrow',
    };
    return { requests: { hierarchy, diff: comparisonOf(selection) } };
  },
  quantity: ({ comparison, metric, scope }) =>
    comparison?.quantity ?? [scope, metric?.label].filter(Boolean).join(' '),
  load: () =>
    Promise.resolve({
      create: () =>
        new Adapted<
          { hierarchy: Hierarchy; diff?: Diff | undefined },
          SettingsOf<typeof treeSettings>
        >(new IcicleView(), treeData, ({ selection, settings }) => ({
          site: selection.site,
          zoom: settings.zoom,
          isUniform: settings.uniform,
          target: selection.target,
          hits: [],
        })),
      table: noTable,
      notes: ({ hierarchy }) => noteTexts(hierarchy.notes),
    }),
});

function treeData(
  { hierarchy, diff }: { hierarchy: Hierarchy; diff?: Diff | undefined },
  { selection: { comparison, scope } }: Shown<unknown>,
): Values {
  const verdict = diff?.rows.find((row) => row.group === hierarchy.group)?.verdict;
  const compared = diff &&
    comparison && {
      ...comparison,
      unit: diff.unit,
      totals: diff.totals,
      a: diff.a.runs,
      b: diff.b.runs,
      worseIsUp: diff.direction !== 'higher_is_better',
      isUnsure: verdict === undefined || verdict === 'inconclusive' || verdict === 'untestable',
    };
  return compared ? { hierarchy, scope, comparison: compared } : { hierarchy, scope };
}

/** What a view says that needs two sides. */
export const NO_SIDES = {
  title: 'A difference needs a baseline and a candidate',
  text: 'Choose A and B in the lists above.',
  steps: [{ label: 'Compare first and last', action: { command: 'diff' } }],
} as const;

const changesSettings = {
  order: choice(
    [
      ['absolute', 'by size'],
      ['relative', 'by change'],
      ['significance', 'by q'],
    ],
    'order',
    'list',
  ),
};

const changes = defineView<{ diff: Diff }, typeof changesSettings>({
  id: 'changes',
  title: 'Differences',
  about: 'Which groups are slower or faster, and whether that is more than noise',
  place: 'either',
  settings: changesSettings,
  query(selection) {
    const diff = comparisonOf(selection);
    return diff ? { requests: { diff } } : { empty: NO_SIDES };
  },
  quantity: ({ comparison }) => comparison?.quantity ?? '',
  load: () =>
    Promise.resolve({
      create: () =>
        new Adapted(
          new DiffBarsView(),
          ({ diff }, { selection }) => ({
            diff,
            mode: 'absolute',
            quantity: selection.comparison?.quantity ?? '',
          }),
          ({ selection, settings }) => ({ group: selection.group, sort: settings.order }),
        ),
      table: noTable,
      notes: ({ diff }) => noteTexts(diff.notes),
    }),
});

const runsSettings = { unfolded: flag('all parameters'), sort: text() };

const runs = defineView<{ runs: Runs }, typeof runsSettings>({
  id: 'runs',
  title: 'Runs',
  about: 'The runs with their parameters and totals',
  place: 'either',
  settings: runsSettings,
  query: ({ shape }) => ({
    requests: { runs: { route: 'runs', query: { lens: shape }, what: 'Reading the run table' } },
  }),
  load: () =>
    Promise.resolve({
      create: () =>
        new Adapted(
          new RunTableView(),
          ({ runs: table }, { selection }) => ({ runs: table, metric: selection.metric?.name }),
          ({ selection, settings }) => ({
            sort: settings.sort,
            isFolded: !settings.unfolded,
            groupBy: '',
            target: selection.target,
            a: selection.a?.runs ?? [],
            b: selection.b?.runs ?? [],
          }),
        ),
      table: noTable,
    }),
});

export const OWN = [sankey, tree, changes, runs].map(
  (view) => view as unknown as ViewDefinition<never, Schema>,
) as unknown as readonly RegisteredView[];
