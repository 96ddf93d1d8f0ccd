/** Numbers, source, verdict and definitions of the selected group. */

import type { SankeyNode } from '@grainsheaf/views';
import {
  ABSENT,
  formatCount,
  formatNumber,
  formatPlural,
  formatShare,
  formatValue,
} from '@grainsheaf/views/logic/format.ts';
import { meanOf, rankOf, summarise, valueAt } from '@grainsheaf/views/logic/values.ts';
import { indicesOf, valuesOf } from '@grainsheaf/views/sankey/model.ts';
import { addSelectedClause, copy } from './actions.ts';
import { cohorts, isDiff, picture, runs, scope, target, tree } from './data.ts';
import { Definitions, FiveNumbers } from './definitions.tsx';
import { Numbers } from './numbers.tsx';
import { splitSelected } from './splitting.ts';
import { OpenGroup, OpenSite } from './open-group.tsx';
import { page } from './state.ts';
import { DiffOfNode } from './verdict.tsx';

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

function Site() {
  const { data } = tree.answer.value;
  const site = data?.sites.find((one) => one.id === page.value.site);
  if (!data || !site) return null;
  const { unit } = data;
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
      <OpenSite site={site} ids={data.runs} />
    </section>
  );
}

export function Node({ node }: { node: SankeyNode }) {
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
