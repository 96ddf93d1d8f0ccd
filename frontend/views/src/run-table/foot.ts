/** Below the run table: the groups of its bars, and what can be done with the picked runs. */

import type { Run } from '../api.ts';
import type { Palette } from '../logic/colour.ts';
import { formatPlural } from '../logic/format.ts';
import { html } from '../ui/dom.ts';
import type { MenuItem } from '../ui/menu.ts';
import type { ViewEvent } from '../ui/view.ts';
import { type ByGroup, coloursOf, type GroupMark } from './by-group.ts';

/** What can be done with runs, in the order of the menu. */
export interface RunActions {
  readonly runs: readonly Run[];
  /** Runs of the table. */
  readonly count: number;
  /** Whether the service may change the store. */
  readonly canEdit: boolean;
  emit(event: ViewEvent): void;
  /** Asks for another name of the only run. */
  rename(): void;
}

export function itemsOf({ runs, count, canEdit, emit, rename }: RunActions): MenuItem[] {
  const ids = runs.map(({ run }) => run);
  const [first] = runs;
  if (!first) return [];
  const side = (name: 'a' | 'b', label: string): MenuItem => ({
    label,
    run: () => emit({ type: 'set-side-runs', side: name, runs: ids }),
  });
  return [
    ...(runs.length < count
      ? [
          { label: 'Keep only', run: () => emit({ type: 'keep-runs', runs: ids }) },
          { label: 'Exclude', run: () => emit({ type: 'exclude-runs', runs: ids }) },
        ]
      : []),
    side('a', 'Baseline A'),
    side('b', 'Candidate B'),
    {
      label: runs.length === 1 ? 'Copy id' : 'Copy ids',
      run: () => emit({ type: 'copy', text: ids.join('\n') }),
    },
    ...(canEdit && runs.length === 1 ? [{ label: 'Rename…', run: rename }] : []),
    ...(canEdit
      ? [
          {
            label: 'Remove from the store',
            run: () =>
              emit({
                type: 'edit',
                edit: {
                  route: 'runs/remove',
                  runs: ids,
                  what: `Removed ${runs.length === 1 ? first.name : formatPlural(runs.length, 'run')}`,
                },
              }),
          },
        ]
      : []),
  ];
}

function button(label: string, act: () => void): HTMLElement {
  const element = html('button', { type: 'button', class: 'gs-button' }, label);
  element.addEventListener('click', act);
  return element;
}

/** Buttons for the picked runs. */
export function pickBar(actions: RunActions): HTMLElement[] {
  if (actions.runs.length === 0) return [];
  return [
    html(
      'div',
      { class: 'gs-tools', role: 'toolbar', 'aria-label': 'Picked runs' },
      html('strong', {}, `${formatPlural(actions.runs.length, 'run')} picked`),
      ...itemsOf(actions).map(({ label, run }) => button(label, run)),
      button('Clear', () => actions.emit({ type: 'select', patch: { runs: [] } })),
    ),
  ];
}

/** A field for another name of a run; `close` takes it away. */
export function renameForm(run: Run, emit: RunActions['emit'], close: () => void): HTMLElement {
  const input = html('input', { name: 'name', 'aria-label': `New name of ${run.name}` });
  input.value = run.name;
  const form = html(
    'form',
    { class: 'gs-tools' },
    html('label', {}, `New name of ${run.name}`),
    input,
    html('button', { type: 'submit', class: 'gs-button' }, 'Rename'),
    button('Cancel', close),
  );
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const name = input.value.trim();
    const what = `Renamed ${run.name} to ${name}`;
    if (name && name !== run.name)
      emit({
        type: 'edit',
        edit: { route: 'runs/rename', run: run.run, name, before: run.name, what },
      });
    close();
  });
  form.addEventListener('keydown', (event) => {
    event.stopPropagation();
    if (event.key === 'Escape') close();
  });
  return form;
}

/** Names of the groups with their colours, or their numbers; choosing one selects the group. */
export function groupLegend(
  data: ByGroup,
  mark: GroupMark,
  palette: Palette,
  chosen: string,
  emit: RunActions['emit'],
): HTMLElement {
  const colours = coloursOf(data, palette);
  const entries = data.groups.map(({ id, name }, at) => {
    const key = html('span', { 'aria-hidden': 'true' }, mark === 'heat' ? String(at + 1) : '■');
    if (mark === 'bars') key.style.color = colours[at] ?? '';
    const entry = html(
      'button',
      { type: 'button', class: 'gs-group-key', 'aria-pressed': String(id === chosen), title: name },
      key,
      html('bdi', { class: 'gs-cut' }, name),
    );
    entry.addEventListener('click', () => emit({ type: 'select-group', group: id }));
    return entry;
  });
  const rest = data.left > 0 ? [html('span', {}, `+ ${formatPlural(data.left, 'group')}`)] : [];
  const scale = mark === 'heat' ? 'strongest: the largest run of the group' : '';
  return html('div', { class: 'gs-legend' }, ...entries, ...rest, html('span', {}, scale));
}
