/** The phase at which two runs are aligned: its choice, and its mark on the axis. */

import type { Palette } from '../logic/colour.ts';
import { shorten } from '../logic/names.ts';
import { placeOf } from '../logic/time-range.ts';
import { visible } from '../logic/visible.ts';
import { html, svg } from '../ui/dom.ts';
import type { Plot } from '../ui/plot.ts';
import type { TimeAxis } from '../ui/time-hands.ts';
import type { Phase } from './align.ts';

/** Letters of a definition next to its line. */
const LETTERS = 30;

/** A line where the phase begins, if it does in both runs and in the visible range. */
export function markPhase(
  plot: Plot,
  { definition, first, second }: Phase,
  { range, x0, x1 }: TimeAxis,
  palette: Palette,
): void {
  if (first === undefined || second === undefined) return;
  if (first < range[0] || first > range[1]) return;
  const x = placeOf(first, range, x0, x1);
  const dash = { stroke: palette.accent, 'stroke-dasharray': '4 3' };
  plot.root.append(svg('line', { x1: x, x2: x, y1: 0, y2: plot.bottom, ...dash }));
  // At the right end, where no name of a run is.
  plot.text(visible(`┆ ${shorten(definition, LETTERS)} begins`), x1, 12, { anchor: 'end' });
}

/** Choice of a definition, or of the start of each run. */
export function alignment(
  names: readonly string[],
  chosen: string,
  choose: (definition: string) => void,
): HTMLElement {
  const list = html('select', { 'data-control': 'align' });
  list.append(html('option', { value: '' }, 'the start of each run'));
  for (const name of new Set([chosen, ...names]))
    if (name !== '') list.append(html('option', { value: name }, visible(name)));
  list.value = chosen;
  list.addEventListener('change', () => choose(list.value));
  return html('label', { class: 'field' }, 'align at ', list);
}
