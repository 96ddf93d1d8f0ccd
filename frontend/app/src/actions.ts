/** What the user can do: changes of the page's state. */

import type { Cohort, Run, ViewEvent } from '@grainsheaf/views';
import {
  diffOf,
  quote,
  withClause,
  withDiff,
  words,
  without,
  withTarget,
  targetOf,
} from '@grainsheaf/views/logic/lens.ts';
import { withOnly } from '@grainsheaf/views/logic/restrict.ts';
import {
  cohortBy,
  cohorts,
  listedRuns,
  namedRuns,
  picture,
  runs,
  selectedNode,
  selectorOfCohort,
  selectorOfRun,
  sides,
} from './data.ts';
import { loadEdits, loadGrainSearch, loadSplitting } from './lazy.tsx';
import { isInside, openRun } from './open-run.ts';
import { select, setHover } from './selection.ts';
import { runsExpression } from '@grainsheaf/views/logic/selectors.ts';
import { navigate, page, say } from './state.ts';
import { handleOf } from '@grainsheaf/views/sankey/model.ts';

/** Without its code an edit changes nothing. */
const sayFault = (error: unknown): void => say(`Nothing was changed: ${String(error)}`);

export function setLens(lens: string): void {
  navigate({ lens });
}

export function addClause(clause: string): void {
  setLens(withClause(page.peek().lens, clause));
}

/** Makes runs the target; the same again clears it. */
export function setTarget(selector: string | undefined): void {
  const { lens } = page.peek();
  const isSame = selector !== undefined && targetOf(lens) === selector;
  navigate({ lens: withTarget(lens, isSame ? undefined : selector), a: '', b: '' });
  say(selector === undefined || isSame ? 'No target' : `Target: ${selector}`);
}

/** Restricts the ensemble to the runs of the target. */
export function keepTarget(): void {
  const { lens } = page.peek();
  const condition = targetOf(lens);
  if (condition !== undefined) setLens(withOnly(lens, condition, cohortBy.peek()));
}

/** Sets one side; with both there is a diff. */
export function setSide(side: 'a' | 'b', selector: string): void {
  const { lens, a, b } = page.peek();
  const [nowA, nowB] = diffOf(lens) ?? [a, b];
  const next = { a: nowA, b: nowB, [side]: selector };
  if (nowA !== nowB && next.a === next.b) {
    // Choosing the other side's runs swaps the two.
    next[side === 'a' ? 'b' : 'a'] = side === 'a' ? nowA : nowB;
  }
  if (next.a && next.b && next.a !== next.b) {
    navigate({
      lens: withDiff(lens, [next.a, next.b]),
      a: '',
      b: '',
      layout: 'compare',
      panes: '',
    });
    say(`Diff: ${next.b} against ${next.a}`);
  } else {
    navigate({ lens: without(lens, 'diff'), a: next.a, b: next.b === next.a ? '' : next.b });
    say(side === 'a' ? `Baseline A: ${selector}` : `Candidate B: ${selector}`);
  }
}

let lastDiff: readonly [string, string] | undefined;

/** Leaves the diff, or enters the last one, or one that suggests itself. */
export function toggleDiff(): void {
  const { lens } = page.peek();
  const now = diffOf(lens);
  if (now) {
    lastDiff = now;
    navigate({ lens: withDiff(lens, undefined) });
    say('No diff');
    return;
  }
  const next = lastDiff ?? suggestedDiff();
  if (next) navigate({ lens: withDiff(lens, next), a: '', b: '' });
  else navigate({ layout: 'compare', panes: '' });
}

/** First cohort against last, or first run against last. */
export function suggestedDiff(): readonly [string, string] | undefined {
  const sets = cohorts.peek();
  const [first, last] = [sets[0], sets[sets.length - 1]];
  if (first && last && first !== last) return [selectorOfCohort(first), selectorOfCohort(last)];
  const all = namedRuns.peek();
  const [one, other] = [all[0], all[all.length - 1]];
  return one && other && one !== other ? [selectorOfRun(one), selectorOfRun(other)] : undefined;
}

/** Shows the comparison that {@link suggestedDiff} suggests, in the layout for it. */
export function compareSuggested(panes = ''): void {
  const sides = suggestedDiff();
  if (sides)
    navigate({ layout: 'compare', panes, tab: '', lens: withDiff(page.peek().lens, sides) });
}

export function swapSides(): void {
  const now = diffOf(page.peek().lens);
  if (now) setLens(withDiff(page.peek().lens, [now[1], now[0]]));
  else navigate({ a: page.peek().b, b: page.peek().a });
}

/** Steps through the runs as the panel lists them. */
export function stepTarget(step: number): void {
  const all = listedRuns.peek();
  if (all.length === 0) return;
  const now = targetOf(page.peek().lens);
  const at = all.findIndex((run) => selectorOfRun(run) === now || run.run === now);
  const next =
    all[at < 0 ? (step > 0 ? 0 : all.length - 1) : (at + step + all.length) % all.length];
  if (next) {
    const { lens } = page.peek();
    navigate({ lens: withTarget(lens, selectorOfRun(next)), a: '', b: '' }, at >= 0);
    say(`Target: ${next.name}`);
  }
}

export function selectGroup(group: string, isReplacing = false): void {
  if (page.peek().group === group) return;
  navigate({ group, site: '', zoom: '' }, isReplacing);
}

export function toggleGuides(group: string): void {
  const { guides } = page.peek();
  const isShown = guides.includes(group);
  navigate(
    { group, guides: isShown ? guides.filter((one) => one !== group) : [...guides, group] },
    true,
  );
}

export function clearSelection(): void {
  const { group, search, guides, grain, definition } = page.peek();
  if (search) navigate({ search: '' }, true);
  else if (isInside.peek() && (grain || definition)) navigate({ grain: '', definition: '' });
  else if (group || guides.length > 0) navigate({ group: '', site: '', zoom: '', guides: [] });
}

/** A clause about the selected group. */
export function addSelectedClause(make: (handle: string) => string): void {
  const node = selectedNode.peek();
  if (!node || node.kind === 'others') {
    say('Select a group first');
    return;
  }
  addClause(make(quote(handleOf(node, picture.answer.peek().data?.nodes ?? []))));
}

export function copy(text: string): void {
  navigator.clipboard.writeText(text).then(
    () => say('Copied'),
    () => say('The browser did not allow copying'),
  );
}

export function pickRun(run: Run, as: 'target' | 'a' | 'b'): void {
  if (as === 'target') setTarget(selectorOfRun(run));
  else setSide(as, selectorOfRun(run));
}

export function pickCohort(cohort: Cohort, as: 'target' | 'a' | 'b'): void {
  if (as === 'target') setTarget(selectorOfCohort(cohort));
  else setSide(as, selectorOfCohort(cohort));
}

/** Hits of the search in the picture, in order of the picture. */
export function searchHits(): string[] {
  const wanted = page.value.search.trim().toLowerCase();
  if (!wanted) return [];
  const nodes = picture.answer.value.data?.nodes ?? [];
  const hits = nodes
    .filter((node) =>
      [node.name, ...node.members].some((name) => name.toLowerCase().includes(wanted)),
    )
    .map((node) => node.id);
  const at = hits.indexOf(page.value.group);
  return at > 0 ? [...hits.slice(at), ...hits.slice(0, at)] : hits;
}

export function stepHit(step: number): void {
  if (isInside.peek()) return void loadGrainSearch().then(({ stepGrainHit }) => stepGrainHit(step));
  const hits = searchHits();
  const at = hits.indexOf(page.peek().group);
  const next =
    hits[at < 0 ? (step > 0 ? 0 : hits.length - 1) : (at + step + hits.length) % hits.length];
  if (next === undefined) {
    say(page.peek().search ? 'No hit' : 'Nothing to search for');
    return;
  }
  selectGroup(next, true);
  say(
    `${hits.length} hits: ${picture.answer.peek().data?.nodes.find((node) => node.id === next)?.name ?? ''}`,
  );
}

export function isSide(side: 'a' | 'b', ids: readonly string[]): boolean {
  const chosen = sides.value[side]?.runs ?? [];
  return (
    chosen.length > 0 &&
    chosen.length === ids.length &&
    ids.every((id, index) => chosen[index] === id || chosen.includes(id))
  );
}

/** Carries out what a view reports. */
export function onViewEvent(event: ViewEvent): void {
  switch (event.type) {
    case 'select-group':
      return selectGroup(event.group);
    case 'toggle-guides':
      return toggleGuides(event.group);
    case 'select-site':
      return navigate({ site: page.peek().site === event.site ? '' : event.site });
    case 'zoom-site':
      return navigate({ zoom: event.site });
    case 'add-clause':
      if (event.clause.startsWith('split ')) {
        const [, name = '', by] = words(event.clause);
        const nodes = picture.answer.peek().data?.nodes ?? [];
        const node = nodes.find((one) => one.name === name || one.id === name);
        if (node)
          return void loadSplitting().then((it) =>
            it.splitSelected(node, by === 'callees' ? 'callees' : 'entries'),
          );
      }
      return addClause(event.clause);
    case 'set-target':
    case 'set-side': {
      const run = runs.peek().find((one) => one.run === event.run);
      if (run) pickRun(run, event.type === 'set-target' ? 'target' : event.side);
      return;
    }
    case 'keep-runs': {
      const names = event.runs
        .map((id) => runs.peek().find((run) => run.run === id))
        .filter((run) => run !== undefined);
      return addClause(
        `where name in (${names.map((run) => `'${run.name.replace(/[\\']/g, '\\$&')}'`).join(', ')})`,
      );
    }
    case 'sort':
      return navigate({ sort: event.column }, true);
    case 'copy':
      return copy(event.text);
    case 'say':
      return say(event.text);
    case 'edit':
      return void loadEdits().then(({ makeEdit }) => makeEdit(event.edit), sayFault);
    case 'undo-edit':
      return void loadEdits().then(({ undoEdit }) => undoEdit(), sayFault);
    case 'select':
      return select(event.patch, event.isReplacing);
    case 'open-run':
      return openRun(event.run, event.patch, event.view);
    case 'hover':
      return setHover(event.hover);
    case 'set-side-runs':
      return setSide(event.side, runsExpression(event.runs));
    case 'exclude-runs':
    case 'set':
    case 'show':
      // The host of the view deals with these.
      return;
  }
}
