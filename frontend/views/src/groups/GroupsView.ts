/** The aggregated grain graph: groups opened one by one, from one closed root. */

import type { Group, SimilarGroups, Stats } from '../api.ts';
import { coloured, definitionColours } from '../logic/definition-colours.ts';
import { namedBy } from '../logic/definition-names.ts';
import {
  formatCount,
  formatFactor,
  formatPlural,
  formatShare,
  formatValue,
} from '../logic/format.ts';
import { pathTo, valueOf } from '../logic/group-tree.ts';
import { conditionText, problemName } from '../logic/problems.ts';
import { kindOf, nameOf } from '../logic/group-names.ts';
import { isHidden } from '../logic/open-groups.ts';
import { counterpart, isOfFirst, pathToLargest } from '../logic/aligned-runs.ts';
import { toggled } from '../logic/opened.ts';
import { edgesOf } from '../logic/series-parallel-edges.ts';
import { place } from '../logic/series-parallel.ts';
import type { Shown } from '../registry/definition.ts';
import { html } from '../ui/dom.ts';
import type { Scene } from '../ui/graph-canvas.ts';
import { keepFocus } from '../ui/focus.ts';
import { GraphView } from '../ui/graph-view.ts';
import type { TooltipContent } from '../ui/tooltip.ts';
import type { Answers, Settings } from './definition.ts';
import { headOf, legendOf } from './head.ts';
import { type Model, modelOf, partsOf } from './model.ts';
import { paintGroups, SPACING } from './paint.ts';
import { problemNodes, stepOf } from './steps.ts';
import { similarList } from './similar.ts';
import { comparedAt, type Two } from './two.ts';
import './groups.css';

/** Milliseconds in which groups move to their places. */
const MOVE = 220;

export class GroupsView extends GraphView<Answers, Settings> {
  /** Key of the group that was opened or closed last: it stays where it is. */
  #kept: string | undefined;
  /** What the whole picture was last made for: another run, root or mode is shown whole. */
  #frame = '';
  /** Whether all groups of that picture have been there: until then it is shown as a first picture. */
  #isWhole = false;
  /** Node of the other run at the place under the pointer. */
  #partner = -1;
  /** Groups that look like one. */
  readonly #aside = html('div', { class: 'gs-groups-aside' });

  constructor() {
    super('groups');
  }

  protected override arrange(): void {
    this.root.append(this.head, this.box, this.#aside, this.foot);
  }

  protected draw(answers: Answers, shown: Shown<Settings>): void {
    const { settings, selection, facts } = shown;
    const model = modelOf(answers, settings);
    keepFocus(this.head, () => this.head.replaceChildren(...this.#headOf(model, settings, facts)));
    this.foot.replaceChildren(...legendOf(model, this.palette));
    this.#showSimilar(answers, model, shown);
    const placed = place(model.nodes, SPACING);
    this.#partner = -1;
    const painting = {
      model,
      placed,
      edges: edgesOf(model.nodes, placed, SPACING),
      palette: this.palette,
      colours: definitionColours(
        this.palette,
        coloured(answers['definitions'] as Stats | undefined),
      ),
      grain: selection.grain,
      isNamed: namedBy(selection.definition),
      hovered: () => this.hovered,
      runs: runsOf(model, facts),
      partner: () => this.#partner,
    };
    const frame = [
      model.tree.run,
      model.two?.other.run,
      settings.root,
      settings.opened,
      settings.depth,
      model.tree.is_separated,
    ].join();
    const isUsed = this.#isWhole || this.graph.isMoved || this.#kept !== undefined;
    const isKept = isUsed && frame === this.#frame;
    const keep = isKept ? (this.#kept ?? keyOf(model, topOf(model))) : undefined;
    this.#isWhole = (isKept && this.#isWhole) || hasAll(answers, settings, selection);
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
    const partner = model.two && node !== undefined ? counterpart(model.nodes, node) : -1;
    if (partner !== this.#partner) {
      this.#partner = partner;
      if (model.two) this.graph.paint();
    }
    this.point(grainOf(model, node));
  }

  #headOf(model: Model, settings: Settings, facts: Shown<Settings>['facts']): Node[] {
    return headOf(model, settings, runsOf(model, facts), {
      set: (values) => this.#set(values),
      fit: () => this.graph.fit(),
      zoom: (factor) => this.graph.zoom(factor),
      grains: () => this.#grains(model, settings.root),
      similar: () => this.#similar(model, this.graph.cursor ?? topOf(model)),
      local: () => this.#local(model, settings, this.graph.cursor ?? topOf(model)),
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
    const grain = grainOf(model, node);
    if (grain !== null && grain !== undefined)
      this.context.emit({ type: 'select', patch: { grain: String(grain) } });
    else if (group.definition)
      this.context.emit({ type: 'select', patch: { definition: group.definition, grain: '' } });
  }

  #toggle(model: Model, settings: Settings, node: number): void {
    const group = model.nodes.groups[node];
    if (!group || group.children === 0) return;
    const isOpen = model.isOpen(node);
    this.#kept = keyOf(model, node);
    this.context.emit({
      type: 'set',
      values: { hand: toggled(settings.hand, model.numberOf(node) ?? 0, !isOpen) },
    });
    this.context.emit({
      type: 'say',
      text: `${isOpen ? 'Closed' : 'Opened'} ${nameOf(group)}, ${kindOf(group)}`,
    });
  }

  /** Shows the grains of a group in the grain graph. */
  #grains(model: Model, group: number): void {
    if (model.tree.is_separated || !isOfFirst(group))
      return this.context.emit({
        type: 'say',
        text: 'The grain graph does not know this group',
      });
    this.context.emit({ type: 'show', view: 'grain-graph', values: { root: group } });
  }

  /** Draws the local critical path of a group, or no longer if it is the one that is drawn. */
  #local(model: Model, settings: Settings, node: number): void {
    const group = model.numberOf(node) ?? 0;
    if (group === settings.local) this.#set({ local: 0 });
    else if (model.tree.is_separated || !isOfFirst(group))
      this.context.emit({ type: 'say', text: 'The critical path of this group is not known' });
    else this.#set({ local: group });
  }

  /** Looks for groups that look like one. */
  #similar(model: Model, node: number): void {
    const group = model.numberOf(node) ?? 0;
    if (model.two || model.tree.is_separated || group === 0)
      this.context.emit({ type: 'say', text: 'Choose a group below the root of one run first' });
    else this.context.emit({ type: 'set', values: { similar: group } });
  }

  #showSimilar(answers: Answers, model: Model, { settings, facts }: Shown<Settings>): void {
    const isShown = settings.similar > 0 && !model.two && !model.tree.is_separated;
    const answer = answers['similar'] as SimilarGroups | undefined;
    const list = isShown
      ? similarList(model, answer, settings, facts, {
          set: (values) => this.context.emit({ type: 'set', values }),
          go: ({ run }, { group }) => {
            if (run === model.tree.run) return this.#zoomTo(group, settings);
            const values = { root: group, hand: String(group), local: 0, similar: 0, in: '' };
            this.context.emit({ type: 'open-run', run });
            this.context.emit({ type: 'show', view: 'groups', values });
          },
        })
      : undefined;
    keepFocus(this.#aside, () => this.#aside.replaceChildren(...(list ? [list] : [])));
  }

  /** Shows one group alone. */
  #zoomTo(group: number, settings: Settings): void {
    this.#set({ root: group, hand: toggled(settings.hand, group, true) });
  }

  #command(model: Model, settings: Settings, node: number, key: string): boolean {
    const group = model.nodes.groups[node];
    const isOpen = group !== undefined && model.isOpen(node);
    if (group && group.children > 0 && ((key === '+' && !isOpen) || (key === '-' && isOpen)))
      this.#toggle(model, settings, node);
    else if (key === 'z' && group) this.#zoomTo(model.numberOf(node) ?? 0, settings);
    else if (key === 'm') this.#similar(model, node);
    else if (key === 'l') this.#local(model, settings, node);
    else if (key === 'g' && group) this.#grains(model, model.numberOf(node) ?? 0);
    else if (key === 'Backspace')
      this.#set({ root: model.path[model.path.length - 2]?.group ?? 0 });
    else if (key === 'x' || key === 'c') {
      const depth = settings.opened === 'depth' ? settings.depth + (key === 'x' ? 1 : -1) : 1;
      this.#set({ opened: 'depth', depth: Math.max(0, Math.min(64, depth)), hand: '' });
    } else return key === '+' || key === '-';
    return true;
  }
}

/** Whether all answers are there that the picture needs. */
function hasAll(
  answers: Answers,
  settings: Settings,
  { run, otherRun }: Shown<Settings>['selection'],
): boolean {
  const parts = partsOf(answers, settings, [run, otherRun]);
  return Object.keys(parts).every((name) => answers[name] !== undefined);
}

/** The selected grain, the worst visible node, or the root. */
function focusOf(model: Model, grain: string): number {
  const { groups } = model.nodes;
  const chosen = groups.findIndex(
    (group, node) =>
      grain !== '' &&
      node < model.nodes.second &&
      group?.kind === 'grain' &&
      String(group.grain) === grain,
  );
  if (chosen >= 0) return chosen;
  const worst = model.marked ? problemNodes(model, model.marked)[0] : undefined;
  return worst ?? largestNode(model) ?? topOf(model);
}

/** The visible node that is the farthest on the way to the largest difference. */
function largestNode({ two, nodes, work, numberOf }: Model): number | undefined {
  if (!two) return undefined;
  const way = pathToLargest(two.union, work);
  let last: number | undefined;
  for (let node = 1; node < nodes.second; node += 1) if (way.has(numberOf(node) ?? -1)) last = node;
  return last;
}

/** The root of the picture; of two runs that of the first. */
function topOf({ two }: Model): number {
  return two ? 1 : 0;
}

/** Names of the runs of the picture. */
function runsOf({ tree, two }: Model, facts: Shown<Settings>['facts']): readonly [string, string] {
  const name = (run: string): string => facts.runLabels.get(run) ?? run.slice(0, 8);
  return [name(tree.run), two ? name(two.other.run) : ''];
}

/** The grain that a node is in the first run: rows of grains of the second mean nothing in other views. */
function grainOf({ two, nodes }: Model, node: number | undefined): number | null | undefined {
  if (node === undefined) return undefined;
  const at = two && node >= nodes.second ? counterpart(nodes, node) : node;
  const group = nodes.groups[at];
  return group?.kind === 'grain' ? group.grain : undefined;
}

function keyOf({ two, nodes, numberOf }: Model, node: number): string {
  const side = two && node >= nodes.second ? 'B ' : '';
  const number = numberOf(node);
  return number === undefined
    ? `${side}strip ${numberOf(nodes.parent[node] ?? -1)}`
    : `${side}${number}`;
}

/** Nodes that are drawn as such. */
export function countOf(model: Model): number {
  return model.nodes.groups.filter((group) => group !== undefined).length;
}

function tipOf(model: Model, node: number): TooltipContent | undefined {
  const group = model.nodes.groups[node];
  if (!group || isHidden(model.nodes, node)) return undefined;
  return { title: nameOf(group), rows: rowsOf(model, node, group) };
}

/** Facts of a group, as label and text. */
function rowsOf(model: Model, node: number, group: Group): [string, string][] {
  const tree = (node >= model.nodes.second && model.two?.other) || model.tree;
  const whole = valueOf(tree.groups[0] ?? group, model.work);
  const own = valueOf(group, model.work);
  const rows: [string, string][] = [
    ['kind', kindOf(group)],
    ['grains and team members', formatCount(group.grains)],
    ['work', formatValue(own, tree.unit)],
  ];
  if (own !== undefined && whole) rows.push(['of the run', formatShare(own / whole)]);
  if (model.two) rows.push(...comparedRows(model, node, model.two));
  if (model.marked) rows.push(...problemRows(model, group, model.marked.metric));
  rows.push(['critical path', group.is_critical ? 'on it' : 'not on it']);
  if (model.local) rows.push(['local path', model.isOnPath(node) ? 'on it' : 'not on it']);
  if (group.is_restructured) rows.push(['restructured', 'joined by another grain than its parent']);
  const letter = model.letters.get(group.structure ?? '');
  if (letter) rows.push(['structure', `${letter}: as others with this letter`]);
  const path = pathTo(model.known, model.numberOf(node) ?? -1);
  if (path.length > 1) rows.push(['inside', nameOf(path[path.length - 2] ?? group)]);
  return rows;
}

/** The same place in the other run. */
function comparedRows(model: Model, node: number, two: Two): [string, string][] {
  const { other, ratio, isAlone } = comparedAt(two, model.nodes, node, model.work);
  if (!other) return isAlone ? [['other run', 'does not have it']] : [];
  const { unit } = node >= model.nodes.second ? model.tree : two.other;
  const rows: [string, string][] = [
    ['work in the other run', formatValue(valueOf(other, model.work), unit)],
  ];
  if (ratio !== undefined) rows.push(['second run by first', formatFactor(ratio)]);
  return rows;
}

function problemRows(model: Model, group: Group, metric: string): [string, string][] {
  const value = valueOf(group, metric);
  const name = problemName(metric);
  return [
    [group.children > 0 ? `worst ${name}` : name, formatValue(value, model.unit)],
    [
      'problem',
      group.has_problem === true
        ? conditionText(model.condition, model.unit)
        : group.has_problem === false
          ? 'none'
          : 'not checked',
    ],
  ];
}
