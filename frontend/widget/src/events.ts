/** Carries out what a view or a state of a widget asks for. */

import type { Action, Patch, RegisteredView, Run, ViewEvent } from '@grainsheaf/views';
import {
  cohortExpression,
  diffOf,
  targetOf,
  withClause,
  withDiff,
  without,
  withTarget,
} from '@grainsheaf/views/logic/lens.ts';
import { selectorOfRun } from '@grainsheaf/views/logic/run-sets.ts';
import { decodeSettings, encodeSettings } from '@grainsheaf/views/registry/settings.ts';
import { viewOf } from '@grainsheaf/views/registry/views.ts';
import type { Core } from './core.ts';
import { cohortBy } from './facts.ts';
import { pickedOf } from './model.ts';
import { isOfOneRun } from './views.ts';

const UNCHANGED = 'A notebook changes nothing in the store. Use the page of `grainsheaf serve`';

/** What the surroundings do for a view. */
export interface Surroundings {
  readonly core: Core;
  say(text: string): void;
  copy(text: string): void;
}

/** Settings of a view. */
export function settingsOf(core: Core, view: RegisteredView): Readonly<Record<string, unknown>> {
  return decodeSettings(view.settings, ownTexts(core, view));
}

function ownTexts(core: Core, view: RegisteredView): Record<string, string> {
  const prefix = `${view.id}.`;
  return Object.fromEntries(
    Object.entries(core.state.settings)
      .filter(([name]) => name.startsWith(prefix))
      .map(([name, text]) => [name.slice(prefix.length), text]),
  );
}

export function setSettings(
  core: Core,
  view: RegisteredView,
  change: Readonly<Record<string, unknown>>,
  isReplacing = false,
): void {
  const plain = Object.entries(change).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.join(' ') : value,
  ]);
  const values = { ...settingsOf(core, view), ...(Object.fromEntries(plain) as object) };
  // Only what is declared is kept: a view may report more to surroundings that can use it.
  const declared = Object.fromEntries(
    Object.entries(values).filter(([name]) => name in view.settings),
  );
  const others = Object.entries(core.state.settings).filter(
    ([name]) => !name.startsWith(`${view.id}.`),
  );
  const own = Object.entries(encodeSettings(view.settings, declared));
  core.navigate(
    {
      settings: Object.fromEntries([
        ...others,
        ...own.map(([name, text]) => [`${view.id}.${name}`, text]),
      ]) as Record<string, string>,
    },
    isReplacing,
  );
}

/** Changes the selection. */
export function select(core: Core, patch: Patch, isReplacing = false): void {
  const { lens, otherRun, grain, ...rest } = patch;
  const now = core.state.selection;
  const isOtherGroup = patch.group !== undefined && patch.group !== (now.group ?? '');
  const isOtherRun = patch.run !== undefined && patch.run !== (now.run ?? '');
  const next = {
    ...now,
    // Another group has other call sites; another run has other grains and times.
    ...(isOtherGroup ? { site: '' } : {}),
    ...(isOtherRun ? { grain: undefined, time: undefined } : {}),
    ...(isOtherRun && patch.run === now.other_run ? { other_run: '' } : {}),
    ...rest,
    ...(otherRun === undefined ? {} : { other_run: otherRun }),
    ...('grain' in patch ? { grain: grain ? Number(grain) : undefined } : {}),
  };
  core.navigate(
    { selection: pickedOf(next), ...(lens === undefined ? {} : { lens }) },
    isReplacing,
  );
}

export function setLens(core: Core, lens: string): void {
  core.navigate({ lens });
}

/** Makes runs the target; the same again clears it. */
export function setTarget(core: Core, selector: string): void {
  const { lens } = core.state;
  const isSame = selector === '' || targetOf(lens) === selector;
  setLens(core, withTarget(lens, isSame ? undefined : selector));
}

/** Sets one side; with both there is a comparison. */
export function setSide(core: Core, side: 'a' | 'b', selector: string): void {
  const { lens } = core.state;
  const [a, b] = diffOf(lens) ?? [core.pending.a, core.pending.b];
  const next = { a, b, [side]: selector };
  // Choosing the other side's runs swaps the two.
  if (a !== b && next.a === next.b) next[side === 'a' ? 'b' : 'a'] = side === 'a' ? a : b;
  core.pending = next;
  const isWhole = next.a !== '' && next.b !== '' && next.a !== next.b;
  setLens(core, isWhole ? withDiff(lens, [next.a, next.b]) : without(lens, 'diff'));
  core.changed();
}

function runNamed(core: Core, id: string): Run | undefined {
  return core.facts(core.known()).runs.find(({ run }) => run === id);
}

/** First cohort against last, or first run against last. */
function compareEnds(core: Core): void {
  const known = core.known();
  const { cohorts, runs } = core.facts(known);
  const by = cohortBy(core.state.lens, known.runs);
  const names =
    cohorts.length > 1
      ? cohorts.map(({ values }) => cohortExpression(values, by))
      : runs.map((run) => selectorOfRun(run, runs));
  const [first, last] = [names[0], names[names.length - 1]];
  if (first !== undefined && last !== undefined && first !== last)
    setLens(core, withDiff(core.state.lens, [first, last]));
}

/** Opens the target if it is one run, or else the first run. */
function openRun(core: Core): void {
  const known = core.known();
  const target = core.selection(known).target?.runs ?? [];
  const run = target.length === 1 ? target[0] : core.facts(known).runs[0]?.run;
  if (run !== undefined) select(core, { run });
}

const COMMANDS: Readonly<Record<string, (core: Core) => void>> = {
  diff: compareEnds,
  'open-run': openRun,
  'layout-runs': (core) => core.navigate({ view: 'runs' }),
};

/** Whether a widget can do what a step of a state asks for. */
export function canAct(action: Action): boolean {
  return !('command' in action) || action.command in COMMANDS;
}

export function act(around: Surroundings, view: RegisteredView, action: Action): void {
  const { core } = around;
  if ('command' in action) COMMANDS[action.command]?.(core);
  else if ('select' in action) select(core, action.select);
  else if ('event' in action) onEvent(around, view, action.event);
  else setSettings(core, view, action.set);
}

export function onEvent(around: Surroundings, view: RegisteredView, event: ViewEvent): void {
  const { core } = around;
  switch (event.type) {
    case 'set':
      return setSettings(core, view, event.values, event.isReplacing);
    case 'select':
      return select(core, event.patch, event.isReplacing);
    case 'select-group':
      return select(core, { group: event.group });
    case 'select-site':
      return select(core, { site: core.state.selection.site === event.site ? '' : event.site });
    case 'zoom-site':
      return setSettings(core, view, { zoom: event.site });
    case 'toggle-guides': {
      const shown = String(settingsOf(core, view)['guides'] ?? '').split(' ');
      const others = shown.filter((group) => group !== '' && group !== event.group);
      const isShown = shown.includes(event.group);
      return setSettings(core, view, { guides: isShown ? others : [...others, event.group] });
    }
    case 'add-clause':
      return setLens(core, withClause(core.state.lens, event.clause));
    case 'set-target':
    case 'set-side': {
      const run = runNamed(core, event.run);
      if (!run) return;
      const selector = selectorOfRun(run, core.facts(core.known()).runs);
      if (event.type === 'set-target') setTarget(core, selector);
      else setSide(core, event.side, selector);
      return;
    }
    case 'keep-runs': {
      const names = event.runs.flatMap((id) => runNamed(core, id)?.name ?? []);
      const list = names.map((name) => `'${name.replace(/[\\']/g, '\\$&')}'`).join(', ');
      return setLens(core, withClause(core.state.lens, `where name in (${list})`));
    }
    case 'sort': {
      const now = settingsOf(core, view)['sort'];
      return setSettings(core, view, {
        sort: now === event.column ? `-${event.column}` : event.column,
      });
    }
    case 'show': {
      const other = viewOf(event.view);
      if (!other) return;
      core.navigate({ view: other.id });
      return setSettings(core, other, event.values, true);
    }
    case 'open-run': {
      const isInside = isOfOneRun(core.state.view);
      select(core, { ...event.patch, run: event.run });
      const wanted = event.view ?? (isInside ? undefined : 'groups');
      return wanted ? core.navigate({ view: wanted }, true) : undefined;
    }
    case 'copy':
      return around.copy(event.text);
    case 'say':
      return around.say(event.text);
    case 'hover':
      return core.hover.set(event.hover);
    case 'edit':
    case 'undo-edit':
      return around.say(UNCHANGED);
  }
}
