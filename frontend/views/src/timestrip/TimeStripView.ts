/** A dot per run; dragging chooses runs, buttons say what for. */

import { scaleLinear, scaleUtc } from 'd3-scale';
import type { Run } from '../api.ts';
import { categoryColour, ordinalColour } from '../logic/categories.ts';
import { formatPlural, formatShort, formatTick, formatValue } from '../logic/format.ts';
import { runsExpression } from '../logic/selectors.ts';
import type { Shown } from '../registry/definition.ts';
import { brush } from '../ui/brush.ts';
import { ChartView } from '../ui/chart-view.ts';
import { html, svg } from '../ui/dom.ts';
import { Plot, ticksOf } from '../ui/plot.ts';
import type { Answers, Settings } from './definition.ts';
import { type Place, type Strip, stripOf } from './model.ts';
import './timestrip.css';

const MARGINS = { left: 62, right: 16, top: 10, bottom: 34 } as const;

export class TimeStripView extends ChartView<Answers, Settings> {
  /** Runs of side A until B is chosen. */
  #a: readonly string[] = [];

  constructor() {
    super('time-strip');
  }

  protected draw(_: Answers, shown: Shown<Settings>): void {
    const strip = stripOf(shown.facts.runs, shown.settings.along);
    const width = this.root.clientWidth || 900;
    const height = Math.max(110, (this.root.clientHeight || 220) - 34);
    const unit = shown.selection.metric?.unit ?? 'unknown';
    const plot = new Plot(
      this.palette,
      width,
      height,
      MARGINS,
      'Runs in the order in which they were made',
    );
    const values = strip.places.map(({ run }) => run.total ?? run.elapsed_ns ?? undefined);
    const valueUnit = strip.places.some(({ run }) => typeof run.total === 'number') ? unit : 'ns';
    const top = values.reduce<number>((most, value) => Math.max(most, value ?? 0), 0);
    const y = scaleLinear([0, top || 1], [plot.bottom, plot.top]).nice(3);
    const x = this.#axis(plot, strip);
    plot.yAxis(ticksOf(y, 3, (value) => formatTick(value, valueUnit)));
    const chosen = new Set(shown.selection.runs);
    const places: [number, string][] = [];
    for (const place of strip.places) {
      const value = place.run.total ?? place.run.elapsed_ns ?? undefined;
      const cx = x(place.at);
      places.push([cx, place.run.run]);
      this.#dot(
        plot,
        shown,
        place,
        cx,
        value === undefined ? plot.bottom : y(value),
        valueUnit,
        chosen,
      );
    }
    this.root.replaceChildren(this.#head(strip, [...chosen]), plot.root);
    brush(
      plot.root,
      {
        kind: 'range',
        area: { x0: plot.left - 6, x1: plot.right + 6, y0: plot.top, y1: plot.bottom },
        palette: this.palette,
        done: ({ points }) => {
          const [from = 0, to = 0] = [points[0]?.[0], points[1]?.[0]];
          const runs = places.filter(([at]) => at >= from && at <= to).map(([, run]) => run);
          if (runs.length === 0) this.context.emit({ type: 'say', text: 'No run in this range.' });
          else this.context.emit({ type: 'select', patch: { runs } });
        },
      },
      this.drawing,
    );
  }

  #axis(plot: Plot, strip: Strip): (at: number) => number {
    let [low, high] = [Infinity, -Infinity];
    for (const { at } of strip.places) [low, high] = [Math.min(low, at), Math.max(high, at)];
    if (!(high > low)) [low, high] = [low - 1, high + 1];
    const pad = (high - low) * 0.02;
    const range = [plot.left, plot.right];
    if (strip.kind === 'time') {
      const x = scaleUtc([low - pad, high + pad], range);
      const format = x.tickFormat(6);
      plot.xAxis(x.ticks(6).map((at) => ({ at: x(at), text: format(at) })));
      return (at) => x(at);
    }
    const x = scaleLinear([low - pad, high + pad], range);
    plot.xAxis(
      strip.kind === 'order' ? [] : ticksOf(x, 6, formatShort).filter(({ at }) => at >= plot.left),
    );
    return (at) => x(at);
  }

  #dot(
    plot: Plot,
    shown: Shown<Settings>,
    place: Place,
    cx: number,
    cy: number,
    unit: string,
    chosen: ReadonlySet<string>,
  ): void {
    const { run } = place;
    const { cohorts } = shown.facts;
    const cohort = cohorts.findIndex(({ runs }) => runs.includes(run.run));
    const fill =
      cohort < 0
        ? this.palette.ink2
        : cohorts.length > 8
          ? categoryColour(this.palette, cohort)
          : ordinalColour(this.palette, cohort, cohorts.length);
    const ring = this.#ring(run, shown);
    const dot = svg('circle', {
      cx,
      cy,
      r: chosen.has(run.run) || ring ? 5.5 : 4,
      fill,
      'fill-opacity': chosen.size > 0 && !chosen.has(run.run) ? 0.3 : 0.9,
      stroke: ring ?? this.palette.ground,
      'stroke-width': ring ? 2.5 : 1,
    });
    this.marks.add(dot, {
      key: run.run,
      run: run.run,
      tip: () => ({
        title: run.name,
        rows: [
          ['total', formatValue(run.total ?? run.elapsed_ns, unit)],
          ...(cohort >= 0 ? [['cohort', cohorts[cohort]?.name ?? ''] as [string, string]] : []),
        ],
        notes: ['Click or Enter: target. Drag: choose runs.'],
      }),
      pick: () => this.context.emit({ type: 'set-target', run: run.run }),
    });
    plot.root.append(dot);
  }

  #ring(run: Run, { selection }: Shown<Settings>): string | undefined {
    if (selection.target?.runs.includes(run.run)) return this.palette.target;
    const isSide =
      selection.a?.runs.includes(run.run) === true || selection.b?.runs.includes(run.run) === true;
    return isSide || this.#a.includes(run.run) ? this.palette.ink : undefined;
  }

  #head(strip: Strip, chosen: readonly string[]): HTMLElement {
    const head = html('div', { class: 'gs-tools gs-strip-head' });
    const along =
      strip.kind === 'order'
        ? 'in the order of names: no run says when it was made'
        : `along ${strip.along}`;
    const missing = strip.missing > 0 ? `, ${formatPlural(strip.missing, 'run')} without it` : '';
    head.append(
      html(
        'span',
        { class: 'gs-quiet' },
        `${formatPlural(strip.places.length, 'run')} ${along}${missing}`,
      ),
    );
    if (chosen.length === 0) return head;
    const button = (text: string, act: () => void): void => {
      const element = html('button', { type: 'button', class: 'gs-button' }, text);
      element.addEventListener('click', act);
      head.append(element);
    };
    head.append(html('strong', {}, `${formatPlural(chosen.length, 'run')} chosen:`));
    button('A', () => {
      this.#a = chosen;
      this.context.emit({
        type: 'say',
        text: `A: ${formatPlural(chosen.length, 'run')}; drag again for B`,
      });
      this.redraw();
    });
    if (this.#a.length > 0)
      button('B, compare', () => {
        this.context.emit({
          type: 'add-clause',
          clause: `diff "${runsExpression(this.#a)}" to "${runsExpression(chosen)}"`,
        });
      });
    button('Keep only', () => this.context.emit({ type: 'keep-runs', runs: chosen }));
    button('Clear', () => this.context.emit({ type: 'select', patch: { runs: [] } }));
    return head;
  }
}
