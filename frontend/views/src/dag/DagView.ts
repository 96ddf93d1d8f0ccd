/** The task graph of a run, opened from one node to its grains; of two runs next to each other, opened together. */

import type { Group } from '../api.ts';
import { categoryColour } from '../logic/categories.ts';
import { coloured, definitionColours } from '../logic/definition-colours.ts';
import { namedBy } from '../logic/definition-names.ts';
import { formatCount, formatPlural, formatShare, formatValue } from '../logic/format.ts';
import { kindOf, nameOf } from '../logic/group-names.ts';
import { valueOf } from '../logic/group-tree.ts';
import { nestedStep } from '../logic/nested-steps.ts';
import { isHidden } from '../logic/open-groups.ts';
import { toggled } from '../logic/opened.ts';
import { place } from '../logic/series-parallel.ts';
import { visible } from '../logic/visible.ts';
import type { Shown } from '../registry/definition.ts';
import { html } from '../ui/dom.ts';
import type { Scene } from '../ui/graph-canvas.ts';
import { keepFocus } from '../ui/focus.ts';
import { edgeItems, legendItem, legendItems } from '../ui/graph-legend.ts';
import { GraphView } from '../ui/graph-view.ts';
import type { TooltipContent } from '../ui/tooltip.ts';
import type { Answers, Settings } from './definition.ts';
import {
  definitionAt,
  isAlone,
  isUntimed,
  type Model,
  modelOf,
  partnerOf,
  sideOf,
  timeOf,
} from './model.ts';
import { downwards, edgesFor, paintDag, SPACING } from './paint.ts';
import { sharesOf } from './workers.ts';
import './dag.css';

/** Milliseconds in which nodes move to their places. */
const MOVE = 220;

export class DagView extends GraphView<Answers, Settings> {
  /** Key of the group that was opened or closed last: it stays where it is. */
  #kept: string | undefined;
  /** What the whole picture was last made for: other runs, depths or heights are shown whole. */
  #frame = '';
  /** Node of the other run that corresponds to the one under the pointer. */
  #partner = -1;

  constructor() {
    super('dag');
  }

  protected draw(answers: Answers, shown: Shown<Settings>): void {
    const { settings, selection, facts } = shown;
    const model = modelOf(answers, settings);
    const { nodes } = model;
    const colours = definitionColours(this.palette, coloured(answers.definitions));
    keepFocus(this.head, () => this.head.replaceChildren(...this.#headOf(model, settings, facts)));
    this.foot.replaceChildren(...this.#legend(model, settings, colours));
    const placed = place(nodes, SPACING);
    this.#partner = -1;
    const painting = {
      model,
      placed,
      edges: edgesFor(model, placed),
      settings,
      palette: this.palette,
      colours,
      grain: selection.grain,
      isNamed: selection.definition === '' ? undefined : namedBy(selection.definition),
      hovered: () => this.hovered,
      partner: () => this.#partner,
    };
    const frame = [
      model.first.tree.run,
      model.second?.tree.run,
      settings.depth,
      settings.height,
      nodes.kind.length > 1,
    ].join();
    const keep = frame === this.#frame ? (this.#kept ?? keyOf(model, 0)) : undefined;
    this.#frame = frame;
    const scene: Scene = {
      boxes: downwards(placed),
      width: Math.max(1, placed.across[0] ?? 1),
      height: Math.max(1, placed.along[0] ?? 1),
      label: `Task graph: ${formatPlural(countOf(model), 'visible node')}. Arrow keys: up to the parent, down to the first child, left and right to siblings. Enter opens and closes, X and C open and close a level.`,
      focus: Math.max(
        0,
        nodes.groups.findIndex(
          (group) => group?.kind === 'grain' && String(group.grain) === selection.grain,
        ),
      ),
      readable: 0.4,
      key: (node) => keyOf(model, node),
      paint: (pen, window, boxes) => paintDag(pen, window, boxes, painting),
      tip: (node) => tipOf(model, settings, node),
      pick: (node, event) => this.#pick(model, settings, node, event),
      toggle: (node) => this.#toggle(model, settings, node),
      step: (node, key) => nestedStep(nodes, node, key),
      hover: (node) => this.#point(model, node),
      command: (node, key) => this.#command(model, settings, node, key),
    };
    this.graph.show(scene, this.box.clientWidth, this.box.clientHeight, {
      keep,
      accent: this.palette.accent,
      duration: this.context.isMotionReduced() ? 0 : MOVE,
    });
  }

  #point(model: Model, node: number | undefined): void {
    const group = node === undefined ? undefined : model.nodes.groups[node];
    const partner = node === undefined ? undefined : partnerOf(model, node);
    if ((partner ?? -1) !== this.#partner) {
      this.#partner = partner ?? -1;
      this.graph.paint();
    }
    // Rows of grains of the second run mean nothing in the other views.
    const isFirst = node !== undefined && node < model.nodes.second;
    this.point(isFirst && group?.kind === 'grain' ? group.grain : undefined);
  }

  #pick(model: Model, settings: Settings, node: number, event: Event): void {
    const group = model.nodes.groups[node];
    if (!group) return;
    if (event instanceof KeyboardEvent && group.children > 0)
      return this.#toggle(model, settings, node);
    const isFirst = node < model.nodes.second;
    if (isFirst && group.kind === 'grain' && typeof group.grain === 'number')
      this.context.emit({ type: 'select', patch: { grain: String(group.grain) } });
    else if (group.definition)
      this.context.emit({ type: 'select', patch: { definition: group.definition, grain: '' } });
  }

  /** Opens or closes a group in both runs; one that only the second run has, in that one. */
  #toggle(model: Model, settings: Settings, node: number): void {
    const group = model.nodes.groups[node];
    if (!group || group.children === 0) return;
    const isOpen = sideOf(model, node).isOpen(group);
    this.#kept = keyOf(model, node);
    const isSecond = node >= model.nodes.second;
    const first = isSecond ? model.partners?.first.get(group.group) : group.group;
    const values =
      first === undefined
        ? { otherHand: toggled(settings.otherHand, group.group, !isOpen) }
        : { hand: toggled(settings.hand, first, !isOpen) };
    this.context.emit({ type: 'set', values });
    const text = `${isOpen ? 'Closed' : 'Opened'} ${nameOf(group)}, ${kindOf(group)}`;
    this.context.emit({ type: 'say', text });
  }

  #levels(settings: Settings, depth: number): void {
    this.#kept = undefined;
    const values = { depth: Math.max(0, Math.min(64, depth)), hand: '', otherHand: '' };
    if (depth !== settings.depth || settings.hand !== '' || settings.otherHand !== '')
      this.context.emit({ type: 'set', values });
  }

  #command(model: Model, settings: Settings, node: number, key: string): boolean {
    const group = model.nodes.groups[node];
    const isOpen = group !== undefined && sideOf(model, node).isOpen(group);
    if (group && group.children > 0 && ((key === '+' && !isOpen) || (key === '-' && isOpen)))
      this.#toggle(model, settings, node);
    else if (key === 'x' || key === 'c')
      this.#levels(settings, settings.depth + (key === 'x' ? 1 : -1));
    else return key === '+' || key === '-';
    return true;
  }

  #headOf(model: Model, settings: Settings, facts: Shown<Settings>['facts']): Node[] {
    const button = (id: string, label: string, title: string, click: () => void): HTMLElement => {
      const made = html(
        'button',
        { type: 'button', class: 'tool', title, 'data-control': id },
        label,
      );
      made.addEventListener('click', click);
      return made;
    };
    const tools = html('span', { class: 'gs-dag-tools', role: 'group', 'aria-label': 'Open' });
    tools.append(
      button('less', '−', 'One level less, key C', () =>
        this.#levels(settings, settings.depth - 1),
      ),
      html('span', {}, `${settings.depth} ${settings.depth === 1 ? 'level' : 'levels'}`),
      button('more', '+', 'One level more, key X', () =>
        this.#levels(settings, settings.depth + 1),
      ),
      button('fit', 'fit', 'Show everything, key 0; width H, height V', () => this.graph.fit()),
    );
    const count = html('span', { class: 'gs-quiet', role: 'status' });
    count.append(
      `visible nodes: ${formatCount(countOf(model))} of ${formatCount(model.first.tree.nodes + (model.second?.tree.nodes ?? 0))}`,
    );
    if (model.nodes.isFull)
      count.append(' · more groups stay closed: 5,000 nodes of a run are drawn at most');
    const name = (run: string): HTMLElement =>
      html('bdi', {}, visible(facts.runLabels.get(run) ?? run.slice(0, 8)));
    const names = html('span', { class: 'gs-dag-runs' });
    if (model.second && model.partners) {
      const { onlyFirst, onlySecond } = model.partners;
      names.append('left ', name(model.first.tree.run), ', right ', name(model.second.tree.run));
      const alone = [onlyFirst.size, onlySecond.size];
      names.append(
        ` · only left ${formatCount(alone[0] ?? 0)}, only right ${formatCount(alone[1] ?? 0)} of the read groups`,
      );
    }
    return [tools, count, names];
  }

  #legend(model: Model, settings: Settings, colours: (name: string) => string): Node[] {
    const { palette } = this;
    const items: Node[] = [];
    if (settings.colour === 'worker') {
      const workers = (model.first.times?.workers ?? []).map((worker) => `worker ${worker}`);
      items.push(...legendItems('●', workers, (_, at) => categoryColour(palette, at)));
      items.push(
        legendItem(
          '▤',
          palette.ink2,
          'stripes of a closed group: the three workers with most of its work',
        ),
      );
    } else {
      const names = new Set(
        model.nodes.groups.flatMap((_, node) => definitionAt(model, node) ?? []),
      );
      items.push(...legendItems('■', [...names], colours));
    }
    if (settings.edges !== 'none') items.push(...edgeItems(palette));
    if (settings.critical) items.push(legendItem('━', palette.criticalPath, 'critical path'));
    if (model.second) items.push(legendItem('┅', palette.warning, 'only in this run'));
    return items;
  }
}

function countOf(model: Model): number {
  return model.nodes.groups.filter((group) => group !== undefined).length;
}

function keyOf(model: Model, node: number): string {
  const side = node >= model.nodes.second ? 'B' : 'A';
  const group = model.nodes.groups[node];
  if (group) return `${side} ${group.group}`;
  const around: Group | undefined = model.nodes.groups[model.nodes.parent[node] ?? -1];
  return node === 0 ? 'root' : `${side} strip ${around?.group}`;
}

function tipOf(model: Model, settings: Settings, node: number): TooltipContent | undefined {
  const group = model.nodes.groups[node];
  if (!group || isHidden(model.nodes, node)) return undefined;
  const side = sideOf(model, node);
  const { unit } = side.tree;
  const rows: [string, string][] = [
    ['kind', kindOf(group)],
    ['grains and team members', formatCount(group.grains)],
    ['work', formatValue(valueOf(group, model.work), unit)],
  ];
  const time =
    group.kind === 'grain' ? side.times?.lifetime(group.grain) : timeOf(side, group, model.work);
  if (side.times && time !== undefined) rows.push(['begin to end', formatValue(time, unit)]);
  const worker = side.times?.worker(group.grain);
  if (group.kind === 'grain' && worker !== undefined)
    rows.push(['worker', side.times?.workers[worker] ?? '']);
  if (group.kind !== 'grain' && side.times)
    for (const [at, share] of sharesOf(side.known, side.times, group))
      rows.push([`worker ${side.times.workers[at]}`, `${formatShare(share)} of the work`]);
  rows.push(['critical path', group.is_critical ? 'on it' : 'not on it']);
  const partner = partnerOf(model, node);
  const other = partner === undefined ? undefined : model.nodes.groups[partner];
  if (other) rows.push(['work in the other run', formatValue(valueOf(other, model.work), unit)]);
  else if (isAlone(model, node)) rows.push(['other run', 'does not have it']);
  const notes = isUntimed(model, node, settings)
    ? ['Its begin and end are known once it is open: its height means nothing.']
    : [];
  return { title: nameOf(group), rows, notes };
}
