/** Five numbers of a sample, and what numbers of the right panel mean. */

import { ABSENT, formatCount, formatPlural, formatValue } from '@grainsheaf/views/logic/format.ts';
import type { Summary } from '@grainsheaf/views/logic/values.ts';
import { metric, runs, runTable } from './data.ts';
import { Numbers } from './numbers.tsx';

/** Maximum, quartiles and minimum of values over runs. */
export function FiveNumbers({
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

/** What the shown metric, its scopes and absence mean. */
export function Definitions() {
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
