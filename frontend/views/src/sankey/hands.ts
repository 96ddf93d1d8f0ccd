/** Input on marks of the picture: pointing, picking, menus, arrow keys. */

import type { SankeyEdge, SankeyNode } from '../api.ts';
import { quote } from '../logic/lens.ts';
import { Tooltip, type TooltipContent } from '../ui/tooltip.ts';
import type { ViewContext } from '../ui/view.ts';
import { edgeLabel, edgeTooltip, nodeLabel, nodeTooltip } from './content.ts';
import { handleOf, hotNodes, type SankeyData, type SankeySelection } from './model.ts';
import { step, type Stop } from './walk.ts';

interface Host {
  readonly context: ViewContext;
  scene(): { readonly data: SankeyData; readonly selection: SankeySelection } | undefined;
  groupOf(id: string): SVGGElement | undefined;
  groups(): ReadonlyMap<string, { readonly group: SVGGElement }>;
  edgeOf(index: number): SVGGElement | null;
  emphasise(isStrong: (edge: SankeyEdge) => boolean, isOthersDim?: boolean): void;
  /** The node with the tab stop is another. */
  focused(id: string): void;
  focusNode(id: string): void;
  moveBy(node: SankeyNode, by: number): void;
  pan(x: number, y: number): void;
}

/** Pixels by which a key moves a node. */
const MOVE = 16;

export class Hands {
  readonly #root: SVGSVGElement;
  readonly #host: Host;
  readonly #tooltip: Tooltip;
  /** The end from which an edge was reached. */
  #end: 'source' | 'target' = 'source';

  constructor(root: SVGSVGElement, host: Host, signal: AbortSignal) {
    this.#root = root;
    this.#host = host;
    this.#tooltip = new Tooltip(root);
    root.addEventListener('pointermove', (event) => this.#hover(event), { signal });
    root.addEventListener('pointerleave', () => this.#leave(), { signal });
    root.addEventListener('click', (event) => this.#click(event), { signal });
    root.addEventListener('dblclick', (event) => this.#split(event), { signal });
    root.addEventListener('contextmenu', (event) => this.#menu(event), { signal });
    root.addEventListener('keydown', (event) => this.#key(event), { signal });
    root.addEventListener('focusin', (event) => this.#focusIn(event), { signal });
    root.addEventListener('focusout', () => this.#leave(), { signal });
  }

  hide(): void {
    this.#tooltip.hide();
  }

  destroy(): void {
    this.#tooltip.destroy();
  }

  #markOf(event: Event): { node?: SankeyNode; edge?: SankeyEdge } {
    const data = this.#host.scene()?.data;
    if (!data) return {};
    const element =
      event.target instanceof Element ? event.target.closest('[data-node],[data-edge]') : null;
    const id = element?.getAttribute('data-node');
    if (id) {
      const node = data.sankey.nodes.find((one) => one.id === id);
      return node ? { node } : {};
    }
    const edge = data.sankey.edges[Number(element?.getAttribute('data-edge') ?? -1)];
    return edge ? { edge } : {};
  }

  #hover(event: PointerEvent): void {
    const { node, edge } = this.#markOf(event);
    const scene = this.#host.scene();
    if (!scene || this.#root.classList.contains('gs-dragging')) return;
    const { data, selection } = scene;
    if (node) this.#point(node, nodeTooltip(node, data, selection), event.clientX, event.clientY);
    else if (edge) {
      this.#tooltip.show(edgeTooltip(edge, data, selection), event.clientX, event.clientY);
      this.#host.emphasise((other) => other === edge);
    } else this.#leave();
  }

  #point(node: SankeyNode, content: TooltipContent, x: number, y: number): void {
    const data = this.#host.scene()?.data;
    if (!data) return;
    this.#tooltip.show(content, x, y);
    const at = data.sankey.nodes.indexOf(node);
    const near = new Set([at]);
    for (const edge of data.sankey.edges) {
      if (edge.source === at) near.add(edge.target);
      if (edge.target === at) near.add(edge.source);
    }
    this.#host.emphasise((edge) => edge.source === at || edge.target === at, true);
    data.sankey.nodes.forEach((other, index) => {
      this.#host.groupOf(other.id)?.classList.toggle('gs-dim', !near.has(index));
    });
  }

  #leave(): void {
    this.#tooltip.hide();
    for (const mark of this.#host.groups().values()) mark.group.classList.remove('gs-dim');
    const scene = this.#host.scene();
    if (!scene) return;
    const { isHotPath, hotShare } = scene.selection;
    const hot = new Set(isHotPath ? hotNodes(scene.data, hotShare) : []);
    const { nodes } = scene.data.sankey;
    this.#host.emphasise(
      (edge) => hot.has(nodes[edge.source]?.id ?? '') && hot.has(nodes[edge.target]?.id ?? ''),
    );
  }

  #click(event: MouseEvent): void {
    const { node, edge } = this.#markOf(event);
    if (edge) {
      const callee = this.#host.scene()?.data.sankey.nodes[edge.target];
      if (callee) this.#host.context.emit({ type: 'select-group', group: callee.id });
    }
    if (!node || event.detail > 1) return;
    this.#host.focused(node.id);
    this.#pick(node);
  }

  #pick(node: SankeyNode): void {
    const isAgain = this.#host.scene()?.selection.group === node.id;
    this.#host.context.emit({ type: isAgain ? 'toggle-guides' : 'select-group', group: node.id });
  }

  #split(event: MouseEvent): void {
    const { node } = this.#markOf(event);
    if (node && node.kind !== 'others') {
      this.#host.context.emit({
        type: 'add-clause',
        clause: `split ${quote(handleOf(node, this.#host.scene()?.data.sankey.nodes ?? []))} entries`,
      });
    }
  }

  #menu(event: MouseEvent): void {
    const { node } = this.#markOf(event);
    const scene = this.#host.scene();
    if (!node || !scene) return;
    event.preventDefault();
    this.#tooltip.hide();
    this.#openMenu(node, scene, event.clientX, event.clientY);
  }

  /** The code of the menu is loaded when one is first opened. */
  #openMenu(
    node: SankeyNode,
    scene: NonNullable<ReturnType<Host['scene']>>,
    x: number,
    y: number,
  ): void {
    void import('./node-menu.ts').then(({ openNodeMenu }) =>
      openNodeMenu(node, scene, this.#host.context, x, y, this.#root),
    );
  }

  #key(event: KeyboardEvent): void {
    const { node, edge } = this.#markOf(event);
    const scene = this.#host.scene();
    if ((!node && !edge) || !scene || event.ctrlKey || event.metaKey) return;
    const isMenu = event.key === 'ContextMenu' || (event.key === 'F10' && event.shiftKey);
    if (event.key.startsWith('Arrow')) {
      if (event.altKey) {
        // Sideways these keys are the browser's.
        if (!node || event.key === 'ArrowLeft' || event.key === 'ArrowRight') return;
        this.#host.moveBy(node, event.key === 'ArrowDown' ? MOVE : -MOVE);
      } else if (event.shiftKey) this.#pan(event.key);
      else this.#walk(scene, node, edge, event.key);
    } else if (event.altKey) return;
    else if (event.key === 'Enter' || event.key === ' ') {
      const callee = edge && scene.data.sankey.nodes[edge.target];
      if (node) this.#pick(node);
      else if (callee) this.#host.context.emit({ type: 'select-group', group: callee.id });
    } else if (isMenu && node) {
      const box = this.#host.groupOf(node.id)?.getBoundingClientRect();
      if (box) this.#openMenu(node, scene, box.right, box.top);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  #pan(key: string): void {
    const by = 40;
    const steps: Record<string, readonly [number, number]> = {
      ArrowLeft: [by, 0],
      ArrowRight: [-by, 0],
      ArrowUp: [0, by],
      ArrowDown: [0, -by],
    };
    const [x, y] = steps[key] ?? [0, 0];
    this.#host.pan(x, y);
  }

  /** From a node to its edges, along an edge to its other node, or to the next of the same kind. */
  #walk(
    { data, selection }: { data: SankeyData; selection: SankeySelection },
    node: SankeyNode | undefined,
    edge: SankeyEdge | undefined,
    key: string,
  ): void {
    const { nodes, edges } = data.sankey;
    const from: Stop = edge
      ? { edge: edges.indexOf(edge), end: this.#end }
      : { node: node ? nodes.indexOf(node) : -1 };
    const next = step(data.sankey, from, key, selection.isBackEdges);
    if (!next) return;
    if ('node' in next) return this.#host.focusNode(nodes[next.node]?.id ?? '');
    this.#end = next.end;
    this.#host.edgeOf(next.edge)?.focus({ preventScroll: true });
  }

  #focusIn(event: FocusEvent): void {
    const { node, edge } = this.#markOf(event);
    const scene = this.#host.scene();
    if (!scene) return;
    const { data, selection } = scene;
    const mark = event.target instanceof Element ? event.target : undefined;
    if (edge && mark) {
      mark.setAttribute('aria-label', edgeLabel(edge, data, selection));
      if (!mark.matches(':focus-visible')) return;
      const box = mark.getBoundingClientRect();
      const own = this.#root.getBoundingClientRect();
      // The middle of the part that is seen.
      const middle = (from: number, to: number, low: number, high: number): number =>
        (Math.max(from, low) + Math.min(to, high)) / 2;
      this.#tooltip.show(
        edgeTooltip(edge, data, selection),
        middle(box.left, box.right, own.left, own.right),
        middle(box.top, box.bottom, own.top, own.bottom),
      );
      this.#host.emphasise((other) => other === edge);
      return;
    }
    const group = node && this.#host.groupOf(node.id);
    if (!node || !group) return;
    this.#host.focused(node.id);
    group.setAttribute('aria-label', nodeLabel(node, data, selection));
    if (!group.matches(':focus-visible')) return;
    const box = group.getBoundingClientRect();
    this.#point(node, nodeTooltip(node, data, selection), box.right, box.top);
  }
}
