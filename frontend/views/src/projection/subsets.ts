/** Names for sub-ensembles, and the list of those that have one. */

import { formatPlural } from '../logic/format.ts';
import { subsetsOf, withSubset } from '../logic/subsets.ts';
import { nameOf, section } from '../ui/chart-view.ts';
import { html } from '../ui/dom.ts';
import type { ViewContext } from '../ui/view.ts';

/** A field that gives the chosen runs a name. */
export function nameForm(
  runs: readonly string[],
  subsets: string,
  context: ViewContext,
): HTMLElement {
  const input = html('input', {
    'aria-label': 'Name of this subset',
    placeholder: 'name',
    maxlength: 40,
    required: '',
    dir: 'auto',
  });
  const form = html(
    'form',
    { class: 'gs-tools gs-subset-form' },
    input,
    html('button', { class: 'gs-button' }, 'Name this subset'),
  );
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const name = input.value.trim();
    if (name === '') return;
    context.emit({ type: 'set', values: { subsets: withSubset(subsets, name, runs) } });
    context.emit({ type: 'say', text: `${formatPlural(runs.length, 'run')}: ${name}` });
  });
  return form;
}

/** Each subset with what can be done with it; nothing if no runs have a name. */
export function namedSubsets(
  runs: readonly { readonly run: string }[],
  text: string,
  context: ViewContext,
): HTMLElement[] {
  const subsets = subsetsOf(text, runs);
  if (subsets.length === 0) return [];
  const rows = subsets.map(({ name, runs: own }) => {
    const button = (label: string, about: string, act: () => void): HTMLButtonElement => {
      const hint = `${about}: ${name}`;
      const made = html(
        'button',
        { type: 'button', class: 'gs-button', title: hint, 'aria-label': hint },
        label,
      );
      made.addEventListener('click', act);
      return made;
    };
    return html(
      'li',
      { class: 'gs-tools' },
      nameOf(name),
      html('span', { class: 'gs-quiet' }, formatPlural(own.length, 'run')),
      button('Choose', 'Choose its runs', () =>
        context.emit({ type: 'select', patch: { runs: own } }),
      ),
      button('A', 'Baseline A', () =>
        context.emit({ type: 'set-side-runs', side: 'a', runs: own }),
      ),
      button('B', 'Candidate B', () =>
        context.emit({ type: 'set-side-runs', side: 'b', runs: own }),
      ),
      button('×', 'Forget this name', () =>
        context.emit({ type: 'set', values: { subsets: withSubset(text, name, []) } }),
      ),
    );
  });
  return [section('Named subsets', '', html('ul', { class: 'gs-subsets' }, ...rows))];
}
