/** Texts about nodes and edges: tooltips and labels for screen readers. */

import type { SankeyEdge, SankeyNode } from '../api.ts';
import { ABSENT, formatCount, formatPlural, formatShare, formatValue } from '../logic/format.ts';
import {
  type Comparison,
  differenceText,
  formatSide,
  formulaOf,
  type Pair,
} from '../logic/difference.ts';
import { meanOf, meanOfSide, rankOf, summarise } from '../logic/values.ts';
import type { TooltipContent } from '../ui/tooltip.ts';
import { shownName } from './frame.ts';
import {
  comparisonOf,
  differencesOf,
  indicesOf,
  type SankeyData,
  type SankeySelection,
  targetValue,
  valuesOf,
} from './model.ts';

/** Words for verdicts. */
export const VERDICTS = {
  appeared: 'only in B',
  vanished: 'only in A',
  faster: 'faster',
  slower: 'slower',
  unchanged: 'unchanged',
  inconclusive: 'inconclusive',
  untestable: 'not testable',
} as const;

export function nodeTooltip(
  node: SankeyNode,
  data: SankeyData,
  selection: SankeySelection,
): TooltipContent {
  const { sankey } = data;
  const unit = sankey.unit;
  const root = Math.max(...sankey.nodes.map((other) => other.max_inclusive), 0);
  const absent = sankey.runs.length - node.present;
  const rows: [string, string][] = [
    [
      'inclusive, max.',
      `${formatValue(node.max_inclusive, unit)} · ${formatShare(root > 0 ? node.max_inclusive / root : null)}`,
    ],
    ['exclusive, max.', formatValue(node.max_exclusive, unit)],
    [`median ${data.scope}`, formatValue(summarise(valuesOf(node, data.scope)).median, unit)],
    [
      'runs',
      absent > 0
        ? `${formatCount(node.present)} · absent in ${formatCount(absent)}`
        : formatCount(node.present),
    ],
  ];
  const notes: string[] = [];
  const ranks = data.ranks?.get(node.id);
  if (ranks)
    rows.push([
      'over ranks',
      `${formatValue(ranks.low, unit)} to ${formatValue(ranks.high, unit)} · ${formatPlural(ranks.count, 'rank')}`,
    ]);
  if (selection.target) {
    const target = indicesOf(sankey, selection.target.runs);
    const value = targetValue(node, data, target);
    rows.push([
      selection.target.name,
      value === null ? 'not executed in this run' : formatValue(value, unit),
    ]);
    if (value !== null && target.length === 1) {
      const [rank, count] = rankOf(value, valuesOf(node, data.scope));
      rows.push(['rank', `${rank} of ${count}, least first`]);
    }
  }
  const difference = differencesOf(data).get(node.id);
  if (difference && data.diff) {
    rows.push(...differenceRows(difference, comparisonOf(data), '', difference.text));
    rows.push(['verdict', VERDICTS[difference.verdict]]);
    if (difference.row) notes.push(difference.row.reason.text);
  }
  if (node.members.length > 0) {
    notes.push(
      `Collected: ${node.members.slice(0, 5).join(', ')}${node.members.length > 5 ? ` + ${node.members.length - 5} more` : ''}`,
    );
  }
  if (node.entry_functions.length > 0 && node.kind !== 'others') {
    const shown = node.entry_functions
      .slice(0, 3)
      .map((entry) => `${entry.name} ${formatValue(entry.max_inclusive, unit)}`);
    const more = node.entry_function_count - shown.length;
    notes.push(`Entered through ${shown.join(', ')}${more > 0 ? ` + ${more} others` : ''}`);
  }
  if (node.is_recursive) notes.push('Calls itself.');
  if (absent > 0)
    notes.push(
      `Not executed in ${formatPlural(absent, 'run')}; those are no part of the distribution.`,
    );
  return { title: shownName(node), rows, notes };
}

export function edgeTooltip(
  edge: SankeyEdge,
  data: SankeyData,
  selection: SankeySelection,
): TooltipContent {
  const { sankey } = data;
  const [from, to] = [sankey.nodes[edge.source], sankey.nodes[edge.target]];
  const rows: [string, string][] = [
    ['inclusive, max.', formatValue(edge.max_inclusive, sankey.unit)],
    ['runs', `${formatCount(edge.present)} of ${formatCount(sankey.runs.length)}`],
  ];
  if (data.diff) {
    const mean = (runs: readonly string[]): number | null =>
      meanOfSide(edge.inclusive_by_run, indicesOf(sankey, runs));
    const pair = { a: mean(data.diff.a.runs), b: mean(data.diff.b.runs) };
    rows.push(...differenceRows(pair, comparisonOf(data), 'inclusive, '));
  } else if (selection.target) {
    const value = meanOf(edge.inclusive_by_run, indicesOf(sankey, selection.target.runs));
    rows.push([selection.target.name, value === null ? ABSENT : formatValue(value, sankey.unit)]);
  }
  return {
    title: `${from?.name ?? ''} → ${to?.name ?? ''}`,
    rows,
    notes: edge.kind === 'back' ? ['Recursive: drawn as an arc, no part of the flow.'] : [],
  };
}

/** Name and kind, for screen readers; the tooltip is read on focus. */
export function nodeTitle(node: SankeyNode): string {
  const kind = node.kind === 'others' ? 'collected groups' : (node.definition_kind ?? node.kind);
  return `${shownName(node)}, ${kind}`;
}

/** Ends of an edge, for screen readers; the tooltip is read on focus. */
export function edgeTitle(edge: SankeyEdge, data: SankeyData): string {
  const [from, to] = [data.sankey.nodes[edge.source], data.sankey.nodes[edge.target]];
  const kind = edge.kind === 'back' ? 'recursive edge' : 'edge';
  return `${from ? shownName(from) : ''} → ${to ? shownName(to) : ''}, ${kind}`;
}

/** The same as the tooltip, in one sentence. */
export function edgeLabel(edge: SankeyEdge, data: SankeyData, selection: SankeySelection): string {
  const { rows } = edgeTooltip(edge, data, selection);
  return [edgeTitle(edge, data), ...rows.map(([label, value]) => `${label} ${value}`)].join(', ');
}

/** The same as the tooltip, in one sentence. */
export function nodeLabel(node: SankeyNode, data: SankeyData, selection: SankeySelection): string {
  const { rows } = nodeTooltip(node, data, selection);
  return [nodeTitle(node), ...rows.map(([label, value]) => `${label} ${value}`)].join(', ');
}

/** Both sides and their difference in the mode, for tooltips; an absent side is a dash. */
export function differenceRows(
  pair: Pair,
  comparison: Comparison,
  what = '',
  text = differenceText(pair, comparison),
): [string, string][] {
  return [
    [`${what}A`, formatSide(pair.a, 'a', comparison)],
    [`${what}B`, formatSide(pair.b, 'b', comparison)],
    [what + formulaOf(comparison.mode), text],
  ];
}
