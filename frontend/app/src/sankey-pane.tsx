/** The ensemble-Sankey. */

import { useMemo } from 'preact/hooks';
import { SankeyView, type ViewEvent } from '@grainsheaf/views';
import { type SankeyData, type SankeySelection } from '@grainsheaf/views/sankey/model.ts';
import { decodeMoved } from '@grainsheaf/views/sankey/place.ts';
import { formatCount, formatShare } from '@grainsheaf/views/logic/format.ts';
import { clauseValue, withClause } from '@grainsheaf/views/logic/lens.ts';
import { searchHits, setLens } from './actions.ts';
import { run } from './commands.ts';
import { DiffModes } from './diff-modes.tsx';
import { lanesOf } from '@grainsheaf/views/sankey/lanes.ts';
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
  target,
} from './data.ts';
import { Body, Empty, Failure, Waiting } from './states.tsx';
import { ORDERS, orderOf, setOrder } from './picture-order.ts';
import { hasRanks, askRanks, rankBars } from './rank-bars.ts';
import { isCompact, navigate, navigateInOneStep, page } from './state.ts';
import { ViewHost } from './views.tsx';

/** Percent of its caller that a callee on the hot path holds, if the address does not state it. */
const HALF = 50;

function hotPercent(text: string): number {
  const share = Math.round(Number(text));
  return text !== '' && share >= 1 && share <= 100 ? share : HALF;
}

/** Settings that the picture reports: all are in the address, but for the nodes that are near. */
function onPictureEvent(event: ViewEvent): boolean {
  if (event.type !== 'set') return false;
  const { at, legend, moved, near } = event.values;
  if (typeof at === 'string') navigateInOneStep('at', { at });
  if (typeof legend === 'string') navigate({ legend });
  if (Array.isArray(moved)) navigate({ moved: moved as string[] });
  if (Array.isArray(near)) askRanks(near as string[]);
  return true;
}

export function SankeyTools() {
  const { isHotPath, isBackEdges } = page.value;
  const data = picture.answer.value.data;
  const hasBack =
    data?.edges.some((edge) => edge.kind === 'back' && edge.source !== edge.target) ?? false;
  const collected =
    data && data.hidden > 0
      ? ` · ${formatCount(data.hidden)} groups below ${clauseValue(page.value.lens, 'below') ?? ''} collected`
      : '';
  const title = data ? `${quantity.value}, by ${data.grouped_by}${collected}` : '';
  return (
    <>
      <span class="quiet toolbar-title" title={title}>
        {title}
      </span>
      <span class="grow" />
      {isDiff.value && !isShown('changes') && <DiffModes />}
      {!isCompact.value && (
        <label class="field" title="Order of the nodes in each column">
          order
          <select
            aria-label="Order of the nodes in each column"
            value={orderOf(page.value.order)}
            onChange={(event) => setOrder(orderOf(event.currentTarget.value))}
          >
            {ORDERS.map(([order, label]) => (
              <option key={order} value={order}>
                {label}
              </option>
            ))}
          </select>
        </label>
      )}
      {page.value.moved.length > 0 && (
        <button
          type="button"
          class="tool"
          title="Moved nodes go back to their own places"
          onClick={() => run('reset-places')}
        >
          reset places
        </button>
      )}
      <button
        type="button"
        class="tool"
        aria-pressed={isHotPath}
        title={`Follows the heaviest callee while it holds ${hotPercent(page.value.hotShare)} % of its caller, key Shift H`}
        onClick={() => run('hot-path')}
      >
        hot path
      </button>
      {isHotPath && (
        <label class="field">
          <span class="visually-hidden">Share of the caller in percent</span>≥
          <input
            type="number"
            class="hot-share"
            min="5"
            max="100"
            step="5"
            value={hotPercent(page.value.hotShare)}
            onChange={(event) => {
              const share = hotPercent(event.currentTarget.value);
              navigate({ hotShare: share === HALF ? '' : String(share) });
            }}
          />
          %
        </label>
      )}
      {hasRanks.value && (
        <button
          type="button"
          class="tool"
          aria-pressed={page.value.isRanks}
          title="Bars of the ranks in nodes that are near, the smallest value on the left"
          onClick={() => run('rank-bars')}
        >
          ranks
        </button>
      )}
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
  const { group, guides, isHotPath, isBackEdges, isRanks, search, at, legend } = page.value;
  const { hotShare, order, moved } = page.value;
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
      ranks: rankBars.value,
      ...lanesOf(data.runs, runs.peek(), cohorts.peek()),
    }),
    [
      data,
      diff,
      diffMode.value,
      quantity.value,
      names,
      scope.value,
      cohorts.value,
      runs.value,
      rankBars.value,
    ],
  );
  const hits = searchHits();
  const selection: SankeySelection = useMemo(
    () => ({
      group,
      guides,
      isHotPath,
      hotShare: hotPercent(hotShare) / 100,
      isBackEdges,
      isRanks,
      order: orderOf(order),
      moved: decodeMoved(moved),
      at,
      legend,
      target: against,
      hits,
    }),
    [
      group,
      guides,
      isHotPath,
      hotShare,
      isBackEdges,
      isRanks,
      order,
      moved.join(),
      at,
      legend,
      against,
      search,
      data,
    ],
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
      onEvent={onPictureEvent}
    />
  );
}

export function SankeyPane() {
  const diff = difference.answer.value;
  const failure = picture.answer.value.error;
  return (
    <>
      <Body resource={picture} skeleton="picture">
        {(data, isDim) => <Picture data={data} isDim={isDim} />}
      </Body>
      {!failure && diff.error && (
        <div class="over">
          <Failure problem={diff.error} retry={() => difference.retry()} />
        </div>
      )}
      <Waiting answer={diff} cancel={() => difference.cancel()} />
    </>
  );
}
