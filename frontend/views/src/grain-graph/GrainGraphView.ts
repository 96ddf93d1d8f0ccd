/** The grain graph with one problem at a time: where the grains beyond a limit are, and how many. */

import type { Group, Stats } from '../api.ts';
import { ratioColour, STRONGEST } from '../logic/colour.ts';
import { coloured, definitionColours } from '../logic/definition-colours.ts';
import { namedBy } from '../logic/definition-names.ts';
import { formatCount, formatPlural } from '../logic/format.ts';
import { nameOf } from '../logic/group-names.ts';
import { groupTree, pathTo } from '../logic/group-tree.ts';
import { conditionText } from '../logic/problems.ts';
import { place } from '../logic/series-parallel.ts';
import type { Shown } from '../registry/definition.ts';
import { visible } from '../logic/visible.ts';
import { button } from '../ui/controls.ts';
import { html } from '../ui/dom.ts';
import type { ViewEvent } from '../ui/view.ts';
import type { Scene } from '../ui/graph-canvas.ts';
import { keepFocus } from '../ui/focus.ts';
import { edgeItems, legendItem, legendItems } from '../ui/graph-legend.ts';
import { GraphView } from '../ui/graph-view.ts';
import { asideOf } from './aside.ts';
import type { Answers, Settings } from './definition.ts';
import { type Model, modelOf } from './model.ts';
import { downwards, edgesFor, paintGrains, severityColour, SPACING } from './paint.ts';
import { stepOf, stopsOf } from './steps.ts';
import { boxesOf, keyOf, tipOf } from './stops.ts';
import { worstRows } from './values.ts';
import './grain-graph.css';

/** Below this width the panel is under the picture. */
const NARROW = 760;
/** Scale at which marks can be seen. */
const READABLE = 0.5;
/** Grains of the list of the worst. */
const LISTED = 12;
/** Grains that the keys step through. */
const STEPPED = 2000;

export class GrainGraphView extends GraphView<Answers, Settings> {
  readonly #main = html('div', { class: 'gs-grains-main' });
  readonly #aside = html('div', { class: 'gs-grains-aside' });
  #picture = '';

  constructor() {
    super('grains');
  }

  protected override arrange(): void {
    this.#main.append(this.head, this.box, this.foot);
    this.root.append(this.#main, this.#aside);
  }

  protected draw(answers: Answers, shown: Shown<Settings>): void {
    const { settings, selection } = shown;
    this.root.classList.toggle('is-narrow', this.root.clientWidth < NARROW);
    const model = modelOf(answers, settings);
    const worst = this.#worst(model);
    keepFocus(this.#aside, () =>
      this.#aside.replaceChildren(
        ...asideOf(answers, model, shown, worst.slice(0, LISTED), this.palette, {
          set: (values, isReplacing) =>
            this.context.emit({ type: 'set', values, isReplacing: isReplacing === true }),
          select: (patch) => this.context.emit({ type: 'select', patch }),
        }),
      ),
    );
    this.head.replaceChildren(...headOf(model, selection.grain, this.context.emit));
    const known = coloured(answers['definitions'] as Stats | undefined);
    const colours = definitionColours(this.palette, known);
    this.foot.replaceChildren(...this.#legend(model, colours));
    const placed = place(model.nodes, SPACING);
    const painting = {
      model,
      placed,
      edges: edgesFor(model, placed),
      palette: this.palette,
      colours,
      grain: selection.grain,
      isNamed: namedBy(selection.definition),
      hovered: () => this.hovered,
    };
    const picture = [
      model.tree.run,
      model.comparison?.other.run,
      model.nodes.kind.length,
      settings.scale,
      model.isUnreduced,
    ].join();
    const isSame = picture === this.#picture;
    this.#picture = picture;
    const stops = stopsOf(model.nodes, model.nodes.second);
    const scene: Scene = {
      boxes: boxesOf(downwards(placed), painting.edges, stops),
      width: Math.max(1, placed.across[0] ?? 1),
      height: Math.max(1, placed.along[0] ?? 1),
      label: `Grain graph of the run: ${formatPlural(drawnOf(model), 'grain')}. Arrow keys: up to the creator, down to the first child, left and right to siblings. J and K: to the join and the fork around the grain. Comma and full stop: back and on along the critical path. N and P: next and previous problem.`,
      focus: focusOf(model, selection.grain, worst),
      readable: READABLE,
      key: (stop) => keyOf(model, stops, stop),
      paint: (pen, window, boxes) => paintGrains(pen, window, boxes, painting),
      tip: (stop) => tipOf(model, stops, stop),
      pick: (node) => this.#pick(model, node),
      step: (stop, key) => stepOf(stops, stop, key),
      hover: (node) => {
        const first = node === undefined || node < model.nodes.second ? node : undefined;
        this.point(model.nodes.groups[first ?? -1]?.grain);
      },
      command: (_, key) => this.#command(answers, model, selection.grain, key),
    };
    this.graph.show(scene, this.box.clientWidth, this.box.clientHeight, {
      keep: isSame ? keyOf(model, stops, 0) : undefined,
      accent: this.palette.accent,
      duration: 0,
    });
  }

  /** Rows of the grains with the problem, the worst first. */
  #worst(model: Model): readonly number[] {
    if (!model.values || !model.counts || !model.first) return [];
    return worstRows(model.values, model.counts, model.first.test.isBelow, LISTED);
  }

  #pick(model: Model, node: number): void {
    const match = model.comparison?.matches.get(node);
    const first = node < model.nodes.second ? node : match?.nodes[0];
    const grain = model.nodes.groups[first ?? -1]?.grain;
    if (grain !== null && grain !== undefined)
      this.context.emit({ type: 'select', patch: { grain: String(grain) } });
  }

  /** N and P step through the problem, digits choose one. */
  #command(answers: Answers, model: Model, grain: string, key: string): boolean {
    const place = Number(key);
    const problem = Number.isInteger(place) ? answers.problems.problems[place - 1] : undefined;
    if (problem) {
      this.context.emit({ type: 'set', values: { problem: problem.condition, limit: '' } });
      return true;
    }
    if (key !== 'n' && key !== 'p') return false;
    const { values, counts, first } = model;
    if (!values || !counts || !first) return true;
    const rows = worstRows(values, counts, first.test.isBelow, STEPPED);
    if (rows.length === 0) return true;
    const now = rows.findIndex((row) => String(values.grain[row]) === grain);
    const next = now < 0 ? 0 : (now + (key === 'n' ? 1 : -1) + rows.length) % rows.length;
    const to = values.grain[rows[next] ?? 0] ?? 0;
    this.context.emit({ type: 'select', patch: { grain: String(to) } });
    const node = this.graph.node(`grain ${to}`);
    if (node !== undefined) this.graph.go(node);
    return true;
  }

  #legend(model: Model, colours: (name: string) => string): Node[] {
    const { palette } = this;
    const fit = html('button', { type: 'button', class: 'tool', title: 'Key 0' }, 'fit');
    fit.addEventListener('click', () => this.graph.fit());
    const items: Node[] = [
      legendItem('━', palette.criticalPath, 'critical path'),
      legendItem('○', palette.fork, 'fork'),
      legendItem('●', palette.join, 'join'),
      legendItem('▭', palette.ink2, 'grain: as long as its work, down'),
    ];
    if (model.comparison)
      items.unshift(
        legendItem('■', ratioColour(palette, STRONGEST), '4 times or more in the second run'),
        legendItem('■', ratioColour(palette, 1), 'the same'),
        legendItem('■', ratioColour(palette, 1 / STRONGEST), 'a quarter or less'),
        legendItem('┅', palette.warning, 'only in this run'),
      );
    else if (model.first)
      items.unshift(
        legendItem('■', severityColour(palette, 1), 'worst'),
        legendItem(
          '■',
          severityColour(palette, 0),
          `just beyond ${conditionText(model.first.condition, model.first.unit)}`,
        ),
        legendItem('□', palette.ink2, 'within the limit'),
      );
    else {
      const names = new Set(model.nodes.groups.flatMap((group) => group?.definition ?? []));
      items.unshift(...legendItems('■', [...names], colours), ...edgeItems(palette));
    }
    const problems = model.counts ? '; N and P: next and previous problem' : '';
    items.push(
      legendItem(
        '',
        palette.ink,
        `J and K: join and fork around the grain; comma and full stop: along the critical path${problems}`,
      ),
    );
    return [...items, fit];
  }
}

/** The selected grain, the worst one, or the root. */
function focusOf(model: Model, grain: string, worst: readonly number[]): number {
  const wanted = grain !== '' ? Number(grain) : model.values?.grain[worst[0] ?? -1];
  return Math.max(
    0,
    model.nodes.groups.findIndex((group) => group?.kind === 'grain' && group.grain === wanted),
  );
}

function drawnOf(model: Model): number {
  return model.nodes.groups.filter((group) => group?.kind === 'grain').length;
}

/** Groups from the root of the run to that of the selected grain, or else to that of the picture. */
function pathOf(model: Model, grain: string): readonly Group[] {
  const { groups } = model.tree;
  const own = groups.find((group) => group.kind === 'grain' && String(group.grain) === grain);
  return own ? pathTo(groupTree(model.tree, []), own.group) : model.path;
}

/** Ways to the whole run, and to the groups of what is shown. */
function waysOf(model: Model, grain: string, emit: (event: ViewEvent) => void): Node[] {
  const root = model.path[model.path.length - 1];
  const ways: Node[] = [];
  if (root && root.group > 0) {
    const name = html('bdi', {}, visible(nameOf(root)));
    const whole = button('whole run', 'Show the grains of the whole run', () =>
      emit({ type: 'set', values: { root: 0 } }),
    );
    ways.push(html('span', {}, ' · group ', name, ' '), whole);
  }
  ways.push(
    button('in Groups', 'Show these grains in their groups', () => {
      const hand = pathOf(model, grain).map(({ group }) => group);
      const values = { root: 0, opened: '', hand: hand.join(',') };
      emit({ type: 'show', view: 'groups', values });
    }),
  );
  return ways;
}

function headOf(model: Model, grain: string, emit: (event: ViewEvent) => void): (Node | string)[] {
  const parts: (Node | string)[] = [
    'drawn ',
    html('b', {}, formatCount(drawnOf(model))),
    `${model.isUnreduced ? ' fragments' : ''} of ${formatCount(model.tree.grains + (model.comparison?.other.grains ?? 0))} grains and team members`,
  ];
  if (model.closed > 0)
    parts.push(
      ` · ${formatPlural(model.closed, 'group')} stay closed, dashed: open them in Groups`,
    );
  parts.push(...waysOf(model, grain, emit));
  return parts;
}
