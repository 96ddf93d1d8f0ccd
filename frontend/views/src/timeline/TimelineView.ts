/** Rows of workers along time, on a canvas; of two runs one below the other on one axis. */

import type { Stats, Timeline } from '../api.ts';
import { categoryColour } from '../logic/categories.ts';
import { mix } from '../logic/colour.ts';
import { coloured, definitionColours } from '../logic/definition-colours.ts';
import { formatPlural, formatShare, formatTick, formatValue } from '../logic/format.ts';
import { timeAt } from '../logic/time-range.ts';
import { visible } from '../logic/visible.ts';
import type { Shown } from '../registry/definition.ts';
import type { Interval } from '../registry/selection.ts';
import { html, svg } from '../ui/dom.ts';
import { keepFocus } from '../ui/focus.ts';
import { hatching } from '../ui/heat.ts';
import { timePlot } from '../ui/time-plot.ts';
import { TimeView } from '../ui/time-view.ts';
import type { TooltipContent } from '../ui/tooltip.ts';
import { movedBack, type Phase, phaseOf, shiftOf } from './align.ts';
import { alignment, markPhase } from './phase.ts';
import type { Answers, Settings } from './definition.ts';
import {
  definitionsOf,
  intervalAt,
  type Intervals,
  intervalsOf,
  measureOf,
  namesOf,
  rangeOfGrain,
  workerName,
} from './model.ts';
import { Names } from './names.ts';
import { packed, paintRows, Pixels, type Row } from './paint.ts';
import { placeRows, rowsOf } from './rows.ts';
import './timeline.css';

/** Pixels within which an interval is found. */
const REACH = 3;
/** Definitions in the legend. */
const LEGEND = 10;

export class TimelineView extends TimeView<Answers, Settings> {
  readonly #measured = html('span', { class: 'gs-time-measure', 'data-page-only': '' });
  readonly #pixels = new Pixels();
  #lanes: readonly Intervals[] = [];
  #heads: readonly Timeline[] = [];
  #rows: readonly Row[] = [];
  #definitions: Stats | undefined;
  #names = new Names();
  #phase: Phase | undefined;
  /** Time by which the second run is drawn earlier. */
  #shift = 0;
  #shown: Shown<Settings> | undefined;
  #range: Interval | undefined;
  #read: readonly unknown[] = [];
  /** Row and interval that the keyboard is on. */
  #at: readonly [row: number, interval: number] = [0, -1];

  constructor() {
    super('timeline');
  }

  protected override mounted(): void {
    super.mounted();
    this.#measured.hidden = true;
    this.canvas.after(this.#measured);
  }

  protected pick(x: number, y: number): void {
    if (x < this.plot.x0) {
      const at = this.#rows.findIndex((row) => y >= row.y - 1 && y <= row.y + row.height + 1);
      return this.#pin(at);
    }
    this.#choose(this.#hit(x, y));
  }

  protected draw(answers: Answers, shown: Shown<Settings>): void {
    this.#shown = shown;
    this.#definitions = answers.definitions;
    this.#names = new Names(answers);
    this.hands?.settle();
    const { otherHead } = answers;
    const otherRows = answers.alignedRows ?? answers.otherRows;
    this.#phase = phaseOf(answers, shown.settings);
    this.#shift = shiftOf(this.#phase);
    const read = [answers.head, answers.rows, otherHead, otherRows, this.#shift];
    if (read.some((one, index) => one !== this.#read[index])) {
      this.#read = read;
      this.#heads = otherHead && otherRows ? [answers.head, otherHead] : [answers.head];
      this.#lanes = [answers.rows, ...(otherHead && otherRows ? [otherRows] : [])].map((rows, at) =>
        movedBack(
          intervalsOf(rows, this.#heads[at]?.workers.length ?? 0),
          at === 0 ? 0 : this.#shift,
        ),
      );
    }
    const ends = this.#heads.map(({ elapsed }, lane) => elapsed - (lane === 0 ? 0 : this.#shift));
    const end = Math.max(...ends, 1);
    const range = this.hands?.preview ?? shown.selection.time ?? [0, end];
    const width = this.root.clientWidth || 900;
    const height = this.stage.clientHeight || 290;
    const names = this.#heads.map((head) => shown.facts.runLabels.get(head.run) ?? head.run);
    const { sort } = shown.settings;
    const pinned = namesOf(shown.settings.pinned);
    const { rows, bottom, titles } = rowsOf(this.#heads, names, sort, height, pinned);
    this.#rows = rows;
    const unit = answers.head.unit;
    const plot = timePlot(this.palette, width, bottom, range, unit, 'Axis of time and workers');
    this.plot = { range, end, x0: plot.left, x1: plot.right };
    for (const { text, y } of titles)
      plot.text(visible(text), 8, y, { isStrong: true, isMono: true });
    for (const row of rows) {
      const head = this.#heads[row.lane];
      const worker = head?.workers[row.worker];
      if (!head || !worker || row.height < 8) continue;
      const y = row.y + row.height / 2 + 4;
      const name = workerName(head, row.worker);
      const isPinned = pinned.has(name);
      plot.text(isPinned ? `▴ ${name}` : name, 8, y, { isStrong: isPinned });
      plot.text(
        formatShare(Math.round((100 * worker.busy) / head.elapsed) / 100),
        plot.left - 7,
        y,
        {
          anchor: 'end',
        },
      );
    }
    if (this.#phase) markPhase(plot, this.#phase, this.plot, this.palette);
    this.axis.replaceChildren(plot.root);
    this.#paint(width, bottom);
    this.#drawHead(shown);
    for (const line of [this.cursor, this.#measured]) line.style.height = `${plot.bottom}px`;
    this.#placeMeasure();
    this.showHover();
  }

  #alignment({ settings }: Shown<Settings>): HTMLElement[] {
    const [first, second] = this.#heads;
    if (!first || !second) return [];
    return [
      alignment(definitionsOf([first]), settings.align, (align) =>
        this.context.emit({ type: 'set', values: { align } }),
      ),
    ];
  }

  /** Puts the row of a worker first, in all runs shown, or back to its place. */
  #pin(at: number): void {
    const row = this.#rows[at];
    const head = row && this.#heads[row.lane];
    if (!row || !head || !this.#shown) return;
    const name = workerName(head, row.worker);
    const pinned = new Set(namesOf(this.#shown.settings.pinned));
    const isPinned = pinned.delete(name);
    if (!isPinned) pinned.add(name);
    this.context.emit({ type: 'set', values: { pinned: [...pinned].join(',') } });
    const text = isPinned ? `Worker ${name} is back in its place` : `Worker ${name} comes first`;
    this.context.emit({ type: 'say', text });
  }

  #paint(width: number, height: number): void {
    const shown = this.#shown;
    const context = this.canvas.getContext('2d');
    if (!context || !shown) return;
    const ratio = window.devicePixelRatio || 1;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    this.canvas.style.width = `${width}px`;
    this.canvas.style.height = `${height}px`;
    const workers = this.#heads.map(({ workers }) => formatPlural(workers.length, 'worker'));
    this.canvas.setAttribute(
      'aria-label',
      `Time line of ${workers.join(' and ')}: arrow keys go from interval to interval, Enter selects the grain, P puts the worker first`,
    );
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    const { grain } = shown.selection;
    const definition = this.#names.chosen(shown.selection.definition);
    const hover = this.context.hover.peek();
    const colours = this.#colours();
    const faint = (colour: string): string => mix(this.palette.ground, colour, 0.22);
    const known = this.#lanes.map(({ names }, lane) =>
      names.map((name) => this.#names.known(lane, name)),
    );
    const byName = known.map((names) =>
      names.map((name) =>
        packed(definition === '' || name === definition ? colours(name) : faint(colours(name))),
      ),
    );
    const { palette } = this;
    const none = packed(definition === '' ? palette.ensemble : faint(palette.ensemble));
    const isByWorker = shown.settings.colour === 'worker';
    const byWorker = this.#rows.map(({ worker }) => {
      const colour = categoryColour(palette, worker);
      return [packed(colour), packed(faint(colour))] as const;
    });
    const places = new Map(this.#rows.map((row, index) => [row, index]));
    const wanted = known.map((names) => names.indexOf(definition));
    this.#pixels.clear(width, height, ratio);
    paintRows(context, this.#pixels, this.#lanes, this.#rows, this.plot, {
      colour: (all, at, row) => {
        const own = all.definition[at] ?? -1;
        if (!isByWorker) return byName[row.lane]?.[own] ?? none;
        const isFaint = definition !== '' && own !== wanted[row.lane];
        return byWorker[places.get(row) ?? 0]?.[isFaint ? 1 : 0] ?? none;
      },
      line: this.palette.line,
      hatch: shown.settings.idle ? hatching(context, this.palette.line) : undefined,
      selected: this.palette.ink,
      grain: /^\d+$/.test(grain) ? Number(grain) : -1,
      hovered: hover?.kind === 'grain' ? Number(hover.id) : -1,
    });
  }

  /** Colours that all views of the run share; until they are known, by what ran longest. */
  #colours(): (name: string) => string {
    const known = this.#definitions
      ? coloured(this.#definitions)
      : this.#names.definitionsOf(this.#heads);
    return definitionColours(this.palette, known);
  }

  #drawHead(shown: Shown<Settings>): void {
    const { selection, settings } = shown;
    const legend = html('div', { class: 'gs-legend gs-grow' });
    const colours = this.#colours();
    const names = this.#names.definitionsOf(this.#heads);
    const chosen = this.#names.chosen(selection.definition);
    if (settings.colour === 'definition')
      for (const name of names.slice(0, LEGEND)) {
        const swatch = svg(
          'svg',
          { width: 10, height: 10, 'aria-hidden': 'true' },
          svg('rect', { width: 10, height: 10, fill: colours(name) }),
        );
        const isOn = chosen === name;
        const whole = this.#names.whole(name);
        const item = html('span', { class: 'gs-class', 'aria-pressed': String(isOn) }, swatch, ' ');
        item.append(html('bdi', {}, whole));
        this.marks.add(item, {
          key: `definition ${name}`,
          tip: () => ({ title: whole, rows: [], notes: ['Click or Enter: only this definition'] }),
          pick: () =>
            this.context.emit({ type: 'select', patch: { definition: isOn ? '' : name } }),
        });
        legend.append(item);
      }
    else legend.append(html('span', { class: 'gs-quiet' }, 'a colour per worker'));
    if (settings.colour === 'definition' && names.length > LEGEND)
      legend.append(html('span', { class: 'gs-quiet' }, `+ ${names.length - LEGEND} more`));
    keepFocus(this.head, () =>
      this.head.replaceChildren(legend, ...this.#alignment(shown), this.#summary()),
    );
  }

  /** The visible range, or the measured one with its figures. */
  #summary(): HTMLElement {
    const summary = html('div', { class: 'gs-timeline-range' });
    const [all, head] = [this.#lanes[0], this.#heads[0]];
    if (!head) return summary;
    const { unit } = head;
    const [from, to] = this.#range ?? this.plot.range;
    const text = `${formatTick(from, unit)} – ${formatTick(to, unit)}`;
    if (!this.#range || !all) {
      summary.append(text);
      return summary;
    }
    const { parallelism, busy } = measureOf(all, head.workers.length, this.#range);
    const share = parallelism / Math.max(1, busy.length);
    const workers = busy
      .map(
        (one, index) =>
          `worker ${workerName(head, index)} ${formatShare(Math.round(one * 100) / 100)}`,
      )
      .join(', ');
    const measured = html(
      'strong',
      { title: workers },
      `${formatValue(to - from, unit)} measured · parallelism ${parallelism.toFixed(2)} · busy ${formatShare(share)}`,
    );
    const button = (label: string, act: () => void): HTMLElement => {
      const element = html('button', { type: 'button', class: 'gs-button' }, label);
      element.addEventListener('click', act);
      return element;
    };
    const range = this.#range;
    summary.append(
      measured,
      button('Zoom to it', () => {
        this.measure(undefined);
        this.hands?.show(range);
      }),
      button('Clear', () => this.measure(undefined)),
    );
    return summary;
  }

  protected override measure(range: Interval | undefined): void {
    this.#range = range;
    if (this.#shown) this.#drawHead(this.#shown);
    this.#placeMeasure();
    const headline = this.head.querySelector('strong');
    if (headline)
      this.voice.textContent = `${headline.textContent ?? ''}: ${headline.getAttribute('title') ?? ''}`;
  }

  #placeMeasure(): void {
    const { range, x0, x1 } = this.plot;
    this.#measured.hidden = this.#range === undefined;
    if (!this.#range) return;
    const place = (time: number): number =>
      Math.min(x1, Math.max(x0, x0 + ((time - range[0]) / (range[1] - range[0])) * (x1 - x0)));
    const left = place(this.#range[0]);
    this.#measured.style.left = `${left}px`;
    this.#measured.style.width = `${Math.max(1, place(this.#range[1]) - left)}px`;
  }

  protected override selectedRange(): Interval | undefined {
    const grain = this.#shown?.selection.grain ?? '';
    const [all, head] = [this.#lanes[0], this.#heads[0]];
    if (this.#range) return this.#range;
    if (!all || !head || !/^\d+$/.test(grain)) return undefined;
    const found = rangeOfGrain(all, Number(grain));
    if (found) return found;
    const row = head.rows.find((one) => one.grain === Number(grain));
    return row && [row.start, row.end];
  }

  /** Row and interval at a place; the interval is -1 where the worker was idle. */
  #hit(x: number, y: number): readonly [row: number, interval: number] | undefined {
    const { range, x0, x1 } = this.plot;
    const at = this.#rows.findIndex((row) => y >= row.y - 1 && y <= row.y + row.height + 1);
    const row = this.#rows[at];
    const all = row && this.#lanes[row.lane];
    if (!row || !all || x < x0) return undefined;
    const reach = (REACH * (range[1] - range[0])) / (x1 - x0);
    return [at, intervalAt(all, row.worker, timeAt(x, range, x0, x1), reach)];
  }

  #tip([at, interval]: readonly [number, number]): TooltipContent | undefined {
    const row = this.#rows[at];
    const [all, head] = [this.#lanes[row?.lane ?? 0], this.#heads[row?.lane ?? 0]];
    if (!row || !all || !head || interval < 0) return undefined;
    const shift = row.lane === 0 ? 0 : this.#shift;
    const [start, end] = [all.start[interval] ?? 0, all.end[interval] ?? 0];
    const count = all.intervals[interval] ?? 1;
    const grain = all.grain[interval] ?? -1;
    const name = all.names[all.definition[interval] ?? -1];
    return {
      title:
        name === undefined ? 'no definition' : this.#names.whole(this.#names.known(row.lane, name)),
      rows: [
        ['worker', workerName(head, row.worker)],
        ...placeRows(head.workers[row.worker]),
        ['begin', formatValue(start + shift, head.unit)],
        ['end', formatValue(end + shift, head.unit)],
        ['length', formatValue(end - start, head.unit)],
        ['busy', formatShare(all.busy[interval] ?? 0)],
        ...(count > 1 ? [['intervals', String(count)] as const] : []),
        ...(grain >= 0 ? [[count > 1 ? 'longest grain' : 'grain', String(grain)] as const] : []),
      ],
      notes: count > 1 ? ['Too short to draw one by one here: zoom in.'] : [],
    };
  }

  protected point(event: PointerEvent): void {
    if (event.buttons !== 0) return this.tooltip.hide();
    const box = this.canvas.getBoundingClientRect();
    const x = event.clientX - box.left;
    const hit = this.#hit(x, event.clientY - box.top);
    const { range, x0, x1 } = this.plot;
    const tip = hit && this.#tip(hit);
    const row = hit && this.#rows[hit[0]];
    const grain = tip && row?.lane === 0 ? (this.#lanes[0]?.grain[hit?.[1] ?? -1] ?? -1) : -1;
    const time = timeAt(Math.max(x0, Math.min(x1, x)), range, x0, x1);
    this.context.emit({
      type: 'hover',
      hover:
        grain >= 0 ? { kind: 'grain', id: String(grain), time } : { kind: 'time', id: '', time },
    });
    if (tip) this.tooltip.show(tip, event.clientX, event.clientY);
    else this.tooltip.hide();
  }

  protected leave(): void {
    this.tooltip.hide();
    this.context.emit({ type: 'hover', hover: undefined });
  }

  #choose(hit: readonly [row: number, interval: number] | undefined): void {
    const row = hit && this.#rows[hit[0]];
    if (!row) return;
    this.#at = hit;
    const all = this.#lanes[row.lane];
    const grain = all?.grain[hit[1]] ?? -1;
    const definition = all?.names[all.definition[hit[1]] ?? -1];
    // Grains of the second run have rows of their own: its definition is what both have.
    const known = definition === undefined ? undefined : this.#names.known(row.lane, definition);
    if (row.lane > 0 && known !== undefined)
      this.context.emit({ type: 'select', patch: { definition: known } });
    else this.context.emit({ type: 'select', patch: { grain: grain >= 0 ? String(grain) : '' } });
  }

  protected key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const [row] = this.#at;
    const steps: Readonly<Record<string, () => void>> = {
      ArrowRight: () => this.#step(1),
      '.': () => this.#step(1),
      ArrowLeft: () => this.#step(-1),
      ',': () => this.#step(-1),
      ArrowDown: () => this.#go(row + 1),
      ArrowUp: () => this.#go(row - 1),
      Enter: () => this.#choose(this.#at),
      p: () => this.#pin(row),
      ' ': () => this.#choose(this.#at),
    };
    const step =
      steps[event.key] ??
      (event.key === 'Escape' && this.#range ? (): void => this.measure(undefined) : undefined);
    if (!step) return;
    step();
    event.preventDefault();
    event.stopPropagation();
  }

  /** To the next or previous interval of the row. */
  #step(by: number): void {
    const [at, interval] = this.#at;
    const row = this.#rows[at];
    const all = row && this.#lanes[row.lane];
    if (!row || !all) return;
    const [first, last] = [all.first[row.worker] ?? 0, (all.first[row.worker + 1] ?? 0) - 1];
    if (last < first) return this.#describe();
    const isInRow = interval >= first && interval <= last;
    const next = isInRow
      ? interval + by
      : intervalAt(all, row.worker, this.plot.range[0], Infinity);
    this.#at = [at, Math.max(first, Math.min(last, next))];
    this.#describe();
  }

  /** To another row, at the same time. */
  #go(to: number): void {
    const next = Math.max(0, Math.min(this.#rows.length - 1, to));
    const before = this.#rows[this.#at[0]];
    const time = (before && this.#lanes[before.lane]?.start[this.#at[1]]) ?? this.plot.range[0];
    const row = this.#rows[next];
    const all = row && this.#lanes[row.lane];
    this.#at = [next, all ? intervalAt(all, row.worker, time, Infinity) : -1];
    this.#describe();
  }

  /** Shows and says the interval that the keyboard is on, and brings it into the range. */
  #describe(): void {
    const row = this.#rows[this.#at[0]];
    const all = row && this.#lanes[row.lane];
    const tip = this.#tip(this.#at);
    if (!row || !all || !tip) {
      this.voice.textContent = 'No interval in this row';
      return;
    }
    const { range, x0, x1 } = this.plot;
    const [start, end] = [all.start[this.#at[1]] ?? 0, all.end[this.#at[1]] ?? 0];
    if (end < range[0] || start > range[1]) {
      const half = (range[1] - range[0]) / 2;
      this.hands?.show([start - half, start + half]);
    }
    const place = x0 + ((Math.max(start, range[0]) - range[0]) / (range[1] - range[0])) * (x1 - x0);
    const box = this.canvas.getBoundingClientRect();
    this.tooltip.show(tip, box.left + Math.min(x1, place), box.top + row.y + row.height);
    this.voice.textContent = visible(
      [tip.title, ...tip.rows.map(([label, value]) => `${label} ${value}`)].join(', '),
    );
    const grain = all.grain[this.#at[1]] ?? -1;
    if (row.lane === 0 && grain >= 0)
      this.context.emit({
        type: 'hover',
        hover: { kind: 'grain', id: String(grain), time: start },
      });
  }

  #hovered = '';

  /** Line at the time under the pointer of any view, and outlines of the grain. */
  protected showHover(): void {
    const hover = this.context.hover.peek();
    const { range, x0, x1 } = this.plot;
    const time = hover?.time;
    const isIn = time !== undefined && time >= range[0] && time <= range[1];
    this.cursor.hidden = !isIn;
    if (isIn)
      this.cursor.style.left = `${x0 + ((time - range[0]) / (range[1] - range[0])) * (x1 - x0)}px`;
    const grain = hover?.kind === 'grain' ? hover.id : '';
    if (grain === this.#hovered) return;
    this.#hovered = grain;
    const { clientWidth, clientHeight } = this.canvas;
    if (clientWidth > 0) this.#paint(clientWidth, clientHeight);
  }
}
