/** Where a run was read from, as text. */

import type { Run } from '../api.ts';
import { formatPlural, formatValue } from './format.ts';

/** Files, size, format, reader and time of import of a run, a line each; empty for runs of earlier versions. */
export function sourceText(run: Pick<Run, 'source'>): string {
  const { source } = run;
  if (!source) return '';
  const files = source.files === 1 ? '' : `, ${formatPlural(source.files, 'file')}`;
  const lines = [
    `source: ${source.file}${files}, ${formatValue(source.bytes, 'bytes')}`,
    `read as ${source.format} by Grainsheaf ${source.reader}`,
  ];
  if (source.imported) lines.push(`imported ${source.imported}`);
  return lines.join('\n');
}

/** Tooltip of a run: its source, then the parts that its reader had to skip or repair. */
export function runDetails(run: Pick<Run, 'source' | 'warnings'>): string {
  return [sourceText(run), ...run.warnings].filter((line) => line !== '').join('\n');
}
