/** What is selected: a group, a part of a run, or the whole ensemble. */

import { selectedNode } from './data.ts';
import { lazy } from './lazy.tsx';
import { isInside } from './open-run.ts';
import { SideSplitter } from './side-splitter.tsx';
import { navigate, page } from './state.ts';

const Node = lazy(
  () => import('./node-panel.tsx'),
  (module) => module.Node,
);

const Ensemble = lazy(
  () => import('./ensemble-panel.tsx'),
  (module) => module.Ensemble,
);

const RunSelection = lazy(
  () => import('./run-panel.tsx'),
  (module) => module.RunSelection,
);

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
