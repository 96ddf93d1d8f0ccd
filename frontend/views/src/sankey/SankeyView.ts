/** The ensemble-Sankey: draws what the service laid out, marks the target or a difference. */

import { activeElement } from '../ui/layer.ts';
import type { SankeyEdge, SankeyNode } from '../api.ts';
import type { Palette } from '../logic/colour.ts';
import { assign, svg, uniquePrefix } from '../ui/dom.ts';
import { serialiseSvg } from '../ui/export.ts';
import type { Side, View, ViewContext } from '../ui/view.ts';
import { nodeTitle } from './content.ts';
import { dragNodes } from './drag.ts';
import { drawBackEdges, drawEdges, drawTargetEdges, emphasise } from './edges.ts';
import { withLayout } from './layout.ts';
import { Hands } from './hands.ts';
import { drawLegend, type LegendClass, scalesOf } from './legend.ts';
import {
  differenceBound,
  differencesOf,
  hotNodes,
  indicesOf,
  MARGIN,
  type NodeDifference,
  type SankeyData,
  type SankeySelection,
} from './model.ts';
import { drawNames } from './names.ts';
import { drawNode, drawPatterns, type NodeStyle } from './nodes.ts';
import { drawGuides, drawRings, drawTarget, targetPlace } from './overlay.ts';
import { encodeMoved } from './place.ts';
import { hasRankBars, MOST_NEAR } from './ranks.ts';
import { Stage } from './stage.ts';

interface NodeMark {
  readonly group: SVGGElement;
  readonly body: SVGGElement;
  readonly target: SVGGElement;
  readonly rings: SVGGElement;
}

export class SankeyView implements View<SankeyData, SankeySelection> {
  readonly #prefix = uniquePrefix('sankey');
  readonly #root = svg('svg', {
    class: 'gs-sankey',
    role: 'group',
    'aria-label': 'Ensemble-Sankey',
    width: '100%',
    height: '100%',
  });
  readonly #defs = svg('defs');
  readonly #zoomed = svg('g');
  readonly #edges = svg('g');
  readonly #flow = svg('g');
  readonly #back = svg('g');
  readonly #nodes = svg('g');
  readonly #labels = svg('g', { 'pointer-events': 'none' });
  readonly #guides = svg('g');
  readonly #legend = svg('g');
  readonly #map = svg('g');
  readonly #marks = new Map<string, NodeMark>();
  readonly #stop = new AbortController();
  #stage: Stage | undefined;
  #given: SankeyData | undefined;
  #hands: Hands | undefined;
  #context: ViewContext | undefined;
  #data: SankeyData | undefined;
  #selection: SankeySelection | undefined;
  #palette: Palette | undefined;
  #style: NodeStyle | undefined;
  #differences: ReadonlyMap<string, NodeDifference> = new Map();
  /** Node with the tab stop. */
  #focused = '';
  /** The node that is being moved, and where it begins as a share of the height. */
  #moving: readonly [id: string, share: number] | undefined;
  #near = '';
  #size = { width: 0, height: 0 };

  mount(element: HTMLElement, context: ViewContext): void {
    this.#context = context;
    const inner = svg('g', { transform: `translate(${MARGIN.left} ${MARGIN.top})` });
    inner.append(this.#edges, this.#flow, this.#back, this.#nodes, this.#labels, this.#guides);
    this.#zoomed.append(inner);
    this.#root.append(this.#defs, this.#zoomed, this.#legend, this.#map);
    element.append(this.#root);
    this.#stage = new Stage(
      this.#root,
      this.#zoomed,
      this.#map,
      () => this.#again(),
      (at) => {
        this.#emitSet({ at });
        this.#askRanks();
      },
    );
    const { signal } = this.#stop;
    const host = {
      topOf: (id: string) => this.#node(id)?.geometry.y,
      move: (id: string, top: number) => this.#move(id, top),
      drop: () => this.#drop(),
    };
    dragNodes(this.#root, host, signal);
    this.#hands = new Hands(
      this.#root,
      {
        context,
        scene: () =>
          this.#data && this.#selection && { data: this.#data, selection: this.#selection },
        groupOf: (id) => this.#marks.get(id)?.group,
        edgeOf: (index) => this.#markOfEdge(index),
        groups: () => this.#marks,
        emphasise: (isStrong, isOthersDim) => this.#emphasiseEdges(isStrong, isOthersDim),
        focused: (id) => (this.#focused = id),
        focusNode: (id) => this.focusNode(id),
        moveBy: (node, by) => {
          this.#move(node.id, node.geometry.y + by);
          this.#drop();
        },
        pan: (x, y) => this.#stage?.viewport.pan(x, y),
      },
      signal,
    );
  }

  #again(): void {
    if (this.#given && this.#selection) this.update(this.#given, this.#selection);
  }

  /** Reports settings, all of which the address holds. */
  #emitSet(values: Readonly<Record<string, unknown>>): void {
    this.#context?.emit({ type: 'set', values });
  }

  /** Places of moved nodes, with the one that is being moved. */
  #moved(selection: SankeySelection): ReadonlyMap<string, number> | undefined {
    return this.#moving ? new Map(selection.moved).set(...this.#moving) : selection.moved;
  }

  #move(id: string, top: number): void {
    const height = this.#stage?.layout?.height ?? 1;
    this.#moving = [id, Math.min(1, Math.max(0, top / height))];
    this.#hands?.hide();
    this.#again();
  }

  /** A node stays where it was moved to; the address has its place. */
  #drop(): void {
    const [selection, moving] = [this.#selection, this.#moving];
    if (!selection || !moving) return;
    const moved = encodeMoved(this.#moved(selection) ?? new Map());
    this.#selection = { ...selection, moved: this.#moved(selection) };
    this.#moving = undefined;
    this.#emitSet({ moved });
  }

  update(given: SankeyData, selection: SankeySelection): void {
    const palette = this.#context?.palette();
    // Read once, before anything is drawn: a later look would lay the page out in between.
    this.#size = { width: this.#root.clientWidth, height: this.#root.clientHeight };
    if (!palette || this.#size.width === 0) {
      // Without a size there is no layout yet; the host calls again when there is.
      if (palette) [this.#given, this.#selection] = [given, selection];
      return;
    }
    const mode = given.diff ? 'diff' : selection.target ? 'target' : 'ensemble';
    const moved = this.#moved(selection);
    const isLaid = this.#stage?.lay(given, { ...selection, moved }, palette) ?? false;
    const isRedrawn =
      isLaid ||
      given !== this.#given ||
      palette !== this.#palette ||
      mode !== this.#style?.mode ||
      selection.guides !== this.#selection?.guides;
    const layout = this.#stage?.layout;
    const data =
      isRedrawn && layout ? { ...given, sankey: withLayout(given.sankey, layout) } : this.#data;
    if (!data) return;
    this.#given = given;
    const isOtherTarget = selection.target !== this.#selection?.target;
    this.#data = data;
    this.#selection = selection;
    this.#palette = palette;
    if (isRedrawn) {
      this.#differences = differencesOf(data);
      this.#style = {
        palette,
        prefix: this.#prefix,
        mode,
        bound: differenceBound(data),
        worseIsUp: data.sankey.direction !== 'higher_is_better',
      };
    }
    if (isRedrawn || (isOtherTarget && mode === 'target')) this.#drawNodes(isRedrawn);
    this.#drawSelection();
    this.#stage?.refresh(selection.at ?? '');
    this.#askRanks();
  }

  destroy(): void {
    this.#stop.abort();
    this.#stage?.destroy();
    this.#hands?.destroy();
    this.#root.remove();
  }

  exportSvg(): string {
    return serialiseSvg(
      this.#root,
      this.#palette?.ground ?? '#FFFFFF',
      this.#context?.lens() ?? '',
    );
  }

  zoom(factor: number): void {
    this.#stage?.viewport.zoomBy(factor);
  }

  pan(x: number, y: number): void {
    this.#stage?.viewport.pan(x, y);
  }

  fit(side: Side = 'all'): void {
    this.#stage?.fit(side);
  }

  fitSelection(): void {
    const node = this.#node(this.#selection?.group ?? '');
    if (!node) return this.fit();
    const { x, y, width, height } = node.geometry;
    this.#stage?.viewport.centre(x + MARGIN.left, y + MARGIN.top, width, height);
  }

  /** Moves the keyboard's focus to a node. */
  focusNode(group: string): void {
    this.#focused = group;
    this.#rove();
    const box = this.#node(group)?.geometry;
    if (box)
      this.#stage?.viewport.reveal(box.x + MARGIN.left, box.y + MARGIN.top, box.width, box.height);
    this.#marks.get(group)?.group.focus({ preventScroll: true });
  }

  /** Asks for values over ranks of the nodes that are seen and near. */
  #askRanks(): void {
    const [data, selection, stage] = [this.#data, this.#selection, this.#stage];
    if (!selection?.isRanks || !data || !stage || data.diff) return;
    const { x, y } = stage.viewport.origin;
    const { width, height } = stage.window();
    const near = data.sankey.nodes.filter(
      ({ geometry: box, kind }) =>
        kind !== 'others' &&
        hasRankBars(box.height) &&
        box.x + box.width > x &&
        box.x < x + width &&
        box.y + box.height > y &&
        box.y < y + height,
    );
    const ids = near.slice(0, MOST_NEAR).map((node) => node.id);
    if (ids.join() === this.#near) return;
    this.#near = ids.join();
    if (ids.length > 0) this.#emitSet({ near: ids });
  }

  #node(id: string): SankeyNode | undefined {
    return this.#data?.sankey.nodes.find((node) => node.id === id);
  }

  #drawNodes(isRedrawn: boolean): void {
    const [data, selection, style, palette] = [
      this.#data,
      this.#selection,
      this.#style,
      this.#palette,
    ];
    if (!data || !selection || !style || !palette) return;
    const runs = indicesOf(data.sankey, selection.target?.runs ?? []);
    if (isRedrawn) {
      this.#defs.replaceChildren(...drawPatterns(style));
      const active = activeElement(this.#root);
      const focused = active?.closest('[data-edge]')?.getAttribute('data-edge');
      const hadFocus = focused !== undefined && this.#edges.contains(active);
      this.#edges.replaceChildren(...drawEdges(data, palette));
      if (hadFocus) this.#markOfEdge(Number(focused))?.focus({ preventScroll: true });
      if (this.#stage?.layout)
        this.#labels.replaceChildren(
          ...drawNames(data, this.#stage.layout, style, this.#differences),
        );
    }
    const gone = new Set(this.#marks.keys());
    for (const [index, node] of data.sankey.nodes.entries()) {
      gone.delete(node.id);
      const mark = this.#marks.get(node.id) ?? this.#newMark(node);
      const isAbsent = style.mode === 'target' && targetPlace(node, data, runs) === null;
      mark.group.style.transform = `translate(${node.geometry.x}px, ${node.geometry.y}px)`;
      if (!isRedrawn && mark.group.hasAttribute('data-absent') === isAbsent) continue;
      assign(mark.group, { 'data-absent': isAbsent ? '' : undefined });
      mark.body.replaceChildren(
        ...drawNode(
          node,
          index,
          data,
          style,
          this.#differences.get(node.id),
          isAbsent,
          selection.guides.includes(node.id),
        ),
      );
      // An element that is put back in loses the focus.
      if (mark.group.parentNode !== this.#nodes) this.#nodes.append(mark.group);
    }
    for (const id of gone) {
      this.#marks.get(id)?.group.remove();
      this.#marks.delete(id);
    }
  }

  #newMark(node: SankeyNode): NodeMark {
    const [body, target, rings] = [svg('g'), svg('g'), svg('g')];
    const group = svg(
      'g',
      {
        class: 'gs-node',
        'data-mark': 'node',
        'data-node': node.id,
        role: 'graphics-symbol',
        'aria-roledescription': 'node',
        tabindex: -1,
      },
      body,
      target,
      rings,
    );
    const mark = { group, body, target, rings };
    this.#marks.set(node.id, mark);
    return mark;
  }

  #drawSelection(): void {
    const [data, selection, style, palette] = [
      this.#data,
      this.#selection,
      this.#style,
      this.#palette,
    ];
    if (!data || !selection || !style || !palette) return;
    const { sankey } = data;
    const runs = indicesOf(sankey, selection.target?.runs ?? []);
    const hot = new Set(selection.isHotPath ? hotNodes(data, selection.hotShare) : []);
    const legendClass = this.#legendClass(data, style, selection);
    for (const node of sankey.nodes) {
      const mark = this.#marks.get(node.id);
      if (!mark) continue;
      const isSelected = node.id === selection.group;
      const hit =
        selection.hits[0] === node.id ? 'current' : selection.hits.includes(node.id) ? 'hit' : 'no';
      mark.rings.replaceChildren(...drawRings(node, style, isSelected, hit, hot.has(node.id)));
      drawTarget(mark.target, node, data, runs, style);
      assign(mark.group, {
        'aria-label': nodeTitle(node) + (isSelected ? ', selected' : ''),
        opacity: legendClass && !legendClass.has(node) ? 0.25 : undefined,
      });
    }
    this.#flow.replaceChildren(...drawTargetEdges(data, selection, palette));
    this.#back.replaceChildren(...(selection.isBackEdges ? drawBackEdges(data, palette) : []));
    this.#emphasiseEdges((edge) => {
      const [from, to] = [sankey.nodes[edge.source], sankey.nodes[edge.target]];
      return from !== undefined && to !== undefined && hot.has(from.id) && hot.has(to.id);
    });
    const guided = sankey.nodes.filter(
      (node) => selection.guides.includes(node.id) && style.mode !== 'diff',
    );
    for (const label of this.#labels.querySelectorAll('[data-label-of]')) {
      const named = (label.getAttribute('data-label-of') ?? '').split(' ');
      const isGuided = guided.some((node) => named.includes(node.id));
      assign(label, { visibility: isGuided ? 'hidden' : undefined });
    }
    this.#guides.replaceChildren(
      ...guided.map((node) => {
        const pick = (members: readonly number[]): void => {
          const run = sankey.runs[members[0] ?? -1];
          if (run) this.#context?.emit({ type: 'set-target', run });
        };
        return svg(
          'g',
          { transform: `translate(${node.geometry.x} ${node.geometry.y})` },
          drawGuides(node, data, style, pick),
        );
      }),
    );
    const choose = (chosen: LegendClass | undefined): void => {
      this.#emitSet({ legend: chosen?.key ?? '' });
      const count = chosen ? sankey.nodes.filter((node) => chosen.has(node)).length : 0;
      const text = chosen ? `${count} nodes: ${chosen.label}` : 'All nodes shown';
      this.#context?.emit({ type: 'say', text });
    };
    const { width: clientWidth, height: clientHeight } = this.#size;
    this.#legend.replaceChildren(
      svg('rect', {
        x: 0,
        y: clientHeight - MARGIN.bottom,
        width: clientWidth,
        height: MARGIN.bottom,
        fill: palette.ground,
        'data-page-only': '',
      }),
      ...drawLegend(
        data,
        selection,
        style,
        this.#differences,
        legendClass?.key ?? '',
        clientWidth,
        clientHeight,
        choose,
      ),
    );
    this.#rove();
  }

  /** The class of a legend that the address names, if this picture has it. */
  #legendClass(
    data: SankeyData,
    style: NodeStyle,
    { legend }: SankeySelection,
  ): LegendClass | undefined {
    if (!legend) return undefined;
    const classes = scalesOf(data, style, this.#differences).flatMap((scale) => scale.classes);
    return classes.find(({ key }) => key === legend);
  }

  #emphasiseEdges(isStrong: (edge: SankeyEdge) => boolean, isOthersDim = false): void {
    const [data, palette] = [this.#data, this.#palette];
    if (!data || !palette) return;
    emphasise([this.#edges, this.#flow], data.sankey.edges, palette, isStrong, isOthersDim);
  }

  #markOfEdge(index: number): SVGGElement | null {
    return this.#zoomed.querySelector<SVGGElement>(`[data-edge="${index}"]`);
  }

  #rove(): void {
    const nodes = this.#data?.sankey.nodes ?? [];
    const isThere = nodes.some((node) => node.id === this.#focused);
    const focused = isThere
      ? this.#focused
      : (this.#node(this.#selection?.group ?? '')?.id ?? nodes[0]?.id);
    for (const [id, mark] of this.#marks)
      mark.group.setAttribute('tabindex', id === focused ? '0' : '-1');
  }
}
