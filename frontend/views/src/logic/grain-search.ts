/** What the search inside a run asks the service for. */

/** Expression of the grains that a text means: a number, an expression, or a part of the name of a definition. */
export function whereOf(text: string): string {
  const wanted = text.trim();
  const number = /^#?(\d+)$/.exec(wanted)?.[1];
  if (number !== undefined) return `grain == ${number}`;
  if (/[<>=]|\b(in|like|exists)\b/.test(wanted)) return wanted;
  return `definition like '*${wanted.replace(/[\\']/g, '\\$&')}*'`;
}
