/** Notes of answers, for people. */

import type { Note } from '../api.ts';

/** The texts of notes. */
export function noteTexts(notes: readonly Note[]): string[] {
  return notes.map(({ text }) => text);
}
