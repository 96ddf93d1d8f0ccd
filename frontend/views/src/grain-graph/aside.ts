/** Next to the grain graph: problems, the limit on its histogram, grains by definition, the worst grains. */

import type { Palette } from '../logic/colour.ts';
import {
  ABSENT,
  formatApart,
  formatCount,
  formatValue,
  formatPlural,
  formatShare,
} from '../logic/format.ts';
import { conditionText, problemCount, problemName, toRecord } from '../logic/problems.ts';
import type { Shown } from '../registry/definition.ts';
import { html, prose, svg } from '../ui/dom.ts';
import type { Answers, Settings } from './definition.ts';
import { isCounted, type Marked, type Model, problemOf } from './model.ts';
import { comparedOf, definitionsOf, type Hands, part, worstOf } from './tables.ts';
import { type Bins, shareOf, valueAt } from './values.ts';

const WIDTH = 290;
const HEIGHT = 84;
/** Steps of the slider. */
const STEPS = 400;

export function asideOf(
  answers: Answers,
  model: Model,
  shown: Shown<Settings>,
  worst: readonly number[],
  palette: Palette,
  hands: Hands,
): Node[] {
  const { settings } = shown;
  if (model.comparison) return [comparedOf(model.comparison, model, shown, hands)];
  const parts: Node[] = [problemsOf(answers, model, hands)];
  if (model.first) {
    parts.push(countOf(answers, model), limitOf(model, model.first, settings, palette, hands));
    parts.push(combined(answers, model, settings, hands));
    parts.push(definitionsOf(model, shown, hands), worstOf(model, worst, shown, hands));
  }
  parts.push(uncheckedOf(answers, shown, hands));
  return parts;
}

function problemsOf(answers: Answers, model: Model, hands: Hands): HTMLElement {
  const list = html('div', { class: 'gs-grains-problems', role: 'group', 'aria-label': 'Problem' });
  const add = (condition: string, at: number, text: string, count: string): void => {
    const isOn = (model.first?.condition ?? '-') === condition;
    const button = html(
      'button',
      { type: 'button', 'aria-pressed': String(isOn), 'data-control': `problem ${condition}` },
      html('span', {}, ...(at < 10 ? [html('kbd', {}, String(at)), ' '] : []), text),
      html('span', { class: 'gs-number' }, count),
    );
    button.addEventListener('click', () =>
      hands.set({ problem: condition, limit: '', second: '' }),
    );
    list.append(button);
  };
  answers.problems.problems.forEach((problem, at) =>
    add(
      problem.condition,
      at + 1,
      conditionText(problem.condition, problem.unit),
      problem.checked === 0
        ? problemCount(problem)
        : problem.grains > 0
          ? `▲ ${formatCount(problem.grains)}`
          : '✓ 0',
    ),
  );
  add('-', 0, 'none: structure only', '');
  return part('Problems', list);
}

function countOf(answers: Answers, model: Model): HTMLElement {
  const { counts, first } = model;
  if (!counts || !first) return html('p', { class: 'gs-quiet' }, 'Counting the grains …');
  const share = counts.totalWork > 0 ? counts.work / counts.totalWork : undefined;
  const line = html('p', { class: 'gs-grains-count', role: 'status' });
  if (counts.grains === 0) {
    const near = nearest(model);
    line.append(
      html('b', {}, '✓ 0'),
      ` of ${formatPlural(counts.checked, 'grain')} have it`,
      near === undefined ? '' : `; the nearest is at ${formatValue(near, first.unit)}`,
    );
  } else
    line.append(
      html('b', { class: 'gs-grains-bad' }, `▲ ${formatCount(counts.grains)}`),
      ` of ${formatPlural(counts.checked, 'grain')} · ${formatShare(share)} of the work`,
    );
  const balanced = problemOf(answers, first.condition)?.balanced_chunks ?? 0;
  if (balanced > 0 && first.test.limit === first.initial)
    line.append(
      ` · ${formatPlural(balanced, 'chunk')} of loops whose imbalance costs less than 5 % among them`,
    );
  if (!isCounted(model)) line.append(' · of the first million grains');
  return line;
}

/** The value nearest to the limit of those within it. */
function nearest({ values, first }: Model): number | undefined {
  if (!values || !first) return undefined;
  const { isBelow } = first.test;
  let best: number | undefined;
  for (const value of values.first) {
    if (Number.isNaN(value)) continue;
    if (best === undefined || (isBelow ? value < best : value > best)) best = value;
  }
  return best;
}

function limitOf(
  model: Model,
  first: Marked,
  settings: Settings,
  palette: Palette,
  hands: Hands,
): HTMLElement {
  const name = problemName(first.metric);
  if (!model.bins) return part(`Grains by ${name}`, html('p', { class: 'gs-quiet' }, ABSENT));
  const { bins } = model;
  const { limit, isBelow } = first.test;
  const slider = html('input', {
    type: 'range',
    min: 0,
    max: STEPS,
    'aria-label': `limit of ${name}`,
    'data-control': 'limit',
  });
  slider.value = String(Math.round(placeOf(bins, limit) * STEPS));
  slider.setAttribute(
    'aria-valuetext',
    `${isBelow ? 'below' : 'above'} ${formatValue(limit, first.unit)}`,
  );
  slider.addEventListener('input', () => {
    const value = valueAt(bins, Number(slider.value) / STEPS);
    hands.set({ limit: String(value) }, true);
  });
  const reset = html('button', { type: 'button', class: 'link', 'data-control': 'reset' }, 'reset');
  reset.addEventListener('click', () => hands.set({ limit: '' }));
  const line = html(
    'p',
    { class: 'gs-grains-limit' },
    `problem when ${isBelow ? '<' : '>'} `,
    html('b', {}, formatValue(limit, first.unit)),
    limit === first.initial ? '' : ` (was ${formatValue(first.initial, first.unit)}) `,
  );
  if (settings.limit !== '') line.append(reset);
  const about = model.tree.metrics.find((one) => one.name === first.metric)?.definition;
  return part(
    `Grains by ${name}`,
    histogram(bins, first, palette),
    slider,
    line,
    about === undefined ? '' : html('p', { class: 'gs-quiet' }, about),
  );
}

/** Limits of whole numbers lie between bars. */
function placeOf(bins: Bins, limit: number): number {
  return shareOf(bins, bins.isWhole ? limit - 0.5 : limit);
}

function histogram(bins: Bins, { test, unit }: Marked, palette: Palette): SVGSVGElement {
  const { limit, isBelow } = test;
  const most = Math.max(1, ...bins.counts);
  const width = WIDTH / bins.counts.length;
  const top = 16;
  const bottom = HEIGHT - 16;
  const root = svg('svg', {
    class: 'gs-plot',
    width: WIDTH,
    height: HEIGHT,
    role: 'img',
    'aria-label': 'Histogram of the metric',
  });
  bins.counts.forEach((count, at) => {
    if (count === 0) return;
    const [from, to] = [bins.edges[at] ?? 0, bins.edges[at + 1] ?? 0];
    const isBad = isBelow
      ? to - (bins.isWhole ? 0.5 : 0) < limit || (from < limit && !bins.isWhole && to <= limit)
      : from >= limit || (bins.isWhole && from + 0.5 > limit);
    const height = Math.max(2, (count / most) * (bottom - top));
    root.append(
      svg('rect', {
        x: at * width + 0.5,
        y: bottom - height,
        width: Math.max(1, width - 1),
        height,
        fill: isBad ? palette.problem : palette.ensemble,
      }),
    );
    if (bins.isWhole && bins.counts.length <= 9)
      root.append(
        label(formatCount(count), (at + 0.5) * width, bottom - height - 3, palette, 'middle'),
      );
  });
  const x = placeOf(bins, limit) * WIDTH;
  const half = bins.isWhole ? 0.5 : 0;
  const [least, largest] = formatApart(
    (bins.edges[0] ?? 0) + half,
    (bins.edges[bins.edges.length - 1] ?? 0) - half,
    unit,
  );
  root.append(
    svg('line', { x1: x, x2: x, y1: 4, y2: bottom, stroke: palette.accent, 'stroke-width': 2 }),
    label(least, 0, HEIGHT - 4, palette, 'start'),
    label(largest, WIDTH, HEIGHT - 4, palette, 'end'),
    label(bins.isLog ? 'logarithmic' : '', WIDTH / 2, HEIGHT - 4, palette, 'middle'),
  );
  return root;
}

function label(
  text: string,
  x: number,
  y: number,
  palette: Palette,
  anchor: 'start' | 'middle' | 'end',
): SVGTextElement {
  return svg('text', { x, y, 'font-size': 11, fill: palette.ink2, 'text-anchor': anchor }, text);
}

/** A second condition, joined by and or or. */
function combined(answers: Answers, model: Model, settings: Settings, hands: Hands): HTMLElement {
  const join = html('select', {
    'aria-label': 'How conditions are joined',
    'data-control': 'join',
  });
  for (const way of ['and', 'or']) {
    const option = html('option', { value: way }, way);
    option.selected = settings.join === way;
    join.append(option);
  }
  join.addEventListener('change', () => hands.set({ join: join.value }));
  const second = html('select', { 'aria-label': 'Second problem', 'data-control': 'second' });
  second.append(html('option', { value: '' }, 'nothing else'));
  for (const problem of answers.problems.problems) {
    if (problem.condition === model.first?.condition || problem.checked === 0) continue;
    const option = html(
      'option',
      { value: problem.condition },
      conditionText(problem.condition, problem.unit),
    );
    option.selected = settings.second === problem.condition;
    second.append(option);
  }
  second.addEventListener('change', () => hands.set({ second: second.value }));
  return html('p', { class: 'gs-grains-join' }, join, second);
}

/** Problems that cannot be checked, why, and what to record; with the run that work deviation is from. */
function uncheckedOf(answers: Answers, shown: Shown<Settings>, hands: Hands): HTMLElement {
  const { run: opened } = shown.selection;
  const others = shown.facts.runs.filter(({ grains, run }) => run !== opened && grains);
  const list = html('ul', { class: 'gs-grains-unchecked' });
  for (const one of answers.problems.not_checked) {
    const item = html('li', {}, `${problemName(one.metric)}: `, ...prose(one.reason), '. ');
    const hasChoice = one.metric === 'work_deviation' && others.length > 0;
    const step = hasChoice ? 'Choose one below.' : toRecord(one.metric);
    if (step !== undefined) item.append(html('span', { class: 'gs-quiet' }, ...prose(step)));
    list.append(item);
  }
  const choice = html('select', { 'data-control': 'reference' });
  choice.append(html('option', { value: '' }, 'no run'));
  for (const run of others) {
    const option = html('option', { value: run.run }, run.name);
    option.selected = shown.settings.reference === run.run;
    choice.append(option);
  }
  choice.addEventListener('change', () => hands.set({ reference: choice.value }));
  return part(
    'Not checked',
    list,
    html('label', { class: 'field' }, 'work deviation from', choice),
  );
}
