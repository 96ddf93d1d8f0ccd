import { expect, test } from 'vitest';
import { runDetails, sourceText } from './source.ts';

const source = {
  file: 'traces/a.gstrace',
  files: 1,
  bytes: 1500,
  format: 'trace',
  reader: '0.1.0',
};

test('a source has its files, size, reader and time', () => {
  expect(sourceText({ source })).toBe(
    'source: traces/a.gstrace, 1.50 kB\nread as trace by Grainsheaf 0.1.0',
  );
  const several = { ...source, files: 4, imported: '2026-01-31T12:00:00Z' };
  expect(sourceText({ source: several })).toBe(
    'source: traces/a.gstrace, 4 files, 1.50 kB\nread as trace by Grainsheaf 0.1.0\nimported 2026-01-31T12:00:00Z',
  );
});

test('unknown parts of a source are left out', () => {
  expect(sourceText({})).toBe('');
  expect(runDetails({ warnings: ['a', 'b'] })).toBe('a\nb');
  expect(runDetails({ source, warnings: ['a'] }).split('\n')).toHaveLength(3);
});
