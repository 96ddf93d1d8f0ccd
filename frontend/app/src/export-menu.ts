/** Menus that save views. */

import type { CommandId } from '@grainsheaf/views/logic/commands.ts';
import { openMenu } from '@grainsheaf/views/ui/menu.ts';
import { copy } from './actions.ts';
import { isDiff } from './data.ts';
import { follow, FORM_IDS, FORMS, save, type Source, sources } from './exports.ts';

export { saveFirst, saveReport } from './exports.ts';

interface Item {
  readonly label: string;
  run(): void;
}

/** An item per form that the view has; with its title where a menu has several views. */
function exportItems(source: Source, isTitled: boolean): readonly Item[] {
  return FORM_IDS.filter((id) => FORMS[id].has(source)).map((id) => ({
    label: isTitled ? `${source.title}: ${FORMS[id].label}` : FORMS[id].label,
    run: () => void save(id, source),
  }));
}

/** Items that save the view of a pane. */
export function paneItems(view: string): readonly Item[] {
  const source = sources().find(({ id }) => id === view);
  return source ? exportItems(source, false) : [];
}

/** The menu of the page's exports. */
export function openExport(run: (id: CommandId) => void): void {
  const box = document.querySelector('[data-tour="export"]')?.getBoundingClientRect();
  const all = sources();
  openMenu(
    [
      ...all.flatMap((source) => [...exportItems(source, all.length > 1), null]),
      {
        label: isDiff.peek() ? 'All differences as CSV' : 'Statistics of all groups as CSV',
        run: () => follow('csv'),
      },
      {
        label: isDiff.peek() ? 'All differences as Arrow' : 'Statistics of all groups as Arrow',
        run: () => follow('arrow'),
      },
      { label: 'Report of the page (HTML)', run: () => run('export-report') },
      null,
      { label: 'Copy the lens as text', run: () => run('lens-copy') },
      { label: 'Copy the link to this view', run: () => copy(location.href) },
    ],
    box?.left ?? 40,
    box?.bottom ?? 40,
    'Export',
  );
}
