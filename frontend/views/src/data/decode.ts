/** Reads Arrow streams of the service. Loaded by the worker only. */

import { tableFromIPC } from '@uwdata/flechette';

import type { Columns } from './columns.ts';

/** What a stream holds: the answer without its values, and the values, in which NaN is absent. */
export interface Decoded {
  readonly rest: unknown;
  readonly values: Float32Array;
}

/** Reads a stream: of one column of floats and the answer in the metadata of its schema, or a table. */
export function decode(bytes: ArrayBuffer): Decoded {
  const table = tableFromIPC(withoutEmptyBatch(bytes));
  const text = table.schema.metadata?.get('answer');
  if (text === undefined) return { rest: columnsOf(table), values: new Float32Array() };
  const values = new Float32Array(table.numRows);
  let at = 0;
  for (const batch of table.getChildAt(0).data) {
    const own = batch.values as Float32Array;
    values.set(own.subarray(0, batch.length), at);
    if (batch.nullCount > 0 && batch.validity) {
      const valid = batch.validity as Uint8Array;
      for (let i = 0; i < batch.length; i += 1)
        if (((valid[i >> 3] ?? 0) & (1 << (i & 7))) === 0) values[at + i] = NaN;
    }
    at += batch.length;
  }
  return { rest: JSON.parse(text), values };
}

/** Bytes before the metadata of a message: a mark, and the length of the metadata. */
const PREFIX = 8;

/** The stream without a batch that has no content, which the reader of streams takes for a fault. */
function withoutEmptyBatch(bytes: ArrayBuffer): Uint8Array {
  const whole = new Uint8Array(bytes);
  if (bytes.byteLength < PREFIX) return whole;
  const view = new DataView(bytes);
  const end = PREFIX + view.getInt32(4, true);
  if (end < PREFIX || end + PREFIX > bytes.byteLength) return whole;
  const metadata = view.getInt32(end + 4, true);
  // After the metadata of the only batch there is just the mark of the end.
  const left = bytes.byteLength - end - PREFIX - metadata;
  return metadata > 0 && left <= PREFIX ? whole.subarray(0, end) : whole;
}

function columnsOf(table: ReturnType<typeof tableFromIPC>): Columns {
  const columns: Record<string, Float64Array | (string | boolean | null)[]> = {};
  table.schema.fields.forEach((field, index) => {
    const cells: unknown[] = [];
    const column = table.getChildAt(index);
    for (let row = 0; row < table.numRows; row += 1) cells.push(column.at(row));
    const isNumeric = cells.some((cell) => typeof cell === 'number' || typeof cell === 'bigint');
    columns[field.name] = isNumeric
      ? Float64Array.from(cells, (cell) =>
          cell === null || cell === undefined ? NaN : Number(cell),
        )
      : cells.map((cell) => (typeof cell === 'string' || typeof cell === 'boolean' ? cell : null));
  });
  return { schema: 'columns/1', rows: table.numRows, columns };
}
