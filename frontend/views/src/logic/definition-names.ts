/** Names of definitions that stand for several versions of a program: `merge:110|117 (task)`. No DOM here. */

/** Parts of a name around its lines, of which there are at least two. */
const LINES = /^(.*):(\d+(?:\|(?:\d+|…))*\|\d+)(\D*)$/s;

/** Whether a run calls a definition by a name; false for what has none. */
export type IsNamed = (name: string | null | undefined) => boolean;

/** Test of the names that a selected definition has in runs; `…` stands for any line between its neighbours. */
export function namedBy(selected: string): IsNamed {
  if (selected === '') return () => false;
  const [, head, lines = '', tail] = LINES.exec(selected) ?? [];
  if (head === undefined) return (name) => name === selected;
  const parts = lines.split('|');
  const numbers = parts.filter((part) => part !== '…').map(Number);
  const isLine = (line: number): boolean =>
    numbers.includes(line) ||
    (parts.includes('…') && line > Math.min(...numbers) && line < Math.max(...numbers));
  return (name) => {
    if (name === selected) return true;
    if (!name?.startsWith(`${head}:`) || !name.endsWith(tail ?? '')) return false;
    const line = name.slice(head.length + 1, name.length - (tail ?? '').length);
    return /^\d+$/.test(line) && isLine(Number(line));
  };
}
