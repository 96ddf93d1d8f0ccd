/** Where the pointer and the cursor can be in the grain graph, and what is known there. */

import type { Group } from '../api.ts';
import { formatCount, formatFactor, formatPlural, formatValue } from '../logic/format.ts';
import { valueOf } from '../logic/group-tree.ts';
import { problemName } from '../logic/problems.ts';
import type { Edges } from '../logic/series-parallel-edges.ts';
import { LEAF } from '../logic/series-parallel.ts';
import type { Boxes } from '../ui/graph-canvas.ts';
import type { TooltipContent } from '../ui/tooltip.ts';
import { type Comparison, isAlone } from './compare.ts';
import { fragmentAt } from './fragments.ts';
import { type Model, severityOf } from './model.ts';
import { forkAt, type Stops } from './steps.ts';

/** Half the size of a fork and of a join. */
const RADIUS = 3;

/** Boxes of all stops: of nodes, then of forks and joins. */
export function boxesOf(nodes: Boxes, edges: Edges, { forks }: Stops): Boxes {
  const count = nodes.x.length;
  const extended = (from: Float64Array): Float64Array => {
    const all = new Float64Array(count + 2 * forks.length).fill(2 * RADIUS, count);
    all.set(from);
    return all;
  };
  const [x, y] = [extended(nodes.x), extended(nodes.y)];
  const places = new Map([...edges.forks].map((node, at) => [node, at]));
  forks.forEach((node, at) => {
    const place = 3 * (places.get(node) ?? 0);
    for (const end of [0, 1]) {
      x[count + 2 * at + end] = (edges.dots[place + 2] ?? 0) - RADIUS;
      y[count + 2 * at + end] = (edges.dots[place + end] ?? 0) - RADIUS;
    }
  });
  return { x, y, width: extended(nodes.width), height: extended(nodes.height) };
}

/** Name of a stop, the same however much is drawn. */
export function keyOf(model: Model, stops: Stops, stop: number): string {
  const fork = forkAt(stops, stop);
  if (fork) return `${fork.isJoin ? 'join' : 'fork'} ${nodeKey(model, fork.node)}`;
  return nodeKey(model, stop);
}

function nodeKey(model: Model, node: number): string {
  const group = model.nodes.groups[node];
  if (!group) return `strip ${node}`;
  const side = node < model.nodes.second ? '' : 'second ';
  const fragment = fragmentAt(group) ?? 1;
  const part = fragment > 1 ? ` fragment ${fragment}` : '';
  return group.kind === 'grain'
    ? `${side}grain ${group.grain}${part}`
    : `${side}group ${group.group}`;
}

/** The other run's values of a grain. */
function comparedRows(
  comparison: Comparison,
  node: number,
  group: Group,
  unit: string,
): [string, string][] {
  const match = comparison.matches.get(node);
  if (!match) return isAlone(comparison, node, group) ? [['other run', 'does not have it']] : [];
  return [
    ['first run, work', formatValue(match.work[0], unit)],
    ['second run, work', formatValue(match.work[1], unit)],
    ['second by first', formatFactor(match.ratio)],
  ];
}

/** What is known of a grain, a closed group, a fork or a join. */
export function tipOf(model: Model, stops: Stops, stop: number): TooltipContent | undefined {
  const fork = forkAt(stops, stop);
  return fork ? tipOfFork(model, fork.node, fork.isJoin) : tipOfLeaf(model, stop);
}

function tipOfFork(model: Model, node: number, isJoin: boolean): TooltipContent | undefined {
  const group = model.nodes.groups[node];
  if (!group) return undefined;
  return {
    title: `${isJoin ? 'join' : 'fork'} of ${formatCount(group.children)}`,
    rows: [
      ['grains and members', formatCount(group.grains)],
      ['work', formatValue(valueOf(group, model.work), model.tree.unit)],
      ['critical path', group.is_critical ? 'on it' : 'not on it'],
    ],
  };
}

function tipOfLeaf(model: Model, node: number): TooltipContent | undefined {
  const group = model.nodes.groups[node];
  if (!group || model.nodes.kind[node] !== LEAF) return undefined;
  const { unit } = model.tree;
  const rows: [string, string][] = [['work', formatValue(valueOf(group, model.work), unit)]];
  const fragment = fragmentAt(group);
  if (fragment !== undefined) rows.unshift(['fragment', formatCount(fragment)]);
  if (group.kind !== 'grain')
    rows.unshift(['closed group', `${formatPlural(group.grains, 'grain')} and members`]);
  for (const marked of [model.first, model.second])
    if (marked)
      rows.push([
        problemName(marked.metric),
        formatValue(valueOf(group, marked.metric), marked.unit),
      ]);
  if (model.first) rows.push(['problem', severityOf(model, group) === undefined ? 'no' : 'yes']);
  rows.push(['critical path', group.is_critical ? 'on it' : 'not on it']);
  if (model.comparison) rows.push(...comparedRows(model.comparison, node, group, unit));
  const name = group.definition ?? 'group';
  return {
    title: (group.grain ?? undefined) === undefined ? name : `${name} #${group.grain}`,
    rows,
  };
}
