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
