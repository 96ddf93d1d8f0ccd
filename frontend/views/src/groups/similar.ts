/** Groups that look like one of the run: a list, the most similar first. */

import type { Group, SimilarGroups } from '../api.ts';
import { columnUnit, formatCount, formatNumber, formatPlural } from '../logic/format.ts';
import { kindOf, nameOf } from '../logic/group-names.ts';
import { valueOf } from '../logic/group-tree.ts';
import type { Facts } from '../registry/definition.ts';
import { nameOf as isolated } from '../ui/chart-view.ts';
import { html } from '../ui/dom.ts';
import type { Settings } from './definition.ts';
import type { Model } from './model.ts';

/** Structures that the list shows. */
const SHOWN = 12;

export interface SimilarHands {
  set(values: Readonly<Record<string, unknown>>): void;
  /** Shows a group of the answer's run. */
  go(answer: SimilarGroups, group: Group): void;
}

/** The list, in which run is looked, and what was not compared; `answer` is missing while it is computed. */
export function similarList(
  model: Model,
  answer: SimilarGroups | undefined,
  settings: Settings,
  facts: Facts,
  hands: SimilarHands,
): HTMLElement {
  const box = html('section', { class: 'gs-groups-similar', 'aria-label': 'Similar groups' });
  const group = model.known.groups.get(settings.similar) ?? answer?.of;
  const line = html('p', { class: 'gs-groups-counts', role: 'status' });
  line.append(
    'groups like ',
    isolated(group ? nameOf(group) : `group ${settings.similar}`),
    ' in ',
  );
  line.append(runChoice(model.tree.run, settings, facts, hands));
  if (!answer) line.append(' · comparing …');
  else {
    line.append(` · ${formatPlural(answer.structures, 'structure')} compared`);
    if (answer.other_size > 0)
      line.append(` · ${formatPlural(answer.other_size, 'group')} of other sizes`);
    if (answer.skipped > 0)
      line.append(` · ${formatPlural(answer.skipped, 'group')} too large to compare`);
  }
  const close = html(
    'button',
    { type: 'button', class: 'tool', 'data-control': 'similar-off' },
    'close',
  );
  close.addEventListener('click', () => hands.set({ similar: 0, in: '' }));
  line.append(' ', close);
  box.append(line);
  if (answer && answer.rows.length === 0)
    box.append(html('p', { class: 'gs-quiet' }, 'No group of the run has about as many nodes.'));
  if (answer && answer.rows.length > 0) box.append(tableOf(answer, settings.in === '', hands));
  return box;
}

function runChoice(
  own: string,
  settings: Settings,
  facts: Facts,
  { set }: SimilarHands,
): HTMLElement {
  const select = html('select', { 'aria-label': 'Run to look in', 'data-control': 'similar-in' });
  const option = (value: string, text: string): void => {
    const made = html('option', { value }, text);
    made.selected = value === settings.in;
    select.append(made);
  };
  option('', 'this run');
  for (const { run, name, grains } of facts.runs)
    if (run !== own && typeof grains === 'number') option(run, facts.runLabels.get(run) ?? name);
  select.addEventListener('change', () => set({ in: select.value }));
  return select;
}

function tableOf(answer: SimilarGroups, isOwnRun: boolean, hands: SimilarHands): HTMLElement {
  const rows = answer.rows.slice(0, SHOWN);
  const works = rows.map(({ group }) => workOf(answer, group) ?? 0);
  const work = columnUnit(Math.max(0, ...works), answer.unit);
  const body = html('tbody', {});
  for (const { group, groups, similarity, structure } of rows) {
    const isSame = isOwnRun && answer.of.group === group.group;
    const go = html('button', {
      type: 'button',
      class: 'link',
      title: 'Show this group alone',
      'data-control': `similar ${group.group}`,
    });
    go.append(isolated(nameOf(group)));
    go.addEventListener('click', () => hands.go(answer, group));
    body.append(
      html(
        'tr',
        {},
        html(
          'td',
          { class: 'gs-number' },
          structure === answer.of.structure ? '1, the same' : formatNumber(similarity),
        ),
        html('th', { scope: 'row' }, go, isSame ? ' (itself)' : ''),
        html('td', {}, kindOf(group)),
        html('td', { class: 'gs-number' }, formatCount(group.grains)),
        html('td', { class: 'gs-number' }, work.format(workOf(answer, group))),
        html('td', { class: 'gs-number' }, formatCount(groups)),
      ),
    );
  }
  const heads = [
    'similarity',
    'group',
    'kind',
    'grains and team members',
    `work, ${work.unit}`,
    'groups like it',
  ];
  const head = html('tr', {}, ...heads.map((text) => html('th', { scope: 'col' }, text)));
  return html('table', {}, html('thead', {}, head), body);
}

function workOf({ unit }: SimilarGroups, group: Group): number | undefined {
  return valueOf(group, `work_${unit}`);
}
