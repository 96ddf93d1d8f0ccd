import { tableFromColumns, tableToIPC, float32, columnFromArray } from '@uwdata/flechette';
import { expect, test } from 'vitest';
import type { Sankey } from '../api.ts';
import { valueAt } from '../logic/values.ts';
import type { Columns } from './columns.ts';
import { decode } from './decode.ts';
import recorded from './fixture/empty-column.json' with { type: 'json' };
import noRows from './fixture/no-rows.json' with { type: 'json' };
import { unpack } from './unpack.ts';

function stream(answer: unknown, values: readonly (number | null)[]): ArrayBuffer {
  const column = columnFromArray(values as number[], float32());
  const table = tableFromColumns({ value: column });
  const schema = { ...table.schema, metadata: new Map([['answer', JSON.stringify(answer)]]) };
  Object.assign(table, { schema });
  const bytes = tableToIPC(table, { format: 'stream' });
  if (!bytes) throw new Error('no bytes');
  return new Uint8Array(bytes).buffer;
}

const ANSWER = {
  schema: 'sankey/1',
  runs: ['a', 'b'],
  nodes: [{ inclusive_by_run: [], exclusive_by_run: [] }],
  edges: [{ inclusive_by_run: [] }],
};

test('values of a stream are where the answer has them', () => {
  const { rest, values } = decode(stream(ANSWER, [1, null, 2, 3, null, 5]));
  const sankey = unpack(rest, values) as Sankey;
  const [node, edge] = [sankey.nodes[0], sankey.edges[0]];
  expect(node && [valueAt(node.inclusive_by_run, 0), valueAt(node.inclusive_by_run, 1)]).toEqual([
    1,
    null,
  ]);
  expect(node && [...(node.exclusive_by_run as Float32Array)]).toEqual([2, 3]);
  expect(edge && valueAt(edge.inclusive_by_run, 1)).toBe(5);
  expect(sankey.isPartial).toBeUndefined();
});

test('a stream without its values is a part of the answer', () => {
  const { rest, values } = decode(stream(ANSWER, []));
  expect((unpack(rest, values) as Sankey).isPartial).toBe(true);
});

test('absent is not zero', () => {
  const { rest, values } = decode(stream({ schema: 'distribution/1' }, [0, 1.5]));
  expect(unpack(rest, values)).toEqual({ schema: 'distribution/1', values: [0, 1.5] });
});

test('a table is its columns', () => {
  const table = tableFromColumns({
    name: columnFromArray(['a', null, 'b'] as string[]),
    value: columnFromArray([1, 2, null] as number[], float32()),
  });
  const bytes = tableToIPC(table, { format: 'stream' });
  if (!bytes) throw new Error('no bytes');
  const { rest } = decode(new Uint8Array(bytes).buffer);
  expect(rest).toEqual({
    schema: 'columns/1',
    rows: 3,
    columns: { name: ['a', null, 'b'], value: Float64Array.of(1, 2, NaN) },
  });
});

test('a stream of the service with an empty column is read', () => {
  const bytes = Uint8Array.from(atob(recorded.stream), (c) => c.charCodeAt(0));
  const { rest, values } = decode(bytes.buffer);
  expect(values.length).toBe(0);
  const sankey = unpack(rest, values) as Sankey;
  expect(sankey.isPartial).toBe(true);
  expect(sankey.nodes.length).toBeGreaterThan(0);
});

test('a table of the service without rows is read, which has dictionaries in front of its batch', () => {
  const bytes = Uint8Array.from(atob(noRows.stream), (c) => c.charCodeAt(0));
  const { rows, columns } = decode(bytes.buffer).rest as Columns;
  expect(rows).toBe(0);
  expect(columns['definition']).toEqual([]);
});
