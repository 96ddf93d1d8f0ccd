/** Texts of the service, in which names between backquotes are code. */

export interface ProsePart {
  readonly text: string;
  readonly isCode: boolean;
}

/** Splits a text at pairs of backquotes; one without a partner is text. Empty parts are left out. */
export function proseParts(text: string): readonly ProsePart[] {
  const parts = text.split('`');
  // The last backquote has no partner.
  if (parts.length % 2 === 0) parts.splice(-2, 2, parts.slice(-2).join('`'));
  return parts
    .map((part, at) => ({ text: part, isCode: at % 2 === 1 }))
    .filter((part) => part.text !== '');
}
