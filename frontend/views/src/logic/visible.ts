/** Writes out what cannot be seen: names come from traces and users. */

/**
 * Control characters except tabs and line ends, marks that turn the direction of writing, characters
 * without width, variation selectors and tags; the same as in the command line.
 */
const INVISIBLE =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2028\u2029\u3164\ufe00-\ufe0f\uffa0\ufff0-\ufffb\u{e0000}-\u{e0fff}]|\p{Cf}/gu;

/** The text with what cannot be seen as `\u{202e}`. */
export function visible(text: string): string {
  return text.replace(
    INVISIBLE,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
}
