/** Third stage: what became of each file. */

import type { FileReport } from '@grainsheaf/views';
import { formatCount, formatPlural } from '@grainsheaf/views/logic/format.ts';
import { withClause, withTarget } from '@grainsheaf/views/logic/lens.ts';
import {
  clauseOfRuns,
  findingText,
  summaryOf,
  summaryText,
} from '@grainsheaf/views/logic/upload.ts';
import { navigate, overlay, page } from '../state.ts';
import { Prose } from '../states.tsx';
import { Trouble } from './going.tsx';
import { phase } from './phase.ts';
import { pickRefused, report, startOver } from './session.ts';

const MOST = 200;

/** More runs than this make an address that some programs cut. */
const MOST_IN_ADDRESS = 40;

const MARKS: Readonly<Record<FileReport['status'], readonly [mark: string, text: string]>> = {
  added: ['✓', 'added'],
  present: ['=', 'already present'],
  refused: ['✕', 'refused'],
};

function showRuns(runs: readonly string[]): void {
  overlay.value = 'none';
  if (runs.length > MOST_IN_ADDRESS) navigate({ lens: '', group: '', site: '', zoom: '' });
  else navigate({ lens: withClause('', clauseOfRuns(runs)), group: '', site: '', zoom: '' });
}

function makeTarget(run: string): void {
  overlay.value = 'none';
  navigate({ lens: withTarget(page.peek().lens, run), a: '', b: '' });
}

export function Report() {
  const files = report.value ?? [];
  const summary = summaryOf(files);
  const titles = {
    done: summaryText(summary),
    cancelled: 'Cancelled',
    failed: 'The import failed',
  };
  const state = phase.value === 'done' || phase.value === 'failed' ? phase.value : 'cancelled';
  const title = titles[state];
  // What needs a reader's attention comes first.
  const order = { refused: 0, added: 1, present: 2 } as const;
  const sorted = files
    .map((file, index) => [file, index] as const)
    .sort(([a, i], [b, j]) => order[a.status] - order[b.status] || i - j);
  const isAgain = state !== 'done' || summary.refused > 0;
  return (
    <div class="import-stage">
      <p class="import-summary">
        <strong>{title.charAt(0).toUpperCase() + title.slice(1)}</strong>
        {state !== 'done' && <span class="quiet"> Nothing was added.</span>}
      </p>
      {state !== 'done' && <Trouble />}
      {sorted.length > 0 && (
        <ul class="import-report" aria-label="What became of each file">
          {sorted.slice(0, MOST).map(([file, index]) => (
            <Row key={index} file={file} />
          ))}
          {sorted.length > MOST && (
            <li class="quiet">+ {formatCount(sorted.length - MOST)} more</li>
          )}
        </ul>
      )}
      <footer class="import-foot">
        <span class="grow" />
        {isAgain && (
          <button type="button" class="button" onClick={pickRefused}>
            {state === 'done' ? 'Try the refused again' : 'Try again'}
          </button>
        )}
        <button type="button" class="button" onClick={startOver}>
          Add more
        </button>
        {summary.runs.length > 0 && (
          <button
            type="button"
            class="button primary"
            autoFocus
            onClick={() => showRuns(summary.runs)}
          >
            {summary.runs.length > MOST_IN_ADDRESS
              ? 'Show all runs'
              : `Show the ${summary.runs.length === 1 ? 'new run' : formatPlural(summary.runs.length, 'new run')}`}
          </button>
        )}
      </footer>
    </div>
  );
}

function Row({ file }: { file: FileReport }) {
  const [mark, text] = MARKS[file.status];
  const findings = file.report.length;
  const [run] = file.runs;
  return (
    <li class={`report-row report-${file.status}`}>
      <span class={`report-status status-${file.status}`}>
        <span aria-hidden="true">{mark}</span> {text}
      </span>
      <span class="report-file">
        <span class="mono report-path">{file.path}</span>
        {file.format && <span class="quiet"> {file.format}</span>}
        {file.runs.length > 1 && (
          <span class="quiet"> {formatPlural(file.runs.length, 'run')}</span>
        )}
      </span>
      {run !== undefined && (
        <span class="report-links">
          <button
            type="button"
            class="link"
            aria-label={`Show ${file.path}`}
            onClick={() => showRuns(file.runs)}
          >
            show
          </button>
          {file.runs.length === 1 && (
            <button
              type="button"
              class="link"
              aria-label={`Make ${file.path} the target`}
              onClick={() => makeTarget(run)}
            >
              target
            </button>
          )}
        </span>
      )}
      {file.error && (
        <p class="report-reason">
          <Prose text={file.error} />
        </p>
      )}
      {findings > 0 && (
        <details class="report-findings" open={findings <= 2}>
          <summary>{formatPlural(findings, 'finding')} of the reader</summary>
          <ul>
            {file.report.map((finding) => (
              <li key={finding.kind}>{findingText(finding)}</li>
            ))}
          </ul>
        </details>
      )}
    </li>
  );
}
