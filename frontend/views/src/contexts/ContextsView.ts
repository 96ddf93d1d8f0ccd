/** The calling-context tree: circles for contexts that stand out, surrogates for what is hidden. */

import type { SankeyNode } from '../api.ts';
import { absentSide, differenceText, formatDifference, formatSide } from '../logic/difference.ts';
import { ABSENT, formatCount, formatDelta, formatPlural, formatValue } from '../logic/format.ts';
import { partsOf as namePartsOf } from '../logic/labels.ts';
import { shorten } from '../logic/names.ts';
import { presentOf } from '../logic/values.ts';
import type { Shown } from '../registry/definition.ts';
import { ChartView } from '../ui/chart-view.ts';
import { html, monoAdvance, svg, textStyle } from '../ui/dom.ts';
import type { Answers, Settings } from './definition.ts';
import { classOf, colourOf, drawLegend, largest } from './legend.ts';
import { lensOf, type Model, modelOf, rootsOf, toggledId, treesOf } from './model.ts';
import type { Row } from './prune.ts';
import './contexts.css';

const LINE = 24;
/** Widths of a column, and characters of a name, in a wide and in a narrow window. */
const COLUMNS = [176, 112] as const;
const RADIUS = [3, 10] as const;
const NAMES = [18, 12] as const;
const NARROW = 700;
/** Characters of a name in the choice of the root. */
const ROOT_NAME = 32;
const WIDTH = 240;
const BARS = 40;

export class ContextsView extends ChartView<Answers, Settings> {
  constructor() {
    super('contexts');
  }

  protected draw(answers: Answers, shown: Shown<Settings>): void {
    const model = modelOf(answers, shown.settings, shown.selection);
    if (!model) {
      this.root.replaceChildren(
        html('div', { class: 'gs-contexts-wait' }, 'Reading the call tree …'),
      );
      return;
    }
    const before = this.root.querySelector('.gs-contexts-box');
    const scroll = [before?.scrollLeft ?? 0, before?.scrollTop ?? 0] as const;
    const box = html('div', { class: 'gs-contexts-box' }, this.#tree(model, shown));
    this.root.replaceChildren(this.#head(answers, model, shown), box);
    [box.scrollLeft, box.scrollTop] = scroll;
  }

  get #isNarrow(): boolean {
    return this.root.clientWidth < NARROW;
  }

  get #column(): number {
    return this.#isNarrow ? COLUMNS[1] : COLUMNS[0];
  }

  #head({ sankey }: Answers, model: Model, shown: Shown<Settings>): HTMLElement {
    const { pruned } = model;
    const line = html(
      'p',
      { class: 'gs-contexts-counts', role: 'status' },
      html('b', {}, formatCount(pruned.shown)),
      ` of ${formatPlural(model.sites.length, 'context')} shown, ${formatCount(pruned.hidden)} hidden`,
    );
    if (pruned.fallback !== '')
      line.append(` · ${pruned.fallback}: the largest by inclusive value are shown`);
    const copy = html('button', { type: 'button', class: 'tool' }, 'copy as lens');
    copy.title = 'A lens in which the contexts that stand out are groups of their own';
    copy.addEventListener('click', () =>
      this.context.emit({ type: 'copy', text: lensOf(shown.selection.lens, model) }),
    );
    const reset = html('button', { type: 'button', class: 'tool' }, 'reset');
    reset.addEventListener('click', () =>
      this.context.emit({
        type: 'set',
        values: { open: '', shut: '', from: '', to: '', stand: '' },
      }),
    );
    const head = html('div', { class: 'gs-contexts-head' }, line, copy, reset);
    const trees = treesOf(rootsOf(sankey, shown.selection));
    if (trees.length > 1) head.prepend(this.#roots(trees, model.tree.group));
    if (shown.settings.prune === 'range') head.append(this.#range(model, shown));
    head.append(drawLegend(model, shown, this.palette, this.context.emit));
    return head;
  }

  /** Choice of the root, of which each has a tree of its own. */
  #roots(trees: readonly SankeyNode[], chosen: string): HTMLElement {
    const list = html('select', { 'data-control': 'root' });
    for (const { id, name } of trees)
      list.append(html('option', { value: id }, shorten(namePartsOf(name).text, ROOT_NAME)));
    list.value = chosen;
    list.addEventListener('change', () =>
      // Contexts of another tree are open.
      this.context.emit({ type: 'set', values: { root: list.value, open: '', shut: '' } }),
    );
    return html('label', { class: 'field' }, 'tree of ', list);
  }

  /** Histogram of the values, and the range that is kept. */
  #range(model: Model, { settings }: Shown<Settings>): HTMLElement {
    const values = presentOf(model.weight).sort((a, b) => a - b);
    const most = values[values.length - 1] ?? 0;
    const counts = new Array<number>(BARS).fill(0);
    for (const value of values) {
      const at = most > 0 ? Math.min(BARS - 1, Math.floor(Math.sqrt(value / most) * BARS)) : 0;
      counts[at] = (counts[at] ?? 0) + 1;
    }
    const highest = Math.max(1, ...counts);
    const picture = svg('svg', {
      class: 'gs-plot',
      width: WIDTH,
      height: 36,
      role: 'img',
      'aria-label': model.compared ? 'Contexts by amount of the difference' : 'Contexts by value',
    });
    counts.forEach((count, at) => {
      const height = count > 0 ? Math.max(1.5, (Math.log1p(count) / Math.log1p(highest)) * 34) : 0;
      picture.append(
        svg('rect', {
          x: (at * WIDTH) / BARS,
          y: 36 - height,
          width: WIDTH / BARS - 1,
          height,
          fill: this.palette.ensemble,
        }),
      );
    });
    const slider = (name: 'from' | 'to', fallback: number): HTMLElement => {
      const given = settings[name] === '' ? fallback : Number(settings[name]);
      const input = html('input', {
        type: 'range',
        min: 0,
        max: 200,
        'aria-label': name === 'from' ? 'at least' : 'at most',
      });
      input.value = String(Math.round(most > 0 ? Math.sqrt(Math.max(0, given) / most) * 200 : 0));
      const text = formatValue(given, model.colourUnit);
      input.setAttribute('aria-valuetext', text);
      input.addEventListener('change', () => {
        const value = (Number(input.value) / 200) ** 2 * most;
        this.context.emit({
          type: 'set',
          values: { [name]: String(Number(value.toPrecision(3))) },
        });
      });
      return html('label', {}, name === 'from' ? 'at least ' : 'at most ', text, input);
    };
    return html(
      'div',
      { class: 'gs-contexts-range' },
      picture,
      slider('from', 0),
      slider('to', most),
      html('small', {}, 'horizontally √ of the value, upwards log of the number of contexts'),
    );
  }

  #tree(model: Model, shown: Shown<Settings>): SVGSVGElement {
    const { rows } = model.pruned;
    const deepest = rows.reduce((most, row) => Math.max(most, row.depth), 0);
    const lines = model.lines.reduce((most, line) => Math.max(most, line), 0);
    const root = svg('svg', {
      class: 'gs-plot gs-contexts-tree',
      width: 24 + (deepest + 1) * this.#column,
      height: (lines + 1) * LINE + 16,
      role: 'group',
      'aria-label': 'Calling contexts',
    });
    const x = (row: Row): number => 16 + row.depth * this.#column;
    const y = (at: number): number => 16 + (model.lines[at] ?? 0) * LINE;
    rows.forEach((row, at) => {
      const parent = rows[row.parent];
      if (!parent) return;
      const [fromX, fromY, toX, toY] = [x(parent) + 4, y(row.parent), x(row), y(at)];
      const bend = fromX + this.#column * 0.72;
      root.append(
        svg('path', {
          d: `M${fromX},${fromY}C${bend + 24},${fromY} ${bend},${toY} ${toX},${toY}`,
          fill: 'none',
          stroke: this.palette.line,
        }),
      );
    });
    rows.forEach((row, at) => {
      root.append(
        row.isSurrogate
          ? this.#surrogate(model, shown, row, x(row), y(at))
          : this.#node(model, shown, row, x(row), y(at)),
      );
    });
    return root;
  }

  #node(model: Model, shown: Shown<Settings>, row: Row, x: number, y: number): SVGElement {
    const site = model.sites[row.node];
    const [size, colour] = [model.size[row.node] ?? NaN, model.colour[row.node] ?? NaN];
    const most = largest(model.size);
    const share = most > 0 && size > 0 ? Math.sqrt(size / most) : 0;
    const fill = colourOf(model, colour, this.palette);
    const { stand } = shown.settings;
    const pair = model.compared?.pairs[row.node];
    const absent = pair ? absentSide(pair) : Number.isNaN(colour);
    const isDim = stand !== '' && String(classOf(model, colour)) !== stand;
    const isChosen = shown.selection.site === site?.id;
    const name = namePartsOf(site?.name ?? '').text;
    const value = formatValue(size, model.sizeUnit);
    const text = shorten(name, this.#isNarrow ? NAMES[1] : NAMES[0]);
    const group = svg(
      'g',
      { opacity: isDim ? 0.25 : undefined },
      svg('circle', {
        cx: x,
        cy: y,
        r: RADIUS[0] + share * (RADIUS[1] - RADIUS[0]),
        fill,
        stroke: isChosen ? this.palette.accent : this.palette.ink2,
        'stroke-width': isChosen ? 3 : 1,
        'stroke-dasharray': absent ? '3 2' : undefined,
      }),
      svg('rect', {
        x: x + 13,
        y: y - 8,
        width: monoAdvance(11) * [...text].length + 4,
        height: 16,
        fill: this.palette.ground,
      }),
      svg('text', { x: x + 14, y: y + 4, fill: this.palette.ink, ...textStyle(11, true) }, text),
    );
    group.append(
      svg(
        'text',
        {
          x: x + 14,
          y: y + 14,
          fill: this.palette.ink2,
          ...textStyle(9),
        },
        model.compared
          ? formatDifference(Number.isNaN(colour) ? null : colour, model.compared)
          : value,
      ),
    );
    this.marks.add(group, {
      key: site?.id ?? '',
      tip: () => ({
        title: site?.name ?? ABSENT,
        rows: [
          [shown.settings.size, value],
          ...colourRows(model, shown, row.node),
          ['source', site?.source ?? ABSENT],
          ['runs', formatCount(site?.present)],
        ],
      }),
      pick: () => this.#pick(shown, site?.id ?? '', site?.name ?? '', row),
    });
    return group;
  }

  /** A click selects a context, and closes it or opens it again. */
  #pick(shown: Shown<Settings>, id: string, definition: string, row: Row): void {
    this.context.emit({ type: 'select', patch: { site: id, definition } });
    if (row.parent < 0) return;
    this.context.emit({ type: 'set', values: { shut: toggledId(shown.settings.shut, id) } });
  }

  #surrogate(model: Model, shown: Shown<Settings>, row: Row, x: number, y: number): SVGElement {
    const site = model.sites[row.node];
    const { palette } = this;
    // A sum of times has no place on a scale of ratios or shares.
    const isOnScale = !model.compared || model.compared.mode === 'absolute';
    const fill = isOnScale ? colourOf(model, row.sum, palette) : palette.ground;
    const mark =
      row.sum === 0
        ? svg(
            'g',
            { fill: palette.ink2 },
            ...[-5, 0, 5].map((by) => svg('circle', { cx: x + by, cy: y, r: 1.6 })),
          )
        : svg('path', {
            d: `M${x - 7},${y - 6}H${x + 2}L${x + 8},${y}L${x + 2},${y + 6}H${x - 7}Z`,
            fill,
            stroke: palette.ink2,
          });
    const sum = model.compared
      ? formatDelta(row.sum, model.colourUnit)
      : formatValue(row.sum, model.sizeUnit);
    const text = `${formatCount(row.hidden)} hidden${row.sum === 0 ? '' : `, ${sum}`}`;
    const group = svg(
      'g',
      {},
      mark,
      svg('text', { x: x + 14, y: y + 4, fill: palette.ink2, ...textStyle(11) }, text),
    );
    this.marks.add(group, {
      key: `hidden ${site?.id ?? ''}`,
      tip: () => ({
        title: `${formatPlural(row.hidden, 'hidden context')} below ${site?.name ?? ''}`,
        rows: [[model.compared ? 'together, inclusive, B − A' : 'together', sum]],
      }),
      pick: () => {
        const id = site?.id ?? '';
        const isShut = shown.settings.shut.split(',').includes(id);
        this.context.emit({
          type: 'set',
          values: isShut
            ? { shut: toggledId(shown.settings.shut, id) }
            : { open: toggledId(shown.settings.open, id) },
        });
      },
    });
    return group;
  }
}

/** What the colour of a context stands for: a value, or both sides and their difference. */
function colourRows(
  { compared, colour, colourUnit }: Model,
  { settings, facts }: Shown<Settings>,
  at: number,
): readonly (readonly [string, string])[] {
  const pair = compared?.pairs[at];
  if (!compared || !pair) {
    const what = `colour: ${settings.colour} ${settings.metric}`.trim();
    return [[what, formatValue(colour[at], colourUnit)]];
  }
  const [a, b] = compared.sides.map(({ name }) => facts.runLabels.get(name) ?? name);
  return [
    [`A, ${a ?? ''}`, formatSide(pair.a, 'a', compared)],
    [`B, ${b ?? ''}`, formatSide(pair.b, 'b', compared)],
    [`colour: ${compared.quantity}`, differenceText(pair, compared)],
  ];
}
