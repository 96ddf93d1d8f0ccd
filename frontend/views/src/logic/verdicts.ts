/** The words and signs of verdicts: one vocabulary on the page and on the command line. */

import type { components } from '../generated/api.ts';
import { formatShare } from './format.ts';

export type Verdict = components['schemas']['Verdict'];

/** Sign in front of the word. */
export const VERDICT_SIGNS: Readonly<Record<Verdict, string>> = {
  slower: '▲',
  faster: '▼',
  inconclusive: '?',
  untestable: '·',
  appeared: '+',
  vanished: '−',
  unchanged: '=',
};

/** Class of the colour: worse and better only where something was shown. */
export function verdictClass(verdict: Verdict): string {
  return verdict === 'slower' ? 'gs-worse' : verdict === 'faster' ? 'gs-better' : 'gs-quiet';
}

/** Sign and word. */
export function verdictText(verdict: Verdict): string {
  return `${VERDICT_SIGNS[verdict]} ${verdict}`;
}

/** The limit that a significant change does not reach, in the words of the terminal; empty for other reasons. */
export function limitText(reason: components['schemas']['DiffRow']['reason']): string {
  if (reason.code === 'too_little_of_total')
    return `below ${formatShare(reason.values.min_share)} of the larger total`;
  return reason.code === 'below_threshold'
    ? `not above ${formatShare(reason.values.threshold)}`
    : '';
}

export type ChangeKind = components['schemas']['ChangeKind'];

/** Signs of what happened to the contexts of a definition. */
export const CHANGE_SIGNS: Readonly<Record<ChangeKind, string>> = {
  appeared: '+',
  vanished: '−',
  renamed: '→',
  wrapped: '⊂',
  unwrapped: '⊃',
  moved: '↷',
  multiplied: '×',
  reordered: '⇅',
  thread_count_dependent: '∥',
  varies: '~',
};

/** Words of what happened. */
export function changeText(kind: ChangeKind): string {
  return kind === 'thread_count_dependent' ? 'depends on threads' : kind;
}
