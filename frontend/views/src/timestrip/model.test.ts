import { expect, test } from 'vitest';
import type { Run } from '../api.ts';
import { stripOf } from './model.ts';

const run = (name: string, params: Run['params']): Run => ({ run: name, name, params }) as Run;

test.each<[Run['params'][], string, string, string, number[]]>([
  [
    [{ started: '2024-01-02T00:00:00Z' }, { started: '2024-01-01T00:00:00Z' }],
    '',
    'time',
    'started',
    [1704153600000, 1704067200000],
  ],
  [
    [{ launchdate: 1703210698 }, { launchdate: 1703210699 }],
    '',
    'time',
    'launchdate',
    [1703210698000, 1703210699000],
  ],
  [[{ threads: 1 }, { threads: 8 }], '', 'order', '', [0, 1]],
  [[{ threads: 1 }, { threads: 8 }], 'threads', 'number', 'threads', [1, 8]],
  [[{ version: 1 }, {}, { version: 2 }], '', 'number', 'version', [1, 2]],
])('%j along "%s" are a %s', (params, along, kind, name, at) => {
  const strip = stripOf(
    params.map((one, index) => run(String(index), one)),
    along,
  );
  expect([strip.kind, strip.along]).toEqual([kind, name]);
  expect(strip.places.map((place) => place.at)).toEqual(at);
  expect(strip.missing).toBe(params.length - at.length);
});
