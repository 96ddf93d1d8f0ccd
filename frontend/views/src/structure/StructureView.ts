/** How work was matched, what happened to definitions, what may be the same, and what the store says. */

import { mix } from '../logic/colour.ts';
import { columnUnit, formatPlural, formatShare } from '../logic/format.ts';
import { uniqueNames } from '../logic/unique-names.ts';
import { CHANGE_SIGNS, changeText } from '../logic/verdicts.ts';
import type { Shown } from '../registry/definition.ts';
import { ChartView, nameOf, section } from '../ui/chart-view.ts';
import { html, svg, uniquePrefix } from '../ui/dom.ts';
import { Grid, type GridColumn } from '../ui/grid.ts';
import { hatching } from '../ui/plot.ts';
import type { Edit, Edits } from '../ui/view.ts';
import type { Answers, Settings } from './definition.ts';
import './structure.css';

type Diff = Answers['diff'];
type Change = Diff['structure']['changes'][number];
type Tier = keyof Diff['structure']['matched_work'];

/** Ways of matching, strictest first, with what each means. */
const TIERS: readonly (readonly [Tier, string, string])[] = [
  ['context', 'by context', 'The same path of definitions.'],
  ['definition', 'by definition', 'The same definition, in another path.'],
  ['normalised', 'normalised', 'Names differ only in what compilers add to them.'],
  ['template', 'template', 'Names differ, besides, in template arguments.'],
  ['confirmed', 'confirmed', 'The mapping of the store says so.'],
  [
    'inferred',
    'inferred',
    'Found by where they stand and what is below them: same parent, same children.',
  ],
  ['unmatched', 'not matched', 'On one side only.'],
];

/** Width from which a pane has room for two names next to each other. */
const WIDE = 1100;
const ROW = 28;

/** Decisions of the user about two definitions, and what the mapping has then. */
const SAYINGS = {
  confirm: { same: true, done: 'Confirmed', sign: '=' },
  reject: { same: false, done: 'Rejected', sign: '≠' },
  pin: { same: true, done: 'Pinned', sign: '=' },
  forget: { same: undefined, done: 'Forgotten', sign: '–' },
} as const;
type Saying = keyof typeof SAYINGS;

/** Which of them suit a pair, by how it was matched. */
const SAYINGS_OF: Readonly<Record<string, readonly Saying[]>> = {
  inferred: ['confirm', 'reject'],
  confirmed: ['forget'],
};

export class StructureView extends ChartView<Answers, Settings> {
  #grid: Grid<Change> | undefined;
  #lines = 1;
  #diff: Diff | undefined;
  #edits: Edits = { isAllowed: false, isBusy: false, undo: undefined, fault: undefined };

  constructor() {
    super('structure');
  }

  protected draw({ diff, mapping }: Answers, shown: Shown<Settings>): void {
    const { structure } = diff;
    this.#diff = diff;
    this.#edits = shown.facts.edits;
    const width = this.root.clientWidth || 1000;
    // Two names that do not fit next to each other are below each other.
    const lines = width > WIDE ? 1 : 2;
    const grid = this.#rows(lines);
    grid.root.style.height = `${Math.min(structure.changes.length, 12) * ROW * lines + 34}px`;
    this.root.replaceChildren(
      html(
        'header',
        { class: 'gs-title' },
        html('h2', {}, VERDICTS[structure.verdict]),
        html('span', { class: 'gs-quiet gs-grow' }, structure.reason.text),
        ...this.#undo(),
      ),
      ...this.#fault(),
      this.#tiers(diff, width - 32),
      section(
        'What happened',
        'share of the work of both sides, those that concern most first',
        ...(structure.changes.length > 0
          ? [grid.root]
          : [
              html('p', { class: 'gs-quiet' }, 'Every definition is on both sides under its name.'),
            ]),
      ),
      ...this.#possible(diff),
      this.#mapping(mapping),
    );
    grid.update(this.#columns(diff, width), structure.changes, { sort: shown.settings.sort });
  }

  #tiers(diff: Diff, width: number): HTMLElement {
    const { matched_work: matched } = diff.structure;
    const { palette } = this;
    const height = 22;
    const bar = svg('svg', {
      class: 'gs-plot',
      width,
      height,
      role: 'group',
      'aria-label': 'Work matched per tier',
    });
    const hatch = uniquePrefix('inferred');
    const blue = palette.exclusive[3] ?? palette.ink2;
    bar.append(hatching(hatch, palette.ground, 5));
    let at = 0;
    const legend = html('div', { class: 'gs-legend' });
    for (const [index, [tier, word, meaning]] of TIERS.entries()) {
      const share = matched[tier];
      if (!(share > 0)) continue;
      const fill =
        tier === 'unmatched'
          ? palette.difference[2]
          : mix(blue, palette.ground, Math.min(0.75, index * 0.15));
      const size = Math.max(1, share * width);
      const mark = svg(
        'g',
        {},
        svg('rect', { x: at, width: size, height, fill, stroke: palette.ground }),
      );
      if (tier === 'inferred')
        mark.append(svg('rect', { x: at, width: size, height, fill: `url(#${hatch})` }));
      this.marks.add(mark, {
        key: `tier-${tier}`,
        tip: () => ({
          title: word,
          rows: [['share of the work', formatShare(share)]],
          notes: [meaning],
        }),
      });
      bar.append(mark);
      at += share * width;
      const swatch = html('span', { class: 'gs-swatch-dot' });
      swatch.style.background = fill;
      legend.append(html('span', { title: meaning }, swatch, `${formatShare(share)} ${word}`));
    }
    return section('Work matched', 'by tier, strictest first', bar, legend);
  }

  #rows(lines: number): Grid<Change> {
    if (this.#grid && this.#lines === lines) return this.#grid;
    this.#lines = lines;
    this.#grid = new Grid<Change>(
      {
        label: 'Structural changes',
        rowHeight: ROW * lines,
        key: keyOf,
        pick: (change) => {
          if (this.#diff) this.#select(change, this.#diff);
        },
        sort: (sort) => this.context.emit({ type: 'set', values: { sort }, isReplacing: true }),
      },
      this.life,
    );
    return this.#grid;
  }

  /** Selects the group that a definition of a change is. */
  #select(change: Change, { rows }: Diff): void {
    const nameIn = (path: readonly string[] | null | undefined, name: unknown): boolean =>
      name !== undefined && path?.[path.length - 1] === name;
    const row = rows.find(
      (one) =>
        nameIn(one.path_b ?? one.path, change.definition_b) ||
        nameIn(one.path_a ?? one.path, change.definition_a),
    );
    if (row) this.context.emit({ type: 'select-group', group: row.group });
  }

  #columns(diff: Diff, width: number): GridColumn<Change>[] {
    const { changes } = diff.structure;
    const unit = columnUnit(
      Math.max(0, ...changes.flatMap(({ work_a: a, work_b: b }) => [a, b])),
      diff.unit,
    );
    // Columns whose content has a fixed width take the rest; a letter is about 7.3 pixels wide.
    const others = width > 860 ? 638 : width > 560 ? 322 : 130;
    const room = Math.max(16, Math.floor((width - others - 48) / 7.3));
    const shortName = shortNamesOf(changes, width > WIDE ? Math.floor(room / 2) - 1 : room - 2);
    const columns: GridColumn<Change>[] = [
      {
        key: 'kind',
        title: 'what',
        width: 120,
        cell: ({ kind }) => kind,
        draw: ({ kind }) => `${CHANGE_SIGNS[kind]} ${changeText(kind)}`,
      },
      {
        key: 'name',
        title: 'A name → B name',
        cell: nameOfChange,
        draw: (change) => namesCell(change, shortName, width > WIDE),
      },
      {
        key: 'share',
        title: 'share',
        width: 72,
        isNumber: true,
        cell: ({ share }) => share,
        draw: ({ share }) => formatShare(share),
      },
      {
        key: 'a',
        title: 'A',
        unit: unit.unit,
        width: 88,
        isNumber: true,
        cell: ({ work_a: a }) => a,
        draw: ({ work_a: a, runs_a: runs }) => (runs > 0 ? unit.format(a) : '–'),
      },
      {
        key: 'b',
        title: 'B',
        unit: unit.unit,
        width: 88,
        isNumber: true,
        cell: ({ work_b: b }) => b,
        draw: ({ work_b: b, runs_b: runs }) => (runs > 0 ? unit.format(b) : '–'),
      },
      {
        key: 'sure',
        title: 'how',
        width: 140,
        cell: ({ score }) => score,
        draw: ({ matched_by: by, score }) =>
          by ? `${by}${typeof score === 'number' ? `, ${formatShare(score)}` : ''}` : '–',
      },
      {
        key: 'say',
        title: 'say',
        width: 130,
        draw: (change) =>
          this.#sayings(change.definition_a, change.definition_b, change.matched_by),
      },
    ];
    // Decisions are made in panes of every width.
    const kept = width > 560 ? ['kind', 'name', 'share', 'say'] : ['name', 'say'];
    return width > 860 ? columns : columns.filter(({ key }) => kept.includes(key));
  }

  /** Buttons that change the mapping; of a service that may not, they copy the command that does. */
  #sayings(
    a: string | null | undefined,
    b: string | null | undefined,
    by: string | null | undefined,
  ): HTMLElement | string {
    if (!a || !b || a === b) return '';
    const box = html('span', { class: 'gs-tools gs-sayings' });
    const { isAllowed, isBusy } = this.#edits;
    for (const word of SAYINGS_OF[by ?? ''] ?? ['pin']) {
      const command = `grainsheaf match --${word} ${shellQuote(`${a} = ${b}`)}`;
      const title = isAllowed ? `${word}: ${a}, ${b}` : `copies: ${command}`;
      const button = html('button', { type: 'button', class: 'gs-link', title }, word);
      button.disabled = isAllowed && isBusy;
      button.addEventListener('click', () =>
        this.context.emit(
          isAllowed ? { type: 'edit', edit: editOf(word, a, b) } : { type: 'copy', text: command },
        ),
      );
      box.append(button);
    }
    return box;
  }

  #undo(): HTMLElement[] {
    const { undo, isBusy } = this.#edits;
    if (undo === undefined) return [];
    const button = html('button', { type: 'button', class: 'gs-button' }, 'Undo');
    button.title = undo;
    button.disabled = isBusy;
    button.addEventListener('click', () => this.context.emit({ type: 'undo-edit' }));
    return [html('span', { class: 'gs-structure-undo' }, nameOf(undo), button)];
  }

  #fault(): HTMLElement[] {
    const { fault } = this.#edits;
    if (fault === undefined) return [];
    return [
      html('p', { class: 'gs-structure-fault', role: 'alert' }, `Nothing was changed: ${fault}`),
    ];
  }

  #possible(diff: Diff): HTMLElement[] {
    const { possible_matches: pairs } = diff.structure;
    if (pairs.length === 0) return [];
    return [
      section(
        'May be the same',
        'on one side each, in the same place, most alike first',
        ...pairs.slice(0, 20).map((pair) => {
          const [a, b] = [
            pair.path_a[pair.path_a.length - 1] ?? '',
            pair.path_b[pair.path_b.length - 1] ?? '',
          ];
          return html(
            'div',
            { class: 'gs-possible' },
            nameOf(`${pair.path_a.join(' › ')} → ${pair.path_b.join(' › ')}`, `${a} → ${b}`),
            html(
              'span',
              { class: 'gs-quiet' },
              `alike by ${formatShare(pair.similarity)}, ${formatPlural(pair.edits, 'edit')}`,
            ),
            this.#sayings(a, b, undefined),
          );
        }),
        ...(pairs.length > 20
          ? [html('p', { class: 'gs-quiet' }, `+ ${pairs.length - 20} more pairs`)]
          : []),
      ),
    ];
  }

  #mapping(mapping: Answers['mapping']): HTMLElement {
    const pairs = mapping?.pairs ?? [];
    return section(
      'Mapping of the store',
      pairs.length > 0 ? formatPlural(pairs.length, 'pair') : 'no pairs yet',
      ...pairs.map((pair) =>
        html(
          'div',
          { class: 'gs-possible' },
          nameOf(`${pair.a} ${pair.same ? '=' : '≠'} ${pair.b}`),
          html('span', { class: 'gs-quiet' }, pair.note ?? ''),
          this.#sayings(pair.a, pair.b, 'confirmed'),
        ),
      ),
      ...(mapping?.notes ?? []).map((note) => html('p', { class: 'gs-quiet' }, note.text)),
      ...(this.#edits.isAllowed
        ? []
        : [
            html(
              'p',
              { class: 'gs-quiet' },
              'This service may not change the store: the buttons copy the command that does.',
            ),
          ]),
    );
  }
}

const VERDICTS: Readonly<Record<Diff['structure']['verdict'], string>> = {
  same: '= The same structure',
  varies: '~ Structure varies from run to run',
  thread_count_dependent: '∥ Structure depends on the number of threads',
  changed: '→ Structure changed',
  different: '≠ Different programs',
};

function nameOfChange(change: Change): string {
  const { definition_a: a, definition_b: b } = change;
  if (a && b && a !== b) return `${a} → ${b}`;
  if (a && b && change.line_a && change.line_b && change.line_a !== change.line_b)
    return `${a}, line ${change.line_a} → ${change.line_b}`;
  return a ?? b ?? '';
}

/** Shortest texts that distinguish the names of both sides of all changes. */
function shortNamesOf(changes: readonly Change[], length: number): (name: string) => string {
  const names = changes.flatMap(({ definition_a: a, definition_b: b }) =>
    [a, b].filter((name) => typeof name === 'string'),
  );
  const all = [...new Set(names)];
  const texts = uniqueNames(all, Math.max(12, length));
  const short = new Map(all.map((name, index) => [name, texts[index] ?? name]));
  return (name) => short.get(name) ?? name;
}

/** Both names next to each other, or below each other. */
function namesCell(change: Change, short: (name: string) => string, isWide: boolean): HTMLElement {
  const { definition_a: a, definition_b: b } = change;
  const full = pathText(change);
  if (!a || !b || a === b) {
    const name = a ?? b ?? '';
    return nameOf(
      full,
      nameOfChange(change).replace(name, () => short(name)),
    );
  }
  if (isWide) return nameOf(full, `${short(a)} → ${short(b)}`);
  return html(
    'span',
    { class: 'gs-structure-names', title: full },
    nameOf(full, short(a)),
    html('span', {}, '→ ', nameOf(full, short(b))),
  );
}

function pathText({ path_a: a, path_b: b }: Change): string {
  const texts = [a?.join(' › '), b?.join(' › ')].filter(
    (text): text is string => text !== undefined,
  );
  return [...new Set(texts)].join(' → ');
}

function keyOf(change: Change): string {
  return [
    change.kind,
    change.definition_a,
    change.definition_b,
    change.path_a?.join('/'),
    change.path_b?.join('/'),
  ].join('|');
}

function editOf(word: Saying, a: string, b: string): Edit {
  const { same, done, sign } = SAYINGS[word];
  const change = same === undefined ? { a, b } : { a, b, same };
  return { route: 'mapping', changes: [change], what: `${done}: ${a} ${sign} ${b}` };
}

/** One word for a shell, whatever is in it. */
function shellQuote(text: string): string {
  return `'${text.replace(/'/g, `'\\''`)}'`;
}
