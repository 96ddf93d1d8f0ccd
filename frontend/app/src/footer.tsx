/** Counts, warnings, what was just done. */

import { useEffect, useState } from 'preact/hooks';
import { formatCount, formatPlural } from '@grainsheaf/views/logic/format.ts';
import { compareSuggested } from './actions.ts';
import {
  difference,
  includeRuns,
  newRuns,
  picture,
  runs,
  runTable,
  storeInfo,
  tree,
  warnings,
} from './data.ts';
import { isBusy } from './import/phase.ts';
import { lazy, loadImport } from './lazy.tsx';
import { UnitQuestion } from './metric-unit.tsx';
import { overlay, status } from './state.ts';

const JobStatus = lazy(loadImport, (module) => module.JobStatus);

function CompareStep() {
  return (
    <button type="button" class="link compare-step" onClick={() => compareSuggested()}>
      compare them
    </button>
  );
}

function Warnings() {
  return (
    <div class="warnings" role="region" aria-label="Warnings">
      <ul class="plain">
        {warnings.value.slice(0, 100).map((warning) => (
          <li key={`${warning.who}${warning.text}`}>
            <span class="mono">{warning.who}</span> {warning.text}{' '}
            {warning.isComparable && <CompareStep />}
          </li>
        ))}
      </ul>
      {warnings.value.length > 100 && <p>+ {formatCount(warnings.value.length - 100)} more</p>}
    </div>
  );
}

export function Footer() {
  const [isFresh, setFresh] = useState(false);
  const { at, text, step } = status.value;
  useEffect(() => {
    if (at === 0) return undefined;
    setFresh(true);
    // A message with an action stays longer.
    const timer = setTimeout(() => setFresh(false), step ? 20_000 : 4000);
    return () => clearTimeout(timer);
  }, [at]);
  const info = storeInfo.answer.value.data;
  const table = runTable.answer.value.data;
  const grains = runs.value.reduce((sum, run) => sum + (run.grains ?? 0), 0);
  const isOpen = overlay.value === 'warnings';
  const first = warnings.value.find((warning) =>
    ['picture', 'target', 'diff'].includes(warning.who),
  );
  const busy = [picture, difference, tree]
    .map((resource) => resource.answer.value)
    .find((answer) => answer.wait === 'slow' || answer.wait === 'very');
  return (
    <footer class="footer">
      <span>{table ? formatPlural(runs.value.length, 'run') : ''}</span>
      {grains > 0 && <span>{formatPlural(grains, 'grain')}</span>}
      {warnings.value.length > 0 ? (
        <button
          type="button"
          class="link"
          aria-expanded={isOpen}
          onClick={() => (overlay.value = isOpen ? 'none' : 'warnings')}
        >
          {formatPlural(warnings.value.length, 'warning')} {isOpen ? '▾' : '▸'}
        </button>
      ) : (
        <span>{table ? 'no warnings' : ''}</span>
      )}
      {first && (
        <span class="first-warning" title={first.text}>
          <span aria-hidden="true">△ </span>
          {first.text}
        </span>
      )}
      {first?.isComparable && <CompareStep />}
      <span class="grow said">
        {isFresh ? text : ''}
        {isFresh && step && (
          <>
            {' '}
            <button
              type="button"
              class="link"
              onClick={() => {
                setFresh(false);
                step.run();
              }}
            >
              {step.label}
            </button>
          </>
        )}
      </span>
      <span role="status">
        {newRuns.value > 0 && (
          <button type="button" class="link" onClick={includeRuns}>
            {formatPlural(newRuns.value, 'new run')} · include
          </button>
        )}
      </span>
      <UnitQuestion />
      {isBusy.value && overlay.value !== 'import' && <JobStatus />}
      {busy && <span>{busy.what}…</span>}
      {info && <span>grainsheaf {info.version}</span>}
      {isOpen && <Warnings />}
    </footer>
  );
}
