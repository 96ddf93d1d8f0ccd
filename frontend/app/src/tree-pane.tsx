/** Call tree of the selected group. */

import { useMemo } from 'preact/hooks';
import type { Diff, Hierarchy } from '@grainsheaf/views';
import { IcicleView } from '@grainsheaf/views/icicle/IcicleView.ts';
import { formatPlural } from '@grainsheaf/views/logic/format.ts';
import { noteTexts } from '@grainsheaf/views/logic/notes.ts';
import { pathTo, rowsBelow } from '@grainsheaf/views/logic/tree.ts';
import { addClause } from './actions.ts';
import { run } from './commands.ts';
import {
  comparison,
  difference,
  isDiff,
  picture,
  quantity,
  selectedNode,
  shownScope,
  target,
  tree,
} from './data.ts';
import { navigate, navigateInOneStep, page, say } from './state.ts';
import { Body, Empty } from './states.tsx';
import { ViewHost } from './views.tsx';

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

/** Whether the difference of a group must not be read as one. */
function isUnsure(diff: Diff | undefined, group: string): boolean {
  const verdict = diff?.rows.find((row) => row.group === group)?.verdict;
  return verdict === undefined || verdict === 'inconclusive' || verdict === 'untestable';
}

function Tree({ data, isDim }: { data: Hierarchy; isDim: boolean }) {
  const { site, zoom, isUniform, search } = page.value;
  const against = target.value;
  const diff = isDiff.value ? difference.answer.value.data : undefined;
  const view = useMemo(
    () => ({
      hierarchy: data,
      scope: shownScope.value,
      comparison: diff &&
        comparison.value && {
          ...comparison.value,
          a: diff.a.runs,
          b: diff.b.runs,
          quantity: quantity.value,
          worseIsUp: diff.direction !== 'higher_is_better',
          isUnsure: isUnsure(diff, data.group),
        },
    }),
    [data, shownScope.value, diff, comparison.value, quantity.value],
  );
  const hits = useMemo(() => treeHits(data, search).map((hit) => hit.id), [data, search]);
  const depth = depthOf(data);
  const selection = useMemo(
    () => ({ site, zoom, isUniform, target: against, hits, depth }),
    [site, zoom, isUniform, against, hits, depth],
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

/** Sites whose names hold what is searched for, in the order of the tree. */
function treeHits({ sites }: Hierarchy, search: string): Hierarchy['sites'] {
  const wanted = search.trim().toLowerCase();
  return wanted ? sites.filter((site) => site.name.toLowerCase().includes(wanted)) : [];
}

/** Rows at most; `undefined` for all. */
function depthOf(data: Hierarchy): number | undefined {
  const depth = Number(page.value.depth);
  return Number.isInteger(depth) && depth > 0 && depth < rowsOf(data) ? depth : undefined;
}

function rowsOf({ sites }: Hierarchy): number {
  const at = sites.findIndex((site) => site.id === page.value.zoom);
  return rowsBelow(sites, Math.max(0, at));
}

/** How many rows are shown. */
function Depth({ data }: { data: Hierarchy }) {
  const most = rowsOf(data);
  if (most < 3) return null;
  const depth = depthOf(data) ?? most;
  return (
    <label class="field">
      rows {depth} of {most}
      <input
        type="range"
        class="depth"
        min="1"
        max={most}
        value={depth}
        aria-label="Rows of the call tree"
        onInput={(event) => {
          const chosen = Number(event.currentTarget.value);
          navigateInOneStep('depth', { depth: chosen >= most ? '' : String(chosen) });
        }}
      />
    </label>
  );
}

/** Hits of the search in the tree, and the way from one to the next. */
function Hits({ data }: { data: Hierarchy }) {
  const { search, site, zoom } = page.value;
  if (!search.trim()) return null;
  const hits = treeHits(data, search);
  const at = hits.findIndex((hit) => hit.id === site);
  const step = (by: number): void => {
    const from = at < 0 && by < 0 ? 0 : at;
    const next = hits[(from + by + hits.length) % hits.length];
    if (!next) return;
    const path = pathTo(data.sites, data.sites.indexOf(next));
    // A hit outside of what is shown is brought in.
    const isInside = path.some((index) => data.sites[index]?.id === zoom);
    navigate({ site: next.id, ...(isInside ? {} : { zoom: '' }) }, true);
    say(`Call site ${hits.indexOf(next) + 1} of ${hits.length}: ${next.name}`);
  };
  return (
    <span class="tree-hits" role="group" aria-label="Hits in the call tree">
      <span class="quiet">
        {at < 0 ? formatPlural(hits.length, 'hit') : `hit ${at + 1} of ${hits.length}`}
      </span>
      {hits.length > 0 && (
        <>
          <button type="button" class="tool" aria-label="Previous hit" onClick={() => step(-1)}>
            ‹
          </button>
          <button type="button" class="tool" aria-label="Next hit" onClick={() => step(1)}>
            ›
          </button>
        </>
      )}
    </span>
  );
}

export function TreeTools() {
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
      <Hits data={data} />
      <Depth data={data} />
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

export function TreePane() {
  return (
    <Body resource={tree} skeleton="rows" empty={pickNode()}>
      {(data, isDim) => <Tree data={data} isDim={isDim} />}
    </Body>
  );
}

/** What the service says about the tree. */
export function TreeNotes() {
  const data = tree.answer.value.data;
  if (!data || data.notes.length === 0) return null;
  return <p class="panel-notes">{noteTexts(data.notes).join(' ')}</p>;
}
