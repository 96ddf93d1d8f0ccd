/** The picture and the second panel. */

import { useMemo } from 'preact/hooks';
import { SankeyView } from '@grainsheaf/views';
import { type SankeyData, type SankeySelection } from '@grainsheaf/views/sankey/model.ts';
import { formatCount, formatShare } from '@grainsheaf/views/logic/format.ts';
import { clauseValue, withClause } from '@grainsheaf/views/logic/lens.ts';
import { searchHits, setLens } from './actions.ts';
import { run } from './commands.ts';
import {
  cohorts,
  difference,
  isDiff,
  picture,
  runNames,
  runs,
  scope,
  storeInfo,
  target,
  warnings,
} from './data.ts';
import { SecondPanel } from './second-panel.tsx';
import { Body, Empty, Failure, Waiting } from './states.tsx';
import { overlay, page, panelHeight } from './state.ts';
import { ViewHost } from './views.tsx';

/** `ranks=mean` as people say it. */
function overText(over: string): string {
  const [place = '', how = ''] = over.split('=');
  return how ? `${how} over ${place}` : over;
}

function Toolbar() {
  const { isHotPath, isBackEdges } = page.value;
  const data = picture.answer.value.data;
  const hasBack =
    data?.edges.some((edge) => edge.kind === 'back' && edge.source !== edge.target) ?? false;
  return (
    <div class="toolbar" role="toolbar" aria-label="Picture">
      <span class="quiet toolbar-title">
        {data
          ? `${data.metric}, ${scope.value}, ${overText(data.over)}, by ${data.grouped_by}`
          : 'ensemble-Sankey'}
        {data && data.hidden > 0
          ? ` · ${formatCount(data.hidden)} groups below ${clauseValue(page.value.lens, 'below') ?? ''} collected`
          : ''}
      </span>
      <span class="grow" />
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
    </div>
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
    () => ({ sankey: data, scope: scope.value, runNames: names, diff, ...lanesOf(data.runs) }),
    [data, diff, names, scope.value, cohorts.value, runs.value],
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

/** Runs of one size form a set where no parameter forms cohorts. */
function setsBySize(): readonly { readonly name: string; readonly runs: readonly string[] }[] {
  for (const size of ['ranks', 'workers'] as const) {
    const sizes = runs.value.flatMap((one) => one[size] ?? []);
    const values = [...new Set(sizes)].sort((a, b) => a - b);
    if (values.length < 2) continue;
    return values.map((value) => ({
      name: `${value} ${size}`,
      runs: runs.value.filter((one) => one[size] === value).map((one) => one.run),
    }));
  }
  return [];
}

/** Runs in the order of their cohorts, each with its place on the scale of cohorts. */
function lanesOf(ids: readonly string[]): Pick<SankeyData, 'lanes' | 'cohorts'> {
  const sets = cohorts.value.length > 1 ? cohorts.value : setsBySize();
  if (sets.length < 2) return {};
  const cohortOf = new Map(sets.flatMap((set, index) => set.runs.map((run) => [run, index])));
  const lanes = ids
    .map((id, run) => ({ run, cohort: cohortOf.get(id) ?? sets.length }))
    .sort((a, b) => a.cohort - b.cohort || a.run - b.run)
    .map(({ run, cohort }) => ({ run, share: Math.min(1, cohort / (sets.length - 1)) }));
  return { lanes, cohorts: sets.map((set) => set.name) };
}

function Notice() {
  const found = warnings.value.filter(
    (warning) => warning.who === 'picture' || warning.who === 'target' || warning.who === 'diff',
  );
  const [first] = found;
  if (!first) return null;
  return (
    <button
      type="button"
      class="notice"
      onClick={() => (overlay.value = overlay.value === 'warnings' ? 'none' : 'warnings')}
    >
      <span aria-hidden="true">△ </span>
      {first.text}
      {found.length > 1 ? ` + ${found.length - 1} more` : ''}
    </button>
  );
}

function noRuns() {
  const isEmptyStore = runs.value.length === 0 && !page.value.lens.includes('where');
  return isEmptyStore;
}

export function Centre() {
  const diff = difference.answer.value;
  const failure = picture.answer.value.error;
  return (
    <main class="centre">
      <Toolbar />
      <Notice />
      <div class="picture" data-tour="picture">
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
              { label: 'Open a sample', run: () => run('stores') },
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
      </div>
      <Splitter />
      <SecondPanel />
    </main>
  );
}

function Splitter() {
  const height = Number(panelHeight.value);
  const set = (value: number): void =>
    void (panelHeight.value = String(
      Math.round(Math.max(96, Math.min(window.innerHeight - 320, value))),
    ));
  return (
    <div
      class="splitter"
      role="separator"
      aria-orientation="horizontal"
      aria-label="Height of the second panel"
      aria-valuenow={height}
      aria-valuemin={96}
      aria-valuemax={800}
      tabIndex={0}
      onKeyDown={(event) => {
        if (event.key !== 'ArrowUp' && event.key !== 'ArrowDown') return;
        event.preventDefault();
        event.stopPropagation();
        set(height + (event.key === 'ArrowUp' ? 24 : -24));
      }}
      onPointerDown={(event) => {
        const element = event.currentTarget;
        element.setPointerCapture(event.pointerId);
        const from = event.clientY;
        const move = (moved: PointerEvent): void => set(height + from - moved.clientY);
        element.addEventListener('pointermove', move);
        element.addEventListener(
          'pointerup',
          () => element.removeEventListener('pointermove', move),
          { once: true },
        );
      }}
    />
  );
}
