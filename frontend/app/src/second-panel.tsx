/** Call tree, distribution and run table. */

import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Hierarchy, Runs } from '@grainsheaf/views';
import { IcicleView, RunTableView } from '@grainsheaf/views';
import { foldedOf } from '@grainsheaf/views/run-table/columns.ts';
import { formatCount, formatPlural } from '@grainsheaf/views/logic/format.ts';
import { clauseValue, withClause, without } from '@grainsheaf/views/logic/lens.ts';
import { pathTo } from '@grainsheaf/views/logic/tree.ts';
import { VIEWS, viewOf } from '@grainsheaf/views/registry/views.ts';
import { addClause, setLens } from './actions.ts';
import { run } from './commands.ts';
import {
  difference,
  isDiff,
  metric,
  picture,
  runTable,
  scope,
  selectedNode,
  sides,
  target,
  tree,
} from './data.ts';
import { groupRowsBy, isFolded, navigate, page, panelHeight } from './state.ts';
import { Registered, ViewControls } from './registered.tsx';
import { Body, Empty } from './states.tsx';
import { ViewHost } from './views.tsx';

const TABS: readonly (readonly [string, string])[] = [
  ['tree', 'Call tree'],
  ...VIEWS.map((view) => [view.id, view.title] as const),
  ['runs', 'Runs'],
];

function pickNode() {
  if (!picture.answer.value.data) return null;
  const node = selectedNode.value;
  if (node?.kind === 'others') {
    return (
      <Empty
        title="These groups are collected"
        text={`${formatPlural(node.members.length, 'group')} below the lens's share: ${node.members.slice(0, 8).join(', ')}${node.members.length > 8 ? '…' : ''}`}
        steps={[{ label: 'Show every group', run: () => addClause('below 0%') }]}
      />
    );
  }
  return (
    <Empty
      title="Select a node in the picture"
      text="Click one, or press Tab and the arrow keys."
      steps={[{ label: 'Search by name', run: () => run('search') }]}
    />
  );
}

function Tree({ data, isDim }: { data: Hierarchy; isDim: boolean }) {
  const { site, zoom, isUniform } = page.value;
  const against = target.value;
  const diff = isDiff.value ? difference.answer.value.data : undefined;
  const view = useMemo(
    () => ({
      hierarchy: data,
      scope: scope.value,
      sides: diff && { a: diff.a.runs, b: diff.b.runs },
    }),
    [data, scope.value, diff],
  );
  const selection = useMemo(
    () => ({ site, zoom, isUniform, target: against }),
    [site, zoom, isUniform, against],
  );
  return (
    <div class="scroll">
      <ViewHost
        name="icicle"
        make={() => new IcicleView()}
        data={view}
        selection={selection}
        isDim={isDim}
      />
    </div>
  );
}

function TreeTools() {
  const data = tree.answer.value.data;
  if (!data) return null;
  const { zoom, site } = page.value;
  const at = data.sites.findIndex((one) => one.id === zoom);
  const path = at > 0 ? pathTo(data.sites, at) : [];
  const chosen = data.sites.find((one) => one.id === site);
  return (
    <>
      {path.length > 0 && (
        <nav class="breadcrumb" aria-label="Zoom of the call tree">
          {path.map((index, place) => (
            <button
              type="button"
              class="link mono"
              key={index}
              aria-current={place === path.length - 1}
              onClick={() => navigate({ zoom: index === 0 ? '' : (data.sites[index]?.id ?? '') })}
            >
              {data.sites[index]?.name}
            </button>
          ))}
        </nav>
      )}
      <span class="grow" />
      {data.recursive_edges_cut > 0 && (
        <span class="quiet">{formatPlural(data.recursive_edges_cut, 'recursive edge')} cut</span>
      )}
      {data.omitted > 0 && (
        <span class="quiet">{formatPlural(data.omitted, 'call site')} left out</span>
      )}
      {chosen && (
        <button
          type="button"
          class="tool"
          title="Adds the call site to the picture as a node"
          onClick={() => addClause(`reveal "${chosen.id}"`)}
        >
          reveal in picture
        </button>
      )}
      {chosen && (
        <button
          type="button"
          class="tool"
          title="Also: double click or Enter"
          onClick={() => navigate({ zoom: chosen.id })}
        >
          zoom
        </button>
      )}
      <button
        type="button"
        class="tool"
        aria-pressed={page.value.isUniform}
        title="Children share their parent's width equally"
        onClick={() => navigate({ isUniform: !page.value.isUniform })}
      >
        uniform width
      </button>
    </>
  );
}

function Table({ data, isDim }: { data: Runs; isDim: boolean }) {
  const { sort } = page.value;
  const { a, b } = sides.value;
  const against = target.value;
  const fold = isFolded.value;
  const group = groupRowsBy.value;
  const view = useMemo(() => ({ runs: data, metric: metric.value }), [data, metric.value]);
  const selection = useMemo(
    () => ({
      sort,
      isFolded: fold,
      groupBy: group,
      target: against,
      a: a?.runs ?? [],
      b: b?.runs ?? [],
    }),
    [sort, fold, group, against, a, b],
  );
  if (data.runs.length === 0)
    return (
      <Empty
        title="No runs"
        text="The lens selects none."
        steps={
          page.value.lens.includes('where')
            ? [
                {
                  label: 'Remove the where clause',
                  run: () => setLens(without(page.peek().lens, 'where')),
                },
              ]
            : []
        }
      />
    );
  return (
    <ViewHost
      name="run-table"
      make={() => new RunTableView()}
      data={view}
      selection={selection}
      isDim={isDim}
    />
  );
}

function TableTools() {
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
            placeholder="threads >= 4 and repeat == 1"
            spellcheck={false}
            onInput={(event) => setText(event.currentTarget.value)}
          />
        </label>
      </form>
      <label class="field">
        group by
        <select
          value={groupRowsBy.value}
          onChange={(event) => (groupRowsBy.value = event.currentTarget.value)}
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
      {folded.length > 0 && (
        <button
          type="button"
          class="tool"
          aria-pressed={!isFolded.value}
          title={`The same in all runs, or identify a launch: ${folded.join(', ')}`}
          onClick={() => (isFolded.value = !isFolded.value)}
        >
          {isFolded.value ? `+ ${formatCount(folded.length)} parameters` : 'fold'}
        </button>
      )}
    </>
  );
}

/** What the service says about the answer shown. */
function Notes() {
  const { tab } = page.value;
  const data = tab === 'tree' ? tree.answer.value.data : undefined;
  if (!data || data.notes.length === 0) return null;
  return <p class="panel-notes">{data.notes.join(' ')}</p>;
}

export function SecondPanel() {
  const registered = viewOf(page.value.tab);
  const tab = registered || page.value.tab === 'runs' ? page.value.tab : 'tree';
  const style = { height: `${panelHeight.value}px` };
  const name = selectedNode.value && tab !== 'runs' ? selectedNode.value.name : '';
  return (
    <section class="second-panel" aria-label="Second panel" style={style} data-tour="panel">
      <div class="toolbar">
        <div class="tabs" role="tablist">
          {TABS.map(([value, label]) => (
            <button
              type="button"
              role="tab"
              class="tab"
              key={value}
              aria-selected={tab === value}
              onClick={() => navigate({ tab: value })}
            >
              {label}
            </button>
          ))}
        </div>
        {name && (
          <span class="mono cut panel-name" title={name}>
            {name}
          </span>
        )}
        {tab === 'tree' && <TreeTools />}
        {registered && <ViewControls key={registered.id} view={registered} />}
        {tab === 'runs' && <TableTools />}
      </div>
      <Notes />
      <div class="second-body" role="tabpanel">
        {tab === 'tree' && (
          <Body resource={tree} skeleton="rows" empty={pickNode()}>
            {(data, isDim) => <Tree data={data} isDim={isDim} />}
          </Body>
        )}
        {registered && <Registered key={registered.id} view={registered} />}
        {tab === 'runs' && (
          <Body resource={runTable} skeleton="rows">
            {(data, isDim) => <Table data={data} isDim={isDim} />}
          </Body>
        )}
      </div>
    </section>
  );
}
