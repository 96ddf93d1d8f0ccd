/** What is selected: a group, a part of a run, or the whole ensemble. */

import { ABSENT, formatPlural, formatShare } from '@grainsheaf/views/logic/format.ts';
import { summarise } from '@grainsheaf/views/logic/values.ts';
import { metricInfo, picture, runs, runTable, selectedNode, storeInfo, unit } from './data.ts';
import { Definitions, FiveNumbers } from './definitions.tsx';
import { Questions } from './ensemble-questions.tsx';
import { lazy } from './lazy.tsx';
import { isInside } from './open-run.ts';
import { SideSplitter } from './side-splitter.tsx';
import { navigate, page } from './state.ts';

const Node = lazy(
  () => import('./node-panel.tsx'),
  (module) => module.Node,
);

const loadParameters = (): Promise<typeof import('./parameters.tsx')> => import('./parameters.tsx');
const Restriction = lazy(loadParameters, (module) => module.Restriction);
const Varying = lazy(loadParameters, (module) => module.Varying);

const RunSelection = lazy(
  () => import('./run-panel.tsx'),
  (module) => module.RunSelection,
);

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
