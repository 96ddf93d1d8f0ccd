import { tableFromIPC } from '@uwdata/flechette';
import { expect, test } from 'vitest';
import { encodeTable } from './encode.ts';

test('a table round-trips with units, and absent is not zero', () => {
  const bytes = encodeTable(
    {
      caption: 'Grains',
      columns: [
        { id: 'name', label: 'name', kind: 'text' },
        { id: 'work', label: 'work', kind: 'number', unit: 'ns' },
        { id: 'critical', label: 'critical', kind: 'flag' },
      ],
      rows: [
        ['a', 0, true],
        [undefined, null, false],
        ['<b>', 1.5, undefined],
      ],
    },
    'level definition',
  );
  const table = tableFromIPC(bytes);
  expect(table.toArray()).toEqual([
    { name: 'a', work: 0, critical: true },
    { name: null, work: null, critical: false },
    { name: '<b>', work: 1.5, critical: null },
  ]);
  expect(table.schema.fields[1]?.metadata?.get('unit')).toBe('ns');
  expect(table.schema.metadata?.get('lens')).toBe('level definition');
  expect(tableFromIPC(encodeTable({ caption: '', columns: [], rows: [] }, '')).numRows).toBe(0);
});
