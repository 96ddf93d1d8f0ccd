/** What ran and what was ready over time, with the conditions below, on the axis that views of a run share. */

import type { Timeline } from '../api.ts';
import type { Columns } from '../data/columns.ts';
import {
  formatPlural,
  formatNumber,
  formatShare,
  formatTick,
  formatValue,
} from '../logic/format.ts';
import { timeAt } from '../logic/time-range.ts';
import { visible } from '../logic/visible.ts';
import type { Shown } from '../registry/definition.ts';
import type { Interval } from '../registry/selection.ts';
import { html, svg } from '../ui/dom.ts';
import { timePlot } from '../ui/time-plot.ts';
import type { TimeAxis } from '../ui/time-hands.ts';
import { TimeView } from '../ui/time-view.ts';
import type { TooltipContent } from '../ui/tooltip.ts';
import { conditionColour, layerColour } from './colours.ts';
import type { Answers, Settings } from './definition.ts';
import { listOf } from './list.ts';
import {
  conditionOf,
  type LayerName,
  largestOf,
  partAt,
  type Profile,
  profileOf,
} from './model.ts';
import { type Frame, paintOutline, paintProfile } from './paint.ts';
import '../timeline/timeline.css';
import './parallelism.css';

const STRIP = 8;
const AXIS = 24;
const LEAST = 110;

export class ParallelismView extends TimeView<Answers, Settings> {
  readonly #list = html('div', { class: 'gs-parallelism-list' });
  #read = new Map<Columns, Profile>();
  #profile: Profile | undefined;
  #head0: Timeline | undefined;
  #settings: Settings | undefined;
  /** Part that the keyboard is on. */
  #at = -1;

  constructor() {
    super('parallelism');
  }

  protected override mounted(): void {
    super.mounted();
    this.root.append(this.#list);
  }

  protected pick(x: number): void {
    this.#choose(timeAt(x, this.plot.range, this.plot.x0, this.plot.x1));
  }

  protected draw(answers: Answers, shown: Shown<Settings>): void {
    this.hands?.settle();
    const { head, otherHead, otherRows } = answers;
    const profile = this.#profileOf(answers.rows);
    const other = otherHead && otherRows ? this.#profileOf(otherRows) : undefined;
    this.#read = new Map([...this.#read].filter(([, one]) => one === profile || one === other));
    this.#profile = profile;
    this.#head0 = head;
    this.#settings = shown.settings;
    const end = Math.max(head.elapsed, otherHead?.elapsed ?? 0, 1);
    const range = this.hands?.preview ?? shown.selection.time ?? [0, end];
    this.#drawHead(answers, profile, range, shown);
    this.#list.replaceChildren(...listOf(answers, shown, this.context));
    const width = this.root.clientWidth || 900;
    const height = Math.max(LEAST, this.stage.clientHeight || 260);
    const plot = timePlot(this.palette, width, height, range, head.unit, 'Axes of parallelism');
    this.plot = { range, end, x0: plot.left, x1: plot.right };
    const hidden = hiddenOf(shown.settings);
    const isShown = (name: LayerName): boolean => !hidden.has(name);
    const workers = head.workers.length;
    const tops = [profile, ...(other ? [other] : [])].map((one) => largestOf(one, isShown, range));
    const most = {
      running: Math.max(workers, ...tops.map(({ running }) => running)),
      ready: Math.max(1, ...tops.map(({ ready }) => ready)),
    };
    const frame = frameOf(this.plot, height, most, shown.settings.form === 'mirrored');
    this.#drawScales(plot, frame, most, workers, coresOf(shown));
    this.axis.replaceChildren(plot.root);
    this.cursor.style.height = `${height - AXIS}px`;
    const context = this.#sized(width, height);
    if (context) {
      paintProfile(context, profile, workers, frame, this.palette, isShown);
      if (other) paintOutline(context, other, frame, this.palette.accent);
    }
    this.canvas.setAttribute(
      'aria-label',
      'Parallelism over time: arrow keys go from part to part, Enter lists what ran then',
    );
    this.showHover();
  }

  #profileOf(rows: Columns): Profile {
    const known = this.#read.get(rows) ?? profileOf(rows);
    this.#read.set(rows, known);
    return known;
  }

  #sized(width: number, height: number): CanvasRenderingContext2D | null {
    const ratio = window.devicePixelRatio || 1;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    this.canvas.style.width = `${width}px`;
    this.canvas.style.height = `${height}px`;
    const context = this.canvas.getContext('2d');
    context?.setTransform(ratio, 0, 0, ratio, 0, 0);
    return context;
  }

  /** Scales of both sides, and the lines of the workers and cores. */
  #drawScales(
    plot: ReturnType<typeof timePlot>,
    frame: Frame,
    most: { readonly running: number; readonly ready: number },
    workers: number,
    cores: number | undefined,
  ): void {
    const { palette } = this;
    const label = (text: string, y: number): SVGTextElement =>
      plot.text(text, plot.left - 7, y + 4, { anchor: 'end' });
    label('0', frame.zero);
    const line = (count: number, dash: string, text: string): void => {
      const y = frame.zero - count * frame.up;
      plot.root.append(
        svg('line', {
          x1: plot.left,
          x2: plot.right,
          y1: y,
          y2: y,
          stroke: palette.ink,
          'stroke-dasharray': dash,
        }),
      );
      label(text, y);
    };
    line(workers, '5 3', formatPlural(workers, 'worker'));
    if (cores !== undefined && cores < workers && cores * frame.up > 14)
      line(cores, '1 3', formatPlural(cores, 'core'));
    plot.root.append(
      svg('line', {
        x1: plot.left,
        x2: plot.right,
        y1: frame.zero,
        y2: frame.zero,
        stroke: palette.ink2,
      }),
    );
    if (frame.isMirrored)
      label(`${formatNumber(most.ready)} ready`, frame.zero + most.ready * frame.down - 4);
    plot.text('condition', plot.left - 7, frame.strip + STRIP, { anchor: 'end' });
  }

  #drawHead(
    { scheduling, head, otherHead }: Answers,
    profile: Profile,
    range: Interval,
    { settings, facts }: Shown<Settings>,
  ): void {
    const hidden = hiddenOf(settings);
    const legend = html('div', { class: 'gs-legend' });
    for (const { name, label } of profile.layers) {
      const isOn = !hidden.has(name);
      const item = html('span', { class: 'gs-class gs-layer', 'aria-pressed': String(isOn) });
      item.append(
        swatch(isOn ? layerColour(this.palette, name) : 'none', this.palette.ink2),
        label,
      );
      this.marks.add(item, {
        key: name,
        tip: () => ({
          title: label,
          rows: [],
          notes: [`Click or Enter: ${isOn ? 'hide' : 'show'}`],
        }),
        pick: () => {
          const next = new Set(hidden);
          if (isOn) next.add(name);
          else next.delete(name);
          this.context.emit({ type: 'set', values: { hidden: [...next].sort().join(',') } });
        },
      });
      legend.append(item);
    }
    if (profile.ready)
      for (const [condition, text] of [
        ['waits', 'work waits, workers idle'],
        ['lacks', 'too little work'],
      ] as const)
        legend.append(
          html('span', {}, swatch(conditionColour(this.palette, condition), 'none'), text),
        );
    if (otherHead)
      legend.append(
        html(
          'span',
          {},
          swatch('none', this.palette.accent),
          html('bdi', {}, facts.runLabels.get(otherHead.run) ?? otherHead.run),
          ', dashed: ready',
        ),
      );
    const { unit } = scheduling;
    const all = Math.max(1, scheduling.workers * scheduling.elapsed);
    const part = (label: string, value: number | null | undefined): string =>
      typeof value === 'number'
        ? `${label} ${formatValue(value, unit)} (${formatShare(Math.round((1000 * value) / all) / 1000)})`
        : '';
    const totals = [
      part('work', scheduling.work),
      part('delay', scheduling.delay),
      part('no work', scheduling.no_work),
    ].filter(Boolean);
    const title = `Of all workers in the whole run. Visible: ${formatTick(range[0], head.unit)} – ${formatTick(range[1], head.unit)}`;
    this.head.replaceChildren(
      legend,
      html(
        'div',
        { class: 'gs-timeline-range', title },
        totals.join(' · '),
        ...(scheduling.faults.length > 0
          ? [html('strong', { title: scheduling.faults.join('; ') }, `△ ${scheduling.faults[0]}`)]
          : []),
      ),
    );
  }

  #tip(time: number): TooltipContent | undefined {
    const [profile, head] = [this.#profile, this.#head0];
    if (!profile || !head) return undefined;
    const at = partAt(profile, time);
    if (at < 0) return undefined;
    const condition = conditionOf(profile, at, head.workers.length);
    const value = (one: number | undefined): string => formatNumber(one ?? null);
    return {
      title: `${formatTick(profile.start[at] ?? 0, head.unit)} – ${formatTick(profile.end[at] ?? 0, head.unit)}`,
      rows: profile.layers.map(({ label, mean, min, max }) => [
        label,
        `${value(mean[at])}, from ${value(min[at])} to ${value(max[at])}`,
      ]),
      notes: [
        ...(condition === 'waits' ? ['Work waits although workers are idle.'] : []),
        ...(condition === 'lacks' ? ['Workers are idle for lack of work.'] : []),
        'Click or Enter: what ran then',
      ],
    };
  }

  protected point(event: PointerEvent): void {
    if (event.buttons !== 0) return this.tooltip.hide();
    const { range, x0, x1 } = this.plot;
    const x = event.clientX - this.canvas.getBoundingClientRect().left;
    const time = timeAt(Math.max(x0, Math.min(x1, x)), range, x0, x1);
    this.context.emit({ type: 'hover', hover: { kind: 'time', id: '', time } });
    const tip = this.#tip(time);
    if (tip) this.tooltip.show(tip, event.clientX, event.clientY);
    else this.tooltip.hide();
  }

  protected leave(): void {
    this.tooltip.hide();
    this.context.emit({ type: 'hover', hover: undefined });
  }

  #choose(time: number): void {
    const at = String(Math.max(0, Math.round(time)));
    this.context.emit({ type: 'set', values: { at: this.#settings?.at === at ? '' : at } });
  }

  protected key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey || !this.#profile) return;
    const { range } = this.plot;
    const step = { ArrowRight: 1, '.': 1, ArrowLeft: -1, ',': -1 }[event.key];
    const start = this.#profile.start[this.#at];
    if (step !== undefined) {
      const isIn = start !== undefined && start >= range[0] && start < range[1];
      this.#at = isIn ? this.#at + step : partAt(this.#profile, range[0]);
      this.#at = Math.max(0, Math.min(this.#profile.count - 1, this.#at));
      this.#describe();
    } else if ((event.key === 'Enter' || event.key === ' ') && start !== undefined) {
      this.#choose((start + (this.#profile.end[this.#at] ?? start)) / 2);
    } else if (event.key === 'Escape' && this.#settings?.at)
      this.context.emit({ type: 'set', values: { at: '' } });
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  #describe(): void {
    const profile = this.#profile;
    const middle = ((profile?.start[this.#at] ?? 0) + (profile?.end[this.#at] ?? 0)) / 2;
    const tip = this.#tip(middle);
    if (!tip) return;
    const { range, x0, x1 } = this.plot;
    const box = this.canvas.getBoundingClientRect();
    const x = x0 + ((middle - range[0]) / (range[1] - range[0])) * (x1 - x0);
    this.tooltip.show(tip, box.left + x, box.top + box.height / 2);
    this.voice.textContent = visible(
      [tip.title, ...tip.rows.map(([label, value]) => `${label} ${value}`)].join(', '),
    );
    this.context.emit({ type: 'hover', hover: { kind: 'time', id: '', time: middle } });
  }

  protected showHover(): void {
    const chosen = this.#settings?.at;
    const time = this.context.hover.peek()?.time ?? (chosen ? Number(chosen) : undefined);
    const { range, x0, x1 } = this.plot;
    const isIn = time !== undefined && time >= range[0] && time <= range[1];
    this.cursor.hidden = !isIn;
    if (isIn)
      this.cursor.style.left = `${x0 + ((time - range[0]) / (range[1] - range[0])) * (x1 - x0)}px`;
  }
}

function hiddenOf({ hidden }: Settings): ReadonlySet<string> {
  return new Set(hidden.split(',').filter(Boolean));
}

/** Cores of the machine, if the run states them. */
function coresOf({ facts, selection }: Shown<Settings>): number | undefined {
  const cores = facts.runs.find(({ run }) => run === selection.run)?.params['cores'];
  return typeof cores === 'number' ? cores : undefined;
}

function frameOf(
  axis: TimeAxis,
  height: number,
  most: { readonly running: number; readonly ready: number },
  isMirrored: boolean,
): Frame {
  const [top, strip] = [14, height - AXIS - STRIP - 6];
  const room = strip - 8 - top;
  const zero = isMirrored ? top + room / 2 : top + room;
  const up = isMirrored ? room / 2 / most.running : room / (most.running + most.ready);
  const down = room / 2 / most.ready;
  return { axis, isMirrored, zero, up, down, strip, stripHeight: STRIP };
}

function swatch(fill: string, stroke: string): SVGSVGElement {
  return svg(
    'svg',
    { width: 14, height: 10, 'aria-hidden': 'true' },
    svg('rect', { x: 0.5, y: 0.5, width: 9, height: 9, fill, stroke }),
  );
}
