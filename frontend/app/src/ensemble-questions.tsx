/** Questions that the runs of a store suggest, and the parameters in which they differ. */

import { formatCount, formatPlural } from '@grainsheaf/views/logic/format.ts';
import { quote, withClause, withDiff } from '@grainsheaf/views/logic/lens.ts';
import { MAX_COHORTS, parallelRunOf } from '@grainsheaf/views/logic/run-sets.ts';
import { uniqueNames } from '@grainsheaf/views/logic/unique-names.ts';
import { visible } from '@grainsheaf/views/logic/visible.ts';
import { setLens, suggestedDiff } from './actions.ts';
import { cohorts, growingParameter, nameOfSelector, runs, runTable } from './data.ts';
import { load, show } from './layouts.ts';
import { openRun } from './open-run.ts';
import { hasRanks } from './rank-bars.ts';
import { navigate, page } from './state.ts';

const MOST_SHOWN = 8;

/** Steps to the views that answer what people ask first. */
export function Questions() {
  const steps: { readonly label: string; run(): void }[] = [];
  const sides = suggestedDiff();
  const [from, to] = uniqueNames(sides?.map(nameOfSelector) ?? [], 28);
  if (sides && cohorts.value.length > 1) {
    const compare = (panes: string) => (): void =>
      navigate({ layout: 'compare', panes, tab: '', lens: withDiff(page.peek().lens, sides) });
    steps.push({ label: `What changed from ${from} to ${to}?`, run: compare('') });
    if (runs.value.some(({ grains }) => (grains ?? 0) > 0))
      steps.push({ label: 'Why did the time change?', run: compare('(explain/60/sankey)') });
  }
  if (growingParameter.value)
    steps.push({
      label: `Which groups inflate with ${growingParameter.value}?`,
      run: () => load('scaling'),
    });
  if (hasRanks.value)
    steps.push({ label: 'Which ranks are imbalanced?', run: () => show('locations') });
  const parallel = parallelRunOf(runs.value);
  if (parallel)
    steps.push({
      label: `Which grains of ${parallel.name} have problems?`,
      run: () => openRun(parallel.run, {}, 'grain-graph'),
    });
  if (steps.length === 0) return null;
  return (
    <section class="block">
      <h3>questions</h3>
      <ul class="plain questions">
        {steps.map(({ label, run }) => (
          <li key={label}>
            <button type="button" class="link" onClick={run}>
              <bdi>{visible(label)}</bdi>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Parameters with their values; a name groups the runs. */
export function Varying() {
  const varying = (runTable.answer.value.data?.parameters ?? []).filter((one) => one.varies);
  if (varying.length === 0) return null;
  return (
    <section class="block">
      <h3>parameters that vary</h3>
      <dl class="numbers">
        {varying.slice(0, MOST_SHOWN).map(({ name, distinct, values }) => {
          const all = values.join(', ');
          return (
            <div key={name} title={all}>
              <dt>
                {distinct > 1 && distinct <= MAX_COHORTS ? (
                  <button
                    type="button"
                    class="link"
                    title={`Groups the runs by ${name}, to compare them`}
                    onClick={() => setLens(withClause(page.peek().lens, `by ${quote(name)}`))}
                  >
                    <bdi>{name}</bdi>
                  </button>
                ) : (
                  <bdi>{name}</bdi>
                )}
              </dt>
              <dd>{distinct > 5 ? formatPlural(distinct, 'value') : all}</dd>
            </div>
          );
        })}
      </dl>
      {varying.length > MOST_SHOWN && (
        <button type="button" class="link" onClick={() => show('runs')}>
          + {formatCount(varying.length - MOST_SHOWN)} more in the run table
        </button>
      )}
    </section>
  );
}
