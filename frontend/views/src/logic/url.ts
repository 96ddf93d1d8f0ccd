/** The state of the page as a query string, so that anything seen can be linked. */

export const URL_VERSION = 1;

export type LayoutName = 'overview' | 'compare';
export type PanelTab = 'tree' | 'distribution' | 'runs';
export type Mode = 'runs' | 'call_sites' | 'ranks' | 'workers';

/** What the address holds. The theme is the reader's own and stays out. */
export interface PageState {
  readonly store: string;
  readonly lens: string;
  readonly layout: LayoutName;
  /** Selected group. */
  readonly group: string;
  /** Selected call site in it. */
  readonly site: string;
  readonly tab: PanelTab;
  /** What a distribution counts. */
  readonly mode: Mode;
  readonly isLogY: boolean;
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
  tab: 'tree',
  mode: 'runs',
  isLogY: false,
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

const TEXTS = ['store', 'lens', 'group', 'site', 'zoom', 'a', 'b', 'sort', 'search'] as const;
const FLAGS = [
  ['log', 'isLogY'],
  ['uniform', 'isUniform'],
  ['hot', 'isHotPath'],
  ['back', 'isBackEdges'],
] as const;
const CHOICES = {
  layout: ['overview', 'compare'],
  tab: ['tree', 'distribution', 'runs'],
  mode: ['runs', 'call_sites', 'ranks', 'workers'],
} as const;

/** Query string of a state, without `?`; what says the default is left out. */
export function encodeState(state: PageState): string {
  const query = new URLSearchParams();
  query.set('v', String(URL_VERSION));
  for (const key of TEXTS) if (state[key] !== INITIAL[key]) query.set(key, state[key]);
  for (const key of ['layout', 'tab', 'mode'] as const) {
    if (state[key] !== INITIAL[key]) query.set(key, state[key]);
  }
  for (const [name, key] of FLAGS) if (state[key]) query.set(name, '1');
  for (const group of state.guides) query.append('guide', group);
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
  for (const key of ['layout', 'tab', 'mode'] as const) {
    const given = query.get(key);
    const choices: readonly string[] = CHOICES[key];
    if (given !== null && choices.includes(given)) state[key] = given;
  }
  for (const [name, key] of FLAGS) state[key] = query.get(name) === '1';
  state['guides'] = query.getAll('guide');
  return state as unknown as PageState;
}
