/** Runs in a plane, a lasso around some of them, and what distinguishes these from the rest. */

import { scaleLinear } from 'd3-scale';
import { categoryColour, ordinalColour, shapePath } from '../logic/categories.ts';
import { formatNumber, formatParameter, formatPlural, formatShare } from '../logic/format.ts';
import { uniqueNames } from '../logic/unique-names.ts';
import type { Shown } from '../registry/definition.ts';
import { brush, combined, isInside } from '../ui/brush.ts';
import { ChartView, nameOf, section } from '../ui/chart-view.ts';
import { html, svg } from '../ui/dom.ts';
import { Plot } from '../ui/plot.ts';
import type { Answers, Settings } from './definition.ts';
import { categoriesOf, contrasts, type ProjectedRun } from './model.ts';
import { nameForm, namedSubsets } from './subsets.ts';
import './projection.css';

type Projection = Answers['projection'];

const WIDE = 820;
const ARROWS = 6;
const CONTRASTS = 10;
/** Runs up to which each has its name next to it. */
const NAMED = 24;

export class ProjectionView extends ChartView<Answers, Settings> {
  constructor() {
    super('projection');
  }

  protected draw({ projection }: Answers, shown: Shown<Settings>): void {
    const width = this.root.clientWidth || 1000;
    const isWide = width >= WIDE;
    this.root.classList.toggle('is-wide', isWide);
    const room = width - (isWide ? 320 : 0) - 34;
    const chosen = new Set(shown.selection.runs);
    const plot = this.#picture(projection, shown, room, chosen);
    this.root.replaceChildren(
      this.#title(projection, shown.settings),
      html(
        'div',
        { class: 'gs-split' },
        section(
          shown.settings.by === 'behaviour' ? 'Runs by what they do' : 'Runs by their parameters',
          'near: alike; axes carry no meaning. Draw around runs to choose them; Shift adds, Alt removes',
          plot,
          this.#legend(projection, shown.settings),
        ),
        html(
          'aside',
          { class: 'gs-side' },
          this.#chosen(projection, chosen, shown.settings),
          ...namedSubsets(projection.runs, shown.settings.subsets, this.context),
          this.#explained(projection, shown.settings),
        ),
      ),
    );
  }

  #title(projection: Projection, { by }: Settings): HTMLElement {
    const picture = projection[by];
    const stress = picture.stress;
    const isPoor = typeof stress === 'number' && stress > 0.2;
    return html(
      'header',
      { class: 'gs-title' },
      html(
        'h2',
        {},
        `${formatPlural(picture.clusters, 'cluster')} of ${formatPlural(projection.runs.length, 'run')}, by k-means`,
      ),
      html(
        'span',
        { class: isPoor ? 'gs-worse' : 'gs-quiet' },
        typeof stress === 'number'
          ? `stress ${formatNumber(stress)}${isPoor ? ': above 0.2, distances mislead' : ''}`
          : 'all runs in one place',
      ),
      html(
        'span',
        { class: 'gs-quiet gs-grow' },
        [
          ...(typeof picture.fit === 'number'
            ? [`the plane holds ${formatShare(picture.fit)} of the differences`]
            : []),
          ...(typeof picture.silhouette === 'number'
            ? [`silhouette ${formatNumber(picture.silhouette)}`]
            : []),
        ].join(', '),
      ),
    );
  }

  #picture(
    projection: Projection,
    shown: Shown<Settings>,
    width: number,
    chosen: ReadonlySet<string>,
  ): SVGSVGElement {
    const { runs } = projection;
    const { by } = shown.settings;
    const height = Math.max(260, Math.min(560, (this.root.clientHeight || 640) - 150));
    const plot = new Plot(
      this.palette,
      width,
      height,
      { left: 24, right: 24, top: 20, bottom: 20 },
      'Projection of runs',
    );
    const [xs, ys] = [runs.map((run) => run[by].x), runs.map((run) => run[by].y)];
    // One scale for both directions, since distances are what the picture shows.
    const reach = Math.max(1e-9, ...xs.map(Math.abs), ...ys.map(Math.abs)) * 1.12;
    const half = Math.min(plot.right - plot.left, plot.bottom - plot.top) / 2;
    const middle = [(plot.left + plot.right) / 2, (plot.top + plot.bottom) / 2] as const;
    const wide = (plot.right - plot.left) / 2 / half;
    const spread = Math.max(1e-9, ...ys.map(Math.abs)) * 1.12;
    const unit = Math.min(half / spread, (half * wide) / reach);
    const x = scaleLinear([-1, 1], [middle[0] - unit, middle[0] + unit]);
    const y = scaleLinear([-1, 1], [middle[1] + unit, middle[1] - unit]);
    plot.root.append(
      svg('line', { x1: plot.left, x2: plot.right, y1: y(0), y2: y(0), stroke: this.palette.line }),
      svg('line', { x1: x(0), x2: x(0), y1: plot.top, y2: plot.bottom, stroke: this.palette.line }),
    );
    if (by === 'behaviour') this.#arrows(plot, projection, middle, half * 0.8);
    const { of, names, isOrdered } = categoriesOf(runs, by, shown.settings.colour);
    const labels =
      runs.length <= NAMED
        ? uniqueNames(
            runs.map((run) => shown.facts.runLabels.get(run.run) ?? run.name),
            16,
          )
        : [];
    const taken: [number, number][] = [];
    const places = runs.map((run) => [x(run[by].x), y(run[by].y)] as const);
    for (const [index, run] of runs.entries()) {
      const [cx = 0, cy = 0] = places[index] ?? [];
      const category = of[index] ?? 0;
      const isChosen = chosen.has(run.run);
      const colour = isOrdered
        ? ordinalColour(this.palette, category, names.length)
        : categoryColour(this.palette, category);
      const ring = this.#ringOf(run, shown);
      const mark = svg('path', {
        d: shapePath(category, 5),
        transform: `translate(${cx} ${cy})`,
        fill: colour,
        'fill-opacity': chosen.size > 0 && !isChosen ? 0.25 : 0.9,
        stroke: ring ?? (isChosen ? this.palette.ink : this.palette.ground),
        'stroke-width': ring ? 2.5 : 1,
      });
      this.marks.add(mark, {
        key: run.run,
        run: run.run,
        tip: () => ({
          title: run.name,
          rows: [
            [`cluster`, String(run[by].cluster + 1)],
            ...projection.used
              .slice(0, 5)
              .map((name): [string, string] => [name, formatParameter(run.params[name])]),
          ],
          notes: ['Click or Enter: target. Shift: choose.'],
        }),
        pick: (event) => {
          if (event.shiftKey)
            this.#choose(combined(chosen, [run.run], isChosen ? 'remove' : 'add'));
          else this.context.emit({ type: 'set-target', run: run.run });
        },
      });
      plot.root.append(mark);
      const label = labels[index];
      if (
        label !== undefined &&
        !taken.some(([tx, ty]) => Math.abs(tx - cx) < 100 && Math.abs(ty - cy) < 13)
      ) {
        taken.push([cx, cy]);
        const isLeft = cx + 9 + label.length * 6.8 > plot.width;
        plot
          .text(label, cx + (isLeft ? -9 : 9), cy + 4, {
            anchor: isLeft ? 'end' : 'start',
            isMono: true,
            isCased: true,
          })
          .setAttribute('pointer-events', 'none');
      }
    }
    brush(
      plot.root,
      {
        kind: 'lasso',
        area: { x0: 0, x1: plot.width, y0: 0, y1: plot.height },
        palette: this.palette,
        done: ({ points, combine }) => {
          const inside = runs
            .filter((_, index) => isInside(places[index] ?? [NaN, NaN], points))
            .map(({ run }) => run);
          if (inside.length === 0 && combine === 'replace')
            this.context.emit({ type: 'say', text: 'No run inside: nothing changed.' });
          else this.#choose(combined(chosen, inside, combine));
        },
      },
      this.drawing,
    );
    return plot.root;
  }

  #ringOf(run: ProjectedRun, { selection }: Shown<Settings>): string | undefined {
    if (selection.target?.runs.includes(run.run)) return this.palette.target;
    if (selection.a?.runs.includes(run.run) || selection.b?.runs.includes(run.run))
      return this.palette.ink;
    return undefined;
  }

  /** Correlations of parameters with both directions. */
  #arrows(
    plot: Plot,
    projection: Projection,
    middle: readonly [number, number],
    length: number,
  ): void {
    const taken: [number, number][] = [];
    const arrows = projection.arrows.slice(0, ARROWS);
    const labels = uniqueNames(
      arrows.map(({ parameter, value }) => (value ? `${parameter} = ${value}` : parameter)),
      26,
    );
    for (const [index, arrow] of arrows.entries()) {
      const [x, y] = [middle[0] + arrow.x * length, middle[1] - arrow.y * length];
      plot.root.append(
        svg('path', {
          d: `M${middle[0]},${middle[1]}L${x},${y}`,
          stroke: this.palette.ensemble,
          'stroke-width': 1.5,
        }),
        svg('circle', { cx: x, cy: y, r: 2, fill: this.palette.ensemble }),
      );
      if (taken.some(([tx, ty]) => Math.abs(tx - x) < 120 && Math.abs(ty - y) < 14)) continue;
      taken.push([x, y]);
      const label = labels[index] ?? '';
      const size = label.length * 6.2;
      // Away from the middle, but never over the edge.
      const isLeft = arrow.x < 0 ? x - 5 - size > 0 : x + 5 + size > plot.width;
      plot.text(label, x + (isLeft ? -5 : 5), y + (isLeft === arrow.x < 0 ? 4 : -8), {
        anchor: isLeft ? 'end' : 'start',
        isCased: true,
      });
    }
  }

  #legend(projection: Projection, settings: Settings): HTMLElement {
    const { names, of, isOrdered } = categoriesOf(projection.runs, settings.by, settings.colour);
    const legend = html('div', { class: 'gs-legend' });
    for (const [index, name] of names.slice(0, 16).entries()) {
      const runs = projection.runs.filter((_, at) => of[at] === index).map(({ run }) => run);
      const button = html(
        'button',
        {
          type: 'button',
          class: 'gs-link gs-legend-entry',
          title: `choose ${formatPlural(runs.length, 'run')}`,
        },
        svg(
          'svg',
          { class: 'gs-swatch-dot', viewBox: '-7 -7 14 14', 'aria-hidden': 'true' },
          svg('path', {
            d: shapePath(index, 5),
            fill: isOrdered
              ? ordinalColour(this.palette, index, names.length)
              : categoryColour(this.palette, index),
          }),
        ),
        html('bdi', {}, uniqueNames([name], 28)[0] ?? name),
        html('span', {}, String(runs.length)),
      );
      button.addEventListener('click', () => this.#choose(new Set(runs)));
      legend.append(button);
    }
    if (names.length > 16) legend.append(html('span', {}, `+ ${names.length - 16} more`));
    return legend;
  }

  #choose(runs: ReadonlySet<string>): void {
    this.context.emit({ type: 'select', patch: { runs: [...runs] } });
  }

  #chosen(projection: Projection, chosen: ReadonlySet<string>, { subsets }: Settings): HTMLElement {
    const { runs } = projection;
    const inside = runs.filter(({ run }) => chosen.has(run));
    if (inside.length === 0)
      return section(
        'No run chosen',
        '',
        html(
          'p',
          { class: 'gs-quiet' },
          'Draw around runs, or choose a cluster in the legend. By keyboard: arrows move, Shift and Enter choose.',
        ),
      );
    const outside = runs.filter(({ run }) => !chosen.has(run)).map(({ run }) => run);
    const button = (text: string, act: () => void, isUsable = true): HTMLButtonElement => {
      const element = html('button', { type: 'button', class: 'gs-button' }, text);
      element.disabled = !isUsable;
      element.addEventListener('click', act);
      return element;
    };
    const rows = contrasts(runs, chosen);
    const table = html(
      'table',
      { class: 'gs-twin gs-contrasts' },
      html(
        'thead',
        {},
        html(
          'tr',
          {},
          ...['parameter', 'chosen', 'rest'].map((name) => html('th', { scope: 'col' }, name)),
        ),
      ),
      html(
        'tbody',
        {},
        ...rows
          .slice(0, CONTRASTS)
          .map((row) =>
            html(
              'tr',
              {},
              html('td', {}, nameOf(row.parameter)),
              html('td', {}, nameOf(row.inside)),
              html('td', {}, nameOf(row.outside)),
            ),
          ),
      ),
    );
    return section(
      `${formatPlural(inside.length, 'run')} chosen`,
      `of ${runs.length}`,
      html(
        'div',
        { class: 'gs-tools' },
        button(
          'Keep only',
          () => this.context.emit({ type: 'keep-runs', runs: inside.map(({ run }) => run) }),
          outside.length > 0,
        ),
        button(
          'Exclude',
          () => this.context.emit({ type: 'keep-runs', runs: outside }),
          outside.length > 0,
        ),
        button('Clear', () => this.#choose(new Set())),
      ),
      nameForm(
        inside.map(({ run }) => run),
        subsets,
        this.context,
      ),
      html('h4', {}, 'What distinguishes them'),
      ...(rows.length > 0 ? [table] : [html('p', { class: 'gs-quiet' }, 'No parameter differs.')]),
      ...(rows.length > CONTRASTS
        ? [html('p', { class: 'gs-quiet' }, `+ ${rows.length - CONTRASTS} more parameters`)]
        : []),
    );
  }

  #explained(projection: Projection, { by, measure }: Settings): HTMLElement {
    const { clusters, silhouette } = projection[by];
    const sentences = [
      by === 'behaviour'
        ? `Distances: one less the similarity of two runs (${measure}).`
        : `Distances: over ${formatPlural(projection.used.length, 'parameter')} (${projection.used.slice(0, 4).join(', ')}${projection.used.length > 4 ? ', …' : ''}); numbers scaled to 0 to 1, each text a direction of its own.`,
      `Scaling (MDS) puts runs into a plane so that distances stay as far as they can; stress says how far they do not.`,
      `k-means put the runs into ${formatPlural(clusters, 'cluster')} around as many middles. Silhouette${typeof silhouette === 'number' ? ` ${formatNumber(silhouette)}` : ''}: 1 is far apart, 0 is touching, below 0 is wrong.`,
      ...(typeof projection.agreement === 'number'
        ? [
            `Clusters by behaviour and by parameters agree by ${formatNumber(projection.agreement)} (1: the same, 0: as by chance).`,
          ]
        : []),
    ];
    return section(
      'How to read it',
      '',
      ...sentences.map((sentence) => html('p', { class: 'gs-quiet gs-sentence' }, sentence)),
    );
  }
}
