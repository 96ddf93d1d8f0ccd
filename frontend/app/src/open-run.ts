/** Way into one run and out of it: the run is part of the address, and has a layout of its own. */

import type { Patch, Run } from '@grainsheaf/views';
import { computed } from '@preact/signals';
import { listedRuns, picture, runs, target } from './data.ts';
import { changeOf } from './selection.ts';
import { navigate, page, say } from './state.ts';

/** The opened run, once the list of runs is known. */
export const openedRun = computed<Run | undefined>(() =>
  runs.value.find((run) => run.run === page.value.run),
);

/** Whether the page is inside a run: it is opened, and its layout is shown. */
export const isInside = computed(() => page.value.run !== '' && page.value.layout === 'run');

/** Arrangement from which the run was opened; a link into a run has none. */
let before: { readonly layout: typeof page.value.layout; readonly panes: string } | undefined;

/** Opens a run in depth, with what is to be selected in it, and a view with most of the room. */
export function openRun(run: string, patch: Patch = {}, view?: string): void {
  const { layout, panes } = page.peek();
  if (layout !== 'run') before = { layout, panes };
  const panesOfView = view ? `(${view}/60/${view === 'timeline' ? 'groups' : 'timeline'})` : '';
  const isKept = layout === 'run' && !view;
  const arrangement = isKept ? {} : { layout: 'run' as const, panes: panesOfView, tab: '' };
  navigate({ ...changeOf({ ...patch, run }), ...arrangement });
  say(`Opened ${runs.peek().find((one) => one.run === run)?.name ?? run}`);
}

/** Opens the target if it is one run, or else the first picked run. */
export function openChosenRun(): void {
  const chosen = target.peek()?.runs;
  const run = chosen?.length === 1 ? chosen[0] : page.peek().runs[0];
  if (run !== undefined) openRun(run);
  else say('Choose a target run first, or open a run in the run table');
}

/** Back to the ensemble. */
export function closeRun(): void {
  const inside = { run: '', otherRun: '', definition: '', grain: '', time: '' };
  const { layout, panes } = before ?? { layout: 'overview' as const, panes: '' };
  navigate(page.peek().layout === 'run' ? { ...inside, layout, panes, tab: '' } : inside);
}

/** Leaves the run for a definition over all runs: its group is selected, or else looked for. */
export async function leaveFor(definition: string): Promise<void> {
  const { namedBy } = await import('@grainsheaf/views/logic/definition-names.ts');
  const node = picture.answer
    .peek()
    .data?.nodes.find(
      ({ name, members }) => namedBy(name)(definition) || members.includes(definition),
    );
  closeRun();
  if (node) navigate({ group: node.id, site: '', zoom: '', search: '' }, true);
  else navigate({ search: definition }, true);
  say(`${definition} over all runs`);
}

/** Opens the next or previous run in the order of the runs panel. */
export function stepRun(step: number): void {
  const all = listedRuns.peek();
  const at = all.findIndex((run) => run.run === page.peek().run);
  const next = all[(at + step + all.length) % all.length];
  if (next) openRun(next.run);
}
