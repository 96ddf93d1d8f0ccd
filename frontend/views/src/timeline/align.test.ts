import { expect, test } from 'vitest';
import type { Grains, Timeline } from '../api.ts';
import type { Columns } from '../data/columns.ts';
import type { Selection } from '../registry/selection.ts';
import { alignedParts, alignmentNotes, movedBack, phaseOf, shiftOf } from './align.ts';
import type { Answers, Settings } from './definition.ts';
import { intervalsOf } from './model.ts';

const head = (run: string, ...names: string[]): Timeline =>
  ({
    run,
    unit: 'ns',
    elapsed: 1000,
    workers: [{ rank: 0, thread: 0, busy: 1 }],
    rows: names.map((definition) => ({ worker: 0, start: 0, end: 9, busy: 1, definition })),
  }) as unknown as Timeline;
const begins = (run: string, start?: number): Grains =>
  ({ run, rows: start === undefined ? [] : [{ start }] }) as unknown as Grains;
const ROWS: Columns = {
  schema: 'columns/1',
  rows: 1,
  columns: { worker: Float64Array.of(0), start: Float64Array.of(500), end: Float64Array.of(600) },
};
const ANSWERS: Answers = {
  head: head('a', 'sort:10 (task)', 'merge (task)'),
  rows: ROWS,
  otherHead: head('b', 'sort:12 (task)', 'merge (task)'),
  otherRows: ROWS,
  otherDefinitions: { rows: [] } as unknown as NonNullable<Answers['otherDefinitions']>,
  renames: {
    renames: [
      { group: 'sort:12', names: [{ name: 'sort:10 (task)' }, { name: 'sort:12 (task)' }] },
    ],
  } as unknown as NonNullable<Answers['renames']>,
};
const SETTINGS = { align: 'sort:10 (task)' } as Settings;
const SELECTION = { run: 'a', otherRun: 'b', time: [100, 200] } as unknown as Selection;

test('a renamed definition is looked for by its name in the other run', () => {
  const parts = alignedParts(ANSWERS, SETTINGS, SELECTION);
  expect(parts['otherPhase']?.query['where']).toBe('definition = "sort:12 (task)"');
});

test('the second run is moved so that the phases begin at the same time', () => {
  const answers = { ...ANSWERS, phase: begins('a', 50), otherPhase: begins('b', 450) };
  const shift = shiftOf(phaseOf(answers, SETTINGS));
  expect(shift).toBe(400);
  const moved = movedBack(intervalsOf(ROWS, 1), shift);
  expect([moved.start[0], moved.end[0]]).toEqual([100, 200]);
  const { query } = alignedParts(answers, SETTINGS, SELECTION)['alignedRows'] ?? {};
  expect(Number(query?.['start'])).toBeLessThanOrEqual(500);
  expect(Number(query?.['end'])).toBeGreaterThanOrEqual(600);
});

test('without the phase in one run both begin at 0, and the reader knows', () => {
  const lacking = { ...ANSWERS, phase: begins('a', 50), otherPhase: begins('b') };
  expect(shiftOf(phaseOf(lacking, SETTINGS))).toBe(0);
  expect(alignmentNotes(lacking, SETTINGS)[0]).toMatch(/second run has no grain/);
  const stale = { ...ANSWERS, phase: begins('x', 50), otherPhase: begins('b', 450) };
  expect(shiftOf(phaseOf(stale, SETTINGS))).toBe(0);
  const unaligned = alignedParts(ANSWERS, { ...SETTINGS, align: '' }, SELECTION);
  expect(Object.keys(unaligned)).toEqual(['otherDefinitions']);
});
