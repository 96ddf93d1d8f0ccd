import { expect, test } from 'vitest';
import { proseParts } from './prose.ts';

test.each([
  ['', ''],
  ['no run', 'no run'],
  ['metric `work` is unknown', 'metric |<work>| is unknown'],
  ['`a``b`', '<a>|<b>'],
  ['`a` and a lone ` here', '<a>| and a lone ` here'],
  ['it`s', 'it`s'],
])('%j consists of %j', (text, expected) => {
  const parts = proseParts(text).map((part) => (part.isCode ? `<${part.text}>` : part.text));
  expect(parts.join('|')).toBe(expected);
});
