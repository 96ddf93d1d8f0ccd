/** The run table. */

import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Runs } from '@grainsheaf/views';
import type { GroupMark } from '@grainsheaf/views/run-table/by-group.ts';
import { RunTableView } from '@grainsheaf/views/run-table/RunTableView.ts';
import { foldedOf } from '@grainsheaf/views/run-table/columns.ts';
import { formatCount } from '@grainsheaf/views/logic/format.ts';
import { clauseValue, withClause, without } from '@grainsheaf/views/logic/lens.ts';
import { setLens } from './actions.ts';
import { metric, picture, runTable, sides, target } from './data.ts';
import { edits } from './edits.ts';
import { onRunsEvent } from './run-actions.ts';
import { navigate, page } from './state.ts';
import { Body, Empty, isStoreEmpty, NoRuns } from './states.tsx';
import { ViewHost } from './views.tsx';

const MARKS: readonly (readonly [GroupMark, string])[] = [
  ['bars', 'stacked bars'],
  ['heat', 'heat map'],
  ['none', 'nothing'],
];

/** How the groups of each run are drawn. */
function groupMark(): GroupMark {
  const given = page.value.views['runs.groups'];
  return MARKS.find(([mark]) => mark === given)?.[0] ?? 'bars';
}

function Table({ data, isDim }: { data: Runs; isDim: boolean }) {
  const { sort } = page.value;
  const { a, b } = sides.value;
  const against = target.value;
  const fold = !page.value.isUnfolded;
  const group = page.value.groupBy;
  const sankey = picture.answer.value.data;
  const mark = groupMark();
  const { runs, group: chosen } = page.value;
  const canEdit = edits.value.isAllowed;
  const view = useMemo(
    () => ({ runs: data, metric: metric.value, sankey }),
    [data, metric.value, sankey],
  );
  const selection = useMemo(
    () => ({
      sort,
      isFolded: fold,
      groupBy: group,
      target: against,
      a: a?.runs ?? [],
      b: b?.runs ?? [],
      runs,
      mark,
      group: chosen,
      canEdit,
    }),
    [sort, fold, group, against, a, b, runs, mark, chosen, canEdit],
  );
  if (data.runs.length === 0)
    return isStoreEmpty() ? (
      <NoRuns />
    ) : (
      <Empty
        title="No runs"
        text="The lens selects none."
        steps={[
          {
            label: 'Remove the where clause',
            run: () => setLens(without(page.peek().lens, 'where')),
          },
        ]}
      />
    );
  return (
    <ViewHost
      name="run-table"
      make={() => new RunTableView()}
      data={view}
      selection={selection}
      isDim={isDim}
      onEvent={onRunsEvent}
    />
  );
}

export function RunsTools() {
  const data = runTable.answer.value.data;
  const where = clauseValue(page.value.lens, 'where') ?? '';
  const [text, setText] = useState(where);
  const before = useRef(where);
  useEffect(() => {
    if (before.current !== where) setText(where);
    before.current = where;
  }, [where]);
  if (!data) return null;
  const folded = foldedOf(data);
  return (
    <>
      <form
        class="field grow"
        onSubmit={(event) => {
          event.preventDefault();
          setLens(
            text.trim()
              ? withClause(page.peek().lens, `where ${text.trim()}`)
              : without(page.peek().lens, 'where'),
          );
        }}
      >
        <label class="field grow">
          where
          <input
            class="mono grow"
            value={text}
            placeholder="for example threads >= 4 and repeat == 1"
            spellcheck={false}
            onInput={(event) => setText(event.currentTarget.value)}
          />
        </label>
      </form>
      <label class="field">
        group by
        <select
          value={page.value.groupBy}
          onChange={(event) => navigate({ groupBy: event.currentTarget.value })}
        >
          <option value="">nothing</option>
          {data.parameters
            .filter((parameter) => parameter.varies)
            .map((parameter) => (
              <option key={parameter.name} value={parameter.name}>
                {parameter.name}
              </option>
            ))}
        </select>
      </label>
      <label class="field" title="Exclusive values of the groups of the picture">
        groups
        <select
          value={groupMark()}
          onChange={(event) =>
            navigate({ views: { ...page.peek().views, 'runs.groups': event.currentTarget.value } })
          }
        >
          {MARKS.map(([mark, label]) => (
            <option key={mark} value={mark}>
              {label}
            </option>
          ))}
        </select>
      </label>
      {folded.length > 0 && (
        <button
          type="button"
          class="tool"
          aria-pressed={page.value.isUnfolded}
          title={`The same in all runs, or identify a launch: ${folded.join(', ')}`}
          onClick={() => navigate({ isUnfolded: !page.peek().isUnfolded })}
        >
          {!page.value.isUnfolded ? `+ ${formatCount(folded.length)} parameters` : 'fold'}
        </button>
      )}
    </>
  );
}

export function RunsPane() {
  return (
    <Body resource={runTable} skeleton="rows">
      {(data, isDim) => <Table data={data} isDim={isDim} />}
    </Body>
  );
}
