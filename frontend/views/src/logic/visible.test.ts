import { expect, test } from 'vitest';
import { visible } from './visible.ts';

test.each([
  ['naïve 漢字 🌲\n', 'naïve 漢字 🌲\n'],
  ['a\u202eb\u2066c', 'a\\u{202e}b\\u{2066}c'],
  ['a\u200bb\ufeffc\u00ad', 'a\\u{200b}b\\u{feff}c\\u{ad}'],
  ['\u001b[31m\u0000', '\\u{1b}[31m\\u{0}'],
  ['\u2028\ufe0f\u{e0041}', '\\u{2028}\\u{fe0f}\\u{e0041}'],
])('%j is shown as %j', (text, expected) => {
  expect(visible(text)).toBe(expected);
});
