import { expect, test } from 'vitest';
import { changePane, decodePanes, encodePanes, splitPane, viewsOf } from './panes.ts';

const TEXT = '(sankey/62/(tree|40|box-plots))';

test('an arrangement survives the address', () => {
  const pane = decodePanes(TEXT);
  expect(pane && encodePanes(pane)).toBe(TEXT);
  expect(pane && viewsOf(pane)).toEqual([
    { view: 'sankey', place: '1' },
    { view: 'tree', place: '21' },
    { view: 'box-plots', place: '22' },
  ]);
  const deep = `${'(a/50/'.repeat(9)}a${')'.repeat(9)}`;
  for (const text of ['', '(a/50)', '(a/50|b)', 'a b', '(a/50/b', deep, '((((', 'A'])
    expect(decodePanes(text)).toBeUndefined();
  expect(decodePanes('(a/1/b)')).toMatchObject({ share: 10 });
});

test('panes are changed, split and closed', () => {
  const pane = decodePanes(TEXT);
  if (!pane) throw new Error('no pane');
  const other = changePane(pane, '21', () => ({ view: 'runs' }));
  expect(other && encodePanes(other)).toBe('(sankey/62/(runs|40|box-plots))');
  const closed = changePane(pane, '22', () => undefined);
  expect(closed && encodePanes(closed)).toBe('(sankey/62/tree)');
  expect(encodePanes(splitPane(pane, '1', true, 'tree'))).toBe(
    '((sankey|50|tree)/62/(tree|40|box-plots))',
  );
  expect(changePane({ view: 'a' }, '', () => undefined)).toBeUndefined();
});
