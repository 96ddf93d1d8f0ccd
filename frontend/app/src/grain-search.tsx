/** Grains of the opened run by name, number or expression; the chosen one is selected in all views. */

import type { GrainRow, Grains, Tree } from '@grainsheaf/views';
import { effect, useSignal, useSignalEffect } from '@preact/signals';
import { formatPlural } from '@grainsheaf/views/logic/format.ts';
import { whereOf } from '@grainsheaf/views/logic/grain-search.ts';
import { groupTree, pathTo } from '@grainsheaf/views/logic/group-tree.ts';
import { visible } from '@grainsheaf/views/logic/visible.ts';
import { routeOf, treeOf } from '@grainsheaf/views/registry/one-run.ts';
import { viewOf } from '@grainsheaf/views/registry/views.ts';
import { addressOf } from './data.ts';
import { isShown } from './layouts.ts';
import { isInside } from './open-run.ts';
import { setSettings } from './registered.tsx';
import { ask, Resource } from './resource.ts';
import { select } from './selection.ts';
import { page, say } from './state.ts';
import './style/grain-search.css';

/** Milliseconds without a key after which the service is asked. */
const PAUSE = 150;
/** Hits in the list at most. */
const LISTED = 100;
/** Trees of at most so many nodes are read as a whole to find the groups around a grain. */
const WHOLE = 20_000;

const hits = new Resource<Grains>();

effect(() => {
  const { run, search } = page.value;
  if (!isInside.value || search.trim() === '') return hits.clear();
  const query = { where: whereOf(search), all: 'true', limit: LISTED };
  // No metric is needed, and an empty list is not the same as none.
  const address = `${addressOf(routeOf(run, 'grains'), query)}&metrics=`;
  const timer = setTimeout(() => hits.load(address, 'Searching grains'), PAUSE);
  return () => clearTimeout(timer);
});

/** Selects a grain, and opens the groups around it if the view Groups is shown. */
async function choose(grain: number): Promise<void> {
  select({ grain: String(grain) });
  const view = viewOf('groups');
  if (!view || !isShown('groups')) return;
  const { run } = page.peek();
  const read = async (query: Readonly<Record<string, string>>): Promise<Tree> => {
    const { route, query: all } = treeOf(run, query);
    return ask<Tree>(addressOf(route, all));
  };
  try {
    const brief = await read({});
    if (brief.nodes > WHOLE) return say('The run is too large to open the groups of a grain');
    const tree = await read({ depth: String(brief.depth) });
    const own = tree.groups.find((group) => group.kind === 'grain' && group.grain === grain);
    if (!own || page.peek().run !== run) return;
    const hand = pathTo(groupTree(tree, []), own.group).map(({ group }) => group);
    setSettings(view, { root: 0, opened: '', hand: hand.join(',') }, true);
  } catch {
    say('The groups of the grain could not be read');
  }
}

/** Selects the next or previous hit. */
export function stepGrainHit(step: number): void {
  const rows = hits.answer.peek().data?.rows ?? [];
  const at = rows.findIndex((row) => String(row.grain) === page.peek().grain);
  const next = at < 0 ? (step > 0 ? 0 : rows.length - 1) : (at + step + rows.length) % rows.length;
  const row = rows[next];
  if (!row) return say(page.peek().search ? 'No hit' : 'Nothing to search for');
  void choose(row.grain);
  say(`${formatPlural(rows.length, 'hit')}: grain ${row.grain}, ${row.definition}`);
}

const searchBox = (): HTMLElement | null => document.querySelector('#search');

/** Moves the focus between the box and the hits. */
function move(event: KeyboardEvent, list: HTMLElement): void {
  const stops = [searchBox(), ...list.querySelectorAll('button')];
  const at = stops.indexOf(document.activeElement as HTMLElement);
  const by = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
  if (at < 0 || (by === 0 && event.key !== 'Escape')) return;
  if (event.key === 'Escape' && at === 0) return;
  stops[by === 0 ? 0 : Math.min(stops.length - 1, Math.max(0, at + by))]?.focus();
  event.preventDefault();
  event.stopPropagation();
}

function Hit({ row }: { row: GrainRow }) {
  const isChosen = String(row.grain) === page.value.grain;
  return (
    <li>
      <button type="button" aria-pressed={isChosen} onClick={() => void choose(row.grain)}>
        <span class="quiet">#{row.grain}</span>{' '}
        <bdi class="mono">{visible(row.path[row.path.length - 1] ?? row.definition)}</bdi>
      </button>
    </li>
  );
}

/** The hits below the search box, while it or one of them has the focus. */
export function GrainHits() {
  const isOpen = useSignal(document.activeElement === searchBox());
  const list = useSignal<HTMLElement | null>(null);
  useSignalEffect(() => {
    const element = list.value;
    const stop = new AbortController();
    const follow = (): void => {
      const active = document.activeElement;
      isOpen.value = active === searchBox() || (element?.contains(active) ?? false);
    };
    for (const type of ['focusin', 'focusout'] as const)
      // After a click the focus is on nothing for a moment.
      document.addEventListener(type, () => setTimeout(follow), { signal: stop.signal });
    const keys = (event: KeyboardEvent): void => {
      if (element) move(event, element);
    };
    for (const target of [element, searchBox()])
      target?.addEventListener('keydown', keys, { signal: stop.signal });
    return () => stop.abort();
  });
  const { data, error, wait } = hits.answer.value;
  const box = searchBox()?.getBoundingClientRect();
  const style = box ? { left: `${box.left}px`, top: `${box.bottom + 4}px` } : {};
  const text = error
    ? error.message
    : !data
      ? 'Searching …'
      : data.total > data.rows.length
        ? `first ${data.rows.length} of ${formatPlural(data.total, 'grain')}`
        : formatPlural(data.total, 'grain');
  return (
    <div
      class="grain-hits"
      hidden={!isOpen.value}
      style={style}
      ref={(element) => {
        list.value = element;
      }}
    >
      <p class={wait === 'no' ? 'quiet' : 'quiet waiting-text'} role="status">
        {text}
      </p>
      {!error && (
        <ul aria-label="Grains found">
          {(data?.rows ?? []).map((row) => (
            <Hit key={row.grain} row={row} />
          ))}
        </ul>
      )}
    </div>
  );
}
