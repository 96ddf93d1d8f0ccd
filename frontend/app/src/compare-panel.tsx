/** Baseline, candidate, what differs around them, and the list of differences. */

import { useMemo } from 'preact/hooks';
import type { Diff, SankeyNode } from '@grainsheaf/views';
import { DiffBarsView } from '@grainsheaf/views';
import { VERDICT_MARKS } from '@grainsheaf/views/diff-bars/DiffBarsView.ts';
import {
  ABSENT,
  formatChange,
  formatChangeFrom,
  formatDelta,
  formatParameter,
  formatPlural,
  formatProbability,
  formatRatio,
  formatShare,
  formatValue,
} from '@grainsheaf/views/logic/format.ts';
import { withDiff } from '@grainsheaf/views/logic/lens.ts';
import { VERDICTS } from '@grainsheaf/views/sankey/content.ts';
import { differencesOf } from '@grainsheaf/views/sankey/model.ts';
import { setSide, suggestedDiff, swapSides } from './actions.ts';
import {
  cohorts,
  difference,
  isDiff,
  nameOfSelector,
  picture,
  runNames,
  runs,
  scope,
  selectorOfCohort,
  selectorOfRun,
  sides,
} from './data.ts';
import { diffSort, navigate, page } from './state.ts';
import { Body } from './states.tsx';
import { ViewHost } from './views.tsx';

function SidePicker({ side }: { side: 'a' | 'b' }) {
  const chosen = sides.value[side];
  const all = runs.value.slice(0, 500);
  const options = [
    ...cohorts.value.map((cohort) => ({
      value: selectorOfCohort(cohort),
      label: `${cohort.name} (${cohort.runs.length})`,
      ids: cohort.runs,
    })),
    ...all.map((run) => ({ value: selectorOfRun(run), label: run.name, ids: [run.run] })),
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

function Bars({ diff, isDim }: { diff: Diff; isDim: boolean }) {
  const { group } = page.value;
  const sort = diffSort.value;
  const data = useMemo(() => ({ diff }), [diff]);
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

function Around({ diff }: { diff: Diff }) {
  const { totals, structure, environment, unit } = diff;
  const list = (values: readonly (string | number | boolean)[]): string =>
    values.length === 0 ? ABSENT : values.map((value) => formatParameter(value)).join(', ');
  const isSame =
    diff.a.runs.length === diff.b.runs.length &&
    diff.a.runs.every((id) => diff.b.runs.includes(id));
  return (
    <div class="around">
      {totals && (
        <p>
          total {formatValue(totals.a, unit)} → {formatValue(totals.b, unit)}:{' '}
          <strong>{formatDelta(totals.delta, unit)}</strong>
          {totals.a > 0 ? `, ${formatChange(totals.delta / totals.a)}` : ''}
        </p>
      )}
      {isSame && <p class="warn">A and B are the same runs.</p>}
      {environment.length > 0 && (
        <p class="quiet">
          {environment
            .slice(0, 3)
            .map((change) => `${change.parameter}: ${list(change.a)} → ${list(change.b)}`)
            .join(' · ')}
          {environment.length > 3 ? ` + ${environment.length - 3} more` : ''}
        </p>
      )}
      <p class="quiet">
        {structure.appeared} appeared, {structure.vanished} vanished, {structure.common} in both;{' '}
        {formatShare(1 - structure.matched_work.unmatched)} of the work matched
      </p>
      {diff.notes.map((note) => (
        <p class="warn" key={note}>
          {note}
        </p>
      ))}
    </div>
  );
}

export function ComparePanel() {
  const suggestion = suggestedDiff();
  return (
    <section class="compare" aria-label="Comparison">
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
      {!isDiff.value ? (
        <div class="hint">
          <p>
            Choose a baseline A and a candidate B: runs or whole cohorts, here or in the list of
            runs. Differences are always B − A.
          </p>
          {suggestion && runs.value.length > 1 && (
            <button
              type="button"
              class="button"
              onClick={() =>
                navigate({ lens: withDiff(page.peek().lens, suggestion), a: '', b: '' })
              }
            >
              Compare {nameOfSelector(suggestion[0])} with {nameOfSelector(suggestion[1])}
            </button>
          )}
          {runs.value.length < 2 && <p>A comparison needs two runs.</p>}
        </div>
      ) : (
        <div class="compare-body">
          <Body resource={difference} skeleton="rows">
            {(diff, isDim) => (
              <>
                <Around diff={diff} />
                <div class="segments" role="group" aria-label="Order of the differences">
                  {(['absolute', 'relative', 'significance'] as const).map((order) => (
                    <button
                      type="button"
                      class="tool"
                      key={order}
                      aria-pressed={diffSort.value === order}
                      onClick={() => (diffSort.value = order)}
                    >
                      {order}
                    </button>
                  ))}
                </div>
                <div class="scroll">
                  <Bars diff={diff} isDim={isDim} />
                </div>
              </>
            )}
          </Body>
        </div>
      )}
    </section>
  );
}

/** Verdict of the selected node, and why. */
export function DiffOfNode({ node }: { node: SankeyNode }) {
  const diff = difference.answer.value.data;
  const data = picture.answer.value.data;
  if (!diff || !data) return null;
  const found = differencesOf({
    sankey: data,
    scope: scope.value,
    runNames: runNames.value,
    diff,
  }).get(node.id);
  if (!found) return null;
  const { row } = found;
  const { unit } = diff;
  const rows: [string, string, string?][] = [
    [`A, ${nameOfSelector(diff.a.name)}`, formatValue(found.a, unit), 'Mean over its runs'],
    [`B, ${nameOfSelector(diff.b.name)}`, formatValue(found.b, unit), 'Mean over its runs'],
    [
      'B − A',
      [formatDelta(found.delta, unit), formatChangeFrom(found.a, found.delta)]
        .filter(Boolean)
        .join(', '),
    ],
  ];
  if (row?.ratio !== undefined && row.ratio !== null) {
    rows.push([
      'typical ratio B/A',
      `${formatRatio(row.ratio)}${row.ci ? ` (${formatRatio(row.ci[0])} to ${formatRatio(row.ci[1])})` : ''}`,
      'Hodges-Lehmann on logarithms, with its distribution-free interval',
    ]);
  }
  if (row?.q !== undefined && row.q !== null)
    rows.push([
      'p, q',
      `${formatProbability(row.p)}, ${formatProbability(row.q)}`,
      'Exact rank-sum test, two-sided; q after Benjamini and Hochberg over the tested groups',
    ]);
  if (row?.cliffs_delta !== undefined && row.cliffs_delta !== null)
    rows.push([
      'Cliff’s delta',
      formatRatio(row.cliffs_delta),
      '1: every run of B above every run of A',
    ]);
  if (row) rows.push(['runs', `${row.runs_a} and ${row.runs_b}`]);
  return (
    <section class="block">
      <h3>verdict</h3>
      <p class={`verdict verdict-${found.verdict}`}>
        <span aria-hidden="true">{VERDICT_MARKS[found.verdict]}</span> {VERDICTS[found.verdict]}
      </p>
      <p>
        {row
          ? row.reason
          : `Collected groups are not tested; their means differ by ${formatDelta(found.delta, unit)}.`}
      </p>
      <dl class="numbers">
        {rows.map(([label, value, why]) => (
          <div key={label} title={why}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {diff.smallest_p !== undefined && diff.smallest_p !== null && (
        <p class="quiet">
          With {formatPlural(diff.a.runs.length, 'run')} and{' '}
          {formatPlural(diff.b.runs.length, 'run')}, p cannot be below{' '}
          {formatProbability(diff.smallest_p)}.
        </p>
      )}
    </section>
  );
}
