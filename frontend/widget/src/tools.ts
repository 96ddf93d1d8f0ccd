/** The row above a picture: which view, of which runs and group, and the view's settings. */

import type { Facts, RegisteredView, Selection } from '@grainsheaf/views';
import { cohortExpression, targetOf, withClause, words } from '@grainsheaf/views/logic/lens.ts';
import { metricLabel } from '@grainsheaf/views/logic/metrics.ts';
import { quote } from '@grainsheaf/views/logic/lens.ts';
import { selectorOfRun } from '@grainsheaf/views/logic/run-sets.ts';
import { control } from '@grainsheaf/views/ui/controls.ts';
import { assign, html } from '@grainsheaf/views/ui/dom.ts';
import { shorten } from '@grainsheaf/views/logic/names.ts';
import type { Core } from './core.ts';
import { select, setLens, setSettings, setSide, settingsOf, setTarget } from './events.ts';
import { cohortBy, type Known } from './facts.ts';
import { ALL, isOfOneRun, OF_ONE_GROUP, OF_TWO_SIDES } from './views.ts';

/** Entries of a list at most: a notebook has no room for more, and Python has all. */
const MOST = 500;
/** Characters of an entry. */
const LONGEST = 60;

interface Entry {
  readonly value: string;
  readonly label: string;
}

/** A list to choose from, found again by its name. */
function list(
  name: string,
  label: string,
  entries: readonly Entry[],
  value: string,
  choose: (value: string) => void,
): HTMLElement {
  const element = html('select', { 'aria-label': label, title: label });
  element.dataset['setting'] = name;
  const shown = entries.slice(0, MOST);
  for (const entry of shown)
    element.append(html('option', { value: entry.value }, shorten(entry.label, LONGEST)));
  if (!shown.some((entry) => entry.value === value))
    element.append(html('option', { value }, shorten(value, LONGEST)));
  if (entries.length > MOST)
    element.append(html('option', { disabled: '' }, `+ ${entries.length - MOST} more`));
  element.value = value;
  element.addEventListener('change', () => choose(element.value));
  return html('label', { class: 'field' }, `${label} `, element);
}

/** Sets of runs that the lens can name. */
function sets(core: Core, facts: Facts, known: Known): Entry[] {
  const by = cohortBy(core.state.lens, known.runs);
  return [
    ...facts.cohorts.map((cohort) => ({
      value: cohortExpression(cohort.values, by),
      label: `${cohort.name} (${cohort.runs.length})`,
    })),
    ...facts.runs.map((run) => ({ value: selectorOfRun(run, facts.runs), label: run.name })),
  ];
}

/** Controls for what is shown now. */
export function toolsOf(
  core: Core,
  view: RegisteredView,
  selection: Selection,
  facts: Facts,
  known: Known,
): HTMLElement[] {
  const views = ALL.map(({ id, title }) => ({ value: id, label: title }));
  const found = [list('view', 'view', views, view.id, (id) => core.navigate({ view: id }))];
  const runs = facts.runs.map((run) => ({ value: run.run, label: run.name }));
  if (isOfOneRun(view.id)) {
    const chosen = [{ value: '', label: '–' }, ...runs];
    found.push(list('run', 'run', chosen, selection.run, (run) => select(core, { run })));
  } else if (OF_TWO_SIDES.has(view.id)) {
    const named = [{ value: '', label: '–' }, ...sets(core, facts, known)];
    const side = (which: 'a' | 'b', label: string): HTMLElement => {
      const clause = words(/\bdiff\b.*/.exec(core.state.lens)?.[0] ?? '');
      const stated = which === 'a' ? clause[1] : clause[3];
      return list(which, label, named, stated ?? core.pending[which], (value) =>
        setSide(core, which, value),
      );
    };
    found.push(side('a', 'A'), side('b', 'B'));
  } else {
    const named = [{ value: '', label: '–' }, ...sets(core, facts, known)];
    const target = targetOf(core.state.lens) ?? '';
    found.push(list('target', 'target', named, target, (value) => setTarget(core, value)));
  }
  if (OF_ONE_GROUP.has(view.id)) {
    const groups = (known.sankey?.nodes ?? [])
      .filter(({ kind }) => kind !== 'others')
      .map(({ id, name }) => ({ value: id, label: name }));
    const chosen = [{ value: '', label: '–' }, ...groups];
    found.push(list('group', 'group', chosen, selection.group, (group) => select(core, { group })));
  }
  const metrics = known.runs?.metrics ?? [];
  if (!isOfOneRun(view.id) && metrics.length > 1) {
    const named = metrics.map((one) => ({ value: one.name, label: metricLabel(one) }));
    const choose = (name: string): void =>
      setLens(core, withClause(core.state.lens, `metric ${quote(name)}`));
    found.push(list('metric', 'metric', named, selection.metric?.name ?? '', choose));
  }
  const settings = settingsOf(core, view);
  for (const [name, setting] of Object.entries(view.settings))
    found.push(
      ...control(name, setting, settings[name], facts, (value) =>
        setSettings(core, view, { [name]: value }),
      ),
    );
  return found;
}

/** Replaces tools, and gives the focus to the one of the same name. */
export function replaceTools(
  row: HTMLElement,
  focused: Element | null,
  tools: readonly HTMLElement[],
): void {
  const name = focused && row.contains(focused) ? focused.getAttribute('data-setting') : null;
  row.replaceChildren(...tools);
  if (name === null) return;
  for (const element of row.querySelectorAll<HTMLElement>('[data-setting]'))
    if (element.dataset['setting'] === name) element.focus();
  assign(row, { 'data-focused': undefined });
}
