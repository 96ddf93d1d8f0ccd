/** What is known of all runs, when no group is selected. */

import { ABSENT, formatPlural, formatShare } from '@grainsheaf/views/logic/format.ts';
import { summarise } from '@grainsheaf/views/logic/values.ts';
import { metricInfo, picture, runs, runTable, storeInfo, unit } from './data.ts';
import { Definitions, FiveNumbers } from './definitions.tsx';
import { Questions } from './ensemble-questions.tsx';
import { Restriction, Varying } from './parameters.tsx';

export function Ensemble() {
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
        <Restriction />
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
