/** The ensemble-Sankey: draws what the service laid out, marks the target or a difference. */

import type { SankeyEdge, SankeyNode } from '../api.ts';
import type { Palette } from '../logic/colour.ts';
import { quote } from '../logic/lens.ts';
import { assign, svg, uniquePrefix } from '../ui/dom.ts';
import { serialiseSvg } from '../ui/export.ts';
import { Tooltip, type TooltipContent } from '../ui/tooltip.ts';
import type { View, ViewContext } from '../ui/view.ts';
import { edgeTooltip, nodeLabel, nodeTitle, nodeTooltip } from './content.ts';
import { drawBackEdges, drawEdges, drawTargetEdges } from './edges.ts';
import { withLayout } from './layout.ts';
import { drawLegend, type LegendClass } from './legend.ts';
import {
  differenceBound,
  differencesOf,
  handleOf,
  hotNodes,
  indicesOf,
  MARGIN,
  type NodeDifference,
  type SankeyData,
  type SankeySelection,
} from './model.ts';
import { drawNames } from './names.ts';
import { openNodeMenu } from './node-menu.ts';
import { drawNode, drawPatterns, type NodeStyle } from './nodes.ts';
import { drawGuides, drawRings, drawTarget, targetPlace } from './overlay.ts';
import { Stage } from './stage.ts';
import { neighbour } from './walk.ts';

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
  #tooltip: Tooltip | undefined;
  #context: ViewContext | undefined;
  #data: SankeyData | undefined;
  #selection: SankeySelection | undefined;
  #palette: Palette | undefined;
  #style: NodeStyle | undefined;
  #differences: ReadonlyMap<string, NodeDifference> = new Map();
  #legendClass: LegendClass | undefined;
  #focused = '';
  #size = { width: 0, height: 0 };

  mount(element: HTMLElement, context: ViewContext): void {
    this.#context = context;
    this.#tooltip = new Tooltip();
    const inner = svg('g', { transform: `translate(${MARGIN.left} ${MARGIN.top})` });
    inner.append(this.#edges, this.#flow, this.#back, this.#nodes, this.#labels, this.#guides);
    this.#zoomed.append(inner);
    this.#root.append(this.#defs, this.#zoomed, this.#legend, this.#map);
    element.append(this.#root);
    this.#stage = new Stage(this.#root, this.#zoomed, this.#map, () => {
      if (this.#given && this.#selection) this.update(this.#given, this.#selection);
    });
    const { signal } = this.#stop;
    this.#root.addEventListener('pointermove', (event) => this.#hover(event), { signal });
    this.#root.addEventListener('pointerleave', () => this.#leave(), { signal });
    this.#root.addEventListener('click', (event) => this.#click(event), { signal });
    this.#root.addEventListener('dblclick', (event) => this.#split(event), { signal });
    this.#root.addEventListener('contextmenu', (event) => this.#menu(event), { signal });
    this.#root.addEventListener('keydown', (event) => this.#key(event), { signal });
    this.#root.addEventListener('focusin', (event) => this.#focusIn(event), { signal });
    this.#root.addEventListener('focusout', () => this.#leave(), { signal });
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
    const isLaid = this.#stage?.lay(given, selection, palette) ?? false;
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
    if (isLaid) this.#stage?.refresh(given);
  }

  destroy(): void {
    this.#stop.abort();
    this.#stage?.destroy();
    this.#tooltip?.destroy();
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

  fit(): void {
    this.#stage?.viewport.reset();
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
      this.#edges.replaceChildren(...drawEdges(data, palette));
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
      this.#nodes.append(mark.group);
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
    const hot = new Set(selection.isHotPath ? hotNodes(data) : []);
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
        opacity: this.#legendClass && !this.#legendClass.has(node) ? 0.25 : undefined,
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
    const choose = (legendClass: LegendClass | undefined): void => {
      this.#legendClass = legendClass;
      this.#drawSelection();
      const count = legendClass ? sankey.nodes.filter((node) => legendClass.has(node)).length : 0;
      this.#context?.emit({
        type: 'say',
        text: legendClass ? `${count} nodes: ${legendClass.label}` : 'All nodes shown',
      });
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
        this.#legendClass?.key ?? '',
        clientWidth,
        clientHeight,
        choose,
      ),
    );
    this.#rove();
  }

  #emphasiseEdges(isStrong: (edge: SankeyEdge) => boolean, isOthersDim = false): void {
    const [data, palette] = [this.#data, this.#palette];
    if (!data || !palette) return;
    [...this.#edges.children].forEach((mark, index) => {
      const edge = data.sankey.edges[index];
      const path = mark.firstElementChild;
      if (!edge || !path) return;
      const strong = isStrong(edge);
      assign(path, {
        stroke: strong ? palette.ink2 : undefined,
        'stroke-width': strong ? 1 : undefined,
      });
      assign(mark, { opacity: isOthersDim && !strong ? 0.3 : undefined });
    });
    for (const flow of this.#flow.children) {
      const edge = data.sankey.edges[Number(flow.getAttribute('data-flow'))];
      assign(flow, { opacity: isOthersDim && edge && !isStrong(edge) ? 0.3 : undefined });
    }
  }

  #markOf(event: Event): { node?: SankeyNode; edge?: SankeyEdge } {
    const element =
      event.target instanceof Element ? event.target.closest('[data-node],[data-edge]') : null;
    const id = element?.getAttribute('data-node');
    if (id) {
      const node = this.#node(id);
      return node ? { node } : {};
    }
    const edge = this.#data?.sankey.edges[Number(element?.getAttribute('data-edge') ?? -1)];
    return edge ? { edge } : {};
  }

  #hover(event: PointerEvent): void {
    const { node, edge } = this.#markOf(event);
    const [data, selection] = [this.#data, this.#selection];
    if (!data || !selection) return;
    if (node) this.#point(node, nodeTooltip(node, data, selection), event.clientX, event.clientY);
    else if (edge) {
      this.#tooltip?.show(edgeTooltip(edge, data, selection), event.clientX, event.clientY);
      this.#emphasiseEdges((other) => other === edge);
    } else this.#leave();
  }

  #point(node: SankeyNode, content: TooltipContent, x: number, y: number): void {
    const data = this.#data;
    if (!data) return;
    this.#tooltip?.show(content, x, y);
    const at = data.sankey.nodes.indexOf(node);
    const near = new Set([at]);
    for (const edge of data.sankey.edges) {
      if (edge.source === at) near.add(edge.target);
      if (edge.target === at) near.add(edge.source);
    }
    this.#emphasiseEdges((edge) => edge.source === at || edge.target === at, true);
    data.sankey.nodes.forEach((other, index) => {
      this.#marks.get(other.id)?.group.classList.toggle('gs-dim', !near.has(index));
    });
  }

  #leave(): void {
    this.#tooltip?.hide();
    for (const mark of this.#marks.values()) mark.group.classList.remove('gs-dim');
    if (!this.#data || !this.#selection) return;
    const hot = new Set(this.#selection.isHotPath ? hotNodes(this.#data) : []);
    const { nodes } = this.#data.sankey;
    this.#emphasiseEdges(
      (edge) => hot.has(nodes[edge.source]?.id ?? '') && hot.has(nodes[edge.target]?.id ?? ''),
    );
  }

  #click(event: MouseEvent): void {
    const { node, edge } = this.#markOf(event);
    if (edge) {
      const callee = this.#data?.sankey.nodes[edge.target];
      if (callee) this.#context?.emit({ type: 'select-group', group: callee.id });
    }
    if (!node || event.detail > 1) return;
    this.#focused = node.id;
    this.#pick(node);
  }

  #pick(node: SankeyNode): void {
    const isAgain = this.#selection?.group === node.id;
    this.#context?.emit({ type: isAgain ? 'toggle-guides' : 'select-group', group: node.id });
  }

  #split(event: MouseEvent): void {
    const { node } = this.#markOf(event);
    if (node && node.kind !== 'others') {
      this.#context?.emit({
        type: 'add-clause',
        clause: `split ${quote(handleOf(node, this.#data?.sankey.nodes ?? []))} entries`,
      });
    }
  }

  #menu(event: MouseEvent): void {
    const { node } = this.#markOf(event);
    if (!node || !this.#context || !this.#data || !this.#selection) return;
    event.preventDefault();
    this.#tooltip?.hide();
    openNodeMenu(node, this.#data, this.#context, event.clientX, event.clientY);
  }

  #key(event: KeyboardEvent): void {
    const node = this.#markOf(event).node;
    const data = this.#data;
    if (!node || !data || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key.startsWith('Arrow')) {
      event.preventDefault();
      event.stopPropagation();
      if (event.shiftKey) {
        const step = 40;
        const [x, y] = {
          ArrowLeft: [step, 0],
          ArrowRight: [-step, 0],
          ArrowUp: [0, step],
          ArrowDown: [0, -step],
        }[event.key] ?? [0, 0];
        this.#stage?.viewport.pan(x ?? 0, y ?? 0);
        return;
      }
      const next = neighbour(data.sankey, data.sankey.nodes.indexOf(node), event.key);
      if (next) this.focusNode(next.id);
    } else if (event.key === 'Enter' || event.key === ' ') {
      event.preventDefault();
      event.stopPropagation();
      this.#pick(node);
    } else if (event.key === 'ContextMenu' || (event.key === 'F10' && event.shiftKey)) {
      event.preventDefault();
      event.stopPropagation();
      const box = this.#marks.get(node.id)?.group.getBoundingClientRect();
      if (box && this.#context) openNodeMenu(node, data, this.#context, box.right, box.top);
    }
  }

  #focusIn(event: FocusEvent): void {
    const { node } = this.#markOf(event);
    const mark = node && this.#marks.get(node.id);
    if (!node || !mark || !this.#data || !this.#selection) return;
    this.#focused = node.id;
    mark.group.setAttribute('aria-label', nodeLabel(node, this.#data, this.#selection));
    if (!mark.group.matches(':focus-visible')) return;
    const box = mark.group.getBoundingClientRect();
    this.#point(node, nodeTooltip(node, this.#data, this.#selection), box.right, box.top);
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
