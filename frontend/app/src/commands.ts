/** What each command of the registry does. */

import type { Spatial } from '@grainsheaf/views';
import { clauseValue, withClause, without } from '@grainsheaf/views/logic/lens.ts';
import { type CommandId, commandOf } from '@grainsheaf/views/logic/commands.ts';
import {
  addSelectedClause,
  clearSelection,
  copy,
  setLens,
  setTarget,
  stepHit,
  stepTarget,
  swapSides,
  toggleDiff,
  toggleGuides,
} from './actions.ts';
import { selectedNode } from './data.ts';
import { loadDrop, loadSplitting } from './lazy.tsx';
import { stepDiffMode } from './diff-modes.tsx';
import { openImport } from './import/phase.ts';
import { stepOrder } from './picture-order.ts';
import { load, show } from './layouts.ts';
import { closeRun, isInside, openChosenRun, stepRun } from './open-run.ts';
import {
  isLensEdited,
  leftOpen,
  navigate,
  overlay,
  page,
  rightOpen,
  say,
  singleKeys,
  themeChoice,
} from './state.ts';
import { shown } from './views.tsx';

/** The view with a method: the one with the focus, or else the first on the page. */
function viewWith(method: string): unknown {
  const all = [...shown].filter(([, view]) => method in view);
  const focused = all.find(([name]) => document.activeElement?.closest(`.view-${name}`) !== null);
  return (focused ?? all[0])?.[1];
}

/** The view that zooms and pans. */
const spatial = (): Spatial | undefined => viewWith('fitSelection') as Spatial | undefined;

/** Forms of exports are loaded when one is asked for. */
const exporting = (): Promise<typeof import('./export-menu.ts')> => import('./export-menu.ts');

/** The next hit of a search; without a search, the next change or outlier of a view that has such steps. */
function step(by: number): void {
  const view = viewWith('step') as { step(by: number): void } | undefined;
  if (view && !page.peek().search) view.step(by);
  else stepHit(by);
}

function focusSearch(): void {
  const input = document.querySelector<HTMLInputElement>('#search');
  input?.focus();
  input?.select();
}

const RUN: Readonly<Record<CommandId, () => void>> = {
  palette: () => (overlay.value = 'palette'),
  help: () => (overlay.value = 'help'),
  add: openImport,
  'add-files': () => void loadDrop().then((it) => it.choose('files')),
  'add-folder': () => void loadDrop().then((it) => it.choose('folder')),
  stores: () => (overlay.value = 'stores'),
  tour: () => (overlay.value = 'tour'),
  search: focusSearch,
  'search-next': () => step(1),
  'search-previous': () => step(-1),
  back: () => history.back(),
  forward: () => history.forward(),
  clear: () => {
    if (overlay.peek() === 'warnings') overlay.value = 'none';
    else clearSelection();
  },
  'layout-overview': () => load('overview'),
  'layout-compare': () => load('compare'),
  'layout-runs': () => load('runs'),
  'layout-spread': () => load('spread'),
  'layout-scaling': () => load('scaling'),
  'layout-history': () => load('history'),
  'layout-run': () => load('run'),
  'open-run': openChosenRun,
  'close-run': closeRun,
  'tab-tree': () => show('tree'),
  'tab-distribution': () => show('distribution'),
  'tab-runs': () => show('runs'),
  'toggle-left': () => (leftOpen.value = !leftOpen.peek()),
  'toggle-right': () => (rightOpen.value = !rightOpen.peek()),
  'zoom-in': () => spatial()?.zoom(1.3),
  'zoom-out': () => spatial()?.zoom(1 / 1.3),
  'pan-left': () => spatial()?.pan(80, 0),
  'pan-right': () => spatial()?.pan(-80, 0),
  'zoom-all': () => spatial()?.fit(),
  'fit-width': () => spatial()?.fit('width'),
  'fit-height': () => spatial()?.fit('height'),
  'zoom-selection': () => spatial()?.fitSelection(),
  'hot-path': () => navigate({ isHotPath: !page.peek().isHotPath }),
  'column-order': stepOrder,
  'reset-places': () => navigate({ moved: [] }),
  'rank-bars': () => navigate({ isRanks: !page.peek().isRanks }),
  'back-edges': () => navigate({ isBackEdges: !page.peek().isBackEdges }),
  guides: () => {
    const { group } = page.peek();
    if (group) toggleGuides(group);
    else say('Select a node first');
  },
  // Keys that the views read themselves.
  'walk-right': () => undefined,
  'walk-left': () => undefined,
  'walk-down': () => undefined,
  'walk-up': () => undefined,
  pan: () => undefined,
  'move-node': () => undefined,
  pick: () => undefined,
  menu: () => undefined,
  'tree-walk': () => undefined,
  'tree-zoom': () => undefined,
  'tree-up': () => undefined,
  'table-target': () => undefined,
  'table-pick': () => undefined,
  'table-range': () => undefined,
  'table-menu': () => undefined,
  'table-open': () => undefined,
  'target-previous': () => (isInside.peek() ? stepRun(-1) : stepTarget(-1)),
  'target-next': () => (isInside.peek() ? stepRun(1) : stepTarget(1)),
  'run-order': () => navigate({ runOrder: page.peek().runOrder === 'name' ? '' : 'name' }),
  'target-clear': () => setTarget(undefined),
  diff: toggleDiff,
  'diff-mode': stepDiffMode,
  'diff-swap': swapSides,
  'lens-edit': () => (isLensEdited.value = true),
  'lens-copy': () => copy(page.peek().lens),
  'lens-reset': () => setLens(''),
  scope: () => {
    const { lens } = page.peek();
    const isExclusive = clauseValue(lens, 'scope') === 'exclusive';
    setLens(isExclusive ? without(lens, 'scope') : withClause(lens, 'scope exclusive'));
    say(isExclusive ? 'Inclusive values' : 'Exclusive values');
  },
  'split-entries': () => void loadSplitting().then((it) => it.splitSelected()),
  collapse: () => void loadSplitting().then((it) => it.collapseLast()),
  'split-callees': () => void loadSplitting().then((it) => it.splitSelected(undefined, 'callees')),
  focus: () => addSelectedClause((group) => `focus ${group}`),
  hide: () => addSelectedClause((group) => `hide ${group}`),
  'copy-name': () => {
    const node = selectedNode.peek();
    if (node) copy(node.name);
    else say('Select a node first');
  },
  export: () => void exporting().then(({ openExport }) => openExport(run)),
  'export-svg': () => void exporting().then(({ saveFirst }) => saveFirst('svg')),
  'export-png': () => void exporting().then(({ saveFirst }) => saveFirst('png')),
  'export-csv': () => void exporting().then(({ saveFirst }) => saveFirst('csv')),
  'export-arrow': () => void exporting().then(({ saveFirst }) => saveFirst('arrow')),
  'export-report': () => void exporting().then(({ saveReport }) => saveReport()),
  theme: () => {
    const order = ['auto', 'light', 'dark'] as const;
    themeChoice.value = order[(order.indexOf(themeChoice.peek()) + 1) % order.length] ?? 'auto';
    say(`Theme: ${themeChoice.peek()}`);
  },
  'single-keys': () => {
    singleKeys.value = singleKeys.peek() === 'on' ? 'off' : 'on';
    say(`Single-letter keys are ${singleKeys.peek()}`);
  },
};

export function run(id: CommandId): void {
  RUN[id]();
}

/** Listens for keys of the whole page. */
export function listenForKeys(): void {
  document.addEventListener('keydown', (event) => {
    if (event.defaultPrevented || event.isComposing) return;
    const { target } = event;
    const isTyping =
      target instanceof HTMLElement &&
      (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
    // An open dialog has the keys to itself, the welcome included, which no overlay stands for.
    const isModal = overlay.peek() === 'palette' || document.querySelector('dialog[open]') !== null;
    if (isModal || (isTyping && !(event.ctrlKey || event.metaKey))) return;
    const id = commandOf(event, singleKeys.peek() === 'on');
    // In a text field the browser's own undo is what is meant.
    if (!id || (isTyping && (id === 'back' || id === 'forward'))) return;
    event.preventDefault();
    run(id);
  });
}
