/** What each command of the registry does. */

import type { DiffBarsView, RunTableView, Spatial } from '@grainsheaf/views';
import { clauseValue, withClause, without } from '@grainsheaf/views/logic/lens.ts';
import { type CommandId, commandOf } from '@grainsheaf/views/logic/commands.ts';
import { download, rasterise } from '@grainsheaf/views/ui/export.ts';
import { openMenu } from '@grainsheaf/views/ui/menu.ts';
import {
  addSelectedClause,
  collapseLast,
  clearSelection,
  copy,
  setLens,
  setTarget,
  splitSelected,
  stepHit,
  stepTarget,
  swapSides,
  toggleDiff,
  toggleGuides,
} from './actions.ts';
import { addressOf, isDiff, selectedNode, storeInfo } from './data.ts';
import { stepDiffMode } from './diff-modes.tsx';
import { choose } from './import/drop.tsx';
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

/** The view that zooms and pans: the one with the focus, or else the first on the page. */
function spatial(): Spatial | undefined {
  const all = [...shown].filter(([, view]) => 'fitSelection' in view);
  const focused = all.find(([name]) => document.activeElement?.closest(`.view-${name}`) !== null);
  return (focused ?? all[0])?.[1] as unknown as Spatial | undefined;
}

function fileName(ending: string): string {
  const { name = 'store' } = storeInfo.answer.peek().data ?? {};
  return `grainsheaf-${name.replace(/[^\w.-]+/g, '-')}.${ending}`;
}

async function exportPicture(kind: 'svg' | 'png', view = 'sankey'): Promise<void> {
  const source = shown.get(view)?.exportSvg();
  if (!source) return say('There is no picture to export');
  try {
    if (kind === 'svg') download(source, fileName('svg'), 'image/svg+xml');
    else download(await rasterise(source), fileName('png'), 'image/png');
    say(`Exported as ${kind.toUpperCase()}`);
  } catch (error) {
    say(`Export failed: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function exportCsv(): void {
  const table = (shown.get('diff-bars') ?? shown.get('run-table')) as unknown as
    DiffBarsView | RunTableView | undefined;
  if (table) download(table.exportCsv(), fileName('csv'), 'text/csv');
  else follow('csv');
}

/** Lets the browser download an answer of the service. */
function follow(format: 'csv' | 'arrow'): void {
  const link = document.createElement('a');
  link.href = addressOf(isDiff.peek() ? 'diff' : 'stats', { lens: page.peek().lens, format });
  link.download = fileName(format);
  link.click();
}

/** Saves the shown views as one file that needs no service. */
async function exportReport(): Promise<void> {
  say('Making the report');
  try {
    const { makeReport } = await import('./report/make.ts');
    download(await makeReport(), fileName('html'), 'text/html');
    say('Exported as a report');
  } catch (error) {
    say(`Export failed: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function openExport(): void {
  const box = document.querySelector('[data-tour="export"]')?.getBoundingClientRect();
  const panel = ['icicle', 'histogram', 'run-table', 'diff-bars'].find((name) => shown.has(name));
  openMenu(
    [
      { label: 'Picture as SVG', run: () => run('export-svg') },
      { label: 'Picture as PNG, twice the size', run: () => run('export-png') },
      ...(panel
        ? [{ label: 'Second panel as SVG', run: () => void exportPicture('svg', panel) }]
        : []),
      null,
      { label: 'Table as CSV', run: () => run('export-csv') },
      {
        label: isDiff.peek() ? 'All differences as CSV' : 'Statistics of all groups as CSV',
        run: () => follow('csv'),
      },
      { label: 'Data as Arrow', run: () => run('export-arrow') },
      { label: 'Report (HTML)', run: () => run('export-report') },
      null,
      { label: 'Copy the lens as text', run: () => run('lens-copy') },
      { label: 'Copy the link to this view', run: () => copy(location.href) },
    ],
    box?.left ?? 40,
    box?.bottom ?? 40,
    'Export',
  );
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
  'add-files': () => choose('files'),
  'add-folder': () => choose('folder'),
  stores: () => (overlay.value = 'stores'),
  tour: () => (overlay.value = 'tour'),
  search: focusSearch,
  'search-next': () => stepHit(1),
  'search-previous': () => stepHit(-1),
  back: () => history.back(),
  forward: () => history.forward(),
  clear: clearSelection,
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
  'split-entries': () => void splitSelected(),
  collapse: collapseLast,
  'split-callees': () => void splitSelected(undefined, 'callees'),
  focus: () => addSelectedClause((group) => `focus ${group}`),
  hide: () => addSelectedClause((group) => `hide ${group}`),
  'copy-name': () => {
    const node = selectedNode.peek();
    if (node) copy(node.name);
    else say('Select a node first');
  },
  export: openExport,
  'export-svg': () => void exportPicture('svg'),
  'export-png': () => void exportPicture('png'),
  'export-csv': exportCsv,
  'export-arrow': () => follow('arrow'),
  'export-report': () => void exportReport(),
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
