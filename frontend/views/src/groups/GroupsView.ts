/** The aggregated grain graph: groups opened one by one, from one closed root. */

import type { Group, Stats } from '../api.ts';
import { coloured, definitionColours } from '../logic/definition-colours.ts';
import {
  formatCount,
  formatNumber,
  formatPlural,
  formatShare,
  formatValue,
} from '../logic/format.ts';
import { pathTo, valueOf } from '../logic/group-tree.ts';
import { conditionText, problemName } from '../logic/problems.ts';
import { kindOf, nameOf } from '../logic/group-names.ts';
import { isHidden } from '../logic/open-groups.ts';
import { toggled } from '../logic/opened.ts';
import { place } from '../logic/series-parallel.ts';
import type { Shown } from '../registry/definition.ts';
import type { Scene } from '../ui/graph-canvas.ts';
import { GraphView, keepFocus } from '../ui/graph-view.ts';
import type { TooltipContent } from '../ui/tooltip.ts';
import type { Answers, Settings } from './definition.ts';
import { headOf, legendOf } from './head.ts';
import { type Model, modelOf } from './model.ts';
import { paintGroups, SPACING } from './paint.ts';
import { problemNodes, stepOf } from './steps.ts';
import './groups.css';

/** Milliseconds in which groups move to their places. */
const MOVE = 220;

export class GroupsView extends GraphView<Answers, Settings> {
  /** Key of the group that was opened or closed last: it stays where it is. */
  #kept: string | undefined;
  /** What the whole picture was last made for: another run, root or mode is shown whole. */
  #frame = '';

  constructor() {
    super('groups');
  }

  protected draw(answers: Answers, shown: Shown<Settings>): void {
    const { settings, selection } = shown;
    const model = modelOf(answers, settings);
    keepFocus(this.head, () => this.head.replaceChildren(...this.#headOf(model, settings)));
    this.foot.replaceChildren(...legendOf(model, this.palette));
    const placed = place(model.nodes, SPACING);
    const painting = {
      model,
      placed,
      palette: this.palette,
      colours: definitionColours(
        this.palette,
        coloured(answers['definitions'] as Stats | undefined),
      ),
      grain: selection.grain,
      definition: selection.definition,
      hovered: () => this.hovered,
    };
    const frame = [
      model.tree.run,
      settings.root,
      settings.opened,
      settings.depth,
      model.tree.is_separated,
    ].join();
    const keep = frame === this.#frame ? (this.#kept ?? String(model.root.group)) : undefined;
    this.#frame = frame;
    const scene: Scene = {
      boxes: { x: placed.x, y: placed.y, width: placed.along, height: placed.across },
      width: Math.max(1, placed.along[0] ?? 1),
      height: Math.max(1, placed.across[0] ?? 1),
      label: `Groups of the run: ${formatPlural(countOf(model), 'visible node')} of ${formatCount(model.tree.nodes)}. Arrow keys: up to the parent, down to the first child, left and right to siblings. Enter opens and closes.`,
      focus: focusOf(model, selection.grain),
      key: (node) => keyOf(model, node),
      paint: (pen, window, boxes) => paintGroups(pen, window, boxes, painting),
      tip: (node) => tipOf(model, node),
      pick: (node, event) => this.#pick(model, settings, node, event),
      toggle: (node) => this.#toggle(model, settings, node),
      step: (node, key) => stepOf(model, node, key),
      hover: (node) => this.point(grainOf(model, node)),
      command: (node, key) => this.#command(model, settings, node, key),
    };
    this.graph.show(scene, this.box.clientWidth, this.box.clientHeight, {
      keep,
      accent: this.palette.accent,
      duration: this.context.isMotionReduced() ? 0 : MOVE,
    });
  }

  #headOf(model: Model, settings: Settings): Node[] {
    return headOf(model, settings, {
      set: (values) => this.#set(values),
      fit: () => this.graph.fit(),
      zoom: (factor) => this.graph.zoom(factor),
    });
  }

  #set(values: Readonly<Record<string, unknown>>): void {
    this.#kept = undefined;
    this.context.emit({ type: 'set', values });
  }

  #pick(model: Model, settings: Settings, node: number, event: Event): void {
    const group = model.nodes.groups[node];
    if (!group) return;
    if (event instanceof KeyboardEvent && group.children > 0)
      return this.#toggle(model, settings, node);
    if (group.kind === 'grain' && group.grain !== null && group.grain !== undefined)
      this.context.emit({ type: 'select', patch: { grain: String(group.grain) } });
    else if (group.definition)
      this.context.emit({ type: 'select', patch: { definition: group.definition, grain: '' } });
  }

  #toggle(model: Model, settings: Settings, node: number): void {
    const group = model.nodes.groups[node];
    if (!group || group.children === 0) return;
    const isOpen = model.isOpen(group);
    this.#kept = String(group.group);
    this.context.emit({
      type: 'set',
      values: { hand: toggled(settings.hand, group.group, !isOpen) },
    });
    this.context.emit({
      type: 'say',
      text: `${isOpen ? 'Closed' : 'Opened'} ${nameOf(group)}, ${kindOf(group)}`,
    });
  }

  #command(model: Model, settings: Settings, node: number, key: string): boolean {
    const group = model.nodes.groups[node];
    const isOpen = group !== undefined && model.isOpen(group);
    if (group && group.children > 0 && ((key === '+' && !isOpen) || (key === '-' && isOpen)))
      this.#toggle(model, settings, node);
    else if (key === 'z' && group)
      this.#set({ root: group.group, hand: toggled(settings.hand, group.group, true) });
    else if (key === 'Backspace')
      this.#set({ root: model.path[model.path.length - 2]?.group ?? 0 });
    else if (key === 'x' || key === 'c') {
      const depth = settings.opened === 'depth' ? settings.depth + (key === 'x' ? 1 : -1) : 1;
      this.#set({ opened: 'depth', depth: Math.max(0, Math.min(64, depth)), hand: '' });
    } else return key === '+' || key === '-';
    return true;
  }
}

/** The selected grain, the worst visible node, or the root. */
function focusOf(model: Model, grain: string): number {
  const { groups } = model.nodes;
  const chosen = groups.findIndex(
    (group) => grain !== '' && group?.kind === 'grain' && String(group.grain) === grain,
  );
  if (chosen >= 0) return chosen;
  return (model.marked ? problemNodes(model, model.marked)[0] : undefined) ?? 0;
}

/** The single grain that a node is. */
function grainOf(model: Model, node: number | undefined): number | null | undefined {
  const group = node === undefined ? undefined : model.nodes.groups[node];
  return group?.kind === 'grain' ? group.grain : undefined;
}

function keyOf(model: Model, node: number): string {
  const group = model.nodes.groups[node];
  return group
    ? String(group.group)
    : `strip ${model.nodes.groups[model.nodes.parent[node] ?? 0]?.group}`;
}

/** Nodes that are drawn as such. */
export function countOf(model: Model): number {
  return model.nodes.groups.filter((group) => group !== undefined).length;
}

function tipOf(model: Model, node: number): TooltipContent | undefined {
  const group = model.nodes.groups[node];
  if (!group || isHidden(model.nodes, node)) return undefined;
  return { title: nameOf(group), rows: rowsOf(model, group) };
}

/** Facts of a group, as label and text. */
export function rowsOf(model: Model, group: Group): [string, string][] {
  const whole = valueOf(model.tree.groups[0] ?? group, model.work);
  const own = valueOf(group, model.work);
  const rows: [string, string][] = [
    ['kind', kindOf(group)],
    ['grains', formatCount(group.grains)],
    ['work', formatValue(own, model.tree.unit)],
  ];
  if (own !== undefined && whole) rows.push(['of the run', formatShare(own / whole)]);
  if (model.marked) {
    const value = valueOf(group, model.marked.metric);
    const name = problemName(model.marked.metric);
    rows.push([group.children > 0 ? `worst ${name}` : name, formatNumber(value)]);
    rows.push([
      'problem',
      group.has_problem === true
        ? conditionText(model.condition)
        : group.has_problem === false
          ? 'none'
          : 'not checked',
    ]);
  }
  rows.push(['critical path', group.is_critical ? 'on it' : 'not on it']);
  if (group.is_restructured) rows.push(['restructured', 'joined by another grain than its parent']);
  const letter = model.letters.get(group.structure ?? '');
  if (letter) rows.push(['structure', `${letter}: as others with this letter`]);
  const path = pathTo(model.known, group.group);
  if (path.length > 1) rows.push(['inside', nameOf(path[path.length - 2] ?? group)]);
  return rows;
}
