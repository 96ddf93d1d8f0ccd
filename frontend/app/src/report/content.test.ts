import { expect, test } from 'vitest';
import { embedded, revived, inMode, type ReportContent, selectionOf } from './content.ts';

const content = (answers: Record<string, unknown>, lens = ''): ReportContent => ({
  schema: 'report/1',
  lens,
  answers,
  pictures: [],
});

test('no text ends the element that holds it', () => {
  const name = '</script><!--<script>&\u2028';
  const text = embedded(content({ [name]: name }));
  expect(text).not.toMatch(/[<>&\u2028]/);
  expect((JSON.parse(text) as ReportContent).answers[name]).toBe(name);
});

test('a report of a run has what is selected in it', () => {
  const inside = { run: 'a', grain: '7', time: [1, 9] as const };
  expect(selectionOf({ ...content({}), inside })).toMatchObject({ ...inside, otherRun: '' });
});

test('columns become lists in which absent is not zero', () => {
  const values = Float32Array.of(0.1, NaN, 0);
  const text = embedded(content({ sankey: { values } }));
  expect(JSON.parse(text)).toMatchObject({ answers: { sankey: { values: [0.1, null, 0] } } });
});

test('a table of columns has the same arrays again', () => {
  const columns = { start: Float64Array.of(0.5, NaN), name: ['a', null], none: [null, null] };
  const table = { schema: 'columns/1', rows: 2, columns };
  const { answers } = JSON.parse(embedded(content({ table })), revived) as ReportContent;
  expect(answers['table']).toEqual(table);
});

test('a report of a comparison states one quantity, in three modes', () => {
  const diff = {
    metric: 'work_ns',
    unit: 'ns',
    scope: 'exclusive',
    a: { name: 'A', runs: [] },
    b: { name: 'B', runs: [] },
  };
  const lens = 'diff "version = 1" to "version = 2"';
  const selection = selectionOf(content({ gate: { diff } }, lens));
  expect(selection).toMatchObject({ isDiff: true, scope: 'exclusive', a: { name: 'A' } });
  expect(selection.comparison?.quantity).toBe('exclusive work, B − A, mean over runs');
  expect(inMode(selection, 'relative').comparison?.quantity).toContain('(B − A) ∕ A');
  expect(selectionOf(content({})).comparison).toBeUndefined();
});
