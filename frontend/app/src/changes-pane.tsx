/** Baseline and candidate, what differs around them, and the full list of differences. */

import { useMemo, useState } from 'preact/hooks';
import type { Diff } from '@grainsheaf/views';
import { DiffBarsView } from '@grainsheaf/views/diff-bars/DiffBarsView.ts';
import {
  ABSENT,
  formatChange,
  formatDelta,
  formatParameter,
  formatPlural,
  formatShare,
  formatValue,
} from '@grainsheaf/views/logic/format.ts';
import { uniqueLabels } from '@grainsheaf/views/logic/labels.ts';
import { fitMembers } from '@grainsheaf/views/logic/names.ts';
import { withDiff } from '@grainsheaf/views/logic/lens.ts';
import {
  environmentOf,
  hasValue,
  mixedParameters,
  restricted,
} from '@grainsheaf/views/logic/restrict.ts';
import { setLens, setSide, suggestedDiff, swapSides } from './actions.ts';
import {
  cohortLabels,
  cohorts,
  diffMode,
  difference,
  isDiff,
  nameOfSelector,
  quantity,
  runLabels,
  runTable,
  runs,
  selectorOfCohort,
  selectorOfRun,
  sides,
} from './data.ts';
import { DiffModes } from './diff-modes.tsx';
import { navigate, page } from './state.ts';
import { Body } from './states.tsx';
import { ViewHost } from './views.tsx';

function SidePicker({ side }: { side: 'a' | 'b' }) {
  const chosen = sides.value[side];
  const all = runs.value;
  const options = [
    ...cohorts.value.map((cohort) => ({
      value: selectorOfCohort(cohort),
      label: `${cohortLabels.value.get(cohort.name) ?? cohort.name} (${cohort.runs.length})`,
      ids: cohort.runs,
    })),
    ...all.map((run) => ({
      value: selectorOfRun(run),
      label: runLabels.value.get(run.run) ?? run.name,
      ids: [run.run],
    })),
  ];
  const present = options.find(
    (option) =>
      chosen &&
      option.ids.length === chosen.runs.length &&
      option.ids.every((id) => chosen.runs.includes(id)),
  );
  const value = present?.value ?? (chosen ? '?' : '');
  const cut = cohorts.value.length;
  return (
    <label class="side">
      <span class={`side-name side-${side}`}>{side.toUpperCase()}</span>
      <select
        aria-label={side === 'a' ? 'Baseline A' : 'Candidate B'}
        value={value}
        onChange={(event) => event.currentTarget.value && setSide(side, event.currentTarget.value)}
      >
        <option value="">{side === 'a' ? 'baseline…' : 'candidate…'}</option>
        {value === '?' && <option value="?">{chosen?.name}</option>}
        {cut > 0 && (
          <optgroup label="cohorts">
            {options.slice(0, cut).map((option) => (
              <option key={option.value} value={option.value}>
                {option.label}
              </option>
            ))}
          </optgroup>
        )}
        <optgroup label="runs">
          {options.slice(cut).map((option) => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </optgroup>
      </select>
    </label>
  );
}

type DiffOrder = 'absolute' | 'relative' | 'significance';
const ORDERS: readonly (readonly [DiffOrder, string])[] = [
  ['absolute', 'by size'],
  ['relative', 'by change'],
  ['significance', 'by q'],
];

function diffOrder(): DiffOrder {
  return ORDERS.find(([order]) => order === page.value.diffOrder)?.[0] ?? 'absolute';
}

function Bars({ diff, isDim }: { diff: Diff; isDim: boolean }) {
  const { group } = page.value;
  const sort = diffOrder();
  const mode = diffMode.value;
  const data = useMemo(
    () => ({ diff, mode, quantity: quantity.value }),
    [diff, mode, quantity.value],
  );
  const selection = useMemo(() => ({ group, sort }), [group, sort]);
  return (
    <ViewHost
      name="diff-bars"
      make={() => new DiffBarsView()}
      data={data}
      selection={selection}
      isDim={isDim}
    />
  );
}

const list = (values: readonly (string | number | boolean)[]): string =>
  values.length === 0 ? ABSENT : values.map((value) => formatParameter(value)).join(', ');

/** Values of a parameter that are offered to be held constant. */
const MOST_VALUES = 4;

const MATCHED: readonly (readonly [keyof Diff['structure']['matched_work'], string])[] = [
  ['context', 'by context'],
  ['definition', 'by definition'],
  ['normalised', 'by normalised name'],
  ['confirmed', 'confirmed'],
  ['template', 'by template'],
  ['inferred', 'inferred'],
  ['unmatched', 'not matched'],
];

/** Parameters that a side mixes: differences may be theirs. One of their values can be held constant. */
function Mixed({ diff }: { diff: Diff }) {
  return (
    <>
      {mixedParameters(diff.environment).map(({ name, sides, shared }) => {
        const values = shared.slice(0, MOST_VALUES);
        const labels = uniqueLabels(
          values.map((value) => formatParameter(value).trim()),
          36,
        );
        return (
          <p class="warn change-mixed" key={name}>
            {sides.join(' and ')} {sides.length > 1 ? 'mix' : 'mixes'} values of {name}.{' '}
            {values.map((value, at) => (
              <button
                type="button"
                class="link"
                key={String(value)}
                title={`Compares only runs with ${name} = ${formatParameter(value)}`}
                onClick={() => setLens(restricted(page.peek().lens, hasValue(name, value)))}
              >
                compare only {labels[at]}
              </button>
            ))}
          </p>
        );
      })}
    </>
  );
}

/** Values of both sides, as many as there is room for; those of single values may be longer. */
function labelsOfSides({ a, b }: Diff['environment'][number]): string[] {
  const texts = [...a, ...b].map((value) => formatParameter(value).trim());
  const labels = uniqueLabels(texts, texts.length > 2 ? 16 : 36);
  return [labels.slice(0, a.length), labels.slice(a.length)].map((side) =>
    side.length === 0 ? ABSENT : fitMembers(side, 72),
  );
}

function EnvironmentChip({ change }: { change: Diff['environment'][number] }) {
  const { parameter, a, b } = change;
  const [before, after] = labelsOfSides(change);
  return (
    <span class="chip chip-plain" title={`${parameter}: ${list(a)} → ${list(b)}`}>
      {parameter} <span class="mono">{before}</span> → <span class="mono">{after}</span>
    </span>
  );
}

/** What differs around the program: its configuration first; what identifies launches, if one asks for all. */
function Environment({ environment }: Pick<Diff, 'environment'>) {
  const [isOpen, setOpen] = useState(false);
  const { configuration, launch } = environmentOf(
    environment,
    runTable.answer.value.data?.parameters ?? [],
  );
  const shown = configuration.slice(0, isOpen ? undefined : 3);
  const more = environment.length - shown.length;
  if (environment.length === 0) return null;
  return (
    <p class="change-environment">
      <span class="quiet">environment</span>
      {shown.map((change) => (
        <EnvironmentChip key={change.parameter} change={change} />
      ))}
      {isOpen && launch.length > 0 && <span class="quiet">of the launches</span>}
      {isOpen && launch.map((change) => <EnvironmentChip key={change.parameter} change={change} />)}
      {(isOpen || more > 0) && (
        <button type="button" class="link" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? 'fewer' : `+ ${more} more`}
        </button>
      )}
    </p>
  );
}

/** Is it slower, what else differs, how much of the work is the same: three lines. */
function Head({ diff }: { diff: Diff }) {
  const { totals, structure, environment, unit } = diff;
  const isSame =
    diff.a.runs.length === diff.b.runs.length &&
    diff.a.runs.every((id) => diff.b.runs.includes(id));
  const work = structure.matched_work as unknown as Readonly<Record<string, number>>;
  const parts = MATCHED.filter(([name]) => (work[name] ?? 0) > 0);
  return (
    <div class="change-head" role="region" aria-label="What differs" tabIndex={0}>
      <p class="change-total">
        {totals ? (
          <>
            <strong class="big">
              {formatValue(totals.a, unit)} → {formatValue(totals.b, unit)}
            </strong>
            <strong class="big">{formatDelta(totals.delta, unit)}</strong>
            {totals.a > 0 && <strong>{formatChange(totals.delta / totals.a)}</strong>}
          </>
        ) : (
          <span class="quiet">no total</span>
        )}
        <span class="quiet">
          {quantity.value}; {diff.a.runs.length} : {formatPlural(diff.b.runs.length, 'run')}
        </span>
      </p>
      {isSame && <p class="warn">A and B are the same runs.</p>}
      <Environment environment={environment} />
      <Mixed diff={diff} />
      <p class="change-structure">
        <span class="quiet">structure</span>
        <span>
          {structure.reason.text}. Work matched:{' '}
          {parts.map(([name, label], index) => (
            <span key={name} class={name === 'unmatched' || name === 'inferred' ? 'warn' : ''}>
              {index > 0 ? ', ' : ''}
              {formatShare(work[name] ?? 0)} {label}
            </span>
          ))}
        </span>
      </p>
      {diff.notes.map((note) => (
        <p class="warn" key={note.text}>
          {note.text}
        </p>
      ))}
    </div>
  );
}

export function ChangesTools() {
  return (
    <>
      <div class="sides">
        <SidePicker side="a" />
        <button
          type="button"
          class="tool"
          title="Swap, key Shift S"
          aria-label="Swap baseline and candidate"
          onClick={swapSides}
        >
          ⇄
        </button>
        <SidePicker side="b" />
      </div>
      <span class="grow" />
      {isDiff.value && (
        <>
          <DiffModes />
          <label class="field">
            sort
            <select
              aria-label="Order of the differences"
              value={diffOrder()}
              onChange={(event) => {
                const order = event.currentTarget.value;
                navigate({ diffOrder: order === 'absolute' ? '' : order });
              }}
            >
              {ORDERS.map(([order, label]) => (
                <option key={order} value={order}>
                  {label}
                </option>
              ))}
            </select>
          </label>
        </>
      )}
    </>
  );
}

export function Changes() {
  const suggestion = suggestedDiff();
  if (!isDiff.value)
    return (
      <div class="state">
        <h2>Choose a baseline A and a candidate B</h2>
        <p>
          Runs or whole cohorts, above or in the list of runs. Differences are always B − A.
          {runs.value.length < 2 && ' A comparison needs two runs.'}
        </p>
        {suggestion && runs.value.length > 1 && (
          <p class="state-steps">
            <button
              type="button"
              class="button primary"
              onClick={() =>
                navigate({ lens: withDiff(page.peek().lens, suggestion), a: '', b: '' })
              }
            >
              Compare {nameOfSelector(suggestion[0])} with {nameOfSelector(suggestion[1])}
            </button>
          </p>
        )}
      </div>
    );
  return (
    <Body resource={difference} skeleton="rows">
      {(diff, isDim) => (
        <div class="changes">
          <Head diff={diff} />
          <div class="scroll change-list">
            <Bars diff={diff} isDim={isDim} />
          </div>
        </div>
      )}
    </Body>
  );
}
