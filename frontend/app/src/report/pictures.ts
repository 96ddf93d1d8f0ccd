/** The pictures of a report: views of the registry, and those that only the page has, behind one interface. */

import type {
  Diff,
  Hierarchy,
  RegisteredView,
  Runs,
  Sankey,
  Schema,
  Selection,
  Table,
  View,
} from '@grainsheaf/views';
import { DiffBarsView } from '@grainsheaf/views/diff-bars/DiffBarsView.ts';
import { IcicleView } from '@grainsheaf/views/icicle/IcicleView.ts';
import { type DiffMode, diffModeOf } from '@grainsheaf/views/logic/difference.ts';
import type { Facts } from '@grainsheaf/views/registry/definition.ts';
import { choice, decodeSettings, flag } from '@grainsheaf/views/registry/settings.ts';
import { viewOf } from '@grainsheaf/views/registry/views.ts';
import { RunTableView } from '@grainsheaf/views/run-table/RunTableView.ts';
import { decodeMoved } from '@grainsheaf/views/sankey/place.ts';
import { SankeyView } from '@grainsheaf/views/sankey/SankeyView.ts';
import { lanesOf } from '@grainsheaf/views/sankey/lanes.ts';
import { inMode, type PictureContent, type ReportContent } from './content.ts';

export type Settings = Readonly<Record<string, unknown>>;

/** The selection and settings of a picture. */
export interface Drawing {
  readonly selection: Selection;
  readonly settings: Settings;
  readonly facts: Facts;
  /** Groups whose text guides are shown. */
  readonly guides: readonly string[];
}

export interface Picture {
  readonly id: string;
  readonly title: string;
  readonly about: string;
  readonly settings: Schema;
  /** Settings as the report was made. */
  readonly initial: Settings;
  /** Whether the answers of the report are those that the picture needs for a selection and settings. */
  fits(selection: Selection, settings: Settings): boolean;
  quantity(selection: Selection, settings: Settings): string;
  create(): Promise<View<never, never>>;
  update(view: View<never, never>, drawing: Drawing): void;
  /** Rows for a CSV file, where the view has no CSV of its own. */
  table?(drawing: Drawing): Promise<Table>;
}

/** The pictures that the answers of a report suffice for, in its order. */
export function picturesOf(content: ReportContent, selection: Selection): Picture[] {
  return content.pictures.flatMap((one) => {
    const answers: Record<string, unknown> = {};
    for (const [name, place] of Object.entries(one.answers))
      answers[name] = answerAt(content.answers, place);
    const view = viewOf(one.view);
    if (view) return [registered(view, one, answers, selection)];
    return OWN[one.view]?.(one, answers) ?? [];
  });
}

/** The answer at a place such as `diff`, or a part of one, such as `gate.diff`. */
function answerAt(answers: ReportContent['answers'], place: string): unknown {
  return place
    .split('.')
    .reduce<unknown>(
      (found, key) => (found as Record<string, unknown> | undefined)?.[key],
      answers,
    );
}

function registered(
  view: RegisteredView,
  { settings: texts }: PictureContent,
  answers: Readonly<Record<string, unknown>>,
  base: Selection,
): Picture {
  const initial = decodeSettings(view.settings, texts ?? {});
  const asked = (selection: Selection, settings: Settings): string =>
    JSON.stringify(view.query(selection, settings as never));
  const answered = asked(base, initial);
  const module = view.load();
  const shown = ({ selection, settings, facts }: Drawing): never =>
    ({ selection, settings, facts }) as never;
  return {
    id: view.id,
    title: view.title,
    about: view.about,
    settings: view.settings,
    initial,
    fits: (selection, settings) => asked(selection, settings) === answered,
    quantity: (selection, settings) => view.quantity?.(selection, settings as never) ?? '',
    create: async () => (await module).create() as unknown as View<never, never>,
    update: (made, drawing) => made.update(answers as never, shown(drawing)),
    table: async (drawing) => (await module).table(answers, shown(drawing)),
  };
}

const always = (): boolean => true;

/** How differences are stated. */
const MODE = choice(
  [
    ['absolute', 'absolute'],
    ['relative', 'relative'],
    ['normalised', 'normalised'],
  ],
  'Differences',
);

function modeOf(settings: Settings): DiffMode {
  return diffModeOf(String(settings['mode'] ?? ''));
}

/** The sentence that states what a picture compares. */
function comparedIn(selection: Selection, settings: Settings): string {
  return inMode(selection, modeOf(settings)).comparison?.quantity ?? '';
}

/** One of the views that are no part of the registry. */
type Maker = (
  content: PictureContent,
  answers: Readonly<Record<string, unknown>>,
) => Picture | undefined;

const sankey: Maker = ({ settings: texts }, answers) => {
  const flags = { hot: flag('hot path'), back: flag('recursive edges') };
  const sankey = answers['sankey'] as Sankey | undefined;
  const diff = answers['diff'] as Diff | undefined;
  if (!sankey) return undefined;
  const schema = diff ? { ...flags, mode: MODE } : flags;
  const drawn = new Map<DiffMode, unknown>();
  return {
    id: 'sankey',
    title: 'Sankey',
    about: 'How the metric flows from callers to callees, and how runs vary',
    settings: schema,
    initial: decodeSettings(schema, texts ?? {}),
    fits: always,
    quantity: (selection, settings) =>
      diff
        ? comparedIn(selection, settings)
        : `${selection.metric?.label ?? sankey.metric}, by ${sankey.grouped_by}`,
    create: () => Promise.resolve(new SankeyView() as unknown as View<never, never>),
    update(view, { selection, settings, facts, guides }) {
      const mode = modeOf(settings);
      // The same object as long as the report is open, so that a selection does not draw everything anew.
      const data = drawn.get(mode) ?? {
        sankey,
        scope: selection.scope,
        runNames: facts.runNames,
        diff,
        diffMode: mode,
        quantity: diff && comparedIn(selection, settings),
        ...lanesOf(sankey.runs, facts.runs, facts.cohorts),
      };
      drawn.set(mode, data);
      const { group, target } = selection;
      const { hot, back, at, legend, moved } = settings;
      const state = { group, guides, target, hits: [], at, legend };
      view.update(
        data as never,
        {
          ...state,
          isHotPath: hot,
          isBackEdges: back,
          moved: decodeMoved((moved ?? []) as readonly string[]),
        } as never,
      );
    },
  };
};

const changes: Maker = ({ settings: texts }, answers) => {
  const schema = {
    order: choice(
      [
        ['absolute', 'by size'],
        ['relative', 'by change'],
        ['significance', 'by q'],
      ],
      'Order of the differences',
      'list',
    ),
    mode: MODE,
  };
  const diff = answers['diff'] as Diff | undefined;
  if (!diff) return undefined;
  return {
    id: 'changes',
    title: 'Differences',
    about: 'Which groups are slower or faster, and whether that is more than noise',
    settings: schema,
    initial: decodeSettings(schema, texts ?? {}),
    fits: always,
    quantity: comparedIn,
    create: () => Promise.resolve(new DiffBarsView() as unknown as View<never, never>),
    update: (view, { selection, settings }) =>
      view.update(
        { diff, mode: modeOf(settings), quantity: comparedIn(selection, settings) } as never,
        { group: selection.group, sort: settings['order'] } as never,
      ),
  };
};

const tree: Maker = ({ settings: texts }, answers) => {
  const schema = { uniform: flag('uniform width') };
  const hierarchy = answers['hierarchy'] as Hierarchy | undefined;
  const diff = answers['diff'] as Diff | undefined;
  if (!hierarchy) return undefined;
  const verdict = diff?.rows.find((row) => row.group === hierarchy.group)?.verdict;
  return {
    id: 'tree',
    title: 'Call tree',
    about: 'Call sites inside of the selected group',
    settings: schema,
    initial: decodeSettings(schema, texts ?? {}),
    fits: always,
    quantity: ({ metric, comparison }) => comparison?.quantity ?? metric?.label ?? '',
    create: () => Promise.resolve(new IcicleView() as unknown as View<never, never>),
    update: (view, { selection, settings }) => {
      const { comparison, scope, site, target } = selection;
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
      view.update(
        { hierarchy, scope, comparison: compared } as never,
        { site, zoom: '', isUniform: settings['uniform'], target, hits: [] } as never,
      );
    },
  };
};

const runs: Maker = ({ settings: texts }, answers) => {
  const schema = { unfolded: flag('all parameters'), sort: choice([['', '']]) };
  const runs = answers['runs'] as Runs | undefined;
  if (!runs) return undefined;
  return {
    id: 'runs',
    title: 'Runs',
    about: 'The runs with their parameters and totals',
    settings: { unfolded: schema.unfolded },
    initial: { ...decodeSettings(schema, texts ?? {}), sort: texts?.['sort'] ?? '' },
    fits: always,
    quantity: () => '',
    create: () => Promise.resolve(new RunTableView() as unknown as View<never, never>),
    update: (view, { selection, settings }) =>
      view.update(
        { runs, metric: selection.metric?.name } as never,
        {
          sort: settings['sort'],
          isFolded: settings['unfolded'] !== true,
          groupBy: '',
          target: selection.target,
          a: selection.a?.runs ?? [],
          b: selection.b?.runs ?? [],
        } as never,
      ),
  };
};

const OWN: Readonly<Record<string, Maker>> = { sankey, changes, tree, runs };
