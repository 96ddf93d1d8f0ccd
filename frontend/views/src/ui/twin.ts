/** The table twin of a picture: the rows behind it, for readers of the screen, for CSV and copying. */

import { formatValue } from '../logic/format.ts';
import { csvOf } from '../logic/table.ts';
import type { Table, TableColumn } from '../registry/definition.ts';
import { html } from './dom.ts';

/** Rows that a twin draws at most; CSV has all. */
const DRAWN = 500;

/** CSV of all rows; units are in the header, values are exact. */
export function csvOfTable(table: Table, lens: string): string {
  return csvOf(lens, table.columns.map(headOf), table.rows);
}

/** A table element. */
export function twinOf(table: Table): HTMLTableElement {
  const head = table.columns.map((column) => html('th', { scope: 'col' }, headOf(column)));
  const rows = table.rows
    .slice(0, DRAWN)
    .map((row) =>
      html(
        'tr',
        {},
        ...row.map((cell, index) =>
          html(
            'td',
            { class: table.columns[index]?.kind === 'number' ? 'gs-number' : undefined },
            textOf(cell, table.columns[index]),
          ),
        ),
      ),
    );
  const more = table.rows.length - rows.length;
  return html(
    'table',
    { class: 'gs-twin' },
    html(
      'caption',
      {},
      more > 0 ? `${table.caption}, + ${more} more rows in the CSV` : table.caption,
    ),
    html('thead', {}, html('tr', {}, ...head)),
    html('tbody', {}, ...rows),
  );
}

function headOf(column: TableColumn): string {
  return column.unit ? `${column.label}, ${column.unit}` : column.label;
}

function textOf(cell: unknown, column: TableColumn | undefined): string {
  if (cell === null || cell === undefined) return '–';
  if (typeof cell === 'number') return formatValue(cell, column?.unit ?? 'unknown');
  return String(cell);
}
