/** Writes out what cannot be seen: names come from traces and users. */

/**
 * Control characters except tabs and line ends, marks that turn the direction of writing, characters
 * without width, variation selectors and tags; the same as in the command line.
 */
const INVISIBLE = /(?![\t\n\r])(?:\p{Cc}|\p{Cf}|\p{Zl}|\p{Zp}|\p{Default_Ignorable_Code_Point})/gu;

/** The text with what cannot be seen as `\u{202e}`. */
export function visible(text: string): string {
  return text.replace(
    INVISIBLE,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
}
