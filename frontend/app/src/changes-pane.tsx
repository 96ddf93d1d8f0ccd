/** Baseline and candidate, what differs around them, and the full list of differences. */

import { useMemo, useState } from 'preact/hooks';
import type { Diff } from '@grainsheaf/views';
import { DiffBarsView } from '@grainsheaf/views/diff-bars/DiffBarsView.ts';
import {
  ABSENT,
  formatChange,
  formatDelta,
  formatFactor,
  formatNumber,
  formatParameter,
  formatPlural,
  formatShare,
  formatValue,
} from '@grainsheaf/views/logic/format.ts';
import { VERDICT_SIGNS } from '@grainsheaf/views/logic/verdicts.ts';
import { VERDICTS } from '@grainsheaf/views/sankey/content.ts';
import { uniqueLabels } from '@grainsheaf/views/logic/labels.ts';
import { fitMembers } from '@grainsheaf/views/logic/names.ts';
import { withDiff } from '@grainsheaf/views/logic/lens.ts';
import {
  environmentOf,
  hasValue,
  mixedParameters,
  restricted,
} from '@grainsheaf/views/logic/restrict.ts';
import { setLens, suggestedDiff } from './actions.ts';
import {
  diffMode,
  difference,
  isDiff,
  nameOfSelector,
  picture,
  quantity,
  runNames,
  runTable,
  runs,
} from './data.ts';
import { diffOrder, filterOf, withFilter } from './changes-tools.tsx';
import { navigate, page } from './state.ts';
import { Body } from './states.tsx';
import { ViewHost } from './views.tsx';

function Bars({ diff, isDim }: { diff: Diff; isDim: boolean }) {
  const { group } = page.value;
  const sort = diffOrder();
  const verdict = filterOf('verdict');
  const find = filterOf('find');
  const mode = diffMode.value;
  const isOpen = filterOf('open') !== '';
  const values = picture.answer.value.data;
  const data = useMemo(
    () => ({ diff, mode, quantity: quantity.value, values, runNames: runNames.value }),
    [diff, mode, quantity.value, values, runNames.value],
  );
  const selection = useMemo(
    () => ({ group, sort, verdict, find, isOpen }),
    [group, sort, verdict, find, isOpen],
  );
  return (
    <ViewHost
      name="diff-bars"
      make={() => new DiffBarsView()}
      data={data}
      selection={selection}
      isDim={isDim}
      onEvent={(event) => {
        if (event.type === 'set')
          navigate({ views: withFilter('open', String(event.values['open'])) });
        return event.type === 'set';
      }}
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

/** Whether the whole run is slower, in the words of the rows; nothing if the service did not test it. */
function TotalVerdict({ total }: { total: Diff['total'] }) {
  if (!total) return null;
  const { verdict, reason, ratio, ci: interval, p } = total;
  const facts = [
    typeof ratio === 'number' && `typical ratio ${formatFactor(ratio)}`,
    interval && `${formatFactor(interval[0])} to ${formatFactor(interval[1])}`,
    typeof p === 'number' && `p ${formatNumber(p)}`,
  ].filter(Boolean);
  return (
    <>
      <span class="chip chip-plain change-verdict" title={reason.text}>
        <span aria-hidden="true">{VERDICT_SIGNS[verdict]}</span> {VERDICTS[verdict]}
      </span>
      {facts.length > 0 && <span>{facts.join(', ')}</span>}
    </>
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
            <TotalVerdict total={diff.total} />
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
