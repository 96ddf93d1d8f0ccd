/** Repeats of a configuration: whether gates between them keep quiet, and what each group can show. */

import { scaleLinear, scaleLog } from 'd3-scale';
import { columnUnit, formatPlural, formatShare, formatTick } from '../logic/format.ts';
import { uniqueNames } from '../logic/unique-names.ts';
import type { Shown } from '../registry/definition.ts';
import { ChartView, nameOf } from '../ui/chart-view.ts';
import { html, svg } from '../ui/dom.ts';
import { Grid, type GridColumn } from '../ui/grid.ts';
import type { Answers, Settings } from './definition.ts';
import './noise.css';

type Noise = Answers['noise'];
type Cohort = Noise['cohorts'][number];
type Group = Cohort['groups'][number];

export class NoiseView extends ChartView<Answers, Settings> {
  #grid: Grid<Group> | undefined;

  constructor() {
    super('noise');
  }

  protected draw({ noise }: Answers, shown: Shown<Settings>): void {
    const cohort = noise.cohorts[shown.settings.cohort] ?? noise.cohorts[0];
    if (!cohort) return;
    const width = this.root.clientWidth || 1000;
    const grid = this.#rows();
    this.root.replaceChildren(this.#title(noise), this.#chooser(noise, cohort), grid.root);
    grid.update(this.#columns(noise, cohort, width), cohort.groups, {
      sort: shown.settings.sort,
      picked: [shown.selection.group],
    });
  }

  #title(noise: Noise): HTMLElement {
    const { check } = noise;
    const [text, look] = !check.can_fail
      ? ['? Too few repeats to fail a gate', 'gs-undecided']
      : check.holds === false
        ? ['▲ Gates between equal runs fail too often', 'gs-worse']
        : ['✓ Gates between equal runs keep quiet', 'gs-better'];
    const tried = [
      `${check.failed} of ${formatPlural(check.gates, 'gate')} between halves of repeats failed`,
      ...(typeof check.share === 'number'
        ? [`${formatShare(check.share)}, allowed ${formatShare(noise.alpha)}`]
        : []),
      check.is_all
        ? 'all ways to divide them'
        : `${formatPlural(check.splits, 'way')} drawn at random`,
    ];
    const facts = [
      ...(check.gates > 0 ? tried : []),
      ...(noise.repeats_needed
        ? [`gates need ${noise.repeats_needed} repeats of one configuration`]
        : []),
    ];
    return html(
      'header',
      { class: 'gs-title' },
      html('h2', { class: look }, text),
      html('span', { class: 'gs-quiet gs-grow' }, facts.join(', ')),
    );
  }

  #chooser(noise: Noise, cohort: Cohort): HTMLElement {
    const line = html('div', { class: 'gs-tools gs-noise-tools' });
    if (noise.cohorts.length > 1) {
      const select = html('select', { 'aria-label': 'Configuration' });
      noise.cohorts.forEach((one, index) => {
        const option = html(
          'option',
          { value: index },
          `${one.name}, ${formatPlural(one.runs.length, 'run')}`,
        );
        option.selected = one === cohort;
        select.append(option);
      });
      select.addEventListener('change', () =>
        this.context.emit({ type: 'set', values: { cohort: Number(select.value) } }),
      );
      line.append(html('label', {}, 'configuration ', select));
    }
    const spreads = cohort.groups.flatMap(({ spread }) => spread ?? []);
    line.append(
      html(
        'span',
        { class: 'gs-quiet' },
        [
          formatPlural(cohort.runs.length, 'repeat'),
          spreads.length > 0
            ? `largest spread ${formatShare(spreads.reduce((a, b) => Math.max(a, b)))}`
            : 'one run has no spread',
          ...(typeof cohort.preempted_share === 'number'
            ? [`${formatShare(cohort.preempted_share)} of the time threads waited for a processor`]
            : []),
        ].join(', '),
      ),
    );
    return line;
  }

  #rows(): Grid<Group> {
    this.#grid ??= new Grid<Group>(
      {
        label: 'Noise of groups',
        rowHeight: 28,
        key: ({ group }) => group,
        pick: ({ group }) => this.context.emit({ type: 'select-group', group }),
        sort: (sort) => this.context.emit({ type: 'set', values: { sort }, isReplacing: true }),
      },
      this.life,
    );
    return this.#grid;
  }

  #columns(noise: Noise, cohort: Cohort, width: number): GridColumn<Group>[] {
    const names = uniqueNames(
      cohort.groups.map(({ path }) => path.join(' › ')),
      width > 900 ? 40 : 22,
    );
    const nameByGroup = new Map(
      cohort.groups.map((group, index) => [group.group, names[index] ?? '']),
    );
    const unit = columnUnit(Math.max(0, ...cohort.groups.map(({ median }) => median)), noise.unit);
    const most = Math.max(0.01, ...cohort.groups.map(({ spread }) => spread ?? 0));
    const curve = cohort.groups
      .flatMap(({ visible_with: known }) => Object.values(known))
      .filter((value) => value > 0);
    const range = [Math.min(0.01, ...curve), Math.max(1, ...curve)] as const;
    const share = (
      key: string,
      title: string,
      of: (group: Group) => number | null | undefined,
      columnWidth = 96,
    ): GridColumn<Group> => ({
      key,
      title,
      width: columnWidth,
      isNumber: true,
      cell: of,
      draw: (group) => formatShare(of(group)),
    });
    const columns: GridColumn<Group>[] = [
      {
        key: 'name',
        title: 'group',
        cell: ({ path }) => path.join(' › '),
        draw: (group) => nameOf(group.path.join(' › '), nameByGroup.get(group.group)),
      },
      share('share', 'share', (group) => group.share, 70),
      {
        key: 'median',
        title: 'median',
        unit: unit.unit,
        width: 100,
        isNumber: true,
        cell: ({ median }) => median,
        draw: ({ median }) => unit.format(median),
      },
      {
        key: 'bar',
        title: `0 to ${formatShare(most)}`,
        width: 130,
        draw: ({ spread }) => {
          const bar = html('span', { class: 'gs-bar-cell' });
          bar.style.width = `${((spread ?? 0) / most) * 100}%`;
          return bar;
        },
      },
      share('spread', 'spread', (group) => group.spread, 76),
      share('visible', 'visible', (group) => group.visible),
      share('seen', 'seen', (group) => group.seen),
      share('threshold', 'limit for gates', (group) => group.threshold, 116),
      {
        key: 'curve',
        title: 'with 5, 10, 20, 40 runs',
        width: 200,
        draw: (group) => this.#curve(group, range),
      },
    ];
    return width > 860
      ? columns
      : columns.filter(({ key }) => ['name', 'spread', 'threshold'].includes(key));
  }

  /** How the smallest visible change shrinks with more runs per side. */
  #curve(group: Group, range: readonly [number, number]): SVGSVGElement {
    const { palette } = this;
    const picture = svg('svg', { width: 184, height: 24, 'aria-hidden': 'true' });
    const points = Object.entries(group.visible_with)
      .map(([runs, value]) => [Number(runs), value] as const)
      .sort((a, b) => a[0] - b[0]);
    const x = scaleLinear([0, Math.max(1, points.length - 1)], [6, 120]);
    const y = scaleLog([range[0], range[1]], [20, 4]).clamp(true);
    const path = points.map(([, value], index) => `${x(index)},${y(value)}`).join('L');
    if (path) picture.append(svg('path', { d: `M${path}`, fill: 'none', stroke: palette.ink2 }));
    for (const [index, [runs, value]] of points.entries())
      picture.append(
        svg(
          'circle',
          { cx: x(index), cy: y(value), r: 3, fill: palette.ink2 },
          svg('title', {}, `${runs} runs per side: ${formatShare(value)}`),
        ),
      );
    const last = points[points.length - 1];
    if (last)
      picture.append(
        svg(
          'text',
          {
            x: 130,
            y: Math.max(11, Math.min(21, y(last[1]) + 4)),
            'font-size': 11,
            fill: palette.ink2,
          },
          `${formatTick(Math.round(last[1] * 1000) / 10, 'count')} %`,
        ),
      );
    return picture;
  }
}
