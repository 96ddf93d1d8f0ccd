/** Controls above the aggregated grain graph, and its legend. */

import { type Palette, ratioColour, STRONGEST } from '../logic/colour.ts';
import {
  formatCount,
  formatNumber,
  formatPlural,
  formatShare,
  formatValue,
} from '../logic/format.ts';
import { nameOf } from '../logic/group-names.ts';
import { numbersOf } from '../logic/opened.ts';
import { conditionText, problemCount } from '../logic/problems.ts';
import { nameOf as nameOfDefinition } from '../ui/chart-view.ts';
import { visible } from '../logic/visible.ts';
import { html } from '../ui/dom.ts';
import type { Settings } from './definition.ts';
import type { LocalPath, Model } from './model.ts';
import type { Two } from './two.ts';

export interface Hands {
  set(values: Readonly<Record<string, unknown>>): void;
  fit(): void;
  zoom(factor: number): void;
  /** Shows the grains of the picture in the grain graph. */
  grains(): void;
  /** Looks for groups like the one that was chosen last. */
  similar(): void;
  /** Draws the local critical path of the group that was chosen last. */
  local(): void;
}

/** Path, problem, counters and ways to open. */
export function headOf(
  model: Model,
  settings: Settings,
  runs: readonly [string, string],
  hands: Hands,
): Node[] {
  return [
    crumbsOf(model, hands),
    toolsOf(model, settings, hands),
    countsOf(model, settings, hands),
    ...(model.two ? [runsLine(model.two, runs)] : []),
    ...(model.local ? [localPath(model.local, settings, hands)] : []),
  ];
}

function button(
  control: string,
  label: string,
  title: string,
  click: () => void,
  isPressed?: boolean,
): HTMLButtonElement {
  const made = html(
    'button',
    {
      type: 'button',
      class: 'tool',
      title,
      'data-control': control,
      'aria-pressed': isPressed === undefined ? undefined : String(isPressed),
    },
    label,
  );
  made.addEventListener('click', click);
  return made;
}

/** From the root of the run to that of the picture. */
function crumbsOf(model: Model, { set }: Hands): HTMLElement {
  const crumbs = html('nav', { class: 'gs-groups-path', 'aria-label': 'Path in the run' }, 'path ');
  model.path.forEach((group, at) => {
    const name = at === 0 && group.group === 0 ? 'root' : nameOf(group);
    if (at > 0) crumbs.append(' ▸ ');
    if (at === model.path.length - 1) crumbs.append(html('bdi', { 'aria-current': 'true' }, name));
    else {
      const up = html('button', {
        type: 'button',
        class: 'link',
        'data-control': `up ${group.group}`,
      });
      up.append(html('bdi', {}, name));
      up.addEventListener('click', () => set({ root: group.group }));
      crumbs.append(up);
    }
  });
  return crumbs;
}

function toolsOf(model: Model, settings: Settings, hands: Hands): HTMLElement {
  const { set } = hands;
  const mode = (opened: string): void =>
    set({ opened: settings.opened === opened ? '' : opened, hand: '' });
  const hasProblem = model.condition !== '';
  const ways = html('span', { class: 'gs-groups-ways', role: 'group', 'aria-label': 'Open' });
  ways.append(
    button('close', 'close all', 'Close all groups', () => set({ opened: '', hand: '' })),
    button('less', '−', 'One level less, key C', () => set(levels(settings, -1))),
    html('span', {}, settings.opened === 'depth' ? `depth ${settings.depth}` : 'depth'),
    button('more', '+', 'One level more, key X', () => set(levels(settings, 1))),
    button('all', 'all', 'Open everything', () => set({ opened: 'depth', depth: 64, hand: '' })),
    button(
      'critical',
      'critical path',
      'Open only groups on the critical path',
      () => mode('critical'),
      settings.opened === 'critical',
    ),
  );
  if (hasProblem)
    ways.append(
      button(
        'problems',
        'problems',
        'Open only groups with the problem',
        () => mode('problems'),
        settings.opened === 'problems',
      ),
      button(
        'worst',
        'to the worst',
        'Open the way to the worst grain',
        () => mode('worst'),
        settings.opened === 'worst',
      ),
    );
  else if (model.two)
    ways.append(
      button(
        'worst',
        'to the largest difference',
        'Open the way to the largest difference of work',
        () => mode('worst'),
        settings.opened === 'worst',
      ),
    );
  if (!model.two)
    ways.append(
      button(
        'similar',
        'similar',
        'Look for groups like the one that was clicked last, key M',
        () => hands.similar(),
        settings.similar > 0,
      ),
    );
  ways.append(
    button(
      'local',
      'local path',
      'Draw the critical path of the group that was clicked last, key L',
      () => hands.local(),
      settings.local > 0,
    ),
    button('grains', 'grain graph', 'Show the grains of this picture; key G: of a group', () =>
      hands.grains(),
    ),
  );
  ways.append(button('fit', 'fit', 'Show the whole picture, key 0', () => hands.fit()));
  const problem = model.two ? [] : [problemChoice(model, settings, hands)];
  return html('div', { class: 'gs-groups-tools' }, ...problem, ways);
}

function levels(settings: Settings, by: number): Readonly<Record<string, unknown>> {
  const now = settings.opened === 'depth' ? settings.depth : 0;
  return { opened: 'depth', depth: Math.max(0, Math.min(64, now + by)), hand: '' };
}

function problemChoice(model: Model, settings: Settings, { set }: Hands): HTMLElement {
  const select = html('select', { 'data-control': 'problem' });
  const option = (value: string, text: string): void => {
    const made = html('option', { value }, text);
    made.selected = value === (settings.problem || model.condition || '-');
    select.append(made);
  };
  option('-', 'none marked');
  const known = model.problems?.problems ?? [];
  for (const one of known)
    option(one.condition, `${conditionText(one.condition, one.unit)} (${problemCount(one)})`);
  const own = settings.problem;
  if (own !== '' && own !== '-' && !known.some((one) => one.condition === own))
    option(own, conditionText(own, model.condition === own ? model.unit : undefined));
  select.addEventListener('change', () => set({ problem: select.value }));
  return html('label', { class: 'field' }, 'problem', select);
}

/** How much is visible, and what is cut. */
function countsOf(model: Model, settings: Settings, { set }: Hands): HTMLElement {
  const count = model.nodes.groups.filter((group) => group !== undefined).length;
  const line = html('p', { class: 'gs-groups-counts', role: 'status' });
  line.append(
    'visible nodes: ',
    html('b', {}, formatCount(count)),
    ` of ${formatCount(model.tree.nodes + (model.two?.other.nodes ?? 0))}`,
  );
  const grains = model.two ? undefined : model.tree.problem_grains;
  if (grains !== null && grains !== undefined) {
    line.append(
      grains === 0
        ? ' · ✓ no problem at the current threshold'
        : ` · ${formatPlural(grains, 'grain')} with the problem`,
    );
  }
  if (model.nodes.isFull) line.append(' · more groups stay closed: 5,000 nodes are drawn at most');
  const whole = numbersOf(settings.whole).with;
  for (const group of model.nodes.cut.slice(0, 3)) {
    const here = model.known.children.get(group.group)?.length ?? 0;
    line.append(
      ` · ${formatCount(here)} of ${formatCount(group.children)} children of ${nameOf(group)} `,
    );
    if (!whole.has(group.group))
      line.append(
        button(`whole ${group.group}`, 'show all', 'Read all children of this group', () =>
          set({ whole: [...whole, group.group].join(',') }),
        ),
      );
  }
  if (count === (model.two ? 2 : 1))
    line.append(' · double-click the group or press Enter to open it');
  return line;
}

/** Which run is where, and what only one of them has. */
function runsLine({ partners }: Two, [first, second]: readonly [string, string]): HTMLElement {
  const line = html('p', { class: 'gs-groups-counts gs-groups-runs' });
  const name = (text: string): HTMLElement => html('bdi', {}, visible(text));
  line.append('above ', name(first), ', below ', name(second));
  const [above, below] = [partners.onlyFirst.size, partners.onlySecond.size];
  line.append(
    ` · only above ${formatCount(above)}, only below ${formatCount(below)} of the read groups`,
  );
  return line;
}

/** Definitions that the local critical path is stated with. */
const NAMED = 3;

/** The longest path through one group. */
function localPath({ group, paths }: LocalPath, settings: Settings, hands: Hands): HTMLElement {
  const line = html('p', { class: 'gs-groups-counts gs-groups-local', role: 'status' });
  line.append(
    'local critical path ',
    ...(settings.local > 0 ? ['of ', nameOfDefinition(nameOf(group)), ' '] : []),
    html('b', {}, formatValue(paths.span, paths.unit)),
    ` of ${formatValue(paths.work, paths.unit)} work`,
  );
  if (typeof paths.parallelism === 'number')
    line.append(`, parallelism ${formatNumber(paths.parallelism)}`);
  const rows = paths.rows.filter(({ critical_work: work }) => work > 0);
  rows.sort((a, b) => b.critical_work - a.critical_work);
  for (const [at, row] of rows.slice(0, NAMED).entries()) {
    const share = paths.span > 0 ? row.critical_work / paths.span : undefined;
    line.append(at === 0 ? ': ' : ', ', nameOfDefinition(row.definition), ` ${formatShare(share)}`);
  }
  if (rows.length > NAMED) line.append(` + ${formatCount(rows.length - NAMED)} more`);
  if (settings.local > 0)
    line.append(
      ' ',
      button('local-off', 'show that of the run', 'Draw the critical path of the run again', () =>
        hands.set({ local: 0 }),
      ),
    );
  return line;
}

/** What marks mean. */
export function legendOf(model: Model, palette: Palette): Node[] {
  const item = (mark: string, colour: string, text: string): HTMLElement => {
    const sign = html('span', { 'aria-hidden': 'true' }, mark);
    sign.style.color = colour;
    return html('span', {}, sign, ` ${text}`);
  };
  const items = [
    item('━', palette.criticalPath, model.local ? 'local critical path' : 'critical path'),
    item('○', palette.ink, 'fork'),
    item('●', palette.ink2, 'join'),
  ];
  if (model.condition !== '')
    items.unshift(
      item(
        '▲',
        palette.problem,
        `${conditionText(model.condition, model.unit)}: a grain in it has the problem`,
      ),
      item('✓', palette.ink2, 'free of it, dashed'),
    );
  if (model.two)
    items.push(
      item('■', ratioColour(palette, STRONGEST), '4 times the work or more in the second run'),
      item('■', ratioColour(palette, 1 / STRONGEST), 'a quarter or less'),
      item('┅', palette.warning, 'only in one run: dashed there, a gap in the other'),
    );
  if (model.letters.size > 0) items.push(item('A', palette.ink, 'groups of the same structure'));
  // Problems and similar groups are those of one run.
  const [problems, similar] = model.two
    ? ['', '']
    : ['N and P: next and previous problem; ', ', M: groups like it'];
  items.push(
    item('', palette.ink, `${problems}Z: only this group, L: its critical path${similar}`),
  );
  return items;
}
