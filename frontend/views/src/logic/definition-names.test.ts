import { expect, it } from 'vitest';
import { namedBy } from './definition-names.ts';

it.each([
  ['', '', false],
  ['sort', 'sort', true],
  ['sort', undefined, false],
  ['f:110|117 (task)', 'f:110 (task)', true],
  ['f:110|117 (task)', 'f:117 (task)', true],
  ['f:110|117 (task)', 'f:110|117 (task)', true],
  ['f:110|117 (task)', 'f:111 (task)', false],
  ['f:110|117 (task)', 'f:110 (loop)', false],
  ['f:110|117 (task)', 'g:110 (task)', false],
  ['f:110|117 (task)', 'f:117', false],
  ['a.c:1|2|3', 'a.c:2', true],
  ['a.c:1|…|4', 'a.c:3', true],
  ['a.c:1|…|4', 'a.c:5', false],
  ['a:b|c', 'a:b', false],
])('%s in the ensemble and %s in a run: %s', (selected, name, expected) => {
  expect(namedBy(selected)(name)).toBe(expected);
});
