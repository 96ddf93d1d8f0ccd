/** The panel of predictions: the curve with recorded times, sliders, and how far such predictions were off. */

import type { Runs } from '../api.ts';
import { formatDelta, formatPlural, formatShare, formatValue } from '../logic/format.ts';
import type { Shown } from '../registry/definition.ts';
import { ChartView, section } from '../ui/chart-view.ts';
import { html } from '../ui/dom.ts';
import { drawChart } from './chart.ts';
import type { Answers, Settings } from './definition.ts';
import {
  type Curve,
  curveOf,
  predictionAt,
  readFaster,
  startsOf,
  type WhatIf,
  workersOf,
  writeFaster,
} from './model.ts';
import { drawSliders, workersSlider } from './sliders.ts';
import './what-if.css';

/** Width from which on the sliders are next to the curve. */
const WIDE = 760;
const SIDE = 320;

export class WhatIfView extends ChartView<Answers, Settings> {
  #isAll = false;

  constructor() {
    super('what-if');
  }

  protected draw({ whatIf, runs, first }: Answers, shown: Shown<Settings>): void {
    const curve = curveOf(whatIf);
    const faster = readFaster(shown.settings.faster);
    const workers = workersOf(whatIf, shown.settings.at);
    const isChanged = whatIf.changes.length > 0;
    const width = this.root.clientWidth || 1000;
    const isWide = width >= WIDE;
    const held = this.#heldInput();
    const height = Math.max(200, Math.min(380, (this.root.clientHeight || 400) - 130));
    const choose = (at: number): void =>
      this.context.emit({ type: 'set', values: { at }, isReplacing: true });
    const chart = section(
      'Elapsed time',
      'over workers, both axes logarithmic',
      trust(whatIf),
      drawChart(this.palette, {
        curve,
        unit: whatIf.unit,
        isChanged,
        at: workers,
        width: width - (isWide ? SIDE : 0) - 32,
        height,
        addMark: (element, mark) => this.marks.add(element, mark),
        choose,
      }),
      this.#legend(curve, isChanged),
    );
    const side = html(
      'aside',
      { class: 'gs-side' },
      drawSliders({
        first,
        workers,
        faster,
        unit: whatIf.unit,
        isAll: this.#isAll,
        showAll: (isAll) => {
          this.#isAll = isAll;
          this.redraw();
        },
        change: (next) =>
          this.context.emit({
            type: 'set',
            values: { faster: writeFaster(next) },
            isReplacing: true,
          }),
      }),
    );
    side.querySelector('h3')?.after(workersSlider(workers, choose));
    this.root.classList.toggle('is-wide', isWide);
    const scrolled = this.root.scrollTop;
    this.root.replaceChildren(
      this.#title(whatIf, curve, workers, runs.runs),
      html('div', { class: 'gs-split' }, html('div', {}, chart), side),
    );
    this.root.scrollTop = scrolled;
    if (held !== null) this.#inputOf(held)?.focus();
  }

  /** The slider with the focus, which stays on it when the picture is drawn anew. */
  #heldInput(): string | null {
    const active = this.root.getRootNode() as Document | ShadowRoot;
    const element = active.activeElement;
    return element && this.root.contains(element) ? element.getAttribute('data-mark-input') : null;
  }

  #inputOf(name: string): HTMLElement | undefined {
    return [...this.root.querySelectorAll<HTMLElement>('[data-mark-input]')].find(
      (input) => input.getAttribute('data-mark-input') === name,
    );
  }

  /** The answer first: the predicted time on the chosen number of workers, and what the changes gain. */
  #title(whatIf: WhatIf, curve: Curve, workers: number, runs: Runs['runs']): HTMLElement {
    const { unit } = whatIf;
    const found = predictionAt(curve, workers);
    const title = html('header', { class: 'gs-title' });
    if (found) {
      const isChanged = whatIf.changes.length > 0;
      const before = isChanged ? `${formatValue(found.unchanged, unit)} → ` : '';
      title.append(
        html(
          'h2',
          {},
          `${before}${formatValue(found.predicted, unit)} on ${formatPlural(workers, 'worker')}`,
        ),
      );
      if (isChanged)
        title.append(
          html(
            'h2',
            { class: found.gain > 0 ? 'gs-better' : found.gain < 0 ? 'gs-worse' : '' },
            `${formatDelta(-found.gain, unit)}, ${formatShare(-found.gain / found.unchanged)}`,
          ),
        );
      // As visible as the prediction, which says little without it.
      title.append(html('h2', {}, errorOf(whatIf)));
    }
    title.append(
      html('span', { class: 'gs-quiet gs-grow' }, whatIf.changes.join(', ')),
      this.#chooser(whatIf, runs),
    );
    return title;
  }

  #chooser(whatIf: WhatIf, runs: Runs['runs']): HTMLElement {
    const run = whatIf.runs[0];
    const select = html('select', { 'aria-label': 'Run to predict from' });
    const starts = startsOf(runs);
    const names = starts.some((one) => one.run === run?.run) || !run ? starts : [run, ...starts];
    for (const one of names) {
      const option = html('option', { value: one.run }, one.name.slice(0, 60));
      option.selected = one.run === run?.run;
      select.append(option);
    }
    select.addEventListener('change', () =>
      this.context.emit({ type: 'set', values: { run: select.value, faster: '' } }),
    );
    return html('label', { class: 'gs-what-if-run' }, 'from ', select);
  }

  #legend(curve: Curve, isChanged: boolean): HTMLElement {
    const entry = (look: string, text: string): HTMLElement =>
      html('span', {}, html('span', { class: `gs-key gs-key-${look}` }), text);
    return html(
      'div',
      { class: 'gs-legend' },
      entry('predicted', 'predicted, shortest to longest schedule'),
      ...(isChanged ? [entry('unchanged', 'without the changes')] : []),
      entry('bounds', 'max(span, work / workers) to work / workers + span'),
      ...(curve.recorded.length > 0 ? [entry('recorded', 'recorded, shortest to longest')] : []),
      ...(curve.recorded.some((times) => times.is_oversubscribed)
        ? [entry('oversubscribed', 'with more workers than processors')]
        : []),
    );
  }
}

/** The error of such predictions in few words. */
function errorOf({ trust: found }: WhatIf): string {
  return found ? `median error ${formatShare(found.median)}` : 'error unknown';
}

/** How far repeats are apart: predictions from single runs vary as much. */
function repeatsOf({ repeats }: NonNullable<WhatIf['trust']>): string {
  return typeof repeats === 'number'
    ? ` Repeats of these runs differ from their median by ${formatShare(repeats)}.`
    : '';
}

/** How far predictions from runs like this one were off. */
function trust({ trust: found }: WhatIf): HTMLElement {
  if (!found)
    return html(
      'p',
      { class: 'gs-undecided' },
      '? These predictions were not compared with recorded runs. The notes below say why.',
    );
  return html(
    'p',
    { class: found.median > 0.1 ? 'gs-worse' : 'gs-quiet' },
    `${found.median > 0.1 ? '▲ ' : ''}Predictions from runs like this one were off by ${formatShare(found.median)} in the median and ${formatShare(found.largest)} at most (${formatPlural(found.pairs, 'prediction')} of recorded runs).${repeatsOf(found)}`,
  );
}
