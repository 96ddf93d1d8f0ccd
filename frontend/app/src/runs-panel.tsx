/** Cohorts and runs, with target, A and B. */

import { useState } from 'preact/hooks';
import type { Cohort, Run } from '@grainsheaf/views';
import { formatCount, formatValue } from '@grainsheaf/views/logic/format.ts';
import { labelsWithin } from '@grainsheaf/views/logic/run-sets.ts';
import { runDetails } from '@grainsheaf/views/logic/source.ts';
import { run } from './commands.ts';
import { isSide, keepTarget, pickCohort, pickRun, setTarget } from './actions.ts';
import {
  cohortBy,
  cohortLabels,
  cohorts,
  orderedRuns,
  runLabels,
  runs,
  runTable,
  subsets,
  target,
  unit,
} from './data.ts';
import { show } from './layouts.ts';
import { openRun } from './open-run.ts';
import { SideSplitter } from './side-splitter.tsx';
import { page } from './state.ts';
import { Body } from './states.tsx';

interface PicksProps {
  readonly name: string;
  readonly ids: readonly string[];
  pick(as: 'target' | 'a' | 'b'): void;
}

function Picks({ name, ids, pick }: PicksProps) {
  const chosen = target.value?.runs ?? [];
  const isTarget =
    chosen.length === ids.length &&
    ids.every((id, index) => chosen[index] === id || chosen.includes(id));
  const button = (as: 'target' | 'a' | 'b', isOn: boolean, text: string, label: string) => (
    <button
      type="button"
      class={`pick pick-${as}`}
      tabIndex={-1}
      aria-pressed={isOn}
      aria-label={`${label}: ${name}`}
      title={`${label}: ${name}`}
      onClick={() => pick(as)}
    >
      {text}
    </button>
  );
  return (
    <span class="picks">
      {button('target', isTarget, isTarget ? '◉' : '○', 'Target')}
      {button('a', isSide('a', ids), 'A', 'Baseline A')}
      {button('b', isSide('b', ids), 'B', 'Candidate B')}
    </span>
  );
}

function RunRow({
  run,
  label,
  most,
  unit,
}: {
  run: Run;
  label: string;
  most: number;
  unit: string | undefined;
}) {
  const share = most > 0 ? (run.total ?? 0) / most : 0;
  return (
    <li class="run-row">
      <button
        type="button"
        class="run-name mono"
        tabIndex={-1}
        title={`Open ${run.name}\n${formatValue(run.total, unit)}\n${runDetails(run)}`.trimEnd()}
        onClick={() => openRun(run.run)}
      >
        <bdi>{label}</bdi>
        {!run.is_complete && <abbr title="incomplete"> !</abbr>}
        <svg class="run-bar" width="100%" height="2" aria-hidden="true">
          <rect width={`${share * 100}%`} height="2" />
        </svg>
      </button>
      <Picks name={run.name} ids={[run.run]} pick={(as) => pickRun(run, as)} />
    </li>
  );
}

const MOST = 200;

function RunList({
  list,
  most,
  unit,
}: {
  list: readonly Run[];
  most: number;
  unit: string | undefined;
}) {
  const left = list.length - MOST;
  const labels = labelsWithin(list, runLabels.value);
  return (
    <ul class="run-list">
      {list.slice(0, MOST).map((run) => (
        <RunRow
          key={run.run}
          run={run}
          label={labels.get(run.run) ?? run.name}
          most={most}
          unit={unit}
        />
      ))}
      {left > 0 && (
        <li class="run-row">
          <button type="button" class="link" onClick={() => show('runs')}>
            + {formatCount(left)} more in the run table
          </button>
        </li>
      )}
    </ul>
  );
}

/** Arrow keys lead from row to row and from button to button; the whole list is one tab stop. */
function walk(event: KeyboardEvent & { currentTarget: HTMLElement }): void {
  const step = { ArrowDown: [1, 0], ArrowUp: [-1, 0], ArrowRight: [0, 1], ArrowLeft: [0, -1] }[
    event.key
  ];
  if (!step || event.ctrlKey || event.metaKey || event.altKey) return;
  const rows = [...event.currentTarget.querySelectorAll<HTMLElement>('.cohort-row, .run-row')];
  const row = rows.findIndex((one) => one.contains(document.activeElement));
  const own = [...(rows[row]?.querySelectorAll('button') ?? [])];
  const at = own.findIndex((one) => one === document.activeElement);
  const next = rows[Math.max(0, Math.min(rows.length - 1, row + (step[0] ?? 0)))];
  const buttons = [...(next?.querySelectorAll('button') ?? [])];
  // Counted from the end, where the buttons of all rows are the same.
  const fromEnd = at < 0 ? buttons.length : own.length - at;
  const target = buttons[buttons.length - fromEnd + (step[1] ?? 0)] ?? buttons[0];
  event.preventDefault();
  event.stopPropagation();
  target?.focus();
}

function CohortRow({
  cohort,
  most,
  unit,
}: {
  cohort: Cohort;
  most: number;
  unit: string | undefined;
}) {
  const [isOpen, setOpen] = useState(runs.peek().length <= 40 && cohorts.peek().includes(cohort));
  const members = new Set(isOpen ? cohort.runs : []);
  const chosen = orderedRuns.value.filter((run) => members.has(run.run));
  return (
    <li>
      <div class="cohort-row">
        <button
          type="button"
          class="cohort-name"
          tabIndex={-1}
          aria-expanded={isOpen}
          title={cohort.name}
          onClick={() => setOpen(!isOpen)}
        >
          <span aria-hidden="true">{isOpen ? '▾' : '▸'}</span>{' '}
          <bdi>
            {(cohortLabels.value.get(cohort.name) ?? cohort.name).split(' ').map((word, at) => (
              <i key={at}>{word} </i>
            ))}
          </bdi>
        </button>
        <span class="quiet">{formatCount(cohort.runs.length)}</span>
        <Picks name={cohort.name} ids={cohort.runs} pick={(as) => pickCohort(cohort, as)} />
      </div>
      {isOpen && <RunList list={chosen} most={most} unit={unit} />}
    </li>
  );
}

export function RunsPanel() {
  return (
    <aside class="panel left-panel" aria-label="Runs and cohorts" data-tour="runs">
      <SideSplitter side="left" />
      <div class="panel-head">
        <h2>runs{cohortBy.value.length > 0 ? ` by ${cohortBy.value.join(', ')}` : ''}</h2>
        <button
          type="button"
          class="tool run-order"
          tabIndex={-1}
          title={`Order of the runs, also of the keys [ and ]: ${page.value.runOrder === 'name' ? 'by name' : 'largest total first'}`}
          aria-label={`Order of the runs: ${page.value.runOrder === 'name' ? 'by name' : 'by total'}`}
          onClick={() => run('run-order')}
        >
          {page.value.runOrder === 'name' ? 'by name' : 'by total'}
        </button>
        <span class="picks picks-head" aria-hidden="true">
          <span title="target">◉</span>
          <span title="baseline">A</span>
          <span title="candidate">B</span>
        </span>
      </div>
      <div
        class="panel-body"
        tabIndex={0}
        role="group"
        aria-label="Runs: arrow keys lead to target, A and B"
        onKeyDown={walk}
      >
        <Body resource={runTable} skeleton="rows">
          {(data) => {
            const shownUnit = unit.value;
            const most = Math.max(0, ...data.runs.map((run) => run.total ?? 0));
            if (data.runs.length === 0) return <p class="hint">No runs.</p>;
            return (
              <>
                <ul class="cohorts">
                  {[...subsets.value, ...cohorts.value].map((cohort) => (
                    <CohortRow key={cohort.name} cohort={cohort} most={most} unit={shownUnit} />
                  ))}
                </ul>
                {cohorts.value.length === 0 && (
                  <RunList list={orderedRuns.value} most={most} unit={shownUnit} />
                )}
              </>
            );
          }}
        </Body>
      </div>
      {target.value && (
        <div class="panel-foot">
          <span class="target-swatch" aria-hidden="true" />
          <span class="visually-hidden">target: </span>
          <strong class="mono" title={`Target: ${target.value.name}`}>
            {cohortLabels.value.get(target.value.name) ?? target.value.name}
          </strong>
          {target.value.runs.length === 1 && (
            <button type="button" class="link" title="Key O" onClick={() => run('open-run')}>
              open
            </button>
          )}
          {target.value.runs.length > 1 && (
            <button
              type="button"
              class="link"
              title="Leaves all other runs out of the ensemble"
              onClick={keepTarget}
            >
              only these
            </button>
          )}
          <button type="button" class="link" onClick={() => setTarget(undefined)}>
            clear
          </button>
        </div>
      )}
    </aside>
  );
}
