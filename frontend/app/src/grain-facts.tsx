/** What other answers state of the selected grain: where it is defined, its siblings, its problems. */

import type { GrainRow, Grains, Problems } from '@grainsheaf/views';
import { formatPlural, formatValue } from '@grainsheaf/views/logic/format.ts';
import { isPerhapsBalanced, medianOf, problemsOf } from '@grainsheaf/views/logic/grain-facts.ts';
import { metricLabel } from '@grainsheaf/views/logic/metrics.ts';
import { conditionText } from '@grainsheaf/views/logic/problems.ts';
import { routeOf } from '@grainsheaf/views/registry/one-run.ts';
import { useEffect, useMemo } from 'preact/hooks';
import { addressOf, picture } from './data.ts';
import { show } from './layouts.ts';
import { Numbers } from './numbers.tsx';
import { Resource } from './resource.ts';

/** Siblings that the median is of, at most. */
const SIBLINGS = 10_000;

/** File and line of a definition, and the way to the view of its source. */
export function Place({ definition }: { definition: string }) {
  const nodes = picture.answer.value.data?.nodes ?? [];
  const node = nodes.find(
    ({ name, members }) => name === definition || members.includes(definition),
  );
  if (!node?.source) return null;
  return (
    <p class="mono source">
      {node.source}{' '}
      <button type="button" class="link" onClick={() => show('source')}>
        open source
      </button>
    </p>
  );
}

/** The median of the grains with the same creator. */
export function Siblings({ answer, grain }: { answer: Grains; grain: GrainRow }) {
  const siblings = useMemo(() => new Resource<Grains>(), []);
  const metric = answer.metrics[0];
  const { parent } = grain;
  useEffect(() => {
    if (!metric || typeof parent !== 'number') return siblings.clear();
    const query = { where: `parent == ${parent}`, metrics: metric.name, limit: SIBLINGS };
    siblings.load(addressOf(routeOf(answer.run, 'grains'), query), 'Reading the siblings');
  }, [answer.run, metric?.name, parent]);
  const { data } = siblings.answer.value;
  if (!data || !metric || data.rows.length < 2) return null;
  const cut = data.total > data.rows.length ? 'first ' : '';
  const label = `median of ${cut}${formatPlural(data.rows.length, 'sibling')}`;
  const why = `${metricLabel(metric)}, median of the grains of its creator`;
  return (
    <Numbers rows={[[label, formatValue(medianOf(data.rows, metric.name), metric.unit), why]]} />
  );
}

/** Problems that the grain has. */
export function GrainProblems({ run, grain }: { run: string; grain: GrainRow }) {
  const problems = useMemo(() => new Resource<Problems>(), []);
  useEffect(
    () => problems.load(addressOf(routeOf(run, 'problems')), 'Looking for problems'),
    [run],
  );
  const { data } = problems.answer.value;
  if (!data) return null;
  const found = problemsOf(grain, data);
  return (
    <section class="block" aria-label="Problems of the grain">
      <h3>problems</h3>
      {found.length === 0 && <p class="quiet">✓ none of those that are checked</p>}
      <ul class="plain grain-problems">
        {found.map((problem) => (
          <li key={problem.condition}>
            ▲ {conditionText(problem.condition, problem.unit)}
            {isPerhapsBalanced(grain, problem) && ', unless its loop is balanced'}
          </li>
        ))}
      </ul>
    </section>
  );
}
