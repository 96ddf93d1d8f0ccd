/** Saved arrangements on the keys 1 to 7, and the one that the address holds. */

import { computed, signal } from '@preact/signals';
import {
  changePane,
  decodePanes,
  encodePanes,
  type Pane,
  type Place,
  splitPane,
  viewsOf,
} from '@grainsheaf/views/logic/panes.ts';
import type { LayoutName } from '@grainsheaf/views/logic/url.ts';
import { VIEWS, viewOf } from '@grainsheaf/views/registry/views.ts';
import { navigate, navigateInOneStep, ownLayouts, page } from './state.ts';

/** Views that the shell draws itself. */
export const OWN_VIEWS: readonly { readonly id: string; readonly title: string }[] = [
  { id: 'sankey', title: 'Sankey' },
  { id: 'changes', title: 'Changes' },
  { id: 'top', title: 'Top groups' },
  { id: 'tree', title: 'Call tree' },
  { id: 'runs', title: 'Runs' },
];

export interface LayoutSpec {
  readonly name: LayoutName;
  readonly title: string;
  readonly panes: string;
}

/** In the order of their keys. */
export const LAYOUTS: readonly LayoutSpec[] = [
  { name: 'overview', title: 'Overview', panes: '(sankey/64/top)' },
  { name: 'compare', title: 'Compare', panes: '(changes/56/sankey)' },
  { name: 'runs', title: 'Runs', panes: '(runs/55/(projection|50|similarity))' },
  { name: 'spread', title: 'Spread', panes: '(sankey/50/(boxes|50|scatter))' },
  { name: 'scaling', title: 'Scaling', panes: '(scaling/58/what-if)' },
  { name: 'history', title: 'History', panes: '(history/60/noise)' },
  { name: 'run', title: 'Run', panes: '(groups/50/(parallelism/45/timeline))' },
];

function isKnown(view: string): boolean {
  return OWN_VIEWS.some((own) => own.id === view) || viewOf(view) !== undefined;
}

/** Views that saved layouts leave out, because no run of the ensemble has what they show. */
export const leftOut = signal<readonly string[]>(['what-if']);

/** Without views that do not count. */
function withOnly(pane: Pane, counts: (view: string) => boolean): Pane | undefined {
  if ('view' in pane) return counts(pane.view) ? pane : undefined;
  const [first, second] = [withOnly(pane.first, counts), withOnly(pane.second, counts)];
  return first && second ? { ...pane, first, second } : (first ?? second);
}

function saved(name: LayoutName): Pane {
  const spec = LAYOUTS.find((layout) => layout.name === name) ?? LAYOUTS[0];
  const pane = decodePanes(spec?.panes ?? '');
  const isShown = (view: string): boolean => isKnown(view) && !leftOut.value.includes(view);
  return (pane && withOnly(pane, isShown)) ?? { view: 'sankey' };
}

/** What is on the page. */
export const panes = computed<Pane>(() => {
  const { layout, panes: text, tab } = page.value;
  const given = decodePanes(text);
  const own = (given && withOnly(given, isKnown)) ?? saved(layout);
  // A link of an earlier version names the second view alone.
  if (!given && tab && isKnown(tab))
    return changePane(own, secondPlace(own), () => ({ view: tab })) ?? own;
  return own;
});

const shown = computed(() => new Set(viewsOf(panes.value).map(({ view }) => view)));

/** Whether a view is on the page. */
export function isShown(view: string): boolean {
  return shown.value.has(view);
}

/** The last pane that is not the main picture. */
function secondPlace(pane: Pane): Place {
  const views = viewsOf(pane);
  return views.length > 1 ? (views[views.length - 1]?.place ?? '') : '';
}

function set(pane: Pane): void {
  navigate({ panes: encodePanes(pane), tab: '' });
}

export function showIn(place: Place, view: string): void {
  set(changePane(panes.peek(), place, () => ({ view })) ?? { view });
}

/** Shows a view where it fits: where it is, in the second pane, or below the picture. */
export function show(view: string): void {
  const now = panes.peek();
  const views = viewsOf(now);
  if (views.some((one) => one.view === view)) return;
  if (views.length > 1) showIn(secondPlace(now), view);
  else set(splitPane(now, '', false, view));
}

export function split(place: Place, isBeside: boolean): void {
  const now = panes.peek();
  const present = new Set(viewsOf(now).map(({ view }) => view));
  const next = ['tree', 'runs', 'top', ...VIEWS.map((view) => view.id)].find(
    (view) => !present.has(view),
  );
  set(splitPane(now, place, isBeside, next ?? 'runs'));
}

export function close(place: Place): void {
  const now = panes.peek();
  if (place !== '') set(changePane(now, place, () => undefined) ?? now);
}

/** Only this pane. */
export function enlarge(view: string): void {
  set({ view });
}

export function resize(place: Place, share: number): void {
  const now = panes.peek();
  const next = changePane(now, place, (pane) => ('view' in pane ? pane : { ...pane, share }));
  if (next) navigateInOneStep(`share-${place}`, { panes: encodePanes(next), tab: '' });
}

/** Loads the arrangement of a key. The reader's own goes into the address, so that a link shows it to others. */
export function load(name: LayoutName): void {
  const panes = new URLSearchParams(ownLayouts.peek()).get(name) ?? '';
  navigate({ layout: name, panes, tab: '' });
}
