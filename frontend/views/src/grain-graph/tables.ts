/** Tables next to the grain graph: grains by definition, the worst grains, grains of two runs. */

import { namedBy } from '../logic/definition-names.ts';
import {
  columnUnit,
  formatApart,
  formatCount,
  formatFactor,
  formatPlural,
  formatShare,
  formatValue,
} from '../logic/format.ts';
import { partsOf } from '../logic/labels.ts';
import { uniqueNames } from '../logic/unique-names.ts';
import type { Shown } from '../registry/definition.ts';
import type { Patch } from '../registry/selection.ts';
import { nameOf } from '../ui/chart-view.ts';
import { breakable, html } from '../ui/dom.ts';
import { type Comparison, largest } from './compare.ts';
import type { Settings } from './definition.ts';
import type { Marked, Model } from './model.ts';
import type { Counts } from './values.ts';

export interface Hands {
  set(values: Readonly<Record<string, unknown>>, isReplacing?: boolean): void;
  select(patch: Patch): void;
}

/** Rows of the grains that differ most. */
const LARGEST = 20;
/** Characters of a name: two lines next to the numbers. */
const NAME = 28;

/** A part of the panel. */
export function part(title: string, ...children: readonly (Node | string)[]): HTMLElement {
  return html('section', { class: 'gs-part' }, html('h3', {}, title), ...children);
}

/** Grains with the problem by definition. */
export function definitionsOf(
  model: Model,
  { selection, settings }: Shown<Settings>,
  hands: Hands,
): HTMLElement {
  const { counts } = model;
  const most = Math.max(0, ...(counts?.byDefinition ?? []).map((row) => row.work));
  const work = columnUnit(most, model.tree.unit);
  const value = (row: Counts['byDefinition'][number]): number =>
    settings.order === 'share' ? row.grains / (row.all || 1) : row[settings.order];
  const ordered = [...(counts?.byDefinition ?? [])].sort((a, c) => value(c) - value(a));
  const head = (order: Settings['order'], text: string): HTMLElement => {
    const isOn = settings.order === order;
    const button = html(
      'button',
      { type: 'button', class: 'link', 'data-control': `by ${order}` },
      text,
    );
    button.addEventListener('click', () => hands.set({ order }));
    const cell = html('th', { scope: 'col', 'aria-sort': isOn ? 'descending' : undefined }, button);
    return cell;
  };
  const body = html('tbody', {});
  const found = ordered.filter((row) => row.grains > 0);
  const names = shortNames(found.map((row) => row.definition));
  const isNamed = namedBy(selection.definition);
  found.forEach((row, at) => {
    const pick = html('button', {
      type: 'button',
      class: 'link',
      'aria-pressed': String(isNamed(row.definition)),
      'data-control': `definition ${row.definition}`,
      title: `Mark the grains of ${row.definition}`,
    });
    pick.append(broken(row.definition, names[at] ?? ''));
    pick.addEventListener('click', () =>
      hands.select({ definition: isNamed(row.definition) ? '' : row.definition }),
    );
    body.append(
      html(
        'tr',
        {},
        html('th', { scope: 'row' }, pick),
        html('td', {}, formatCount(row.grains)),
        html(
          'td',
          { title: `of ${formatPlural(row.all, 'grain')} of this definition` },
          formatShare(row.all > 0 ? Math.round((1000 * row.grains) / row.all) / 1000 : undefined),
        ),
        html('td', {}, work.format(row.work)),
      ),
    );
  });
  const heads = [
    nameHead(),
    head('grains', 'grains'),
    head('share', 'share'),
    head('work', `work, ${work.unit}`),
  ];
  return part('By definition', table(heads, body));
}

function table(heads: readonly (string | HTMLElement)[], body: HTMLElement): HTMLElement {
  const cells = heads.map((head) =>
    typeof head === 'string' ? html('th', { scope: 'col' }, head) : head,
  );
  const head = html('tr', {}, ...cells);
  return html('table', { class: 'gs-grains-table' }, html('thead', {}, head), body);
}

/** Names of definitions, as different as the definitions: without their kind, unless only it differs. */
function shortNames(definitions: readonly string[]): string[] {
  const owners = new Map<string, Set<string>>();
  for (const definition of definitions) {
    const { text } = partsOf(definition);
    owners.set(text, (owners.get(text) ?? new Set()).add(definition));
  }
  const names = definitions.map((definition) => {
    const { text } = partsOf(definition);
    return (owners.get(text)?.size ?? 0) > 1 ? definition : text;
  });
  return uniqueNames(names, NAME);
}

/** Cells with the number of a grain, which selects it, and with the name of its definition. */
function grainCells(
  grain: string,
  [full, text]: readonly [full: string, text: string],
  { selection }: Shown<Settings>,
  { select }: Hands,
): HTMLElement[] {
  const pick = html(
    'button',
    {
      type: 'button',
      class: 'link',
      'aria-pressed': String(selection.grain === grain),
      'data-control': `grain ${grain}`,
    },
    `#${grain}`,
  );
  pick.addEventListener('click', () => select({ grain }));
  return [html('th', { scope: 'row' }, pick), nameCell(full, text)];
}

function nameCell(full: string, text: string): HTMLElement {
  return html('td', { class: 'gs-grains-name' }, broken(full, text));
}

/** A name that breaks into lines after its words. */
function broken(full: string, text: string): HTMLElement {
  const name = nameOf(full, '');
  name.append(...breakable(text));
  return name;
}

function nameHead(): HTMLElement {
  return html('th', { scope: 'col', class: 'gs-grains-name' }, 'definition');
}

/** A value that can be told from the limit of the problem. */
function valueText(value: number | undefined, first: Marked, text: string): string {
  const { limit } = first.test;
  if (value === undefined || Number.isNaN(value)) return text;
  const isAlike = formatValue(value, first.unit) === formatValue(limit, first.unit);
  return isAlike ? formatApart(limit, value, first.unit)[1] : text;
}

/** The grains with the worst values. */
export function worstOf(
  model: Model,
  rows: readonly number[],
  shown: Shown<Settings>,
  hands: Hands,
): HTMLElement {
  const { values, first } = model;
  const most = Math.max(0, ...rows.map((row) => values?.work[row] ?? 0));
  const work = columnUnit(most, model.tree.unit);
  const farthest = Math.max(0, ...rows.map((row) => Math.abs(values?.first[row] ?? 0) || 0));
  const value = columnUnit(farthest, first?.unit ?? 'unknown');
  const title = first ? ['value', value.unit].filter(Boolean).join(', ') : '';
  const body = html('tbody', {});
  const names = shortNames(
    rows.map((row) => values?.definitions[values.definition[row] ?? 0] ?? ''),
  );
  rows.forEach((row, at) => {
    const own = values?.first[row];
    const text = value.format(own);
    body.append(
      html(
        'tr',
        {},
        ...grainCells(
          String(values?.grain[row] ?? ''),
          [values?.path(row) ?? '', names[at] ?? ''],
          shown,
          hands,
        ),
        html('td', {}, first ? valueText(own, first, text) : text),
        html('td', {}, work.format(values?.work[row])),
      ),
    );
  });
  return part('Worst first', table(['grain', nameHead(), title, `work, ${work.unit}`], body));
}

/** Grains of both runs with the largest difference of work. */
export function comparedOf(
  comparison: Comparison,
  model: Model,
  shown: Shown<Settings>,
  hands: Hands,
): HTMLElement {
  const { settings, facts } = shown;
  const isNamed = namedBy(shown.selection.definition);
  const { rows, isOfDefinition } = largest(comparison, LARGEST, isNamed);
  const most = Math.max(0, ...rows.flatMap(({ work }) => [work[0] ?? 0, work[1] ?? 0]));
  const work = columnUnit(most, model.tree.unit);
  const body = html('tbody', {});
  const groups = rows.map(({ nodes }) => model.nodes.groups[nodes[0]]);
  const names = shortNames(groups.map((group) => group?.definition ?? 'grain'));
  rows.forEach(({ work: values, ratio }, at) => {
    const group = groups[at];
    body.append(
      html(
        'tr',
        {},
        ...grainCells(
          String(group?.grain ?? ''),
          [group?.definition ?? 'grain', names[at] ?? ''],
          shown,
          hands,
        ),
        html('td', {}, work.format(values[0])),
        html('td', {}, work.format(values[1])),
        html('td', {}, formatFactor(ratio)),
      ),
    );
  });
  const run = (id: string): HTMLElement => nameOf(facts.runLabels.get(id) ?? id.slice(0, 8));
  const matched = comparison.matches.size / 2;
  return part(
    'Two runs',
    html('p', {}, 'left ', run(model.tree.run), ', right ', run(comparison.other.run)),
    html(
      'p',
      { class: 'gs-grains-count', role: 'status' },
      `${formatPlural(matched, 'grain')} of both runs drawn, only left ${formatCount(comparison.alone[0])}, only right ${formatCount(comparison.alone[1])}`,
    ),
    html(
      'h3',
      {},
      `Largest difference of work first${isOfDefinition ? ', selected definition' : ''}`,
    ),
    table(
      [
        'grain',
        nameHead(),
        `left, ${work.unit}`,
        `right, ${work.unit}`,
        settings.compared === 'stretch' ? 'stretch' : 'ratio',
      ],
      body,
    ),
  );
}
