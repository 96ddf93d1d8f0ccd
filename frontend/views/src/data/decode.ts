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
  const table = tableFromIPC(withoutEmptyBatches(bytes));
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
/** Place of the length of the body among the fields of a message. */
const BODY_LENGTH = 3;

/** The stream without batches that have no content, which the reader of streams takes for a fault. */
function withoutEmptyBatches(bytes: ArrayBuffer): Uint8Array {
  const whole = new Uint8Array(bytes);
  const view = new DataView(bytes);
  const kept: Uint8Array[] = [];
  let at = 0;
  while (at + PREFIX <= whole.length) {
    const metadata = view.getInt32(at + 4, true);
    if (metadata <= 0 || at + PREFIX + metadata > whole.length) break;
    const body = bodyLength(view, at + PREFIX);
    const end = at + PREFIX + metadata + body;
    // The first message is the schema, which never has a body.
    if (at === 0 || body > 0) kept.push(whole.subarray(at, end));
    at = end;
  }
  kept.push(whole.subarray(at));
  const joined = new Uint8Array(kept.reduce((sum, { length }) => sum + length, 0));
  if (joined.length === whole.length) return whole;
  let to = 0;
  for (const part of kept) {
    joined.set(part, to);
    to += part.length;
  }
  return joined;
}

/** Length of the body of a message, whose metadata is a table of FlatBuffers. */
function bodyLength(view: DataView, metadata: number): number {
  const table = metadata + view.getUint32(metadata, true);
  const fields = table - view.getInt32(table, true);
  const place = 4 + 2 * BODY_LENGTH;
  if (view.getUint16(fields, true) <= place) return 0;
  const offset = view.getUint16(fields + place, true);
  return offset === 0 ? 0 : Math.max(0, Number(view.getBigInt64(table + offset, true)));
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
