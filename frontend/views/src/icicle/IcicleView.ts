/** The call tree inside one group. */

import { activeElement } from '../ui/layer.ts';
import type { Site } from '../api.ts';
import { childrenOf, type Icicle, layoutIcicle } from '../logic/tree.ts';
import { meanOf } from '../logic/values.ts';
import { assign, svg, textStyle, uniquePrefix } from '../ui/dom.ts';
import { serialiseSvg } from '../ui/export.ts';
import { Tooltip, type TooltipContent } from '../ui/tooltip.ts';
import type { View, ViewContext } from '../ui/view.ts';
import { type CellStyle, drawCell, drawComparison, drawMerged, HEAD, innerOf } from './cell.ts';
import { mergedContent, siteContent } from './content.ts';
import { hatch, ROW, targetMark } from './marks.ts';
import {
  hiddenText,
  type IcicleData,
  type IcicleSelection,
  RunIndex,
  siteDifferences,
  valuesOfSite,
} from './model.ts';

export type { IcicleData, IcicleSelection } from './model.ts';

const PAD = 12;
/** Marks on SVG stay fluid up to about this many; the rest is counted. */
const MOST = 2000;
/** Width of the place of merged cells, at least. */
const LEAST_MERGED = 6;

export class IcicleView implements View<IcicleData, IcicleSelection> {
  readonly #prefix = uniquePrefix('icicle');
  readonly #root = svg('svg', {
    class: 'gs-icicle',
    role: 'tree',
    'aria-label': 'Call tree',
    width: '100%',
  });
  /** Short names, over the cells; readers of the screen are given the whole ones. */
  readonly #names = svg('g', { 'pointer-events': 'none', 'aria-hidden': 'true' });
  readonly #stop = new AbortController();
  readonly #runs = new RunIndex();
  #element: HTMLElement | undefined;
  #tooltip: Tooltip | undefined;
  #context: ViewContext | undefined;
  #data: IcicleData | undefined;
  #selection: IcicleSelection | undefined;
  #layout: Icicle | undefined;
  #style: CellStyle | undefined;
  #differences: ReturnType<typeof siteDifferences> = { of: [], bound: 0 };
  #focused = 0;
  #drawnFor = '';
  #shownSite = '';

  mount(element: HTMLElement, context: ViewContext): void {
    this.#element = element;
    this.#context = context;
    this.#tooltip = new Tooltip(this.#root);
    element.append(this.#root);
    const { signal } = this.#stop;
    this.#root.addEventListener(
      'pointermove',
      (event) => {
        const content = this.#contentAt(event);
        if (content) this.#tooltip?.show(content, event.clientX, event.clientY);
        else this.#tooltip?.hide();
      },
      { signal },
    );
    this.#root.addEventListener('pointerleave', () => this.#tooltip?.hide(), { signal });
    this.#root.addEventListener('focusout', () => this.#tooltip?.hide(), { signal });
    this.#root.addEventListener(
      'click',
      (event) => {
        const narrow = this.#indexOf(event, 'data-merged');
        if (narrow >= 0) this.#zoomTo(narrow);
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
      selection.depth,
      selection.hits?.join(),
      selection.target !== undefined,
      palette?.theme,
    ].join(' ');
    const isOtherTarget = data === this.#data && key === this.#drawnFor && !data.comparison;
    if (data !== this.#data) this.#differences = siteDifferences(data, this.#runs);
    this.#data = data;
    this.#selection = selection;
    this.#drawnFor = key;
    if (isOtherTarget && selection.target) this.#retarget();
    else this.#draw();
    if (selection.site !== this.#shownSite) this.#reveal(selection.site);
    this.#shownSite = selection.site;
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

  #site(index: number): Site | undefined {
    return this.#data?.hierarchy.sites[index];
  }

  #indexOf(event: Event, attribute = 'data-site'): number {
    const mark = event.target instanceof Element ? event.target.closest(`[${attribute}]`) : null;
    return Number(mark?.getAttribute(attribute) ?? -1);
  }

  #draw(): void {
    const [data, selection, palette] = [this.#data, this.#selection, this.#context?.palette()];
    if (!data || !selection || !palette) return;
    const { hierarchy } = data;
    const { sites } = hierarchy;
    const width = Math.max(80, (this.#element?.clientWidth ?? 800) - 2 * PAD);
    const root = Math.max(
      0,
      sites.findIndex((site) => site.id === selection.zoom),
    );
    const mode = selection.isUniform ? 'uniform' : 'inclusive';
    const layout = layoutIcicle(sites, root, width, mode, 1, selection.depth);
    this.#layout = layout;
    const drawn = sites
      .map((_, index) => index)
      .filter((index) => (layout.width[index] ?? 0) > 0 && (layout.row[index] ?? -1) >= 0);
    const shown = drawn.slice(0, MOST);
    if (!shown.includes(this.#focused)) {
      const selected = sites.findIndex((site) => site.id === selection.site);
      this.#focused = shown.includes(selected) ? selected : root;
    }
    const defs = svg(
      'defs',
      {},
      hatch(`${this.#prefix}-absent`, palette.ink2),
      hatch(`${this.#prefix}-unsure`, palette.ink),
    );
    const style: CellStyle = {
      palette,
      prefix: this.#prefix,
      defs,
      bound: this.#differences.bound,
      comparison: data.comparison,
      isTargeted: selection.target !== undefined,
      maxBinCount: hierarchy.max_bin_count,
      maxExclusive: hierarchy.max_exclusive,
    };
    this.#style = style;
    const head = data.comparison ? HEAD : 0;
    const hidden = hiddenText(layout, drawn.length - shown.length);
    const bottom = head + layout.rows * ROW;
    const height = bottom + (hidden ? 24 : 8);
    const hadFocus = this.#root.contains(activeElement(this.#root));
    assign(this.#root, { height, 'aria-description': hidden || undefined });
    this.#root.style.height = `${height}px`;
    const cells = svg('g', { transform: `translate(${PAD} ${head + 2})` });
    const runs = this.#runs.of(hierarchy, selection.target?.runs ?? []);
    const hits = new Set(selection.hits ?? []);
    this.#names.replaceChildren();
    this.#names.setAttribute('transform', `translate(${PAD} ${head + 2})`);
    for (const index of shown) cells.append(this.#cell(index, runs, hits, this.#names));
    for (const [parent, merged] of layout.merged) {
      if (!shown.includes(parent)) continue;
      const name = sites[parent]?.name ?? '';
      const children = childrenOf(sites)[parent] ?? [];
      const hasHit = children.some(
        (child) => (layout.width[child] ?? 0) === 0 && hits.has(sites[child]?.id ?? ''),
      );
      const end = (layout.x[parent] ?? 0) + (layout.width[parent] ?? 0);
      const own = Math.min(Math.max(LEAST_MERGED, merged.width), layout.width[parent] ?? 0);
      const transform = `translate(${Math.min(merged.x, end - own)} ${((layout.row[parent] ?? 0) + 1) * ROW})`;
      const mark = svg('g', {
        transform,
        class: 'gs-site gs-merged',
        'data-merged': parent,
        role: 'treeitem',
        tabindex: -1,
        'aria-level': (layout.row[parent] ?? 0) + 2,
        'aria-label': mergedContent(name, merged).title,
      });
      const count = drawMerged(mark, own, merged, palette, hasHit);
      if (count) this.#names.append(svg('g', { transform }, count));
      cells.append(mark);
    }
    this.#root.replaceChildren(defs, cells, this.#names);
    const title = svg('g', { transform: `translate(${PAD} 0)` });
    title.append(...drawComparison(style, width));
    if (title.childElementCount > 0) this.#root.append(title);
    if (hidden)
      this.#root.append(
        svg(
          'text',
          { ...textStyle(11), x: PAD, y: bottom + 14, fill: palette.ink2, class: 'gs-hidden' },
          hidden,
        ),
      );
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
    if (!data || !selection || !palette || !layout) return;
    const runs = this.#runs.of(data.hierarchy, selection.target?.runs ?? []);
    const hits = new Set(selection.hits ?? []);
    for (const mark of [...this.#root.querySelectorAll<SVGGElement>('[data-site]')]) {
      const index = Number(mark.getAttribute('data-site'));
      const site = data.hierarchy.sites[index];
      if (!site) continue;
      const value = meanOf(valuesOfSite(site, data), runs);
      const line = mark.querySelector('.gs-icicle-target');
      if ((value === null) !== (line === null)) mark.replaceWith(this.#cell(index, runs, hits));
      else if (value !== null)
        line?.replaceWith(targetMark(site, value, innerOf(layout.width[index] ?? 0), palette));
    }
  }

  #cell(
    index: number,
    runs: readonly number[],
    hits: ReadonlySet<string>,
    names?: SVGGElement,
  ): SVGElement {
    const [data, selection, layout, style] = [
      this.#data,
      this.#selection,
      this.#layout,
      this.#style,
    ];
    const site = data?.hierarchy.sites[index];
    const box = {
      x: layout?.x[index] ?? 0,
      row: layout?.row[index] ?? 0,
      width: layout?.width[index] ?? 0,
    };
    const isSelected = site !== undefined && site.id === selection?.site;
    const transform = `translate(${box.x} ${box.row * ROW})`;
    const mark = svg('g', {
      transform,
      'data-site': index,
      'data-mark': 'site',
      class: 'gs-site',
      role: 'treeitem',
      tabindex: index === this.#focused ? 0 : -1,
      'aria-level': box.row + 1,
      'aria-selected': String(isSelected),
      'aria-label': site?.name,
    });
    if (!site || !data || !style) return mark;
    const name = drawCell(mark, index, site, box, style, {
      isSelected,
      isHit: hits.has(site.id),
      value: style.isTargeted && !style.comparison ? meanOf(valuesOfSite(site, data), runs) : null,
      difference: this.#differences.of[index],
    });
    if (name) names?.append(svg('g', { transform }, name));
    return mark;
  }

  #content(index: number): TooltipContent | undefined {
    const [data, selection] = [this.#data, this.#selection];
    if (!data || !selection) return undefined;
    const difference = this.#differences.of[index];
    const merged = this.#layout?.merged.get(index);
    return siteContent(index, data, selection, this.#runs, difference, merged);
  }

  #contentAt(event: Event): TooltipContent | undefined {
    const narrow = this.#indexOf(event, 'data-merged');
    const merged = this.#layout?.merged.get(narrow);
    if (merged) return mergedContent(this.#site(narrow)?.name ?? '', merged);
    return this.#content(this.#indexOf(event));
  }

  #zoomTo(index: number): void {
    const site = this.#site(index);
    if (site) this.#context?.emit({ type: 'zoom-site', site: index === 0 ? '' : site.id });
  }

  /** Scrolls to a site that was selected elsewhere. */
  #reveal(id: string): void {
    const index = this.#data?.hierarchy.sites.findIndex((site) => site.id === id) ?? -1;
    this.#root.querySelector(`[data-site="${index}"]`)?.scrollIntoView({ block: 'nearest' });
  }

  #key(event: KeyboardEvent): void {
    const data = this.#data;
    const narrow = this.#indexOf(event, 'data-merged');
    const index = this.#indexOf(event);
    if (!data || event.ctrlKey || event.metaKey || event.altKey) return;
    if (narrow >= 0) {
      if (event.key === 'Enter' || event.key === ' ') this.#zoomTo(narrow);
      else if (event.key === 'ArrowUp' || event.key === 'ArrowLeft') this.#focus(narrow);
      else return;
      event.preventDefault();
      event.stopPropagation();
      return;
    }
    if (index < 0) return;
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
      if (next === undefined) return this.#taken(event);
      const isDrawn = (this.#layout?.width[next] ?? 0) > 0;
      if (isDrawn) this.#focus(next);
      else if (event.key === 'ArrowRight' && parent !== undefined) this.#focusMerged(parent);
      else if (event.key === 'ArrowDown') this.#focusMerged(index);
    } else if (event.key === 'Enter') {
      if (this.#selection?.site === sites[index]?.id) this.#zoomTo(index);
      else this.#context?.emit({ type: 'select-site', site: sites[index]?.id ?? '' });
    } else if (event.key === 'Backspace') {
      const root = sites.findIndex((site) => site.id === this.#selection?.zoom);
      const up = root > 0 ? sites[root]?.parent : undefined;
      if (up !== undefined && up !== null) this.#zoomTo(up);
    } else return;
    this.#taken(event);
  }

  #taken(event: Event): void {
    event.preventDefault();
    event.stopPropagation();
  }

  #focusMerged(parent: number): void {
    this.#root.querySelector<SVGGElement>(`[data-merged="${parent}"]`)?.focus();
  }

  #focus(index: number): void {
    this.#root.querySelector('[tabindex="0"]')?.setAttribute('tabindex', '-1');
    this.#focused = index;
    const mark = this.#root.querySelector<SVGGElement>(`[data-site="${index}"]`);
    mark?.setAttribute('tabindex', '0');
    mark?.focus();
  }

  #focusIn(event: FocusEvent): void {
    const mark =
      event.target instanceof Element ? event.target.closest('[data-site],[data-merged]') : null;
    if (!mark?.matches(':focus-visible')) return;
    const content = this.#contentAt(event);
    if (!content) return;
    const index = this.#indexOf(event);
    if (index >= 0) {
      this.#focused = index;
      const rows = content.rows.map((row) => row.join(' '));
      mark.setAttribute('aria-label', [content.title, ...rows].join(', '));
    }
    const box = mark.getBoundingClientRect();
    this.#tooltip?.show(content, box.left + 12, box.bottom - 8);
  }
}
