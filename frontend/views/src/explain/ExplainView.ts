/** Causes of a difference as a waterfall from the baseline to the candidate. */

import { scaleLinear } from 'd3-scale';
import {
  columnUnit,
  formatChange,
  formatDelta,
  formatNumber,
  formatShare,
  formatValue,
} from '../logic/format.ts';
import { typicalRun } from '../logic/typical-run.ts';
import { uniqueNames } from '../logic/unique-names.ts';
import { verdictClass, verdictText } from '../logic/verdicts.ts';
import type { Shown } from '../registry/definition.ts';
import { ChartView, nameOf } from '../ui/chart-view.ts';
import { html, prose, svg } from '../ui/dom.ts';
import { keepFocus } from '../ui/focus.ts';
import { Grid, type GridColumn } from '../ui/grid.ts';
import type { Answers, Settings } from './definition.ts';
import {
  causesOf,
  chosenStep,
  type ExplainedView,
  insideOf,
  rangeOf,
  type Step,
  stepsOf,
  viewOf,
} from './model.ts';
import './explain.css';

type Explanation = Answers['explain'];

const ROW = 28;
/** Pixels up to which there are few columns, or some. */
const [NARROW, WIDE] = [700, 1100];
const FEW: readonly string[] = ['name', 'delta', 'verdict'];
const SOME: readonly string[] = ['kind', 'name', 'bar', 'delta', 'verdict'];
const ALL: readonly string[] = [...SOME, 'share', 'q', 'site'];
/** Pixels of columns; names and bars share the rest. */
const WIDTHS: Readonly<Record<'kind' | 'delta' | 'share' | 'q' | 'verdict' | 'site', number>> = {
  kind: 116,
  delta: 96,
  share: 88,
  q: 72,
  verdict: 120,
  site: 150,
};
/** Pixels of a letter of a name. */
const LETTER = 7.4;
const TITLES: Readonly<Record<ExplainedView['by'], string>> = {
  workers: 'by workers',
  path: 'along the path of last finishers',
  ranks: 'by ranks: the slowest',
};

export class ExplainView extends ChartView<Answers, Settings> {
  #grid: Grid<Step> | undefined;
  #picked = '';

  constructor() {
    super('explain');
  }

  protected draw({ explain }: Answers, shown: Shown<Settings>): void {
    const view = viewOf(explain, shown.settings.by);
    if (!view) return;
    const width = this.root.clientWidth || 1000;
    const grid = this.#rows();
    const steps = stepsOf(explain, view);
    const chosen = chosenStep(steps, shown.settings.cause);
    keepFocus(this.root, () =>
      this.root.replaceChildren(
        this.#title(explain, view),
        this.#sentences(explain, view),
        grid.root,
        ...(chosen ? [this.#ways(chosen, view, shown)] : []),
      ),
    );
    this.#picked = shown.selection.group;
    const own = chosen ? [chosen] : [];
    grid.update(this.#columns(explain, view, steps, width), steps, {
      sort: '',
      picked: own.map(({ key }) => key),
    });
  }

  #title(explain: Explanation, view: ExplainedView): HTMLElement {
    const isTested = causesOf(explain, view).some(({ verdict }) => verdict !== 'untestable');
    const look = !isTested ? '' : view.delta > 0 ? 'gs-worse' : 'gs-better';
    const sign = view.delta > 0 ? '▲' : view.delta < 0 ? '▼' : '=';
    const relative = view.a > 0 ? `, ${formatChange(view.delta / view.a)}` : '';
    return html(
      'header',
      { class: 'gs-title' },
      html('h2', { class: look }, `${sign} ${formatDelta(view.delta, explain.unit)}${relative}`),
      html(
        'span',
        { class: 'gs-quiet gs-grow' },
        `${formatValue(view.a, explain.unit)} → ${formatValue(view.b, explain.unit)}, ${TITLES[view.by]}`,
      ),
    );
  }

  /** The causes in words are those of the first view. */
  #sentences(explain: Explanation, view: ExplainedView): HTMLElement {
    const lines = view === explain.views[0] ? explain.sentences : [];
    return html(
      'ul',
      {
        class: 'gs-explain-sentences',
        'aria-label': 'Causes in words',
        ...(lines.length === 0 ? { hidden: '' } : {}),
      },
      ...lines.map((line) =>
        html('li', { dir: 'auto' }, ...prose(line), ...this.#associated(explain, line)),
      ),
    );
  }

  /** The chosen cause in words, and the views that show it. */
  #ways(
    { cause, name }: Step,
    { by }: ExplainedView,
    { selection, facts }: Shown<Settings>,
  ): HTMLElement {
    const box = html('section', { class: 'gs-explain-ways', 'aria-label': 'Chosen cause' });
    if (!cause) return box;
    const tools = html('div', { class: 'gs-tools' }, 'show it in the');
    const way = (text: string, title: string, act: () => void): void => {
      const control = `way ${text}`;
      const button = html(
        'button',
        { type: 'button', class: 'gs-button', title, 'data-control': control },
        text,
      );
      button.addEventListener('click', act);
      tools.append(button);
    };
    const { emit } = this.context;
    const { lens, group } = cause;
    if (lens)
      way('Sankey', `The lens of the cause: ${lens}`, () => {
        emit({ type: 'select', patch: { lens, ...(group ? { group } : {}) } });
        emit({ type: 'show', view: 'sankey', values: {} });
      });
    if (by === 'ranks')
      way('Imbalance', 'Values of the ranks', () => {
        if (group) emit({ type: 'select', patch: { group } });
        emit({ type: 'show', view: 'locations', values: {} });
      });
    const a = typicalRun(selection.a, 'A', facts.runs);
    const b = typicalRun(selection.b, 'B', facts.runs);
    const inside = insideOf(cause, a?.run, b?.run);
    if (by !== 'ranks' && inside) {
      const { run, ...patch } = inside;
      const open = (view: string): void => emit({ type: 'open-run', run, patch, view });
      const runs = [a, b].map(
        (side) => `${facts.runLabels.get(side?.run ?? '') ?? ''} (${side?.why ?? ''})`,
      );
      way('Grain graph', `${runs.join(' and ')}, by work deviation`, () => {
        open('grain-graph');
        emit({ type: 'show', view: 'grain-graph', values: { compared: 'deviation' } });
      });
      way('Time line', `${runs.join(' and ')}, one below the other`, () => open('timeline'));
    }
    const reason = html('span', { class: 'gs-quiet' }, cause.reason.text);
    // Long texts scroll: by keyboard too.
    const words = html(
      'p',
      { dir: 'auto', title: name, tabindex: 0 },
      ...prose(cause.text || name),
      ' ',
      reason,
    );
    box.append(words, ...(tools.childElementCount > 0 ? [tools] : []));
    return box;
  }

  /** Differences of structure, and metrics that moved, with the cause of a sentence. */
  #associated(explain: Explanation, sentence: string): HTMLElement[] {
    const cause = explain.causes.find(({ text }) => text === sentence);
    const changes = (cause?.associated ?? []).map(
      ({ metric, ratio }) => `${metric} ${formatChange(ratio - 1)}`,
    );
    const facts = [
      ...(cause?.structure ?? []).map(({ text }) => text),
      ...(changes.length > 0 ? [changes.join(', ')] : []),
    ];
    return facts.map((fact) =>
      html('div', { class: 'gs-quiet', dir: 'auto' }, ...prose(`with it (associated): ${fact}`)),
    );
  }

  #rows(): Grid<Step> {
    this.#grid ??= new Grid<Step>(
      {
        label: 'Causes from the baseline to the candidate',
        rowHeight: ROW,
        key: ({ key }) => key,
        pick: ({ key, cause }) => {
          if (!cause) return;
          this.context.emit({ type: 'set', values: { cause: key } });
          // Choosing the selected group again would clear it.
          if (cause.group && cause.group !== this.#picked)
            this.context.emit({ type: 'select-group', group: cause.group });
        },
      },
      this.life,
    );
    return this.#grid;
  }

  #columns(
    explain: Explanation,
    view: ExplainedView,
    steps: readonly Step[],
    width: number,
  ): GridColumn<Step>[] {
    const isNarrow = width <= NARROW;
    const keys = isNarrow ? FEW : width <= WIDE ? SOME : ALL;
    const free = keys.reduce(
      (rest, key) => rest - ((WIDTHS as Record<string, number>)[key] ?? 0),
      width,
    );
    const space = isNarrow ? 0 : Math.max(120, Math.min(420, free * 0.45));
    const names = uniqueNames(
      steps.map((step) => (isNarrow && isOfRun(step) ? step.kind : step.label)),
      Math.max(16, Math.floor((free - space - 24) / LETTER)),
    );
    const nameOfStep = new Map(steps.map((step, at) => [step, names[at] ?? step.name]));
    const unit = columnUnit(
      Math.max(0, ...steps.map(({ from, to, isSide }) => (isSide ? 0 : Math.abs(to - from)))),
      explain.unit,
    );
    const x = scaleLinear(rangeOf(steps), [4, space - 8]).clamp(true);
    const all: GridColumn<Step>[] = [
      { key: 'kind', title: 'cause', width: WIDTHS.kind, draw: ({ kind }) => kind },
      {
        key: 'name',
        title: 'of',
        draw: (step) => nameOf(step.name, nameOfStep.get(step)),
      },
      {
        key: 'bar',
        title: `A to B, from ${formatValue(x.domain()[0], explain.unit)}`,
        width: space,
        draw: (step) => this.#bar(step, x, space),
      },
      {
        key: 'delta',
        title: 'B − A',
        unit: unit.unit,
        width: WIDTHS.delta,
        isNumber: true,
        draw: ({ from, to, isSide }) => {
          if (isSide) return '';
          const text = unit.format(to - from);
          return to > from ? `+${text}` : text;
        },
      },
      {
        key: 'share',
        title: 'share',
        width: WIDTHS.share,
        isNumber: true,
        draw: ({ from, to, isSide }) =>
          isSide || view.delta === 0 ? '' : formatShare((to - from) / view.delta),
      },
      {
        key: 'q',
        title: 'q',
        width: WIDTHS.q,
        isNumber: true,
        draw: ({ cause }) => (cause ? formatNumber(cause.q) : ''),
      },
      {
        key: 'verdict',
        title: 'verdict',
        width: WIDTHS.verdict,
        draw: ({ cause }) =>
          cause
            ? html(
                'span',
                { class: verdictClass(cause.verdict), title: cause.reason.text },
                verdictText(cause.verdict),
              )
            : '',
      },
      {
        key: 'site',
        title: 'source',
        width: WIDTHS.site,
        draw: ({ cause }) => (cause?.site ? nameOf(cause.site, baseOf(cause.site)) : ''),
      },
    ];
    return all.filter(({ key }) => keys.includes(key));
  }

  /** The bar of a step with a line to the next, and the interval of the cause as a whisker. */
  #bar(step: Step, x: (value: number) => number, width: number): SVGSVGElement {
    const { palette } = this;
    const [left, right] = [Math.min(step.from, step.to), Math.max(step.from, step.to)].map(x) as [
      number,
      number,
    ];
    const begin = step.isSide ? x(0) : left;
    const fill = step.isSide ? palette.ink2 : palette.difference[step.to > step.from ? 2 : 0];
    const picture = svg('svg', { width, height: ROW, 'aria-hidden': 'true' });
    picture.append(
      svg('rect', {
        x: begin,
        y: 7,
        width: Math.max(1.5, right - begin),
        height: ROW - 14,
        fill,
        'fill-opacity': step.cause && verdictClass(step.cause.verdict) === 'gs-quiet' ? 0.4 : 1,
      }),
      svg('line', {
        x1: x(step.to),
        x2: x(step.to),
        y1: 7,
        y2: ROW,
        stroke: palette.ink2,
        'stroke-dasharray': '2 2',
      }),
    );
    const ends = step.cause?.interval;
    if (ends) {
      const [low, high] = ends.map((end) => x(step.from + end)) as [number, number];
      picture.append(
        svg('path', {
          d: `M${low},${ROW / 2}H${high}M${low},${ROW / 2 - 3}v6M${high},${ROW / 2 - 3}v6`,
          stroke: palette.ink,
          fill: 'none',
        }),
      );
    }
    return picture;
  }
}

/** Whether a cause concerns the whole run. */
function isOfRun({ cause }: Step): boolean {
  return cause !== undefined && cause.path.length === 0;
}

/** A source line without the folders of its file. */
function baseOf(site: string): string {
  return site.slice(site.lastIndexOf('/') + 1);
}
