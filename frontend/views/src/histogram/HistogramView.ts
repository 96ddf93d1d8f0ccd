/** Distribution of one group over runs, call sites, ranks or workers. */

import type { Bin, Distribution } from '../api.ts';
import type { Palette } from '../logic/colour.ts';
import { formatCount, formatPlural, formatValue } from '../logic/format.ts';
import { charactersIn, compactNumbers, fitMembers, listNames, shorten } from '../logic/names.ts';
import { stepped } from '../logic/outliers.ts';
import { countShare, ticks } from '../logic/ticks.ts';
import { placeOf } from '../logic/values.ts';
import { brush } from '../ui/brush.ts';
import { svg, textStyle } from '../ui/dom.ts';
import { serialiseSvg } from '../ui/export.ts';
import { Tooltip } from '../ui/tooltip.ts';
import type { Target, View, ViewContext } from '../ui/view.ts';
import { binOf, COUNTED, farText, farValues, legendOf } from './parts.ts';

export interface HistogramData {
  readonly distribution: Distribution;
  /** How many bins there are, and by which rule. */
  readonly rule?: string;
  /** Names of runs by id. */
  readonly runNames?: ReadonlyMap<string, string>;
  /** Sides of a diff, named. */
  readonly sides?: { readonly a: string; readonly b: string } | undefined;
  /** Sentence above the bars that states the comparison. */
  readonly title?: string | undefined;
}

export interface HistogramSelection {
  readonly target?: Target | undefined;
  readonly isLogY: boolean;
}

/** Fewer values are dots. */
export const FEWEST_BARS = 5;

const FRAME = { left: 46, right: 18, top: 20, bottom: 34 } as const;

export class HistogramView implements View<HistogramData, HistogramSelection> {
  readonly #root = svg('svg', {
    class: 'gs-histogram',
    role: 'group',
    width: '100%',
    height: '100%',
  });
  readonly #stop = new AbortController();
  #drawn = new AbortController();
  #tooltip: Tooltip | undefined;
  #context: ViewContext | undefined;
  #data: HistogramData | undefined;
  #selection: HistogramSelection | undefined;
  /** Place of the outlier that N or P has led to. */
  #far = -1;

  mount(element: HTMLElement, context: ViewContext): void {
    this.#context = context;
    this.#tooltip = new Tooltip(this.#root);
    element.append(this.#root);
    const { signal } = this.#stop;
    const on = <K extends keyof SVGElementEventMap>(
      type: K,
      act: (event: SVGElementEventMap[K]) => void,
    ): void => this.#root.addEventListener(type, act, { signal });
    on('pointermove', (event) => {
      const bin = this.#binOf(event);
      if (bin) this.#show(bin, event.clientX, event.clientY);
      else this.#tooltip?.hide();
    });
    on('pointerleave', () => this.#tooltip?.hide());
    on('focusout', () => this.#tooltip?.hide());
    on('focusin', (event) => {
      const bin = this.#binOf(event);
      if (!bin || !(event.target instanceof Element) || !event.target.matches(':focus-visible'))
        return;
      const box = event.target.getBoundingClientRect();
      this.#show(bin, box.right, box.top);
    });
    // The first of two clicks draws the bins anew, after which browsers send no `dblclick`.
    on('click', (event) => {
      if (event.detail === 2) this.#open(this.#binOf(event));
      else this.#pick(this.#binOf(event), event.shiftKey);
    });
    on('keydown', (event) => {
      if (event.key === 'o') this.#open(this.#binOf(event));
      else if (event.key === 'Enter' || event.key === ' ')
        this.#pick(this.#binOf(event), event.shiftKey);
      else return;
      event.preventDefault();
      event.stopPropagation();
    });
  }

  update(data: HistogramData, selection: HistogramSelection): void {
    this.#data = data;
    this.#selection = selection;
    const palette = this.#context?.palette();
    if (!palette) return;
    const { distribution } = data;
    this.#root.setAttribute(
      'aria-label',
      `Distribution of ${distribution.name} over ${COUNTED[distribution.mode]}s`,
    );
    this.#root.replaceChildren(
      ...(data.title ? [this.#heading(data.title, palette)] : []),
      ...(distribution.count < FEWEST_BARS ? this.#strip(palette) : this.#bars(palette)),
    );
    this.#drawn.abort();
    this.#drawn = new AbortController();
    this.#root.style.cursor = '';
    if (distribution.mode === 'runs' && distribution.count >= FEWEST_BARS) this.#brush(palette);
  }

  /** Puts the focus on the bin of the outlier next farthest from the quartiles. */
  step(by: number): void {
    const { distribution, runNames } = this.#data ?? {};
    if (!distribution) return;
    const outliers = farValues(distribution);
    this.#far = stepped(Math.min(this.#far, outliers.length - 1), by, outliers.length);
    const one = outliers[this.#far];
    if (one)
      this.#root
        .querySelector<SVGElement>(`[data-bin="${binOf(distribution, one.value)}"]`)
        ?.focus();
    const text = one
      ? `Outlier ${this.#far + 1} of ${outliers.length}: ${farText(distribution, one, runNames)}`
      : 'No value is far from the others';
    this.#context?.emit({ type: 'say', text });
  }

  #heading(title: string, palette: Palette): SVGElement {
    const place = { x: FRAME.left, y: FRAME.top + 9, fill: palette.ink2, class: 'gs-quantity' };
    const fit = shorten(title, charactersIn(this.#size.width - FRAME.left - FRAME.right, 6));
    return svg('text', { ...textStyle(11), ...place }, fit, svg('title', {}, title));
  }

  /** Dragging over bins chooses their runs. */
  #brush(palette: Palette): void {
    const { width, height } = this.#size;
    brush(
      this.#root,
      {
        kind: 'range',
        area: { x0: FRAME.left, x1: width - FRAME.right, y0: this.#top, y1: height - FRAME.bottom },
        palette,
        done: ({ points }) => {
          const bins = this.#data?.distribution.bins ?? [];
          const step = (width - FRAME.left - FRAME.right) / Math.max(1, bins.length);
          const [from = 0, to = 0] = [points[0]?.[0], points[1]?.[0]];
          const runs = bins.flatMap((bin, index) => {
            const [left, right] = [FRAME.left + index * step, FRAME.left + (index + 1) * step];
            return right > from && left < to ? bin.runs : [];
          });
          if (runs.length > 0) this.#context?.emit({ type: 'select', patch: { runs } });
          else this.#context?.emit({ type: 'say', text: 'No run in these bins.' });
        },
      },
      this.#drawn.signal,
    );
  }

  destroy(): void {
    this.#stop.abort();
    this.#drawn.abort();
    this.#tooltip?.destroy();
    this.#root.remove();
  }

  exportSvg(): string {
    return serialiseSvg(
      this.#root,
      this.#context?.palette().ground ?? '#FFFFFF',
      this.#context?.lens() ?? '',
    );
  }

  get #top(): number {
    return this.#data?.title ? FRAME.top + 16 : FRAME.top;
  }

  get #size(): { width: number; height: number } {
    return {
      width: Math.max(160, this.#root.clientWidth),
      height: Math.max(90, this.#root.clientHeight),
    };
  }

  #binOf(event: Event): Bin | undefined {
    const mark = event.target instanceof Element ? event.target.closest('[data-bin]') : null;
    return this.#data?.distribution.bins[Number(mark?.getAttribute('data-bin') ?? -1)];
  }

  /** Values of the target in a bin: over runs it is known here, else the service has counted. */
  #targetCount(bin: Bin): number {
    const target = this.#selection?.target;
    if (target && this.#data?.distribution.mode === 'runs')
      return bin.runs.filter((run) => target.runs.includes(run)).length;
    return bin.target_count;
  }

  #pick(bin: Bin | undefined, isFilter: boolean): void {
    if (!bin || this.#data?.distribution.mode !== 'runs' || bin.runs.length === 0) return;
    const [first] = bin.runs;
    if (isFilter) this.#context?.emit({ type: 'keep-runs', runs: bin.runs });
    else if (first !== undefined) this.#context?.emit({ type: 'set-target', run: first });
  }

  /** Opens the first run of a bin. */
  #open(bin: Bin | undefined): void {
    const run = this.#data?.distribution.mode === 'runs' ? bin?.runs[0] : undefined;
    if (run !== undefined) this.#context?.emit({ type: 'open-run', run });
  }

  #show(bin: Bin, x: number, y: number): void {
    const data = this.#data;
    if (!data) return;
    const { distribution, sides } = data;
    const word = COUNTED[distribution.mode];
    const rows: [string, string][] = [
      ['from', formatValue(bin.lo, distribution.unit)],
      ['to', formatValue(bin.hi, distribution.unit)],
      [`${word}s`, formatCount(bin.count)],
    ];
    if (sides)
      rows.push(
        [`A, ${sides.a}`, formatCount(bin.baseline_count)],
        [`B, ${sides.b}`, formatCount(bin.target_count)],
      );
    else if (this.#selection?.target)
      rows.push([this.#selection.target.name, formatCount(this.#targetCount(bin))]);
    const hint =
      distribution.mode === 'runs' && bin.count > 0
        ? [
            'Click: make the first the target. Shift and click: keep only these runs. Drag: choose runs. Double click or O: open the first.',
          ]
        : [];
    const members =
      bin.members.length > 0
        ? [
            listNames(
              bin.members,
              6,
              distribution.mode === 'ranks'
                ? bin.members.length
                : Math.max(bin.members.length, bin.count),
            ),
          ]
        : [];
    this.#tooltip?.show(
      { title: formatPlural(bin.count, word), rows, notes: [...members, ...hint] },
      x,
      y,
    );
  }

  #axis(palette: Palette, lo: number, hi: number, y: number): SVGElement[] {
    const { width } = this.#size;
    const unit = this.#data?.distribution.unit ?? '';
    const room = width - FRAME.left - FRAME.right;
    const parts: SVGElement[] = [
      svg('line', { x1: FRAME.left, x2: width - FRAME.right, y1: y, y2: y, stroke: palette.line }),
    ];
    let last = -Infinity;
    for (const tick of hi > lo ? ticks(lo, hi, Math.max(2, room / 110)) : [lo]) {
      const x = FRAME.left + placeOf(tick, lo, hi) * room;
      parts.push(svg('line', { x1: x, x2: x, y1: y, y2: y + 4, stroke: palette.ink2 }));
      if (x - last < 70) continue;
      last = x;
      parts.push(
        svg(
          'text',
          {
            ...textStyle(11),
            x,
            y: y + 17,
            'text-anchor': x > width - 60 ? 'end' : x < FRAME.left + 24 ? 'start' : 'middle',
            fill: palette.ink2,
          },
          formatValue(tick, unit),
        ),
      );
    }
    return parts;
  }

  #bars(palette: Palette): SVGElement[] {
    const [data, selection] = [this.#data, this.#selection];
    if (!data || !selection) return [];
    const { bins, mode } = data.distribution;
    const { width, height } = this.#size;
    const strip = mode === 'ranks' || mode === 'workers' ? 14 : 0;
    const bottom = height - FRAME.bottom - strip;
    const room = width - FRAME.left - FRAME.right;
    const most = Math.max(1, ...bins.map((bin) => bin.count));
    const heightOf = (count: number): number =>
      countShare(count, most, selection.isLogY) * (bottom - this.#top);
    const lo = bins[0]?.lo ?? 0;
    const hi = bins[bins.length - 1]?.hi ?? lo;
    const isConstant = !(hi > lo);
    const parts: SVGElement[] = [];
    const marks = selection.isLogY
      ? [1, 10, 100, 1000, 10_000, 100_000].filter((tick) => tick <= most)
      : ticks(0, most, Math.min(4, most)).filter(Number.isInteger);
    for (const tick of marks) {
      const y = bottom - heightOf(tick);
      parts.push(
        svg('line', {
          x1: FRAME.left,
          x2: width - FRAME.right,
          y1: y,
          y2: y,
          stroke: palette.line,
        }),
        svg(
          'text',
          {
            ...textStyle(11),
            x: FRAME.left - 6,
            y: y + 4,
            'text-anchor': 'end',
            fill: palette.ink2,
          },
          formatCount(tick),
        ),
      );
    }
    const hasSides = data.sides !== undefined;
    const isTargeted = hasSides || selection.target !== undefined;
    bins.forEach((bin, index) => {
      const size = isConstant ? Math.min(60, room) : room / bins.length;
      const x = isConstant ? FRAME.left + (room - size) / 2 : FRAME.left + index * size;
      const mark = svg('g', {
        'data-bin': index,
        class: 'gs-bin',
        tabindex: bin.count > 0 ? 0 : undefined,
        role: bin.count > 0 ? 'button' : undefined,
        'aria-label':
          bin.count > 0
            ? `${formatValue(bin.lo, data.distribution.unit)} to ${formatValue(bin.hi, data.distribution.unit)}: ${formatPlural(bin.count, COUNTED[mode])}`
            : undefined,
      });
      const gap = Math.min(1, size * 0.1);
      const bar = (
        count: number,
        fill: string,
        from = 0,
        share = 1,
        extra: Record<string, string | number> = {},
      ): void => {
        if (count <= 0) return;
        const h = Math.max(1, heightOf(count));
        mark.append(
          svg('rect', {
            x: x + gap + from * size,
            y: bottom - h,
            width: Math.max(0.5, (size - 2 * gap) * share),
            height: h,
            fill,
            ...extra,
          }),
        );
      };
      mark.append(
        svg('rect', {
          x,
          y: this.#top,
          width: size,
          height: bottom - this.#top,
          fill: 'transparent',
        }),
      );
      const isOnlySides = hasSides && bin.count <= bin.baseline_count + bin.target_count;
      if (!isOnlySides) bar(bin.count, isTargeted ? palette.ensemble : palette.ink2);
      if (hasSides) {
        bar(bin.baseline_count, palette.ground, 0, 0.5, {
          stroke: palette.ink,
          'stroke-width': 1.25,
          'stroke-dasharray': '3 2',
        });
        bar(bin.target_count, palette.target, 0.5, 0.5);
      } else if (selection.target) {
        const count = this.#targetCount(bin);
        bar(count, palette.target);
        if (count > 0)
          mark.append(
            svg('path', {
              d: `M${x + size / 2 - 5},${bottom + 8}l5,-7l5,7Z`,
              fill: palette.target,
            }),
          );
      }
      if (strip > 0 && size > 22 && bin.members.length > 0) {
        mark.append(
          svg(
            'text',
            {
              ...textStyle(10),
              x: x + size / 2,
              y: bottom + 31,
              'text-anchor': 'middle',
              fill: palette.ink2,
            },
            fitMembers(compactNumbers(bin.members), Math.floor((size - 4) / 6.2)),
          ),
        );
      }
      parts.push(mark);
    });
    parts.push(...this.#axis(palette, lo, hi, bottom));
    const middle = this.#top + (bottom - this.#top) / 2;
    parts.push(
      svg(
        'text',
        {
          ...textStyle(11),
          transform: `translate(11 ${middle}) rotate(-90)`,
          'text-anchor': 'middle',
          fill: palette.ink2,
        },
        `${COUNTED[mode]}s${selection.isLogY ? ', log' : ''}`,
      ),
    );
    const right = this.#size.width - FRAME.right;
    parts.push(...legendOf(palette, right, data.sides, selection.target));
    if (data.rule && !isConstant)
      parts.push(
        svg(
          'text',
          { ...textStyle(11), x: FRAME.left, y: 12, fill: palette.ink2, class: 'gs-rule' },
          data.rule,
        ),
      );
    if (isConstant) {
      parts.push(
        svg(
          'text',
          { ...textStyle(12), x: FRAME.left + room / 2 + 40, y: this.#top + 14, fill: palette.ink },
          `All ${formatPlural(data.distribution.count, 'value')} are equal.`,
        ),
      );
    }
    return parts;
  }

  /** Fewer than five values: each is a dot. */
  #strip(palette: Palette): SVGElement[] {
    const [data, selection] = [this.#data, this.#selection];
    if (!data || !selection) return [];
    const { bins, values, mode } = data.distribution;
    const { width, height } = this.#size;
    const middle = Math.min(height / 2, 70);
    const lo = values[0] ?? 0;
    const hi = values[values.length - 1] ?? lo;
    const room = width - FRAME.left - FRAME.right;
    const parts = this.#axis(palette, lo, hi, middle + 26);
    for (const value of values) {
      const at = bins.findIndex(
        (bin, index) => value >= bin.lo && (value < bin.hi || index === bins.length - 1),
      );
      const bin = bins[at];
      const isTarget =
        bin !== undefined && selection.target !== undefined && this.#targetCount(bin) > 0;
      parts.push(
        svg(
          'g',
          {
            'data-bin': at,
            class: 'gs-bin',
            tabindex: 0,
            role: 'button',
            'aria-label': formatValue(value, data.distribution.unit),
          },
          svg('circle', {
            cx: FRAME.left + placeOf(value, lo, hi) * room,
            cy: middle,
            r: 6,
            fill: isTarget ? palette.target : palette.ink2,
            stroke: palette.ground,
            'stroke-width': 1,
          }),
        ),
      );
    }
    parts.push(
      svg(
        'text',
        { ...textStyle(11), x: FRAME.left, y: this.#top + 8, fill: palette.ink2 },
        `Only ${formatPlural(values.length, COUNTED[mode])}: each is a dot.`,
      ),
    );
    return parts;
  }
}
