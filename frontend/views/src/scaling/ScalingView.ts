/** The scaling page: curve, losses, groups, and points that are out of order. */

import type { Shown } from '../registry/definition.ts';
import { ChartView, section } from '../ui/chart-view.ts';
import { html } from '../ui/dom.ts';
import { formatShort, formatPlural, formatValue } from '../logic/format.ts';
import type { Answers, Settings } from './definition.ts';
import { drawCurve } from './curve.ts';
import { drawInflation } from './inflation.ts';
import { drawLoss } from './loss.ts';
import {
  fullestSeries,
  measuredOf,
  type OutOfOrder,
  type Quantity,
  readReductions,
  type Scale,
  type SeriesData,
  seriesOf,
  whatIf,
  writeReductions,
} from './model.ts';
import { drawMultiples } from './multiples.ts';
import { drawOutOfOrder, drawWhatIf } from './side.ts';
import './scaling.css';

/** Groups shown before the reader asks for all. */
const GROUPS = 10;
/** Width from which on there is a column next to the curve. */
const WIDE = 1080;
/** Width of the main part from which on curve and losses stand next to each other. */
const PAIRED = 720;

const WORDS: Readonly<Record<Quantity, string>> = {
  speedup: 'Speed-up',
  efficiency: 'Efficiency',
  time: 'Time',
};

export class ScalingView extends ChartView<Answers, Settings> {
  constructor() {
    super('scaling');
  }

  protected draw({ scale }: Answers, shown: Shown<Settings>): void {
    const { settings } = shown;
    const index = settings.series < 0 ? fullestSeries(scale) : settings.series;
    const series = seriesOf(scale, index) ?? seriesOf(scale, 0);
    if (!series) return;
    const width = this.root.clientWidth || 1000;
    const isWide = width >= WIDE;
    const main = width - (isWide ? 292 : 0);
    const reductions = readReductions(settings.whatif);
    const quantity: Quantity = scale.of_time ? settings.quantity : 'time';
    const hasLoss = series.losses.length > 0;
    const isPaired = hasLoss && main >= PAIRED;
    const curveWidth = isPaired ? Math.round((main - 80) * 0.58) : main - 40;
    const lossWidth = isPaired ? main - 80 - curveWidth : main - 40;
    const height = Math.max(220, Math.min(400, (this.root.clientHeight || 600) * 0.48));
    const curve = section(
      WORDS[quantity],
      quantityText(scale, series, shown.selection.metric?.label),
      drawCurve(this.palette, {
        series,
        quantity,
        unit: scale.unit,
        by: scale.by,
        width: curveWidth,
        height,
        whatIf: reductions.size > 0 ? (p) => whatIf(series, reductions, p) : undefined,
        runName: (run) => shown.facts.runNames.get(run) ?? run,
        addMark: (element, mark) => this.marks.add(element, mark),
        open: (point) => this.context.emit({ type: 'set-target', run: point.run }),
      }),
      this.#legend(series, scale.unit),
    );
    const pictures = html('div', { class: 'gs-scaling-top' }, curve);
    if (hasLoss)
      pictures.append(
        section(
          'Where the time goes',
          'share of workers × time, %',
          drawLoss(this.palette, {
            series,
            unit: scale.unit,
            by: scale.by,
            width: lossWidth,
            height,
            addMark: (element, mark) => this.marks.add(element, mark),
          }),
        ),
      );
    if (isPaired) pictures.style.gridTemplateColumns = `${curveWidth + 36}px minmax(0, 1fr)`;
    const side = html('aside', { class: 'gs-scaling-side' });
    const what = drawWhatIf({
      series,
      reductions,
      unit: scale.unit,
      by: scale.by,
      set: (next, isReplacing) =>
        this.context.emit({ type: 'set', values: { whatif: writeReductions(next) }, isReplacing }),
    });
    const order = drawOutOfOrder(this.palette, {
      series,
      unit: scale.unit,
      by: scale.by,
      compare: (pair) => this.#compare(pair),
    });
    side.append(order, ...(what ? [what] : []));
    this.root.classList.toggle('is-wide', isWide);
    this.root.classList.toggle('is-paired', isPaired);
    const scrolled = this.root.scrollTop;
    this.root.replaceChildren(
      this.#title(scale, series),
      html(
        'div',
        { class: 'gs-scaling-body' },
        html('div', {}, pictures, this.#groups(scale, series, shown, main)),
        side,
      ),
    );
    this.root.scrollTop = scrolled;
  }

  /** The answer first: how much faster at the largest count, at what efficiency, and which groups inflate. */
  #title(scale: Scale, series: SeriesData): HTMLElement {
    const [first, last] = [series.points[0], series.points[series.points.length - 1]];
    const title = html('header', { class: 'gs-title' });
    if (first && last && scale.of_time) {
      const { value } = measuredOf('speedup', series.kind, last, first);
      const efficiency = measuredOf('efficiency', series.kind, last, first).value;
      title.append(
        html('h2', {}, `×${formatShort(value)} at ${scale.by} ${formatShort(last.p)}`),
        html(
          'h2',
          { class: efficiency < 0.8 ? 'gs-worse' : '' },
          `efficiency ${formatShort(efficiency)}`,
        ),
      );
    } else if (first && last)
      title.append(
        html(
          'h2',
          {},
          `${formatValue(first.value, scale.unit)} → ${formatValue(last.value, scale.unit)}`,
        ),
      );
    title.append(html('span', { class: 'gs-quiet gs-grow' }, designOf(scale, series)));
    if (scale.series.length > 1) title.append(this.#chooser(scale, series.index));
    const inflation = drawInflation(series, scale.by, ({ group }) =>
      this.context.emit({ type: 'select-group', group }),
    );
    if (inflation) title.append(inflation);
    return title;
  }

  #chooser(scale: Scale, index: number): HTMLElement {
    const select = html('select', { 'aria-label': 'Series' });
    scale.series.forEach((series, at) => {
      const option = html('option', { value: at }, series.name);
      option.selected = at === index;
      select.append(option);
    });
    select.addEventListener('change', () =>
      this.context.emit({ type: 'set', values: { series: Number(select.value), whatif: '' } }),
    );
    return html('label', {}, 'series ', select);
  }

  #legend(series: SeriesData, unit: string): HTMLElement {
    const laws = series.models
      .filter((model) => model.formula)
      .map((model) => {
        const worst = model.greatest_error;
        const [error] = Array.isArray(worst) ? worst : [worst];
        const flags = model.flags.map((flag) => flag.replace(/_/g, ' '));
        return html(
          'span',
          { title: model.formula ?? undefined },
          [
            lawText(model, unit),
            ...(typeof error === 'number' ? [`off by ${formatShort(error * 100)} % at most`] : []),
            ...flags,
          ].join(', '),
        );
      });
    return html('div', { class: 'gs-legend' }, ...laws);
  }

  #groups(
    scale: Scale,
    series: SeriesData,
    shown: Shown<Settings>,
    main: number,
  ): HTMLElement | string {
    if (series.groups.length === 0) return '';
    const columns = Math.max(1, Math.floor((main - 16) / 196));
    const width = (main - 32 - (columns - 1) * 20) / columns;
    const groups = shown.settings.all ? series.groups : series.groups.slice(0, GROUPS);
    const multiples = html('div', { class: 'gs-multiples' });
    multiples.style.gridTemplateColumns = `repeat(${columns}, minmax(0, 1fr))`;
    multiples.append(
      ...drawMultiples(this.palette, {
        series,
        groups,
        unit: scale.unit,
        by: scale.by,
        width,
        selected: shown.selection.group,
        addMark: (element, mark) => this.marks.add(element, mark),
        select: ({ group }) => this.context.emit({ type: 'select-group', group }),
      }),
    );
    const part = section(
      'Efficiency per group',
      'dashed: 1; loses: share of workers × time at the last point; orange: explains a pair out of order',
      multiples,
    );
    if (series.groups.length > GROUPS) {
      const more = html(
        'button',
        { type: 'button', class: 'gs-link', 'aria-expanded': String(shown.settings.all) },
        shown.settings.all ? 'fewer' : `${groups.length} of ${series.groups.length}: show all`,
      );
      more.addEventListener('click', () =>
        this.context.emit({ type: 'set', values: { all: !shown.settings.all } }),
      );
      part.append(more);
    }
    return part;
  }

  #compare(pair: OutOfOrder): void {
    const [a, b] = pair.runs;
    if (a === undefined || b === undefined) return;
    this.context.emit({ type: 'set-side', side: 'a', run: a });
    this.context.emit({ type: 'set-side', side: 'b', run: b });
  }
}

function lawText(model: SeriesData['models'][number], unit: string): string {
  const value = (name: string): number | undefined =>
    model.parameters.find((parameter) => parameter.name === name)?.value ?? undefined;
  switch (model.law) {
    case 'amdahl':
    case 'gustafson':
      return `${model.law === 'amdahl' ? 'Amdahl' : 'Gustafson'}: serial ${formatShort((value('serial_fraction') ?? NaN) * 100)} %`;
    case 'usl':
    case 'usl_free':
      return `USL: σ ${formatShort(value('sigma'))}, κ ${formatShort(value('kappa'))}`;
    case 'power':
      return `power law: exponent ${formatShort(value('exponent'))}`;
    case 'log2':
      return `logarithm: ${formatValue(value('slope'), unit)} per doubling`;
    default: {
      const exponent = value('exponent');
      if (exponent === undefined) return 'normal form: constant';
      const log = value('log_exponent');
      const terms = [
        ...(exponent !== 0 ? [`p^${formatShort(exponent)}`] : []),
        ...(log ? [log === 1 ? 'log2(p)' : `log2(p)^${formatShort(log)}`] : []),
      ];
      return `normal form: a + b · ${terms.join(' · ')}`;
    }
  }
}

/** What was run, in one sentence. */
function designOf(scale: Scale, series: SeriesData): string {
  const runs = series.points.map((point) => point.runs.length);
  const [least, most] = [Math.min(...runs), Math.max(...runs)];
  const repeats =
    most === 1
      ? 'one run each'
      : least === most
        ? `${formatPlural(most, 'run')} each`
        : `${least} to ${most} runs each`;
  const problem =
    series.kind === 'weak'
      ? 'weak scaling'
      : series.kind === 'strong'
        ? 'the same problem'
        : 'kind of scaling unclear';
  const values = `${formatShort(series.points[0]?.p)} to ${formatShort(series.points[series.points.length - 1]?.p)}`;
  const hasInterval = series.points.some((point) => point.speedup_interval ?? point.interval);
  const interval = hasInterval
    ? 'median and 95 % interval'
    : most > 1
      ? 'median; too few runs for intervals'
      : 'no intervals';
  const missing =
    series.missing.length > 0 ? `, no run at ${series.missing.map(formatShort).join(', ')}` : '';
  return `${problem}, ${scale.by} ${values}, ${repeats}, ${interval}${missing}`;
}

function quantityText(scale: Scale, series: SeriesData, label: string | undefined): string {
  const of = scale.of_elapsed ? 'elapsed time' : (label ?? scale.metric);
  const base = formatShort(series.points[0]?.p);
  return `of ${of}, against ${scale.by} ${base}; steps equally spaced`;
}
