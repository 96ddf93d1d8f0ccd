/** Shortens names in the middle, where they differ least. */

/** At most `length` characters; what is left out is marked by an ellipsis in the middle. */
export function shorten(name: string, length: number): string {
  const characters = [...name];
  if (characters.length <= length) return name;
  if (length <= 1) return length === 1 ? '…' : '';
  const tail = Math.floor((length - 1) / 2);
  const head = length - 1 - tail;
  return `${characters.slice(0, head).join('')}…${tail > 0 ? characters.slice(-tail).join('') : ''}`;
}

/** Characters that fit into `width` pixels at `advance` pixels per character. */
export function charactersIn(width: number, advance: number): number {
  return Math.max(0, Math.floor(width / advance));
}

/** First names and how many more there are. */
export function listNames(names: readonly string[], count: number, total = names.length): string {
  const shown = names.slice(0, count);
  const more = total - shown.length;
  return more > 0 ? `${shown.join(', ')} + ${more} more` : shown.join(', ');
}

/** Whole numbers as ranges: `0`, `1`, `2`, `7` become `0–2`, `7`; other names stay as they are. */
export function compactNumbers(names: readonly string[]): string[] {
  if (!names.every((name) => /^\d{1,9}$/.test(name))) return [...names];
  const numbers = names.map(Number).sort((a, b) => a - b);
  const ranges: [number, number][] = [];
  for (const number of numbers) {
    const last = ranges[ranges.length - 1];
    if (last && number <= last[1] + 1) last[1] = number;
    else ranges.push([number, number]);
  }
  return ranges.map(([from, to]) =>
    from === to ? String(from) : to === from + 1 ? `${from}, ${to}` : `${from}–${to}`,
  );
}

/** As many whole names as fit, and how many more there are; only their number if none fits. */
export function fitMembers(names: readonly string[], most: number): string {
  const all = names.join(', ');
  if (all.length <= most) return all;
  for (let count = names.length - 1; count > 0; count -= 1) {
    const text = `${names.slice(0, count).join(', ')} +${names.length - count}`;
    if (text.length <= most) return text;
  }
  const total = `(${names.length})`;
  return total.length <= most ? total : '';
}
