/** Questions that the runs of a store suggest. */

import { quote, withClause } from '@grainsheaf/views/logic/lens.ts';
import { parallelRunOf } from '@grainsheaf/views/logic/run-sets.ts';
import { uniqueNames } from '@grainsheaf/views/logic/unique-names.ts';
import { visible } from '@grainsheaf/views/logic/visible.ts';
import { compareSuggested, suggestedDiff } from './actions.ts';
import { cohortBy, cohorts, growingParameter, nameOfSelector, runs } from './data.ts';
import { load } from './layouts.ts';
import { openRun } from './open-run.ts';
import { hasRanks } from './rank-bars.ts';
import { navigate, page } from './state.ts';

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
  const by = cohortBy.value;
  if (cohorts.value.length > 1 && cohorts.value.length <= 8)
    steps.push({
      label: `Which groups depend on ${by.join(', ')}?`,
      run: () =>
        navigate({
          layout: 'overview',
          panes: 'boxes',
          tab: '',
          lens: withClause(page.peek().lens, `by ${by.map(quote).join(' ')}`),
          views: {
            ...page.peek().views,
            'boxes.numbers': 'cohorts',
            'boxes.sort': '-ratio',
          },
        }),
    });
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
