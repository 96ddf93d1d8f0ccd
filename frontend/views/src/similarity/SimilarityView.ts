/** The matrix of similarities, its clusters, what distinguishes them and which parameters explain it. */

import { categoryColour, shapePath } from '../logic/categories.ts';
import { sampleScale } from '../logic/colour.ts';
import {
  formatNumber,
  formatParameter,
  formatPlural,
  formatShare,
  formatShort,
  formatValue,
} from '../logic/format.ts';
import { uniqueNames } from '../logic/unique-names.ts';
import type { Shown } from '../registry/definition.ts';
import { ChartView, nameOf, section } from '../ui/chart-view.ts';
import { html, svg } from '../ui/dom.ts';
import { Heat } from '../ui/heat.ts';
import { OPENS_RUN } from '../ui/marks.ts';
import type { Answers, Settings } from './definition.ts';
import './similarity.css';

type Similar = Answers['similar'];
type Cluster = Similar['clusters'][number];

const WIDE = 820;
/** Largest cell, and room for the names of runs. */
const CELL = 22;
const NAMES = 190;
/** Traits and parameters shown. */
const TRAITS = 4;
const PARAMETERS = 8;

export class SimilarityView extends ChartView<Answers, Settings> {
  constructor() {
    super('similarity');
  }

  protected draw({ similar }: Answers, shown: Shown<Settings>): void {
    const width = this.root.clientWidth || 1000;
    const isWide = width >= WIDE;
    this.root.classList.toggle('is-wide', isWide);
    const room = width - (isWide ? 320 : 0) - 32;
    const side = html('aside', { class: 'gs-side' }, ...this.#clusters(similar, shown));
    const parameters = this.#parameters(similar);
    if (parameters) side.append(parameters);
    this.root.replaceChildren(
      this.#title(similar),
      html('div', { class: 'gs-split' }, this.#matrix(similar, shown, room), side),
    );
  }

  #title(similar: Similar): HTMLElement {
    const { clusters } = similar;
    const facts = [
      `${formatPlural(similar.runs.length, 'run')}`,
      formatPlural(similar.structures, 'structure'),
      ...(similar.silhouette === null || similar.silhouette === undefined
        ? []
        : [`silhouette ${formatNumber(similar.silhouette)} (1: far apart, 0: touching)`]),
      ...(similar.threshold === null || similar.threshold === undefined
        ? []
        : [`alike on average from ${formatNumber(similar.threshold)}`]),
    ];
    return html(
      'header',
      { class: 'gs-title' },
      html(
        'h2',
        {},
        clusters.length === 1
          ? 'All runs belong together'
          : formatPlural(clusters.length, 'cluster'),
      ),
      html('span', { class: 'gs-quiet gs-grow' }, facts.join(', ')),
    );
  }

  #matrix(similar: Similar, shown: Shown<Settings>, room: number): HTMLElement {
    const count = similar.runs.length;
    const names = similar.runs.map((run) => shown.facts.runLabels.get(run.run) ?? run.name);
    const hasNames = room > NAMES + 200;
    const size = Math.max(
      2,
      Math.min(
        CELL,
        (room - (hasNames ? NAMES : 0) - 30) / count,
        (this.root.clientHeight - 150) / count || CELL,
      ),
    );
    const heat = new Heat(this.tooltip, this.drawing);
    const values = similar.matrix.flat().filter((value) => typeof value === 'number');
    const low = Math.min(1, ...sampled(values));
    const scale = [...this.palette.exclusive];
    const share = (value: number): number => (low < 1 ? (value - low) / (1 - low) : 1);
    heat.draw(
      {
        rows: count,
        columns: count,
        cellWidth: size,
        cellHeight: size,
        colour: (row, column) => {
          const value = similar.matrix[row]?.[column];
          return typeof value === 'number' ? sampleScale(scale, share(value)) : undefined;
        },
      },
      {
        label: `Similarity of ${formatPlural(count, 'run')}, ${formatPlural(similar.clusters.length, 'cluster')}`,
        accent: this.palette.target,
        absent: this.palette.ensemble,
        tip: (row, column) => {
          const [a, b] = [similar.runs[row], similar.runs[column]];
          return {
            title: row === column ? (a?.name ?? '') : `${a?.name ?? ''} – ${b?.name ?? ''}`,
            rows: [
              ['similarity', formatNumber(similar.matrix[row]?.[column])],
              [
                'clusters',
                a?.cluster === b?.cluster
                  ? `${(a?.cluster ?? 0) + 1}`
                  : `${(a?.cluster ?? 0) + 1} and ${(b?.cluster ?? 0) + 1}`,
              ],
              ...differences(a?.params ?? {}, b?.params ?? {}),
            ],
            notes:
              row === column
                ? ['Enter: make it the target.', OPENS_RUN]
                : [
                    'Enter: compare the two runs.',
                    'Double click or O: open them, one below the other.',
                  ],
          };
        },
        pick: (row, column) => {
          const [a, b] = [similar.runs[row], similar.runs[column]];
          if (!a || !b) return;
          if (a.run === b.run) this.context.emit({ type: 'set-target', run: a.run });
          else {
            this.context.emit({ type: 'set-side', side: 'a', run: a.run });
            this.context.emit({ type: 'set-side', side: 'b', run: b.run });
          }
        },
        open: (row, column) => {
          const [a, b] = [similar.runs[row], similar.runs[column]];
          if (a && b)
            this.context.emit({
              type: 'open-run',
              run: a.run,
              patch: { otherRun: a.run === b.run ? '' : b.run },
            });
        },
      },
    );
    this.#outline(heat, similar, size);
    const labels = uniqueNames(names, 24);
    const isLegible = size >= 11;
    const side = html('div', { class: 'gs-matrix-names' });
    for (const [index, run] of similar.runs.entries()) {
      const line = html('div', { class: 'gs-matrix-name' });
      line.style.height = `${size}px`;
      const bar = html('span', { class: 'gs-matrix-bar' });
      bar.style.background = categoryColour(this.palette, run.cluster);
      if (hasNames && isLegible) line.append(nameOf(run.name, labels[index]));
      line.append(bar);
      side.append(line);
    }
    const box = html('div', { class: 'gs-matrix' }, side, heat.root);
    return section(
      'Each run with each',
      'runs in the order of clusters',
      box,
      this.#legend(scale, low),
      ...(isLegible
        ? []
        : [html('p', { class: 'gs-quiet' }, 'Names are in the tooltip and in the table.')]),
    );
  }

  #outline(heat: Heat, similar: Similar, size: number): void {
    let at = 0;
    for (const [index, cluster] of similar.clusters.entries()) {
      const box = html('span', { class: 'gs-matrix-cluster' });
      const length = cluster.runs.length * size;
      Object.assign(box.style, {
        left: `${at}px`,
        top: `${at}px`,
        width: `${length}px`,
        height: `${length}px`,
        borderColor: categoryColour(this.palette, index),
      });
      heat.root.append(box);
      at += length;
    }
  }

  #legend(scale: readonly string[], low: number): HTMLElement {
    const width = 160;
    const steps = 20;
    const bar = svg('svg', { width, height: 10, 'aria-hidden': 'true' });
    for (let at = 0; at < steps; at += 1)
      bar.append(
        svg('rect', {
          x: (at * width) / steps,
          width: width / steps + 0.5,
          height: 10,
          fill: sampleScale(scale, at / (steps - 1)),
        }),
      );
    return html(
      'div',
      { class: 'gs-legend gs-matrix-legend' },
      html('span', {}, formatShort(low), bar, '1, the same'),
    );
  }

  #clusters(similar: Similar, shown: Shown<Settings>): HTMLElement[] {
    return similar.clusters.map((cluster, index) => {
      const medoid = similar.runs.find((run) => run.run === cluster.medoid);
      const mark = svg(
        'svg',
        { class: 'gs-swatch-dot', viewBox: '-7 -7 14 14', 'aria-hidden': 'true' },
        svg('path', { d: shapePath(index, 5), fill: categoryColour(this.palette, index) }),
      );
      const keep = this.#button('Keep only these', () =>
        this.context.emit({ type: 'keep-runs', runs: cluster.runs }),
      );
      const pick = this.#button('Select', () =>
        this.context.emit({ type: 'select', patch: { runs: cluster.runs } }),
      );
      const others = similar.runs.filter((run) => run.cluster !== index).map(({ run }) => run);
      const exclude = this.#button('Exclude', () =>
        this.context.emit({ type: 'keep-runs', runs: others }),
      );
      exclude.disabled = others.length === 0;
      keep.disabled = others.length === 0;
      const part = section(
        `Cluster ${index + 1}`,
        formatPlural(cluster.runs.length, 'run'),
        html(
          'p',
          { class: 'gs-quiet' },
          [
            ...(typeof cluster.mean === 'number'
              ? [
                  `similar by ${formatNumber(cluster.mean)} on average, ${formatNumber(cluster.least)} at least`,
                ]
              : ['one run']),
            ...(typeof cluster.nearest === 'number'
              ? [
                  `nearest: cluster ${cluster.nearest + 1}, ${formatNumber(cluster.nearest_similarity)}`,
                ]
              : []),
          ].join('; '),
        ),
        ...(medoid
          ? [
              html(
                'p',
                { class: 'gs-medoid' },
                'in its middle: ',
                nameOf(medoid.name, shown.facts.runLabels.get(medoid.run) ?? medoid.name),
              ),
            ]
          : []),
        this.#traits(cluster),
        html('div', { class: 'gs-tools' }, keep, exclude, pick),
      );
      part.querySelector('h3')?.prepend(mark, ' ');
      return part;
    });
  }

  #traits(cluster: Cluster): HTMLElement {
    const seen = new Set<string>();
    const traits = cluster.traits.filter(({ kind, name, value }) => {
      const key = kind === 'metric' ? `metric ${name}` : `${kind} ${name} ${value ?? ''}`;
      return !seen.has(key) && seen.add(key);
    });
    if (traits.length === 0) return html('p', { class: 'gs-quiet' }, 'Nothing distinguishes it.');
    const list = html('div', { class: 'gs-lines' });
    for (const trait of traits.slice(0, TRAITS)) {
      const what =
        trait.kind === 'parameter'
          ? `${trait.name}${trait.value ? ` = ${trait.value}` : ''}`
          : trait.kind === 'group'
            ? `has ${trait.name}`
            : trait.name;
      const format = (value: number): string =>
        trait.unit === 'ratio' && trait.kind !== 'metric'
          ? formatShare(value)
          : formatValue(value, trait.unit || 'unknown');
      list.append(
        nameOf(trait.metric ? `${what}, ${trait.metric}` : what, what),
        html('span', {}, `${format(trait.inside)}, others ${format(trait.outside)}`),
      );
    }
    return list;
  }

  #parameters(similar: Similar): HTMLElement | undefined {
    if (similar.parameters.length === 0) return undefined;
    const rows = similar.parameters.slice(0, PARAMETERS).map((one) => {
      const bar = html('span', { class: 'gs-bar-cell' });
      bar.style.width = `${Math.max(0, Math.min(1, one.r_squared)) * 100}%`;
      const row = html(
        'div',
        { class: 'gs-importance' },
        nameOf([one.parameter, ...(one.same ?? [])].join(', '), one.parameter),
        html('span', {}, bar),
        html('span', { class: 'gs-number' }, formatShare(one.r_squared)),
        html('span', { class: 'gs-number gs-quiet' }, `p ${formatNumber(one.p)}`),
      );
      this.marks.add(row, {
        key: `parameter-${one.parameter}`,
        tip: () => ({
          title: one.parameter,
          rows: [
            ['explains of the distances', formatShare(one.r_squared)],
            ['adjusted for its values', formatShare(one.adjusted)],
            ['values', String(one.values)],
            ['p by permutation', formatNumber(one.p)],
          ],
          notes: [
            ...(one.same?.length ? [`Divides the runs like ${one.same.join(', ')}.`] : []),
            'Enter: form cohorts by it.',
          ],
        }),
        pick: () => this.context.emit({ type: 'add-clause', clause: `by ${one.parameter}` }),
      });
      return row;
    });
    return section('What divides the runs', 'share of the distances explained', ...rows);
  }

  #button(text: string, act: () => void): HTMLButtonElement {
    const button = html('button', { type: 'button', class: 'gs-button' }, text);
    button.addEventListener('click', act);
    return button;
  }
}

/** Parameters in which two runs differ; the first few. */
function differences(
  a: Readonly<Record<string, string | number | boolean>>,
  b: Readonly<Record<string, string | number | boolean>>,
): [string, string][] {
  return Object.keys({ ...a, ...b })
    .filter((name) => a[name] !== b[name])
    .slice(0, 4)
    .map((name) => [
      name,
      uniqueNames([formatParameter(a[name]), formatParameter(b[name])], 24).join(' – '),
    ]);
}

/** At most some thousands of values: the minimum of more needs no spreading of arguments. */
function sampled(values: readonly number[]): number[] {
  let least = 1;
  for (const value of values) least = Math.min(least, value);
  return [least];
}
