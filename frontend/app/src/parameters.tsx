/** Parameters in which the runs differ: a name groups the runs, a value selects some; and the way back to all runs. */

import type { Runs } from '@grainsheaf/views';
import { formatCount, formatParameter, formatPlural } from '@grainsheaf/views/logic/format.ts';
import { clauseValue, quote, withClause, without } from '@grainsheaf/views/logic/lens.ts';
import { hasValue, isRestricted, withOnly } from '@grainsheaf/views/logic/restrict.ts';
import { MAX_COHORTS } from '@grainsheaf/views/logic/run-sets.ts';
import { uniqueNames } from '@grainsheaf/views/logic/unique-names.ts';
import { openMenu } from '@grainsheaf/views/ui/menu.ts';
import { setLens } from './actions.ts';
import { runTable } from './data.ts';
import { show } from './layouts.ts';
import { page, say } from './state.ts';

const MOST_SHOWN = 8;
/** Characters of values that two lines have room for. */
const MOST_CHARACTERS = 26;

type Parameter = Runs['parameters'][number];

/** Texts of about this length that keep the part in which values differ. */
function labelsOf(values: Parameter['values'], length: number): string[] {
  return uniqueNames(
    values.map((value) => formatParameter(value).trim()),
    length,
  );
}

/** All values if they are few and short; else how many there are, or two of those that are cut. */
function shownValues({ name, distinct, values }: Parameter, isShort: boolean): string[] {
  if (distinct > 5) return [formatPlural(distinct, 'value')];
  // A line has room for the name and one value.
  const room = Math.min(16, Math.max(9, 34 - name.length));
  const labels = labelsOf(values, isShort ? MOST_CHARACTERS : room);
  const shown = labels.slice(0, isShort ? distinct : 2);
  const more = labels.length - shown.length;
  return shown.map((label, at) => {
    if (at < shown.length - 1) return `${label},`;
    return more > 0 ? `${label} +${more}` : label;
  });
}

/** A menu of the values of a parameter: one restricts the ensemble to its runs. */
function chooseValue({ name, values }: Parameter, element: Element): void {
  const box = element.getBoundingClientRect();
  const labels = labelsOf(values, 44);
  openMenu(
    values.map((value, at) => ({
      label: `only ${labels[at] ?? ''}`,
      run: () => {
        setLens(withOnly(page.peek().lens, hasValue(name, value), [name]));
        say(`Only runs with ${name} = ${formatParameter(value).trim()}`);
      },
    })),
    box.left,
    box.bottom + 4,
    `Only runs with a value of ${name}`,
  );
}

/** One parameter: its name groups the runs, its values select some. */
function VaryingParameter({ parameter }: { parameter: Parameter }) {
  const { name, distinct, values } = parameter;
  const all = values.map((value) => formatParameter(value).trim()).join(', ');
  const texts = shownValues(parameter, all.length <= MOST_CHARACTERS);
  const text = texts.join(' ');
  if (distinct < 2 || distinct > MAX_COHORTS)
    return (
      <div title={all}>
        <dt>
          <bdi>{name}</bdi>
        </dt>
        <dd>{text}</dd>
      </div>
    );
  return (
    <div>
      <dt>
        <button
          type="button"
          class="link"
          title={`Groups the runs by ${name}, to compare them`}
          onClick={() => setLens(withClause(page.peek().lens, `by ${quote(name)}`))}
        >
          <bdi>{name}</bdi>
        </button>
      </dt>
      <dd>
        <button
          type="button"
          class="link parameter-values"
          title={`Shows only runs with one of these: ${all}`}
          aria-label={`Only runs with a value of ${name}: ${text}`}
          onClick={(event) => chooseValue(parameter, event.currentTarget)}
        >
          <bdi>
            {texts.map((label, at) => (
              <span key={label}>{at === 0 ? label : ` ${label}`}</span>
            ))}
          </bdi>
          <span aria-hidden="true">▾</span>
        </button>
      </dd>
    </div>
  );
}

/** Parameters with their values. */
export function Varying() {
  const varying = (runTable.answer.value.data?.parameters ?? []).filter((one) => one.varies);
  if (varying.length === 0) return null;
  return (
    <section class="block">
      <h3>parameters that vary</h3>
      <p class="quiet">A name groups the runs; ▾ shows only runs with one value.</p>
      <dl class="numbers">
        {varying.slice(0, MOST_SHOWN).map((parameter) => (
          <VaryingParameter key={parameter.name} parameter={parameter} />
        ))}
      </dl>
      {varying.length > MOST_SHOWN && (
        <button type="button" class="link" onClick={() => show('runs')}>
          + {formatCount(varying.length - MOST_SHOWN)} more in the run table
        </button>
      )}
    </section>
  );
}

/** The condition that selects the shown runs, and the way back to all. */
export function Restriction() {
  const { lens } = page.value;
  if (!isRestricted(lens)) return null;
  return (
    <p class="restriction">
      only where <code>{clauseValue(lens, 'where')}</code>{' '}
      <button type="button" class="link" onClick={() => setLens(without(lens, 'where'))}>
        show all runs
      </button>
    </p>
  );
}
