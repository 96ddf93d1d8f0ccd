/** The ensemble-Sankey. */

import { useMemo } from 'preact/hooks';
import { SankeyView } from '@grainsheaf/views';
import { type SankeyData, type SankeySelection } from '@grainsheaf/views/sankey/model.ts';
import { formatCount, formatShare } from '@grainsheaf/views/logic/format.ts';
import { clauseValue, withClause } from '@grainsheaf/views/logic/lens.ts';
import { searchHits, setLens } from './actions.ts';
import { run } from './commands.ts';
import { DiffModes } from './diff-modes.tsx';
import { lanesOf } from './lanes.ts';
import { isShown } from './layouts.ts';
import {
  cohorts,
  diffMode,
  difference,
  isDiff,
  picture,
  quantity,
  runNames,
  runs,
  scope,
  storeInfo,
  target,
} from './data.ts';
import { Body, Empty, Failure, Waiting } from './states.tsx';
import { page } from './state.ts';
import { ViewHost } from './views.tsx';

export function SankeyTools() {
  const { isHotPath, isBackEdges } = page.value;
  const data = picture.answer.value.data;
  const hasBack =
    data?.edges.some((edge) => edge.kind === 'back' && edge.source !== edge.target) ?? false;
  return (
    <>
      <span class="quiet toolbar-title">
        {data ? `${quantity.value}, by ${data.grouped_by}` : ''}
        {data && data.hidden > 0
          ? ` · ${formatCount(data.hidden)} groups below ${clauseValue(page.value.lens, 'below') ?? ''} collected`
          : ''}
      </span>
      <span class="grow" />
      {isDiff.value && !isShown('changes') && <DiffModes />}
      <button
        type="button"
        class="tool"
        aria-pressed={isHotPath}
        title="Follows the heaviest callee while it holds half of its caller, key Shift H"
        onClick={() => run('hot-path')}
      >
        hot path
      </button>
      {hasBack && (
        <button
          type="button"
          class="tool"
          aria-pressed={isBackEdges}
          title="Recursive edges as arcs, key Shift B"
          onClick={() => run('back-edges')}
        >
          recursive edges
        </button>
      )}
      <button
        type="button"
        class="tool"
        title="Zoom out, key −"
        aria-label="Zoom out"
        onClick={() => run('zoom-out')}
      >
        −
      </button>
      <button
        type="button"
        class="tool"
        title="Zoom in, key +"
        aria-label="Zoom in"
        onClick={() => run('zoom-in')}
      >
        +
      </button>
      <button
        type="button"
        class="tool"
        title="Fit everything, key 0"
        onClick={() => run('zoom-all')}
      >
        fit
      </button>
    </>
  );
}

function Picture({
  data,
  isDim,
}: {
  data: NonNullable<typeof picture.answer.value.data>;
  isDim: boolean;
}) {
  const diff = isDiff.value ? difference.answer.value.data : undefined;
  const { group, guides, isHotPath, isBackEdges, search } = page.value;
  const names = runNames.value;
  const against = target.value;
  const view: SankeyData = useMemo(
    () => ({
      sankey: data,
      scope: scope.value,
      runNames: names,
      diff,
      diffMode: diffMode.value,
      quantity: quantity.value,
      ...lanesOf(data.runs),
    }),
    [data, diff, diffMode.value, quantity.value, names, scope.value, cohorts.value, runs.value],
  );
  const hits = searchHits();
  const selection: SankeySelection = useMemo(
    () => ({ group, guides, isHotPath, isBackEdges, target: against, hits }),
    [group, guides, isHotPath, isBackEdges, against, search, data],
  );
  if (data.nodes.length === 0) {
    return (
      <Empty
        title="All groups are filtered out"
        text={`No group holds ${formatShare(Number.parseFloat(clauseValue(page.value.lens, 'below') ?? '1') / 100)} of the root in any run, or all are hidden.`}
        steps={[
          {
            label: 'Show every group',
            run: () => setLens(withClause(page.peek().lens, 'below 0%')),
          },
          { label: 'Reset the lens', run: () => setLens('') },
        ]}
      />
    );
  }
  return (
    <ViewHost
      name="sankey"
      make={() => new SankeyView()}
      data={view}
      selection={selection}
      isDim={isDim}
    />
  );
}

function noRuns() {
  const isEmptyStore = runs.value.length === 0 && !page.value.lens.includes('where');
  return isEmptyStore;
}

export function SankeyPane() {
  const diff = difference.answer.value;
  const failure = picture.answer.value.error;
  return (
    <>
      {failure?.body.code === 'empty_ensemble' && noRuns() ? (
        <Empty
          title="This store has no runs yet"
          text={
            storeInfo.answer.value.data?.imports.is_allowed === false
              ? 'Record a program with `grainsheaf record --threads 1,2,4,8 --repeat 5 -- ./program`, or add files with `grainsheaf add`. This service itself takes none: it is read-only.'
              : 'Drop files or folders anywhere on this page. Or record a program with `grainsheaf record --threads 1,2,4,8 --repeat 5 -- ./program`.'
          }
          steps={[
            ...(storeInfo.answer.value.data?.imports.is_allowed === false
              ? []
              : [{ label: 'Add files…', run: () => run('add'), isPrimary: true }]),
            { label: 'Look again', run: () => location.reload() },
            ...((storeInfo.answer.value.data?.stores.length ?? 0) > 1
              ? [{ label: 'Open another store', run: () => run('stores') }]
              : []),
          ]}
        />
      ) : (
        <Body resource={picture} skeleton="picture">
          {(data, isDim) => <Picture data={data} isDim={isDim} />}
        </Body>
      )}
      {!failure && diff.error && (
        <div class="over">
          <Failure problem={diff.error} retry={() => difference.retry()} />
        </div>
      )}
      <Waiting answer={diff} cancel={() => difference.cancel()} />
    </>
  );
}
