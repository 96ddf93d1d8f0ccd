/** Controls of the list of differences: both sides, how differences are stated, order and filters. */

import { formatCount } from '@grainsheaf/views/logic/format.ts';
import { VERDICT_SIGNS, type Verdict } from '@grainsheaf/views/logic/verdicts.ts';
import { VERDICTS } from '@grainsheaf/views/sankey/content.ts';
import { setSide, swapSides } from './actions.ts';
import {
  cohortLabels,
  cohorts,
  difference,
  isDiff,
  runLabels,
  runs,
  selectorOfCohort,
  selectorOfRun,
  sides,
  subsets,
} from './data.ts';
import { DiffModes } from './diff-modes.tsx';
import { navigate, navigateInOneStep, page } from './state.ts';

function SidePicker({ side }: { side: 'a' | 'b' }) {
  const chosen = sides.value[side];
  const all = runs.value;
  const sets = [...subsets.value, ...cohorts.value];
  const options = [
    ...sets.map((cohort) => ({
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
  const cut = sets.length;
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

export function diffOrder(): DiffOrder {
  return ORDERS.find(([order]) => order === page.value.diffOrder)?.[0] ?? 'absolute';
}

type Filter = 'verdict' | 'find' | 'open';

/** A filter of the list, kept in the address as a setting of the view `changes`. */
export function filterOf(name: Filter): string {
  return page.value.views[`changes.${name}`] ?? '';
}

/** `views` of the address with another filter. */
export function withFilter(name: Filter, value: string): Record<string, string> {
  const views = { ...page.peek().views, [`changes.${name}`]: value };
  return Object.fromEntries(Object.entries(views).filter(([, text]) => text !== ''));
}

function Filters() {
  const rows = difference.answer.value.data?.rows ?? [];
  const chosen = filterOf('verdict');
  const verdicts = (Object.keys(VERDICTS) as Verdict[])
    .map((verdict) => ({
      verdict,
      count: rows.filter((row) => row.verdict === verdict).length,
    }))
    .filter(({ verdict, count }) => count > 0 || verdict === chosen);
  return (
    <>
      <span class="field">
        <select
          aria-label="Verdict of the differences"
          value={chosen}
          onChange={(event) =>
            navigate({ views: withFilter('verdict', event.currentTarget.value) })
          }
        >
          <option value="">all verdicts</option>
          {verdicts.map(({ verdict, count }) => (
            <option key={verdict} value={verdict}>
              {VERDICT_SIGNS[verdict]} {VERDICTS[verdict]} ({formatCount(count)})
            </option>
          ))}
        </select>
      </span>
      <input
        type="search"
        class="change-find"
        aria-label="Filter the differences by name"
        placeholder="filter"
        value={filterOf('find')}
        onInput={(event) =>
          navigateInOneStep('changes', { views: withFilter('find', event.currentTarget.value) })
        }
      />
    </>
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
          <Filters />
        </>
      )}
    </>
  );
}
