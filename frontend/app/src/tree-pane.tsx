/** Call tree of the selected group. */

import { useMemo } from 'preact/hooks';
import type { Diff, Hierarchy } from '@grainsheaf/views';
import { IcicleView } from '@grainsheaf/views';
import { formatPlural } from '@grainsheaf/views/logic/format.ts';
import { pathTo } from '@grainsheaf/views/logic/tree.ts';
import { addClause } from './actions.ts';
import { run } from './commands.ts';
import { difference, isDiff, picture, selectedNode, shownScope, target, tree } from './data.ts';
import { navigate, page } from './state.ts';
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
  const { site, zoom, isUniform } = page.value;
  const against = target.value;
  const diff = isDiff.value ? difference.answer.value.data : undefined;
  const view = useMemo(
    () => ({
      hierarchy: data,
      scope: shownScope.value,
      sides: diff && { a: diff.a.runs, b: diff.b.runs },
      isUnsure: isUnsure(diff, data.group),
    }),
    [data, shownScope.value, diff],
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
  return <p class="panel-notes">{data.notes.join(' ')}</p>;
}
