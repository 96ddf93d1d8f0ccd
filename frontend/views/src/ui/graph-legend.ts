/** Items of legends that views of graphs share. */

import type { Palette } from '../logic/colour.ts';
import { visible } from '../logic/visible.ts';
import { html } from './dom.ts';

/** Definitions of a legend at most. */
const LEGEND = 8;

/** A sign in its colour, and what it means. */
export function legendItem(sign: string, colour: string, text: string): HTMLElement {
  const mark = html('span', { 'aria-hidden': 'true' }, sign);
  mark.style.color = colour;
  return html('span', {}, mark, ' ', html('bdi', {}, text));
}

/** The first texts of a list with a sign each, and how many more there are. */
export function legendItems(
  sign: string,
  texts: readonly string[],
  colours: (text: string, at: number) => string,
): HTMLElement[] {
  const items = texts
    .slice(0, LEGEND)
    .map((text, at) => legendItem(sign, colours(text, at), visible(text)));
  if (texts.length > LEGEND) items.push(html('span', {}, `+ ${texts.length - LEGEND} more`));
  return items;
}

/** Colours of edges by kind: of continuation, creation and synchronisation. */
export function edgeColours({ ink2, fork, join }: Palette): readonly [string, string, string] {
  return [ink2, fork, join];
}

/** What the colours of edges mean. */
export function edgeItems(palette: Palette): HTMLElement[] {
  const [continuation, creation, synchronisation] = edgeColours(palette);
  return [
    legendItem('━', creation, 'creation'),
    legendItem('━', synchronisation, 'synchronisation'),
    legendItem('━', continuation, 'continuation'),
  ];
}
