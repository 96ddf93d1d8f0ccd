import { expect, test } from 'vitest';
import { whereOf } from './grain-search.ts';

test.each([
  ['42', 'grain == 42'],
  [' #42 ', 'grain == 42'],
  ['merge_ranges:98 (task)', "definition like '*merge_ranges:98 (task)*'"],
  ["it's", "definition like '*it\\'s*'"],
  ['sort*98', "definition like '*sort*98*'"],
  ['work_ns > 1000', 'work_ns > 1000'],
  ["kind in ('task')", "kind in ('task')"],
])('%s asks for %s', (text, where) => {
  expect(whereOf(text)).toBe(where);
});
