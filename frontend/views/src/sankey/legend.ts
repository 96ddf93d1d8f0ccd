/** Legends that are controls: choosing a class shows the nodes in it. */

import type { SankeyNode } from '../api.ts';
import { sampleScale } from '../logic/colour.ts';
import { formatDifference, formulaOf } from '../logic/difference.ts';
import { formatCount, formatPlural, formatValue } from '../logic/format.ts';
import { valueAt } from '../logic/values.ts';
import { svg, textStyle } from '../ui/dom.ts';
import { minimapRoom } from './minimap.ts';
import {
  comparisonOf,
  MARGIN,
  type NodeDifference,
  type SankeyData,
  type SankeySelection,
} from './model.ts';
import type { NodeStyle } from './nodes.ts';
import { hasTicks } from './ticks.ts';

/** A class of a legend, and the nodes in it. */
export interface LegendClass {
  readonly key: string;
  readonly label: string;
  readonly colour: string;
  has(node: SankeyNode): boolean;
}

interface Scale {
  readonly title: string;
  readonly classes: readonly LegendClass[];
  readonly low: string;
  readonly high: string;
}

const STEPS = 5;
const WIDTH = 22;
/** Pixels that the first scale needs. */
const LEAST_SCALE = 200;

/** The scales that the present picture needs. */
export function scalesOf(
  data: SankeyData,
  style: NodeStyle,
  differences: ReadonlyMap<string, NodeDifference>,
): Scale[] {
  const { sankey } = data;
  const { palette } = style;
  if (style.mode === 'diff') {
    const stops = palette.difference;
    const comparison = comparisonOf(data);
    const classes = Array.from({ length: STEPS }, (_, step) => {
      const centre = (step / (STEPS - 1)) * 2 - 1;
      const worse = style.worseIsUp ? centre : -centre;
      const share = Math.sqrt(Math.abs(worse));
      const colour =
        worse < 0
          ? sampleScale([stops[1], stops[0]], share)
          : sampleScale([stops[1], stops[2]], share);
      // Classes at the ends take what lies beyond them.
      const from = step === 0 ? -Infinity : (centre - 0.25) * style.bound;
      const to = step === STEPS - 1 ? Infinity : (centre + 0.25) * style.bound;
      return {
        key: `diff-${step}`,
        label: `difference about ${formatDifference(centre * style.bound, comparison)}`,
        colour,
        has: (node: SankeyNode) => {
          const value = differences.get(node.id)?.value ?? null;
          return value !== null && value >= from && value <= to;
        },
      };
    });
    const isCut = [...differences.values()].some(
      ({ value }) => Math.abs(value ?? 0) > style.bound * (1 + 1e-9),
    );
    return [
      {
        title: data.quantity ?? formulaOf(comparison.mode),
        classes,
        low: (isCut ? '≤ ' : '') + formatDifference(-style.bound, comparison),
        high: (isCut ? '≥ ' : '') + formatDifference(style.bound, comparison),
      },
    ];
  }
  if (sankey.runs.length === 1) return [singleScale(data, style), borderScale(data, style)];
  if (hasTicks(data))
    return style.mode === 'ensemble' ? [cohortScale(data, style), borderScale(data, style)] : [];
  const fills = style.mode === 'target' ? palette.ensembleScale : palette.distribution;
  const maximum = sankey.max_bin_count;
  const fill: LegendClass[] = Array.from({ length: STEPS }, (_, step) => {
    const [from, to] = [step / STEPS, (step + 1) / STEPS].map((share) => share ** 2 * maximum);
    return {
      key: `fill-${step}`,
      label: `up to ${formatCount(Math.max(1, Math.round(to ?? 0)))} runs per bin`,
      colour: sampleScale(fills, (step + 0.5) / STEPS),
      has: (node: SankeyNode) =>
        node.histogram.counts.some(
          (count) => count > 0 && count > (from ?? 0) && count <= (to ?? 0),
        ),
    };
  });
  const scales: Scale[] = [
    { title: 'fill: runs per bin', classes: fill, low: '0', high: formatCount(maximum) },
  ];
  if (style.mode === 'ensemble') scales.unshift(borderScale(data, style));
  return scales;
}

/** Few runs: a colour per cohort; a class shows the nodes that its runs execute. */
function cohortScale(data: SankeyData, { palette }: NodeStyle): Scale {
  const lanes = data.lanes ?? [];
  const cohorts = data.cohorts ?? [];
  const names = cohorts.length > 0 && cohorts.length <= 12 ? cohorts : [];
  const classes = names.map((cohort, index) => {
    const share = names.length > 1 ? index / (names.length - 1) : 0.7;
    const runs = lanes.filter((lane) => Math.abs(lane.share - share) < 1e-9);
    return {
      key: `cohort-${index}`,
      label: `executed in ${cohort}`,
      colour: sampleScale(palette.cohorts, share),
      has: (node: SankeyNode) =>
        runs.some(({ run }) => valueAt(node.inclusive_by_run, run) !== null),
    };
  });
  const ends = shortEnds(names[0] ?? '', names[names.length - 1] ?? '');
  return {
    title:
      classes.length > 0
        ? 'one tick per run; bottom is 0'
        : `one tick per run, ${formatCount(data.sankey.runs.length)} runs; bottom is 0`,
    classes,
    low: ends[0] ?? '',
    high: names.length > 1 ? (ends[1] ?? '') : '',
  };
}

/** Two names, the second without the beginning that they share, if that is a parameter's name. */
function shortEnds(first: string, last: string): [string, string] {
  const shared = /^[^=]+=/.exec(first)?.[0] ?? '';
  return [first, shared && last.startsWith(shared) ? last.slice(shared.length) : last];
}

function borderScale({ sankey }: SankeyData, { palette }: NodeStyle): Scale {
  const classes: LegendClass[] = Array.from({ length: STEPS }, (_, step) => {
    const [from, to] = [step / STEPS, (step + 1) / STEPS].map(
      (share) => share ** 2 * sankey.max_exclusive,
    );
    return {
      key: `border-${step}`,
      label: `exclusive up to ${formatValue(to, sankey.unit)}`,
      colour: sampleScale(palette.exclusive, (step + 0.5) / STEPS),
      has: (node: SankeyNode) =>
        node.max_exclusive <= (to ?? 0) && (node.max_exclusive > (from ?? 0) || step === 0),
    };
  });
  return {
    title: 'border: exclusive, max.',
    classes,
    low: '0',
    high: formatValue(sankey.max_exclusive, sankey.unit),
  };
}

/** One run: the fill is its inclusive value. */
function singleScale({ sankey }: SankeyData, { palette }: NodeStyle): Scale {
  const most = Math.max(0, ...sankey.nodes.map((node) => node.max_inclusive));
  const classes: LegendClass[] = Array.from({ length: STEPS }, (_, step) => {
    const [from, to] = [step / STEPS, (step + 1) / STEPS].map((share) => share ** 2 * most);
    return {
      key: `single-${step}`,
      label: `inclusive up to ${formatValue(to, sankey.unit)}`,
      colour: sampleScale(palette.distribution, (step + 0.5) / STEPS),
      has: (node: SankeyNode) =>
        node.max_inclusive <= (to ?? 0) && node.max_inclusive > (from ?? 0),
    };
  });
  return { title: 'fill: inclusive', classes, low: '0', high: formatValue(most, sankey.unit) };
}

/** Lines that state what the height of a node is. A difference has its quantity as the title of its scale. */
function quantityLines({ sankey, quantity }: SankeyData, style: NodeStyle): string[] {
  if (quantity === undefined || style.mode === 'diff') return [];
  const [what = '', ...over] = quantity.split(', ');
  const { hidden } = sankey;
  return [
    `height: ${what}`,
    [...over, `by ${sankey.grouped_by}`].join(', '),
    hidden > 0 ? `${formatPlural(hidden, 'small group')} collected` : '',
  ];
}

/** Legends along the bottom of the picture. */
export function drawLegend(
  data: SankeyData,
  selection: SankeySelection,
  style: NodeStyle,
  differences: ReadonlyMap<string, NodeDifference>,
  chosen: string,
  width: number,
  height: number,
  choose: (legendClass: LegendClass | undefined) => void,
): SVGElement[] {
  const { palette } = style;
  const parts: SVGElement[] = [];
  let x = MARGIN.left;
  const y = height - 22;
  const text = (at: number, line: number, content: string, fill = palette.ink2): SVGTextElement =>
    svg('text', { ...textStyle(11), x: at, y: line, fill }, content);
  const room = width - minimapRoom(width);
  const lines = quantityLines(data, style);
  const wide = Math.max(0, ...lines.map((line) => line.length)) * 6;
  if (wide > 0 && x + wide + LEAST_SCALE <= room) {
    lines.forEach((line, row) => parts.push(text(x, y - 12 + row * 13.5, line)));
    x += wide + 28;
  }
  for (const scale of scalesOf(data, style, differences)) {
    // A picture that is too narrow for all has the first.
    if (x > MARGIN.left && x + scale.title.length * 6 > room) break;
    parts.push(text(x, y - 12, scale.title));
    // Both ends have room for their numbers.
    const count = Math.max(STEPS, scale.classes.length);
    const swatchWidth = Math.max(WIDTH, ((scale.low.length + scale.high.length) * 6 + 12) / count);
    scale.classes.forEach((legendClass, step) => {
      const isChosen = chosen === legendClass.key;
      const swatch = svg('rect', {
        class: 'gs-swatch',
        x: x + step * swatchWidth,
        y: y - 6,
        width: swatchWidth,
        height: 10,
        fill: legendClass.colour,
        stroke: isChosen ? palette.accent : palette.ink2,
        'stroke-width': isChosen ? 2.5 : 0.5,
        role: 'button',
        tabindex: 0,
        'data-mark': 'legend',
        'aria-pressed': String(isChosen),
        'aria-label': `${scale.title}: ${legendClass.label}`,
      });
      const act = (): void => choose(isChosen ? undefined : legendClass);
      swatch.addEventListener('click', act);
      swatch.addEventListener('keydown', (event) => {
        if (event.key !== 'Enter' && event.key !== ' ') return;
        event.preventDefault();
        event.stopPropagation();
        act();
      });
      swatch.append(svg('title', {}, legendClass.label));
      parts.push(swatch);
    });
    const end = x + count * swatchWidth;
    const high = text(end, y + 15, scale.high);
    high.setAttribute('text-anchor', 'end');
    parts.push(text(x, y + 15, scale.low), high);
    // The title of a difference stands above what follows.
    x = (style.mode === 'diff' ? end : Math.max(end, x + scale.title.length * 6)) + 28;
  }
  if (selection.target && style.mode === 'target') {
    parts.push(
      svg('path', { d: `M${x},${y - 6}l8,5l-8,5Z`, fill: palette.target }),
      svg('rect', { x: x + 8, y: y - 3, width: 26, height: 4, fill: palette.target }),
      text(x + 42, y + 3, `target: ${selection.target.name}`, palette.ink),
    );
    x += 74 + (selection.target.name.length + 8) * 7;
  }
  const absent = hasTicks(data) ? 'absent in the run' : 'share of runs without it';
  const patterns =
    style.mode === 'diff'
      ? ([
          ['unsure', 'inconclusive or not testable'],
          ['absent', 'only on one side'],
        ] as const)
      : ([['absent', absent]] as const);
  for (const [pattern, label] of patterns) {
    if (x + WIDTH + 8 + label.length * 6 > room) break;
    parts.push(
      svg('rect', {
        x,
        y: y - 6,
        width: WIDTH,
        height: 10,
        fill: `url(#${style.prefix}-${pattern})`,
        stroke: palette.ink2,
        'stroke-width': 0.5,
      }),
      text(x + WIDTH + 8, y + 3, label),
    );
    x += WIDTH + 30 + label.length * 6;
  }
  return parts;
}
