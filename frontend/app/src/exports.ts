/** How what is on the page is saved: each form is declared once, for all views. */

import type { DiffBarsView, RunTableView, Table, View } from '@grainsheaf/views';
import { viewsOf } from '@grainsheaf/views/logic/panes.ts';
import { viewOf } from '@grainsheaf/views/registry/views.ts';
import { download, rasterise } from '@grainsheaf/views/ui/export.ts';
import { csvOfTable } from '@grainsheaf/views/ui/twin.ts';
import { addressOf, isDiff, storeInfo } from './data.ts';
import { OWN_VIEWS, panes } from './layouts.ts';
import { page, say } from './state.ts';
import { shown, tables } from './views.tsx';

/** Names by which the shell's own views are on the page. */
const OWN: Readonly<Record<string, string>> = {
  changes: 'diff-bars',
  tree: 'icicle',
  runs: 'run-table',
};

/** A view on the page. */
export interface Source {
  readonly id: string;
  readonly title: string;
  readonly view: View<never, never> | undefined;
  readonly table: (() => Table) | undefined;
}

interface Form {
  readonly label: string;
  readonly ending: string;
  readonly type: string;
  /** Whether the view has something to save in this form. */
  has(source: Source): boolean;
  make(source: Source): Promise<string | Blob>;
}

/** The forms in the order of menus. */
export const FORMS = {
  svg: {
    label: 'Picture as SVG',
    ending: 'svg',
    type: 'image/svg+xml',
    has: ({ view }) => view !== undefined,
    make: ({ view }) => Promise.resolve(view?.exportSvg() ?? ''),
  },
  png: {
    label: 'Picture as PNG, twice the size',
    ending: 'png',
    type: 'image/png',
    has: ({ view }) => view !== undefined,
    make: ({ view }) => rasterise(view?.exportSvg() ?? ''),
  },
  csv: {
    label: 'Table as CSV',
    ending: 'csv',
    type: 'text/csv',
    has: ({ table, view }) => table !== undefined || ownCsv(view) !== undefined,
    make: ({ table, view }) =>
      Promise.resolve(table ? csvOfTable(table(), page.peek().lens) : (ownCsv(view)?.() ?? '')),
  },
  arrow: {
    label: 'Table as Arrow',
    ending: 'arrow',
    type: 'application/vnd.apache.arrow.file',
    has: ({ table }) => table !== undefined,
    make: async ({ table }) => {
      const { encodeTable } = await import('@grainsheaf/views/data/encode.ts');
      return new Blob(table ? [encodeTable(table(), page.peek().lens)] : []);
    },
  },
  html: {
    label: 'Report (HTML)',
    ending: 'html',
    type: 'text/html',
    has: () => true,
    make: async ({ id }) => (await import('./report/make.ts')).makeReport(id),
  },
} as const satisfies Readonly<Record<string, Form>>;

export type FormId = keyof typeof FORMS;
export const FORM_IDS = Object.keys(FORMS) as FormId[];

/** The table of a view of the shell that writes one itself. */
function ownCsv(view: View<never, never> | undefined): (() => string) | undefined {
  if (!view || !('exportCsv' in view)) return undefined;
  const table = view as unknown as DiffBarsView | RunTableView;
  return () => table.exportCsv();
}

/** The views of the panes, the main picture first. */
export function sources(): readonly Source[] {
  return viewsOf(panes.peek()).map(({ view: id }) => ({
    id,
    title: viewOf(id)?.title ?? OWN_VIEWS.find((own) => own.id === id)?.title ?? id,
    view: shown.get(OWN[id] ?? id),
    table: tables.get(id),
  }));
}

function fileName(source: string, ending: string): string {
  const { name = 'store' } = storeInfo.answer.peek().data ?? {};
  const words = ['grainsheaf', name, ...(source === '' || source === 'sankey' ? [] : [source])];
  return `${words.join('-').replace(/[^\w.-]+/g, '-')}.${ending}`;
}

/** Saves a view in a form. */
export async function save(id: FormId, source: Source): Promise<void> {
  const form: Form = FORMS[id];
  if (!form.has(source)) return say(`${source.title} has no ${id.toUpperCase()}`);
  try {
    const content = await form.make(source);
    download(content, fileName(source.id, form.ending), form.type);
    say(`Exported ${source.title || 'the page'} as ${id.toUpperCase()}`);
  } catch (error) {
    say(`Export failed: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/**
 * Saves the first view of the page that has the form: the one with the focus, or else the main picture. If no view has
 * a table, that of the answer is saved.
 */
export function saveFirst(id: FormId): void {
  const form: Form = FORMS[id];
  const all = sources();
  const focused = all.filter(
    (one) => document.activeElement?.closest(`.pane-${CSS.escape(one.id)}`) !== null,
  );
  const source = [...focused, ...all].find((one) => form.has(one));
  if (source) void save(id, source);
  else if (id === 'csv' || id === 'arrow') follow(id);
  else say('There is nothing on the page to export');
}

/** The page as one report. */
export function saveReport(): void {
  void save('html', { id: '', title: '', view: undefined, table: undefined });
}

/** Lets the browser download an answer of the service: statistics of all groups, or all differences. */
export function follow(format: 'csv' | 'arrow'): void {
  const link = document.createElement('a');
  link.href = addressOf(isDiff.peek() ? 'diff' : 'stats', { lens: page.peek().lens, format });
  link.download = fileName('', format);
  link.click();
}
