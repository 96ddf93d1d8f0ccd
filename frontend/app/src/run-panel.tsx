/** The selection inside a run: the run, its definition, the selected grain with its metrics. */

import type { GrainRow, Grains, Run } from '@grainsheaf/views';
import { computed, effect, signal } from '@preact/signals';
import { ABSENT, formatCount, formatValue } from '@grainsheaf/views/logic/format.ts';
import { metricLabel } from '@grainsheaf/views/logic/metrics.ts';
import { routeOf } from '@grainsheaf/views/registry/one-run.ts';
import { addressOf } from './data.ts';
import { GrainProblems, Place, Siblings } from './grain-facts.tsx';
import { GrainFragments } from './grain-fragments.tsx';
import { Numbers } from './numbers.tsx';
import { isInside, leaveFor, openedRun } from './open-run.ts';
import { Remark } from './remark.tsx';
import { Resource } from './resource.ts';
import { select } from './selection.ts';
import { Body } from './states.tsx';
import { page } from './state.ts';
import './style/grain.css';

const selectedGrain = new Resource<Grains>();

/** The run whose grains are shown with all metrics, although they take long. */
const completeRun = signal('');

/** Whether instantaneous parallelism and problems are left out: for so many grains they take a minute. */
const isBrief = computed(
  () => (openedRun.value?.grains ?? 0) > 500_000 && completeRun.value !== page.value.run,
);

effect(() => {
  const { run, grain } = page.value;
  if (!isInside.value || !/^\d+$/.test(grain)) selectedGrain.clear();
  else
    selectedGrain.load(
      addressOf(routeOf(run, 'grains'), {
        where: `grain == ${grain}`,
        all: 'true',
        ...(isBrief.value && { brief: 'true' }),
      }),
      `Reading grain ${grain}`,
    );
});

function RunBlock({ run }: { run: Run }) {
  return (
    <section class="block">
      <p class="quiet">run · {run.format}</p>
      <h2 class="mono name">{run.name}</h2>
      <Numbers
        rows={[
          ['elapsed', formatValue(run.elapsed_ns, 'ns'), 'absent without times in nanoseconds'],
          ['workers', formatCount(run.workers)],
          ['grains', formatCount(run.grains)],
        ]}
      />
      <Remark run={run.run} />
    </section>
  );
}

/** Metrics that are shown at once; the rest is folded. */
const FIRST_METRICS = 10;

function GrainBlock({ answer, grain }: { answer: Grains; grain: GrainRow }) {
  const values = grain as unknown as Readonly<Record<string, unknown>>;
  const worker =
    typeof grain.thread !== 'number'
      ? ABSENT
      : (grain.rank ?? 0) > 0
        ? `rank ${grain.rank}, ${grain.thread}`
        : String(grain.thread);
  const metrics = answer.metrics.map((metric) => {
    const value = values[metric.name];
    const why = answer.absent[metric.name] ?? metric.definition;
    return [
      metricLabel(metric),
      typeof value === 'number' ? formatValue(value, metric.unit) : ABSENT,
      why,
    ] as const;
  });
  return (
    <>
      <section class="block">
        <p class="quiet">
          {grain.kind.replaceAll('_', ' ')} · grain {grain.grain}
        </p>
        <h2 class="mono name">
          <bdi>{grain.path[grain.path.length - 1] ?? grain.definition}</bdi>
        </h2>
        <Place definition={grain.definition} />
        <Numbers
          rows={[
            ['worker', worker, 'The worker that finished it'],
            ['created', formatValue(grain.created, answer.unit)],
            ['begin', formatValue(grain.start, answer.unit)],
            ['end', formatValue(grain.end, answer.unit)],
          ]}
        />
        <p class="state-steps">
          <button
            type="button"
            class="button"
            onClick={() => select({ definition: grain.definition })}
          >
            All of its definition
          </button>
          <button type="button" class="button" onClick={() => void leaveFor(grain.definition)}>
            Its definition over all runs
          </button>
          {typeof grain.parent === 'number' && (
            <button
              type="button"
              class="button"
              onClick={() => select({ grain: String(grain.parent) })}
            >
              Its creator
            </button>
          )}
        </p>
      </section>
      <section class="block">
        <GrainFragments run={answer.run} grain={grain.grain} />
        <Remark run={answer.run} pathKey={grain.path_key} />
      </section>
      {!isBrief.value && <GrainProblems run={answer.run} grain={grain} />}
      <section class="block">
        <h3>metrics</h3>
        <Siblings answer={answer} grain={grain} />
        <Numbers rows={metrics.slice(0, FIRST_METRICS)} />
        {metrics.length > FIRST_METRICS && (
          <details>
            <summary class="quiet">+ {formatCount(metrics.length - FIRST_METRICS)} more</summary>
            <Numbers rows={metrics.slice(FIRST_METRICS)} />
          </details>
        )}
        {isBrief.value && (
          <button
            type="button"
            class="button"
            onClick={() => (completeRun.value = page.value.run)}
            title="The run has many grains, so that this takes about a minute"
          >
            Compute instantaneous parallelism and problems
          </button>
        )}
      </section>
    </>
  );
}

/** Content of the right panel inside a run. */
export function RunSelection() {
  const run = openedRun.value;
  return (
    <>
      {page.value.grain !== '' && (
        <Body resource={selectedGrain} skeleton="rows">
          {(answer) => {
            const row = answer.rows[0];
            return row ? (
              <GrainBlock answer={answer} grain={row} />
            ) : (
              <p class="hint">The run has no grain {page.value.grain}.</p>
            );
          }}
        </Body>
      )}
      {run ? <RunBlock run={run} /> : <p class="hint">The lens does not select this run.</p>}
    </>
  );
}
