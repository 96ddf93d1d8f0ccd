/** The one registry of commands: menus, palette, keys and the list of shortcuts are all read from it. */

/** Where a command's keys work. Keys of the page work everywhere unless a view uses them itself. */
export type Scope = 'page' | 'picture' | 'tree' | 'table';

export interface CommandSpec {
  readonly id: string;
  readonly title: string;
  readonly group:
    'Navigate' | 'View' | 'Picture' | 'Compare' | 'Lens' | 'Add' | 'Export' | 'Settings' | 'Help';
  readonly scope: Scope;
  /** In the form `Ctrl+Shift+K`; `Ctrl` stands for Command on a Mac as well. */
  readonly keys: readonly string[];
}

function command<I extends string>(
  id: I,
  title: string,
  group: CommandSpec['group'],
  keys: readonly string[] = [],
  scope: Scope = 'page',
): CommandSpec & { readonly id: I } {
  return { id, title, group, keys, scope };
}

export const COMMANDS = [
  command('palette', 'Find a command', 'Navigate', ['Ctrl+K', 'Ctrl+Shift+P']),
  command('search', 'Search the picture', 'Navigate', ['/', 'Ctrl+F']),
  command('search-next', 'Next hit, change or outlier', 'Navigate', ['N']),
  command('search-previous', 'Previous hit, change or outlier', 'Navigate', ['P']),
  command('back', 'Undo navigation', 'Navigate', ['Ctrl+Z']),
  command('forward', 'Redo navigation', 'Navigate', ['Ctrl+Shift+Z']),
  command('clear', 'Clear the selection', 'Navigate', ['Escape']),
  command('layout-overview', 'Overview', 'View', ['1']),
  command('layout-compare', 'Compare', 'View', ['2']),
  command('layout-runs', 'Runs', 'View', ['3']),
  command('layout-spread', 'Spread', 'View', ['4']),
  command('layout-scaling', 'Scaling', 'View', ['5']),
  command('layout-history', 'History', 'View', ['6']),
  command('layout-run', 'Inside one run', 'View', ['7']),
  command('open-run', 'Open the target run, or the first picked run', 'Navigate', ['O']),
  command('close-run', 'Leave the opened run', 'Navigate', ['Shift+O']),
  command('tab-tree', 'Show the call tree', 'View', ['Shift+T']),
  command('tab-distribution', 'Show the distribution', 'View', ['Shift+D']),
  command('tab-runs', 'Show the run table', 'View', ['Shift+R']),
  command('toggle-left', 'Runs panel on or off', 'View', ['Ctrl+B']),
  command('toggle-right', 'Selection panel on or off', 'View', ['Ctrl+Shift+B']),
  command('zoom-in', 'Zoom in', 'Picture', ['+', '=', 'W']),
  command('zoom-out', 'Zoom out', 'Picture', ['-', 'S']),
  command('pan-left', 'Pan to the left', 'Picture', ['A']),
  command('pan-right', 'Pan to the right', 'Picture', ['D']),
  command('zoom-all', 'Fit everything', 'Picture', ['0']),
  command('fit-width', 'Fit the width', 'Picture', ['H']),
  command('fit-height', 'Fit the height', 'Picture', ['V']),
  command('zoom-selection', 'Fit the selection', 'Picture', ['F']),
  command('hot-path', 'Hot path on or off', 'Picture', ['Shift+H']),
  command('column-order', 'Next order of the nodes in each column', 'Picture'),
  command('reset-places', 'Moved nodes back to their places', 'Picture'),
  command('rank-bars', 'Bars of ranks in near nodes on or off', 'Picture'),
  command('back-edges', 'Recursive edges on or off', 'Picture', ['Shift+B']),
  command('guides', 'Text guides of the selection on or off', 'Picture', ['G']),
  command('walk-right', 'Go to an edge, then to its callee', 'Picture', ['ArrowRight'], 'picture'),
  command('walk-left', 'Go to an edge, then to its caller', 'Picture', ['ArrowLeft'], 'picture'),
  command(
    'walk-down',
    'Next node of the column, or edge of the node',
    'Picture',
    ['ArrowDown'],
    'picture',
  ),
  command('walk-up', 'Previous node or edge', 'Picture', ['ArrowUp'], 'picture'),
  command('move-node', 'Move the node up or down', 'Picture', ['Alt+Arrow'], 'picture'),
  command('pan', 'Pan', 'Picture', ['Shift+Arrow'], 'picture'),
  command('pick', 'Select; again for text guides', 'Picture', ['Enter', ' '], 'picture'),
  command('menu', 'Menu of a node', 'Picture', ['Shift+F10', 'ContextMenu'], 'picture'),
  command('tree-walk', 'Go to parent, child or sibling', 'Picture', ['Arrow'], 'tree'),
  command('tree-zoom', 'Zoom into a call site', 'Picture', ['Enter'], 'tree'),
  command('tree-up', 'Zoom out by one', 'Picture', ['Backspace'], 'tree'),
  command('table-target', 'Make the run the target', 'Compare', ['Enter'], 'table'),
  command('table-pick', 'Pick the run, or drop it', 'Compare', [' '], 'table'),
  command('table-range', 'Pick a range of runs', 'Compare', ['Shift+Arrow'], 'table'),
  command(
    'table-menu',
    'Menu of the picked runs',
    'Compare',
    ['Shift+F10', 'ContextMenu'],
    'table',
  ),
  command('table-open', 'Open the run', 'Navigate', ['O'], 'table'),
  command('target-previous', 'Previous target run, or opened run', 'Compare', ['[']),
  command('target-next', 'Next target run, or opened run', 'Compare', [']']),
  command('run-order', 'List runs by total or by name', 'Compare'),
  command('target-clear', 'No target', 'Compare', ['Shift+Escape']),
  command('diff', 'Diff B − A on or off', 'Compare', ['B']),
  command('diff-mode', 'Differences absolute, relative or normalised', 'Compare', ['M']),
  command('diff-swap', 'Swap baseline and candidate', 'Compare', ['Shift+S']),
  command('lens-edit', 'Edit the lens as text', 'Lens', ['E']),
  command('lens-copy', 'Copy the lens as text', 'Lens'),
  command('lens-reset', 'Reset the lens', 'Lens'),
  command('scope', 'Inclusive or exclusive values', 'Lens', ['I']),
  command('split-entries', 'Split the selection one level further', 'Lens', ['X', 'Shift+E']),
  command('split-callees', 'Split the selection by callees', 'Lens', ['Shift+C']),
  command('collapse', 'Undo the last split of the picture', 'Lens', ['C']),
  command('focus', 'Focus on the selection', 'Lens', ['Shift+F']),
  command('hide', 'Hide the selection', 'Lens', ['Delete']),
  command('copy-name', 'Copy the name of the selection', 'Lens', ['Y']),
  command('add', 'Add runs from files', 'Add', ['Shift+A']),
  command('add-files', 'Choose files to add', 'Add'),
  command('add-folder', 'Choose a folder to add', 'Add'),
  command('export', 'Export menu', 'Export', ['Ctrl+S']),
  command('export-svg', 'Export the picture as SVG', 'Export'),
  command('export-png', 'Export the picture as PNG', 'Export'),
  command('export-csv', 'Export the table as CSV', 'Export'),
  command('export-arrow', 'Export the data as Arrow', 'Export'),
  command('export-report', 'Export a report: one HTML file', 'Export'),
  command('theme', 'Theme: light, dark or as the system', 'Settings', ['T']),
  command('single-keys', 'Single-letter keys on or off', 'Settings'),
  command('help', 'Keys and help', 'Help', ['?']),
  command('stores', 'Sample ensembles and stores', 'Help'),
  command('tour', 'Tour in six steps', 'Help'),
] as const;

export type CommandId = (typeof COMMANDS)[number]['id'];

/** A key event, as far as commands depend on it. */
export interface KeyPress {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly shiftKey: boolean;
  readonly altKey: boolean;
}

/** The command of the page that a key press stands for. */
export function commandOf(press: KeyPress, hasSingleKeys = true): CommandId | undefined {
  if (press.altKey) return undefined;
  const name = nameOf(press);
  const isSingle = !press.ctrlKey && !press.metaKey && press.key.length === 1;
  if (isSingle && !hasSingleKeys) return undefined;
  return COMMANDS.find((spec) => {
    const keys: readonly string[] = spec.keys;
    return spec.scope === 'page' && keys.includes(name);
  })?.id;
}

/** Name of a key press in the form that the registry uses. */
export function nameOf(press: KeyPress): string {
  const isLetter = /^[a-z]$/i.test(press.key);
  const key = isLetter ? press.key.toUpperCase() : press.key;
  const hasCtrl = press.ctrlKey || press.metaKey;
  // Signs such as `?` and `+` already say whether Shift is down.
  const hasShift = press.shiftKey && (isLetter || press.key.length > 1);
  return `${hasCtrl ? 'Ctrl+' : ''}${hasShift ? 'Shift+' : ''}${key}`;
}

/** Commands whose title holds every word of the query in order of letters; best first. */
export function findCommands(query: string): CommandSpec[] {
  const wanted = query.toLowerCase().split(/\s+/).filter(Boolean);
  const score = (spec: CommandSpec): number => {
    const title = `${spec.title} ${spec.group}`.toLowerCase();
    let total = 0;
    for (const word of wanted) {
      const at = title.indexOf(word);
      if (at < 0) return -1;
      total += at === 0 || title[at - 1] === ' ' ? 2 : 1;
    }
    return total;
  };
  const specs: readonly CommandSpec[] = COMMANDS;
  return specs
    .filter((spec) => spec.scope === 'page' && score(spec) >= 0)
    .sort((a, b) => score(b) - score(a));
}

/** How a key is written for people. */
export function keyLabel(name: string, isMac: boolean): string {
  return name
    .replace('Ctrl+', isMac ? '⌘' : 'Ctrl ')
    .replace('Shift+', isMac ? '⇧' : 'Shift ')
    .replace('Alt+', isMac ? '⌥' : 'Alt ')
    .replace('Escape', 'Esc')
    .replace('ArrowRight', '→')
    .replace('ArrowLeft', '←')
    .replace('ArrowDown', '↓')
    .replace('ArrowUp', '↑')
    .replace('Arrow', '← → ↑ ↓')
    .replace('Delete', 'Del')
    .replace('ContextMenu', 'Menu')
    .replace(/^ $/, 'Space');
}
