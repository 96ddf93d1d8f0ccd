/** Questions that the runs of a store suggest. */

import { parallelRunOf } from '@grainsheaf/views/logic/run-sets.ts';
import { uniqueNames } from '@grainsheaf/views/logic/unique-names.ts';
import { visible } from '@grainsheaf/views/logic/visible.ts';
import { compareSuggested, suggestedDiff } from './actions.ts';
import { cohorts, growingParameter, nameOfSelector, runs } from './data.ts';
import { load } from './layouts.ts';
import { openRun } from './open-run.ts';
import { hasRanks } from './rank-bars.ts';
import { navigate } from './state.ts';

/** Steps to the views that answer what people ask first. */
export function Questions() {
  const steps: { readonly label: string; run(): void }[] = [];
  const sides = suggestedDiff();
  const [from, to] = uniqueNames(sides?.map(nameOfSelector) ?? [], 28);
  if (growingParameter.value)
    steps.push({
      label: `Which groups inflate with ${growingParameter.value}?`,
      run: () => load('scaling'),
    });
  if (sides && cohorts.value.length > 1) {
    steps.push({ label: `What changed from ${from} to ${to}?`, run: () => compareSuggested() });
    if (runs.value.some(({ grains }) => (grains ?? 0) > 0))
      steps.push({
        label: 'Why did the time change?',
        run: () => compareSuggested('(explain/60/sankey)'),
      });
  }
  if (hasRanks.value)
    steps.push({
      label: 'Which ranks are imbalanced?',
      run: () => navigate({ layout: 'overview', panes: '(locations/60/sankey)', tab: '' }),
    });
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
