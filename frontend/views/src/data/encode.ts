/** Writes the table behind a picture as an Arrow file. Loaded when one is exported. */

import { bool, float64, tableFromArrays, tableToIPC, utf8 } from '@uwdata/flechette';
import type { Table } from '../registry/definition.ts';

const TYPES = { number: float64(), flag: bool(), text: utf8() } as const;

/** An Arrow file of all rows; columns have the id, and label and unit as metadata. Absent cells are null. */
export function encodeTable(table: Table, lens: string): Uint8Array<ArrayBuffer> {
  const cells = table.columns.map(({ id, kind }, at): [string, unknown[]] => [
    id,
    table.rows.map((row) => {
      const cell = row[at] ?? null;
      return kind === 'text' && cell !== null ? String(cell) : cell;
    }),
  ]);
  const types = Object.fromEntries(table.columns.map(({ id, kind }) => [id, TYPES[kind]]));
  const made = tableFromArrays(cells, { types });
  made.schema.metadata = new Map([
    ['caption', table.caption],
    ['lens', lens],
  ]);
  table.columns.forEach(({ label, unit }, at) => {
    const field = made.schema.fields[at];
    if (field) field.metadata = new Map([['label', label], ...unitOf(unit)]);
  });
  return new Uint8Array(tableToIPC(made, { format: 'file' }) ?? []);
}

function unitOf(unit: string | undefined): [string, string][] {
  return unit === undefined ? [] : [['unit', unit]];
}
