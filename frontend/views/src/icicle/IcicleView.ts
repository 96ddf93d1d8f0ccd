/** The call tree inside one group. */

import type { Hierarchy, Site } from '../api.ts';
import {
  countColour,
  differenceColour,
  exclusiveColour,
  mix,
  type Palette,
  textOn,
} from '../logic/colour.ts';
import {
  formatCount,
  formatDelta,
  formatPlural,
  formatShare,
  formatValue,
} from '../logic/format.ts';
import { gradientOf } from '../logic/histogram.ts';
import { partsOf } from '../logic/labels.ts';
import { charactersIn, shorten } from '../logic/names.ts';
import { childrenOf, type Icicle, layoutIcicle } from '../logic/tree.ts';
import { meanOf, meanWithZeros, summarise } from '../logic/values.ts';
import { assign, monoAdvance, svg, textStyle, uniquePrefix } from '../ui/dom.ts';
import { serialiseSvg } from '../ui/export.ts';
import { Tooltip, type TooltipContent } from '../ui/tooltip.ts';
import { hatch, ROW, targetMark } from './marks.ts';
import type { Target, View, ViewContext } from '../ui/view.ts';

export interface IcicleData {
  readonly hierarchy: Hierarchy;
  readonly scope: 'inclusive' | 'exclusive';
  /** Runs of the sides of a diff. */
  readonly sides?: { readonly a: readonly string[]; readonly b: readonly string[] } | undefined;
  /** Whether the difference of the whole group is inconclusive or not testable. */
  readonly isUnsure?: boolean;
}

export interface IcicleSelection {
  readonly site: string;
  /** Site that fills the width; the first when empty or unknown. */
  readonly zoom: string;
  readonly isUniform: boolean;
  readonly target?: Target | undefined;
}

const BORDER = 2;
const PAD = 12;
/** Marks on SVG stay fluid up to about this many; the rest is counted. */
const MOST = 2000;

export class IcicleView implements View<IcicleData, IcicleSelection> {
  readonly #prefix = uniquePrefix('icicle');
  readonly #root = svg('svg', {
    class: 'gs-icicle',
    role: 'tree',
    'aria-label': 'Call tree',
    width: '100%',
  });
  readonly #stop = new AbortController();
  #element: HTMLElement | undefined;
  #tooltip: Tooltip | undefined;
  #context: ViewContext | undefined;
  #data: IcicleData | undefined;
  #selection: IcicleSelection | undefined;
  #layout: Icicle | undefined;
  #focused = 0;
  #bound = 0;
  #places: { of: object; at: ReadonlyMap<string, number> } | undefined;
  #drawnFor = '';

  mount(element: HTMLElement, context: ViewContext): void {
    this.#element = element;
    this.#context = context;
    this.#tooltip = new Tooltip();
    element.append(this.#root);
    const { signal } = this.#stop;
    this.#root.addEventListener(
      'pointermove',
      (event) => {
        const index = this.#indexOf(event);
        if (index < 0) this.#tooltip?.hide();
        else this.#show(index, event.clientX, event.clientY);
      },
      { signal },
    );
    this.#root.addEventListener('pointerleave', () => this.#tooltip?.hide(), { signal });
    this.#root.addEventListener('focusout', () => this.#tooltip?.hide(), { signal });
    this.#root.addEventListener(
      'click',
      (event) => {
        const site = this.#site(this.#indexOf(event));
        if (site && event.detail < 2) context.emit({ type: 'select-site', site: site.id });
      },
      { signal },
    );
    this.#root.addEventListener('dblclick', (event) => this.#zoomTo(this.#indexOf(event)), {
      signal,
    });
    this.#root.addEventListener('keydown', (event) => this.#key(event), { signal });
    this.#root.addEventListener('focusin', (event) => this.#focusIn(event), { signal });
  }

  update(data: IcicleData, selection: IcicleSelection): void {
    const palette = this.#context?.palette();
    const key = [
      this.#element?.clientWidth,
      selection.site,
      selection.zoom,
      selection.isUniform,
      selection.target !== undefined,
      palette?.theme,
    ].join(' ');
    const isOtherTarget = data === this.#data && key === this.#drawnFor && !data.sides;
    this.#data = data;
    this.#selection = selection;
    this.#drawnFor = key;
    if (isOtherTarget && selection.target) this.#retarget();
    else this.#draw();
  }

  destroy(): void {
    this.#stop.abort();
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

  /** Means of both sides of a diff, absent runs counting as zero. */
  #sidesOf(site: Site): { a: number; b: number; delta: number } | undefined {
    const data = this.#data;
    if (!data?.sides) return undefined;
    const values = data.scope === 'inclusive' ? site.inclusive_by_run : site.exclusive_by_run;
    const mean = (runs: readonly string[]): number => meanWithZeros(values, this.#indicesOf(runs));
    const [a, b] = [mean(data.sides.a), mean(data.sides.b)];
    return { a, b, delta: b - a };
  }

  #site(index: number): Site | undefined {
    return this.#data?.hierarchy.sites[index];
  }

  #indexOf(event: Event): number {
    const mark = event.target instanceof Element ? event.target.closest('[data-site]') : null;
    return Number(mark?.getAttribute('data-site') ?? -1);
  }

  #draw(): void {
    const [data, selection, palette] = [this.#data, this.#selection, this.#context?.palette()];
    if (!data || !selection || !palette) return;
    const { sites } = data.hierarchy;
    const width = Math.max(80, (this.#element?.clientWidth ?? 800) - 2 * PAD);
    const root = Math.max(
      0,
      sites.findIndex((site) => site.id === selection.zoom),
    );
    const layout = layoutIcicle(sites, root, width, selection.isUniform ? 'uniform' : 'inclusive');
    this.#layout = layout;
    const drawn = sites
      .map((_, index) => index)
      .filter((index) => (layout.width[index] ?? 0) > 0 && (layout.row[index] ?? -1) >= 0);
    const shown = drawn.slice(0, MOST);
    if (!shown.includes(this.#focused)) {
      const selected = sites.findIndex((site) => site.id === selection.site);
      this.#focused = shown.includes(selected) ? selected : root;
    }
    const height = layout.rows * ROW + 8;
    const hadFocus = this.#root.contains(document.activeElement);
    assign(this.#root, { height });
    this.#root.style.height = `${height}px`;
    const defs = svg('defs', {}, hatch(`${this.#prefix}-absent`, palette));
    this.#bound = Math.max(0, ...sites.map((site) => Math.abs(this.#sidesOf(site)?.delta ?? 0)));
    const cells = svg('g', { transform: `translate(${PAD} 2)` });
    const runs = this.#indicesOf(selection.target?.runs ?? []);
    for (const index of shown)
      cells.append(this.#cell(index, data, selection, layout, palette, defs, runs));
    const left = drawn.length - shown.length;
    const merged = [...layout.merged.values()].reduce((sum, count) => sum + count, 0) + left;
    this.#root.replaceChildren(defs, cells);
    if (merged > 0) {
      assign(this.#root, {
        'aria-description': `${formatPlural(merged, 'call site')} too narrow to draw`,
      });
    }
    if (hadFocus) this.#focus(this.#focused);
  }

  /** Another target moves lines, and redraws only cells that it executes and the last one did not, or the reverse. */
  #retarget(): void {
    const [data, selection, palette, layout] = [
      this.#data,
      this.#selection,
      this.#context?.palette(),
      this.#layout,
    ];
    const defs = this.#root.querySelector('defs');
    if (!data || !selection || !palette || !layout || !defs) return;
    const runs = this.#indicesOf(selection.target?.runs ?? []);
    for (const mark of [...this.#root.querySelectorAll<SVGGElement>('[data-site]')]) {
      const index = Number(mark.getAttribute('data-site'));
      const site = data.hierarchy.sites[index];
      if (!site) continue;
      const values = data.scope === 'inclusive' ? site.inclusive_by_run : site.exclusive_by_run;
      const value = meanOf(values, runs);
      const line = mark.querySelector('.gs-icicle-target');
      if ((value === null) !== (line === null)) {
        mark.replaceWith(this.#cell(index, data, selection, layout, palette, defs, runs));
      } else if (value !== null) {
        const width = layout.width[index] ?? 0;
        const border = Math.min(BORDER, width / 4);
        const inner = { x: border, width: Math.max(0, width - 1 - 2 * border) };
        line?.replaceWith(targetMark(site, value, inner, palette));
      }
    }
  }

  #indicesOf(runs: readonly string[]): number[] {
    const { hierarchy } = this.#data ?? {};
    if (!hierarchy) return [];
    if (this.#places?.of !== hierarchy)
      this.#places = {
        of: hierarchy,
        at: new Map(hierarchy.runs.map((run, index) => [run, index])),
      };
    const { at } = this.#places;
    return runs.map((run) => at.get(run) ?? -1).filter((index) => index >= 0);
  }

  #cell(
    index: number,
    data: IcicleData,
    selection: IcicleSelection,
    layout: Icicle,
    palette: Palette,
    defs: SVGDefsElement,
    runs: readonly number[],
  ): SVGElement {
    const site = data.hierarchy.sites[index];
    const width = layout.width[index] ?? 0;
    const x = layout.x[index] ?? 0;
    const y = (layout.row[index] ?? 0) * ROW;
    const height = ROW - 3;
    const mark = svg('g', {
      transform: `translate(${x} ${y})`,
      'data-site': index,
      'data-mark': 'site',
      class: 'gs-site',
      role: 'treeitem',
      tabindex: index === this.#focused ? 0 : -1,
      'aria-level': (layout.row[index] ?? 0) + 1,
      'aria-selected': String(site?.id === selection.site),
    });
    if (!site) return mark;
    assign(mark, { 'aria-label': site.name });
    const border = Math.min(BORDER, width / 4);
    const inner = {
      x: border,
      y: border,
      width: Math.max(0, width - 1 - 2 * border),
      height: height - 2 * border,
    };
    const isTargeted = selection.target !== undefined;
    const scale = isTargeted ? palette.ensembleScale : palette.distribution;
    const values = data.scope === 'inclusive' ? site.inclusive_by_run : site.exclusive_by_run;
    const value = isTargeted ? meanOf(values, runs) : null;
    mark.append(
      svg('rect', { width: Math.max(0.5, width - 1), height, rx: 2, fill: palette.ground }),
    );
    const gradient = gradientOf(site.histogram);
    const sides = this.#sidesOf(site);
    const fill = sides && differenceColour(palette, sides.delta, this.#bound);
    if (fill !== undefined) {
      mark.append(svg('rect', { ...inner, fill }));
      if (data.isUnsure)
        mark.append(
          svg('rect', { ...inner, fill: `url(#${this.#prefix}-absent)`, 'fill-opacity': 0.3 }),
        );
    } else if (isTargeted && value === null) {
      mark.append(
        svg('rect', { ...inner, fill: `url(#${this.#prefix}-absent)`, 'fill-opacity': 0.5 }),
      );
    } else if (gradient.kind === 'constant') {
      const band = Math.min(inner.width, 10);
      mark.append(
        svg('rect', {
          ...inner,
          x: inner.x + (inner.width - band) / 2,
          width: band,
          fill: countColour(scale, gradient.count, data.hierarchy.max_bin_count),
        }),
      );
    } else if (gradient.kind === 'stops' && width >= 4) {
      const id = `${this.#prefix}-${index}`;
      defs.append(
        svg(
          'linearGradient',
          { id },
          ...gradient.stops.map((stop) =>
            svg('stop', {
              offset: String(stop.at),
              'stop-color': countColour(scale, stop.count, data.hierarchy.max_bin_count),
            }),
          ),
        ),
      );
      mark.append(svg('rect', { ...inner, fill: `url(#${id})` }));
    }
    const isSelected = site.id === selection.site;
    const stroke = isTargeted
      ? mix(palette.ensemble, palette.ink2, 0.45)
      : exclusiveColour(palette, site.max_exclusive, data.hierarchy.max_exclusive);
    mark.append(
      svg('rect', {
        x: -0.25,
        y: -0.25,
        width: Math.max(0.5, width - 0.5),
        height: height + 0.5,
        rx: 2,
        fill: 'none',
        stroke: palette.ink2,
        'stroke-opacity': 0.5,
        'stroke-width': 0.6,
      }),
      svg('rect', {
        x: border / 2,
        y: border / 2,
        width: Math.max(0, width - 1 - border),
        height: height - border,
        rx: 2,
        fill: 'none',
        stroke,
        'stroke-width': border,
      }),
    );
    if (value !== null) mark.append(targetMark(site, value, inner, palette));
    if (width >= 30) {
      mark.append(
        svg(
          'text',
          {
            ...textStyle(12, true),
            x: 8,
            y: height / 2,
            'dominant-baseline': 'central',
            fill: fill === undefined ? palette.ink : textOn(fill),
            stroke: fill ?? palette.ground,
            'stroke-width': 3.5,
            'stroke-linejoin': 'round',
            'paint-order': 'stroke',
          },
          shorten(partsOf(site.name).text, charactersIn(width - 16, monoAdvance(12))),
        ),
      );
    }
    mark.append(
      svg('rect', {
        class: 'gs-focus',
        x: 0,
        y: 0,
        width: Math.max(1, width - 1),
        height,
        rx: 2,
        fill: 'none',
        stroke: palette.accent,
        'stroke-width': 3,
        'data-page-only': '',
      }),
    );
    if (isSelected)
      mark.append(
        svg('rect', {
          x: -0.5,
          y: -0.5,
          width,
          height: height + 1,
          rx: 3,
          fill: 'none',
          stroke: palette.accent,
          'stroke-width': 2,
        }),
      );
    return mark;
  }

  #content(index: number): TooltipContent | undefined {
    const [site, data] = [this.#site(index), this.#data];
    if (!site || !data) return undefined;
    const { hierarchy } = data;
    const whole = hierarchy.sites[0]?.max_inclusive ?? 0;
    const values = data.scope === 'inclusive' ? site.inclusive_by_run : site.exclusive_by_run;
    const absent = hierarchy.runs.length - site.present;
    const rows: [string, string][] = [
      [
        'inclusive, max.',
        `${formatValue(site.max_inclusive, hierarchy.unit)} · ${formatShare(whole > 0 ? site.max_inclusive / whole : null)}`,
      ],
      ['exclusive, max.', formatValue(site.max_exclusive, hierarchy.unit)],
      [`median ${data.scope}`, formatValue(summarise(values).median, hierarchy.unit)],
      [
        'runs',
        absent > 0
          ? `${formatCount(site.present)} · absent in ${formatCount(absent)}`
          : formatCount(site.present),
      ],
    ];
    const sides = this.#sidesOf(site);
    if (sides) {
      rows.push([
        'A · B',
        `${formatValue(sides.a, hierarchy.unit)} · ${formatValue(sides.b, hierarchy.unit)}`,
      ]);
      rows.push(['B − A', formatDelta(sides.delta, hierarchy.unit)]);
    }
    const target = this.#selection?.target;
    if (target) {
      const value = meanOf(
        values,
        target.runs.map((run) => hierarchy.runs.indexOf(run)),
      );
      rows.push([
        target.name,
        value === null ? 'not executed in this run' : formatValue(value, hierarchy.unit),
      ]);
    }
    const merged = this.#layout?.merged.get(index) ?? 0;
    const notes = [
      site.source ?? '',
      merged > 0
        ? `${formatPlural(merged, 'callee')} too narrow to draw; zoom in to see them.`
        : '',
    ];
    return { title: site.name, rows, notes: notes.filter(Boolean) };
  }

  #show(index: number, x: number, y: number): void {
    const content = this.#content(index);
    if (content) this.#tooltip?.show(content, x, y);
  }

  #zoomTo(index: number): void {
    const site = this.#site(index);
    if (site) this.#context?.emit({ type: 'zoom-site', site: index === 0 ? '' : site.id });
  }

  #key(event: KeyboardEvent): void {
    const data = this.#data;
    const index = this.#indexOf(event);
    if (!data || index < 0 || event.ctrlKey || event.metaKey || event.altKey) return;
    const { sites } = data.hierarchy;
    const children = childrenOf(sites);
    const parent = sites[index]?.parent ?? undefined;
    const siblings = parent === undefined ? [] : (children[parent] ?? []);
    const at = siblings.indexOf(index);
    const go: Record<string, number | undefined> = {
      ArrowUp: parent,
      ArrowDown: children[index]?.[0],
      ArrowLeft: siblings[at - 1],
      ArrowRight: siblings[at + 1],
    };
    if (event.key in go) {
      const next = go[event.key];
      if (next !== undefined && (this.#layout?.width[next] ?? 0) > 0) this.#focus(next);
    } else if (event.key === 'Enter') {
      if (this.#selection?.site === sites[index]?.id) this.#zoomTo(index);
      else this.#context?.emit({ type: 'select-site', site: sites[index]?.id ?? '' });
    } else if (event.key === 'Backspace') {
      const root = sites.findIndex((site) => site.id === this.#selection?.zoom);
      const up = root > 0 ? sites[root]?.parent : undefined;
      if (up !== undefined && up !== null) this.#zoomTo(up);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  #focus(index: number): void {
    this.#root.querySelector('[tabindex="0"]')?.setAttribute('tabindex', '-1');
    this.#focused = index;
    const mark = this.#root.querySelector<SVGGElement>(`[data-site="${index}"]`);
    mark?.setAttribute('tabindex', '0');
    mark?.focus();
  }

  #focusIn(event: FocusEvent): void {
    const index = this.#indexOf(event);
    const mark = event.target instanceof Element ? event.target.closest('[data-site]') : null;
    if (index < 0 || !mark?.matches(':focus-visible')) return;
    this.#focused = index;
    const rows = this.#content(index)?.rows.map((row) => row.join(' ')) ?? [];
    mark.setAttribute('aria-label', [this.#site(index)?.name ?? '', ...rows].join(', '));
    const box = mark.getBoundingClientRect();
    this.#show(index, box.left + 12, box.bottom - 8);
  }
}
