/** Rows of a table: sorting, grouping, and the part of it that is on the screen. */

export type Cell = string | number | boolean | null | undefined;

/** Orders cells: numbers by size, texts by their parts, absent ones last in either direction. */
export function compareCells(a: Cell, b: Cell, isDescending: boolean): number {
  const isAbsentA = a === null || a === undefined;
  const isAbsentB = b === null || b === undefined;
  if (isAbsentA || isAbsentB) return Number(isAbsentA) - Number(isAbsentB);
  const order =
    typeof a === 'number' && typeof b === 'number'
      ? a - b
      : String(a).localeCompare(String(b), 'en', { numeric: true });
  return isDescending ? -order : order;
}

/** Stable order of rows by one column. */
export function sortRows<R>(
  rows: readonly R[],
  cell: (row: R) => Cell,
  isDescending: boolean,
): R[] {
  return [...rows].sort((a, b) => compareCells(cell(a), cell(b), isDescending));
}

/** Rows that a window of `height` pixels shows at `top`, with some to spare. */
export function visibleRows(
  count: number,
  rowHeight: number,
  top: number,
  height: number,
  spare = 8,
): [number, number] {
  const first = Math.max(0, Math.floor(top / rowHeight) - spare);
  const last = Math.min(count, Math.ceil((top + height) / rowHeight) + spare);
  return [Math.min(first, last), last];
}

/** Text as a field of CSV, safe to open in a spreadsheet. */
export function csvField(cell: Cell): string {
  if (cell === null || cell === undefined) return '';
  const text = typeof cell === 'string' && /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : String(cell);
  return /[",\n\r]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
}

/** CSV with the lens as a comment before the header. */
export function csvOf(
  lens: string,
  header: readonly string[],
  rows: readonly (readonly Cell[])[],
): string {
  const lines = [header, ...rows].map((row) => row.map(csvField).join(','));
  return [`# lens: ${lens.replace(/[\r\n]+/g, ' ')}`, ...lines, ''].join('\n');
}
