/** The grains that ran at a chosen time, and those that were created and had not begun. */

import { formatPlural, formatTick, formatValue } from '../logic/format.ts';
import type { Shown } from '../registry/definition.ts';
import { nameOf } from '../ui/chart-view.ts';
import { html } from '../ui/dom.ts';
import type { ViewContext } from '../ui/view.ts';
import type { Answers, Settings } from './definition.ts';

/** Grains that are listed of each kind; the number of all is stated. */
const LISTED = 6;

export function listOf(
  { head, running, ready }: Answers,
  { settings }: Shown<Settings>,
  context: ViewContext,
): HTMLElement[] {
  if (settings.at === '' || !running) return [];
  const open = (grain: number, text: string): HTMLElement => {
    const button = html('button', { type: 'button', class: 'gs-button', title: `Grain ${grain}` });
    button.append(nameOf(text));
    button.addEventListener('click', () =>
      context.emit({ type: 'select', patch: { grain: String(grain) } }),
    );
    return button;
  };
  const ran = running.rows.filter(({ grain }) => typeof grain === 'number');
  const close = html('button', { type: 'button', class: 'gs-button' }, 'Close');
  close.addEventListener('click', () => context.emit({ type: 'set', values: { at: '' } }));
  const parts = [
    html(
      'p',
      {},
      html('strong', {}, `At ${formatTick(Number(settings.at), head.unit)}`),
      ` ${formatPlural(ran.length, 'grain')} ran: `,
      ...ran
        .slice(0, LISTED)
        .map((row) => open(Number(row.grain), row.definition ?? `grain ${row.grain}`)),
      ' ',
      close,
    ),
  ];
  if (ready)
    parts.push(
      html(
        'p',
        {},
        `${formatPlural(ready.total, 'grain')} created and not begun: `,
        ...ready.rows.slice(0, LISTED).map((row) => {
          const waits = (row.start ?? 0) - Number(settings.at);
          const button = open(row.grain, row.definition);
          button.append(`, begins ${formatValue(waits, ready.unit)} later`);
          return button;
        }),
        ready.total > LISTED ? ` + ${ready.total - LISTED} more` : '',
      ),
    );
  return parts;
}
