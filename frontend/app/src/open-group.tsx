/** Ways from the selected group into runs: the target, the run with the largest value, or both sides of a diff. */

import type { SankeyNode } from '@grainsheaf/views';
import { valuesOf } from '@grainsheaf/views/sankey/model.ts';
import { isDiff, picture, runLabels, scope, sides, target } from './data.ts';
import { openRun } from './open-run.ts';

/** The run in which the group has its largest value. */
function largestRun(node: SankeyNode): string | undefined {
  const values = valuesOf(node, scope.value);
  let most = -Infinity;
  let at = -1;
  for (let run = 0; run < values.length; run += 1) {
    const value = values[run] ?? NaN;
    if (value > most) [most, at] = [value, run];
  }
  return picture.answer.value.data?.runs[at];
}

export function OpenGroup({ node }: { node: SankeyNode }) {
  if (node.kind === 'others') return null;
  const patch = { definition: node.name };
  const label = (run: string): string => runLabels.value.get(run) ?? run.slice(0, 8);
  const { a, b } = sides.value;
  const [one, other] = isDiff.value ? [a?.runs[0], b?.runs[0]] : [];
  const chosen = target.value?.runs[0];
  const largest = largestRun(node);
  const runs = [...new Set([chosen, largest])].filter((run) => run !== undefined);
  return (
    <section class="block">
      <p class="steps" aria-label="Open runs at this group">
        {one !== undefined && other !== undefined ? (
          <button
            type="button"
            class="button"
            title="Inside run A, with run B next to it, at this definition"
            onClick={() => openRun(one, { ...patch, otherRun: other })}
          >
            open <bdi>{label(one)}</bdi> next to <bdi>{label(other)}</bdi>
          </button>
        ) : (
          runs.map((run) => (
            <button
              type="button"
              class="button"
              key={run}
              title={run === chosen ? 'Inside the target' : 'Inside the run with the largest value'}
              onClick={() => openRun(run, patch)}
            >
              open in <bdi>{label(run)}</bdi>
            </button>
          ))
        )}
      </p>
    </section>
  );
}
