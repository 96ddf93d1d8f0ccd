/** Items of menus that save a view. */

import { FORM_IDS, FORMS, save, type Source } from './exports.ts';

interface Item {
  readonly label: string;
  run(): void;
}

/** An item per form that the view has; with its title where a menu has several views. */
export function exportItems(source: Source, isTitled: boolean): readonly Item[] {
  return FORM_IDS.filter((id) => FORMS[id].has(source)).map((id) => ({
    label: isTitled ? `${source.title}: ${FORMS[id].label}` : FORMS[id].label,
    run: () => void save(id, source),
  }));
}
