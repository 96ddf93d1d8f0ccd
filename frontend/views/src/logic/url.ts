/** The state of the page as a query string, so that anything seen can be linked. */

export const URL_VERSION = 1;

export type LayoutName = 'overview' | 'compare' | 'runs' | 'spread' | 'scaling' | 'history' | 'run';

/** What the address holds. The theme is the reader's own and stays out. */
export interface PageState {
  readonly store: string;
  readonly lens: string;
  readonly layout: LayoutName;
  /** Selected group. */
  readonly group: string;
  /** Selected call site in it. */
  readonly site: string;
  /** View of the second pane in links of earlier versions, by id. */
  readonly tab: string;
  /** Arrangement of views (`panes.ts`); empty for that of the layout. */
  readonly panes: string;
  /** Order of nodes in a column, and of differences. */
  readonly order: string;
  readonly diffOrder: string;
  /** How differences are stated (`difference.ts`); empty for the plain difference. */
  readonly diffMode: string;
  /** Percent of its caller that a callee on the hot path holds at least; empty for half. */
  readonly hotShare: string;
  /** Visible part of the picture (`place.ts` of the Sankey); empty for all of it. */
  readonly at: string;
  /** Class of a legend whose nodes stand out. */
  readonly legend: string;
  /** Deepest row of the call tree that is shown; empty for all. */
  readonly depth: string;
  /** Order of the runs to choose from; empty for their totals. */
  readonly runOrder: string;
  /** Widths of the side panels in pixels, such as `240-320`; empty for the reader's own. */
  readonly widths: string;
  /** Whether nodes have bars of their ranks when they are close. */
  readonly isRanks: boolean;
  /** Parameter that groups the rows of the run table, and whether all its columns are shown. */
  readonly groupBy: string;
  readonly isUnfolded: boolean;
  /** Nodes that were dragged: `id:share`. */
  readonly moved: readonly string[];
  /** The run that is opened in depth. */
  readonly run: string;
  /** A second opened run. */
  readonly otherRun: string;
  /** Definition that is looked at in the opened run. */
  readonly definition: string;
  /** Selected grain in it. */
  readonly grain: string;
  /** Runs picked by hand. */
  readonly runs: readonly string[];
  /** From and to since the start of the run, in the unit of its times, such as `0-1500`. */
  readonly time: string;
  /** Settings of views of the registry, by `view.setting`. */
  readonly views: Readonly<Record<string, string>>;
  readonly isUniform: boolean;
  /** Call site that the call tree is zoomed to. */
  readonly zoom: string;
  /** Groups whose text guides are shown. */
  readonly guides: readonly string[];
  readonly isHotPath: boolean;
  readonly isBackEdges: boolean;
  /** One side of a diff while the other is not chosen yet. */
  readonly a: string;
  readonly b: string;
  readonly sort: string;
  readonly search: string;
}

export const INITIAL: PageState = {
  store: '',
  lens: '',
  layout: 'overview',
  group: '',
  site: '',
  tab: '',
  panes: '',
  order: '',
  diffOrder: '',
  diffMode: '',
  hotShare: '',
  at: '',
  legend: '',
  depth: '',
  runOrder: '',
  widths: '',
  isRanks: false,
  groupBy: '',
  isUnfolded: false,
  moved: [],
  run: '',
  otherRun: '',
  definition: '',
  grain: '',
  runs: [],
  time: '',
  views: {},
  isUniform: false,
  zoom: '',
  guides: [],
  isHotPath: false,
  isBackEdges: false,
  a: '',
  b: '',
  sort: '',
  search: '',
};

const TEXTS = [
  'store',
  'lens',
  'group',
  'site',
  'zoom',
  'a',
  'b',
  'sort',
  'search',
  'tab',
  'panes',
  'order',
  'diffOrder',
  'diffMode',
  'hotShare',
  'at',
  'legend',
  'depth',
  'runOrder',
  'widths',
  'groupBy',
  'run',
  'otherRun',
  'definition',
  'grain',
  'time',
] as const;
const FLAGS = [
  ['uniform', 'isUniform'],
  ['hot', 'isHotPath'],
  ['back', 'isBackEdges'],
  ['unfolded', 'isUnfolded'],
  ['ranks', 'isRanks'],
] as const;
const CHOICES = {
  layout: ['overview', 'compare', 'runs', 'spread', 'scaling', 'history', 'run'],
} as const;
/** Names of settings before views had addresses of their own. */
const FORMER: readonly (readonly [string, string])[] = [
  ['mode', 'distribution.mode'],
  ['log', 'distribution.log'],
];
const SETTING = /^[a-z][a-z0-9-]*\.[A-Za-z][A-Za-z0-9]*$/;

/** Query string of a state, without `?`; what says the default is left out. */
export function encodeState(state: PageState): string {
  const query = new URLSearchParams();
  query.set('v', String(URL_VERSION));
  for (const key of TEXTS) if (state[key] !== INITIAL[key]) query.set(key, state[key]);
  if (state.layout !== INITIAL.layout) query.set('layout', state.layout);
  for (const [name, key] of FLAGS) if (state[key]) query.set(name, '1');
  for (const group of state.guides) query.append('guide', group);
  for (const run of state.runs) query.append('pick', run);
  for (const node of state.moved) query.append('moved', node);
  for (const name of Object.keys(state.views).sort()) query.set(name, state.views[name] ?? '');
  return query.toString();
}

/** State of a query string; what is unknown, or of a later version, falls back to the default. */
export function decodeState(text: string): PageState {
  const query = new URLSearchParams(text);
  const version = Number(query.get('v') ?? URL_VERSION);
  const state: Record<string, unknown> = { ...INITIAL };
  for (const key of TEXTS) state[key] = query.get(key) ?? INITIAL[key];
  if (version !== URL_VERSION)
    return { ...INITIAL, store: String(state['store']), lens: String(state['lens']) };
  const layout = query.get('layout');
  const layouts: readonly string[] = CHOICES.layout;
  if (layout !== null && layouts.includes(layout)) state['layout'] = layout;
  for (const [name, key] of FLAGS) state[key] = query.get(name) === '1';
  state['guides'] = query.getAll('guide');
  state['runs'] = query.getAll('pick');
  state['moved'] = query.getAll('moved');
  const views: Record<string, string> = {};
  for (const [former, name] of FORMER) {
    const given = query.get(former);
    if (given) views[name] = given;
  }
  for (const [name, value] of query) if (SETTING.test(name)) views[name] = value;
  state['views'] = views;
  return state as unknown as PageState;
}
