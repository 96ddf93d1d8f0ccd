/** One row of the list of differences: both sides as bars on one scale, difference, ratio, q and verdict. */

import type { DiffRow } from '../api.ts';
import { differenceColour, type Palette } from '../logic/colour.ts';
import {
  ABSENT,
  formatChangeFrom,
  formatFactor,
  formatNumber,
  formatShare,
  formatValue,
} from '../logic/format.ts';
import { limitText, VERDICT_SIGNS } from '../logic/verdicts.ts';
import { VERDICTS } from '../sankey/content.ts';
import { breakable, html } from '../ui/dom.ts';
import { sidesOf, stripOf } from './details.ts';
import {
  type DiffBarsData,
  lengthOf,
  nameOf,
  type scaleOf,
  textOf,
  valueOf,
  whiskerOf,
} from './model.ts';

type Scale = ReturnType<typeof scaleOf>;

/** Colours of both bars: grey for the baseline, that of the difference for the candidate. */
export function sideColours(
  row: DiffRow,
  data: DiffBarsData,
  bound: number,
  palette: Palette,
): Readonly<Record<'a' | 'b', string>> {
  const isWorseUp = data.diff.direction !== 'higher_is_better';
  const value = valueOf(row, data);
  // Without a difference the middle of the scale would be hard to see on the ground.
  const b = value ? differenceColour(palette, value, bound, isWorseUp) : palette.ink2;
  return { a: palette.ink2, b };
}

export function differenceLine(
  row: DiffRow,
  data: DiffBarsData,
  scale: Scale,
  isSelected: boolean,
  palette: Palette,
): HTMLElement {
  const { diff, mode } = data;
  const colours = sideColours(row, data, scale.bound, palette);
  const sides = sidesOf(row, data);
  const text = textOf(row, data);
  const change = mode === 'absolute' ? formatChangeFrom(row.a, row.delta) : '';
  const ratio = formatFactor(row.ratio);
  const interval = row.ci ? row.ci.map(formatNumber).join(' to ') : '';
  const verdict = VERDICTS[row.verdict];
  const line = html(
    'tr',
    {
      'data-group': row.group,
      tabindex: '-1',
      'aria-selected': String(isSelected),
      title: row.reason.text,
      'aria-label':
        `${nameOf(row)}: A ${formatValue(row.a, diff.unit)}, B ${formatValue(row.b, diff.unit)}, ${text}, ` +
        `ratio ${ratio}${interval && `, ${interval}`}, q ${formatNumber(row.q)}, ${verdict}. ${row.reason.text}`,
    },
    html('td', { class: 'gs-mono' }, html('span', { class: 'gs-cut' }, ...breakable(nameOf(row)))),
    html(
      'td',
      {},
      sideOf(row, 'a', data, scale, colours.a),
      sideOf(row, 'b', data, scale, colours.b),
    ),
    html('td', {}, ...(sides ? [stripOf(sides, palette)] : [])),
    html('td', { class: 'gs-number' }, text, html('span', { class: 'gs-second' }, change)),
    html('td', { class: 'gs-number' }, ratio, html('span', { class: 'gs-second' }, interval)),
    html('td', { class: 'gs-number' }, formatNumber(row.q)),
    html(
      'td',
      {},
      html('span', { class: 'gs-mark', 'aria-hidden': 'true' }, VERDICT_SIGNS[row.verdict]),
      html('span', { class: 'gs-word' }, verdict),
      html('span', { class: 'gs-second' }, limitText(row.reason)),
    ),
  );
  return line;
}

/** Value and bar of a side; the bar of B has the whisker. */
function sideOf(
  row: DiffRow,
  side: 'a' | 'b',
  data: DiffBarsData,
  { end }: Scale,
  colour: string,
): HTMLElement {
  const value = lengthOf(row, side, data);
  const text =
    value !== null && data.mode === 'normalised'
      ? formatShare(value)
      : formatValue(value, data.diff.unit);
  const track = html('span', { class: 'gs-track' });
  const percent = (given: number): number => (end > 0 ? (given / end) * 100 : 0);
  if (value !== null) {
    const isUnsure = row.verdict === 'inconclusive' || row.verdict === 'untestable';
    const bar = html('span', { class: `gs-bar${side === 'b' && isUnsure ? ' gs-unsure' : ''}` });
    bar.style.width = `max(1px, ${Math.max(0, percent(value))}%)`;
    bar.style.backgroundColor = colour;
    track.append(bar);
  }
  const whisker = side === 'b' && value !== null ? whiskerOf(row, data) : undefined;
  if (whisker) {
    const [from, to] = whisker.map(percent) as [number, number];
    const mark = html('span', { class: 'gs-whisker' });
    mark.style.left = `${from}%`;
    mark.style.width = `${to - from}%`;
    track.append(mark);
  }
  return html('div', { class: 'gs-pair' }, html('span', {}, text || ABSENT), track);
}
