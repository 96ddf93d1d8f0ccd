/** Colours of definitions in views of one run: the same whatever part of the run is shown. */

import type { Stats } from '../api.ts';
import { categoryColour } from './categories.ts';
import type { Palette } from './colour.ts';

/** Colours before hues repeat in other lightness. */
const HUES = 8;

/** Colour by the place in a list of definitions, the most important first; others by their name. */
export function definitionColours(
  palette: Palette,
  known: readonly string[],
): (name: string) => string {
  const places = new Map(known.map((name, index) => [name, index]));
  return (name) => categoryColour(palette, places.get(name) ?? HUES + (hash(name) % (2 * HUES)));
}

/** Definitions in the order of their work, as the answer of the request that all views of a run share has them. */
export function coloured(answer: Stats | undefined): readonly string[] {
  return (answer?.rows ?? []).flatMap(({ path }) => path[path.length - 1] ?? []);
}

/** FNV-1a over UTF-16 units. */
function hash(text: string): number {
  let sum = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1)
    sum = Math.imul(sum ^ text.charCodeAt(at), 0x01000193) >>> 0;
  return sum;
}
