/** Numbers, source, verdict and definitions of what is selected. */

import type { SankeyNode } from '@grainsheaf/views';
import {
  ABSENT,
  formatCount,
  formatNumber,
  formatPlural,
  formatShare,
  formatValue,
} from '@grainsheaf/views/logic/format.ts';
import {
  meanOf,
  rankOf,
  type Summary,
  summarise,
  valueAt,
} from '@grainsheaf/views/logic/values.ts';
import { indicesOf, valuesOf } from '@grainsheaf/views/sankey/model.ts';
import { DiffOfNode } from './verdict.tsx';
import { addSelectedClause, copy, splitSelected } from './actions.ts';
import {
  cohorts,
  isDiff,
  metric,
  metricInfo,
  picture,
  runs,
  runTable,
  scope,
  selectedNode,
  storeInfo,
  target,
  tree,
  unit,
} from './data.ts';
import { Questions, Varying } from './ensemble-questions.tsx';
import { Numbers } from './numbers.tsx';
import { SideSplitter } from './side-splitter.tsx';
import { lazy } from './lazy.tsx';
import { isInside } from './open-run.ts';
import { navigate, page } from './state.ts';

const OpenGroup = lazy(
  () => import('./open-group.tsx'),
  (module) => module.OpenGroup,
);

const RunSelection = lazy(
  () => import('./run-panel.tsx'),
  (module) => module.RunSelection,
);

function FiveNumbers({
  title,
  summary,
  unit,
}: {
  title: string;
  summary: Summary;
  unit: string | undefined;
}) {
  const why = `Over ${formatPlural(summary.count, 'run')}; runs without it are no part of it.`;
  return (
    <>
      <h3>{title}</h3>
      <Numbers
        rows={[
          ['max', formatValue(summary.max, unit), why],
          ['q3', formatValue(summary.q3, unit), why],
          ['median', formatValue(summary.median, unit), why],
          ['q1', formatValue(summary.q1, unit), why],
          ['min', formatValue(summary.min, unit), why],
        ]}
      />
    </>
  );
}

function TargetNumbers({ node, unit }: { node: SankeyNode; unit: string | undefined }) {
  const data = picture.answer.value.data;
  const against = target.value;
  if (!data || !against || isDiff.value) return null;
  const values = valuesOf(node, scope.value);
  const own = meanOf(values, indicesOf(data, against.runs));
  const { median } = summarise(values);
  if (own === null) {
    return (
      <section class="block">
        <h3 class="is-target">target: {against.name}</h3>
        <p>Not executed in this run.</p>
      </section>
    );
  }
  const [rank, count] = rankOf(own, values);
  return (
    <section class="block">
      <h3 class="is-target">target: {against.name}</h3>
      <Numbers
        rows={[
          [
            against.runs.length > 1
              ? `mean of ${formatPlural(against.runs.length, 'run')}`
              : scope.value,
            formatValue(own, unit),
          ],
          [
            'to the median',
            median ? `× ${formatNumber(own / median)}` : ABSENT,
            'Target divided by the median of the ensemble',
          ],
          ['rank', `${formatCount(rank)} of ${formatCount(count)}`, 'Least first'],
        ]}
      />
    </section>
  );
}

/** Mean of every cohort, with a bar. */
function CohortNumbers({ node, unit }: { node: SankeyNode; unit: string | undefined }) {
  const data = picture.answer.value.data;
  if (!data || cohorts.value.length < 2 || cohorts.value.length > 16) return null;
  const values = valuesOf(node, scope.value);
  const means = cohorts.value.map((cohort) => ({
    cohort,
    mean: meanOf(values, indicesOf(data, cohort.runs)),
  }));
  const most = Math.max(0, ...means.map(({ mean }) => mean ?? 0));
  return (
    <section class="block">
      <h3>mean by cohort, {scope.value}</h3>
      <table class="cohort-table">
        <tbody>
          {means.map(({ cohort, mean }) => (
            <tr key={cohort.name}>
              <th scope="row">{cohort.name}</th>
              <td class="bar-cell">
                <svg width="100%" height="8" aria-hidden="true">
                  <rect
                    class="bar-fill"
                    width={`${most > 0 ? ((mean ?? 0) / most) * 100 : 0}%`}
                    height="8"
                  />
                </svg>
              </td>
              <td class="number" title={mean === null ? 'absent in every run of the cohort' : ''}>
                {formatValue(mean, unit)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Definitions() {
  const metrics = runTable.answer.value.data?.metrics ?? [];
  const shown = metrics.find((one) => one.name === metric.value);
  return (
    <section class="block">
      <h3>definitions</h3>
      <dl class="definitions">
        {shown && (
          <>
            <dt class="mono">{shown.name}</dt>
            <dd>
              {shown.definition}{' '}
              {shown.unit === 'unknown' ? 'The source states no unit' : `In ${shown.unit}`};{' '}
              {shown.direction.replaceAll('_', ' ')}
              {shown.source ? `; called ${shown.source} by the source` : ''}. Measured in{' '}
              {formatCount(shown.runs)} of {formatPlural(runs.value.length, 'run')}.
            </dd>
          </>
        )}
        <dt>inclusive</dt>
        <dd>The group with everything below it.</dd>
        <dt>exclusive</dt>
        <dd>Spent in the group itself.</dd>
        <dt>absent</dt>
        <dd>
          Not executed or not measured in a run: shown as {ABSENT}, neither zero nor part of a
          distribution.
        </dd>
      </dl>
    </section>
  );
}

function Site() {
  const site = tree.answer.value.data?.sites.find((one) => one.id === page.value.site);
  if (!site) return null;
  const unit = tree.answer.value.data?.unit;
  return (
    <section class="block">
      <h3>call site</h3>
      <p class="mono name">{site.name}</p>
      {site.source && <p class="mono quiet">{site.source}</p>}
      <Numbers
        rows={[
          ['inclusive, max', formatValue(site.max_inclusive, unit)],
          ['exclusive, max', formatValue(site.max_exclusive, unit)],
          ['runs', formatCount(site.present)],
        ]}
      />
    </section>
  );
}

function Node({ node }: { node: SankeyNode }) {
  const data = picture.answer.value.data;
  if (!data) return null;
  const { unit } = data;
  const root = Math.max(0, ...data.nodes.map((one) => one.max_inclusive));
  const absent = data.runs.length - node.present;
  const isOthers = node.kind === 'others';
  const more = node.entry_function_count - Math.min(6, node.entry_functions.length);
  return (
    <>
      <section class="block">
        <p class="quiet">{isOthers ? 'collected groups' : (node.definition_kind ?? node.kind)}</p>
        <h2 class="mono name" title={node.name}>
          {node.name}
        </h2>
        {node.source && (
          <p class="mono source">
            {node.source}{' '}
            <button type="button" class="link" onClick={() => copy(node.source ?? '')}>
              copy
            </button>
          </p>
        )}
        {node.module && <p class="quiet">in {node.module}</p>}
        {!isOthers && (
          <p class="steps">
            <button
              type="button"
              class="button"
              title="One level further: entry functions, calling contexts, or its call tree; key X"
              onClick={() => void splitSelected()}
            >
              split
            </button>
            <button
              type="button"
              class="button"
              title="Shows only paths through it, key Shift F"
              onClick={() => addSelectedClause((group) => `focus ${group}`)}
            >
              focus
            </button>
            <button
              type="button"
              class="button"
              title="Leaves it out; its own time goes to its callers, key Del"
              onClick={() => addSelectedClause((group) => `hide ${group}`)}
            >
              hide
            </button>
            <button type="button" class="button" title="Key Y" onClick={() => copy(node.name)}>
              copy name
            </button>
          </p>
        )}
      </section>
      <OpenGroup node={node} />
      {isDiff.value && <DiffOfNode />}
      <TargetNumbers node={node} unit={unit} />
      <section class="block two">
        <div>
          <FiveNumbers title="inclusive" summary={summarise(node.inclusive_by_run)} unit={unit} />
        </div>
        <div>
          <FiveNumbers title="exclusive" summary={summarise(node.exclusive_by_run)} unit={unit} />
        </div>
      </section>
      <section class="block">
        <Numbers
          rows={[
            [
              'share of the root',
              formatShare(root > 0 ? node.max_inclusive / root : null),
              'Greatest inclusive value divided by the root’s greatest',
            ],
            [
              'runs',
              absent > 0
                ? `${formatCount(node.present)}, absent in ${formatCount(absent)}`
                : formatCount(node.present),
            ],
            ['grains or calls', node.count > 0 ? formatCount(node.count) : ABSENT, 'Over all runs'],
          ]}
        />
        {absent > 0 && (
          <p class="quiet">
            {data.runs
              .filter((_, index) => valueAt(node.inclusive_by_run, index) === null)
              .slice(0, 4)
              .map((id) => runs.value.find((run) => run.run === id)?.name ?? id.slice(0, 8))
              .join(', ')}
            {absent > 4 ? ` + ${absent - 4} more` : ''} without it
          </p>
        )}
      </section>
      <CohortNumbers node={node} unit={unit} />
      {node.entry_functions.length > 0 && !isOthers && (
        <section class="block">
          <h3>entered through</h3>
          <Numbers
            rows={node.entry_functions
              .slice(0, 6)
              .map((entry) => [entry.name, formatValue(entry.max_inclusive, unit)] as const)}
          />
          {more > 0 && <p class="quiet">+ {formatCount(more)} more</p>}
        </section>
      )}
      {isOthers && (
        <section class="block">
          <h3>collected</h3>
          <ul class="plain mono">
            {node.members.slice(0, 30).map((name) => (
              <li key={name}>{name}</li>
            ))}
          </ul>
          {node.members.length > 30 && (
            <p class="quiet">+ {formatCount(node.members.length - 30)} more</p>
          )}
        </section>
      )}
      <Site />
      <Definitions />
    </>
  );
}

function Ensemble() {
  const data = picture.answer.value.data;
  const table = runTable.answer.value.data;
  const totals = summarise(runs.value.map((run) => run.total ?? null));
  const shownUnit = unit.value;
  return (
    <>
      <section class="block">
        <p class="quiet">ensemble</p>
        <h2>
          {table
            ? formatPlural(runs.value.length, 'run')
            : runTable.answer.value.error
              ? ABSENT
              : 'reading…'}
        </h2>
        {storeInfo.answer.value.data?.description && (
          <p>{storeInfo.answer.value.data.description}</p>
        )}
      </section>
      <Questions />
      {runs.value.length > 0 && (
        <section class="block">
          <FiveNumbers
            title={`total ${metricInfo.value?.label ?? ''}`}
            summary={totals}
            unit={shownUnit}
          />
        </section>
      )}
      <Varying />
      {data && (
        <section class="block">
          <h3>in common</h3>
          <p>{formatShare(data.common_share)} of the work is in groups that all runs have.</p>
        </section>
      )}
      <Definitions />
    </>
  );
}

export function RightPanel() {
  const node = selectedNode.value;
  return (
    <aside class="panel right-panel" aria-label="Selection" data-tour="selection">
      <SideSplitter side="right" />
      <div class="panel-head">
        <h2>selection</h2>
        {isInside.value && page.value.grain !== '' && (
          <button type="button" class="link" onClick={() => navigate({ grain: '' })}>
            clear
          </button>
        )}
        {!isInside.value && page.value.group && (
          <button
            type="button"
            class="link"
            onClick={() => navigate({ group: '', site: '', zoom: '' })}
          >
            clear
          </button>
        )}
      </div>
      <div class="panel-body">
        {isInside.value ? <RunSelection /> : node ? <Node node={node} /> : <Ensemble />}
      </div>
    </aside>
  );
}
