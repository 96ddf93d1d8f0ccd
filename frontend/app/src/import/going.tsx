/** Second stage: sending and reading, how far, how long still; and the same in the footer. */

import { formatCount, formatPlural, formatValue } from '@grainsheaf/views/logic/format.ts';
import { formatLeft, totalBytes } from '@grainsheaf/views/logic/upload.ts';
import { copy } from '../actions.ts';
import { Prose } from '../states.tsx';
import { openImport, phase } from './phase.ts';
import {
  cancel,
  checked,
  meter,
  notice,
  problem,
  progress,
  retry,
  type SessionFile,
  sentVersion,
  startWithout,
} from './session.ts';

const MOST = 100;

function Bar({ share, label }: { share: number | undefined; label: string }) {
  if (share === undefined) return <span class="waiting-bar import-endless" aria-hidden="true" />;
  const percent = Math.round(Math.min(1, share) * 100);
  return (
    <svg
      class="import-progress"
      width="100%"
      height="4"
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={percent}
    >
      <rect class="rest" width="100%" height="4" />
      <rect class="done" width={`${percent}%`} height="4" />
    </svg>
  );
}

interface Now {
  readonly title: string;
  readonly about: string;
  readonly share: number | undefined;
}

/** What is done at the moment, in words and as a share. */
function now(): Now {
  // Files change in place; reading the version follows them.
  void sentVersion.value;
  const { fit } = checked.value;
  const total = totalBytes(fit);
  const bytes = fit.reduce((sum, file) => sum + file.sent, 0);
  const of = `${formatValue(bytes, 'bytes')} of ${formatValue(total, 'bytes')}`;
  const step = progress.value?.step;
  switch (phase.value) {
    case 'sending': {
      const { rate } = meter.of;
      const left = meter.of.secondsFor(total - bytes);
      const parts = [of];
      if (rate !== undefined && rate > 0) parts.push(`${formatValue(rate, 'bytes')}/s`);
      if (left !== undefined && bytes < total) parts.push(formatLeft(left));
      const count = fit.filter((file) => file.state === 'sent').length;
      const title = `Sending ${formatCount(Math.min(count + 1, fit.length))} of ${formatPlural(fit.length, 'file')}`;
      return { title, about: parts.join(' · '), share: total > 0 ? bytes / total : undefined };
    }
    case 'stuck':
      return { title: 'Not everything was sent', about: of, share: total > 0 ? bytes / total : 0 };
    case 'waiting': {
      const ahead = progress.value?.ahead ?? 1;
      return {
        title: 'Waiting',
        about: `${formatPlural(ahead, 'other import')} of this store ${ahead === 1 ? 'comes' : 'come'} first`,
        share: undefined,
      };
    }
    case 'cancelling':
      return { title: 'Cancelling', about: 'nothing will have been added', share: undefined };
    default: {
      if (!step) return { title: 'Reading', about: '', share: undefined };
      const isBytes = step.name === 'reading';
      const text = (value: number): string =>
        isBytes ? formatValue(value, 'bytes') : formatCount(value);
      const name = step.name.charAt(0).toUpperCase() + step.name.slice(1);
      const { total: all } = step;
      if (all === undefined || all === null || all === 0)
        return { title: name, about: '', share: undefined };
      return {
        title: name,
        about: `${text(step.done)} of ${text(all)}`,
        share: step.done / all,
      };
    }
  }
}

export function Going() {
  const { title, about, share } = now();
  const { fit } = checked.value;
  const failed = fit.filter((file) => file.state === 'failed');
  const active = fit.filter((file) => file.state === 'sending');
  const isStuck = phase.value === 'stuck';
  const isHopeless = failed.length > 0 && failed.every((file) => file.isHopeless);
  const isLost = problem.value !== undefined && !isStuck;
  return (
    <div class="import-stage">
      <div class="import-now">
        <strong>{title}</strong>
        <span class="quiet">{about}</span>
      </div>
      <Bar share={share} label={title} />
      {notice.value && <p class="quiet">{notice.value}</p>}
      {problem.value && <Trouble />}
      {active.length > 0 && !isStuck && (
        <ul class="import-files" aria-label="Files on their way">
          {active.map((file) => (
            <FileOnItsWay key={file.path} file={file} />
          ))}
        </ul>
      )}
      {failed.length > 0 && (
        <ul class="import-files import-failed" aria-label="Files that could not be sent">
          {failed.slice(0, MOST).map((file) => (
            <li key={file.path}>
              <span class="status-refused" aria-hidden="true">
                ✕
              </span>
              <span>
                {/* The service names the file itself. */}
                {!file.reason?.includes(file.path) && <span class="mono">{file.path} </span>}
                <Prose text={file.reason ?? ''} />
              </span>
            </li>
          ))}
          {failed.length > MOST && <li>+ {formatCount(failed.length - MOST)} more</li>}
        </ul>
      )}
      <footer class="import-foot">
        <span class="grow" />
        {(isLost || (isStuck && !isHopeless)) && (
          <button type="button" class="button primary" onClick={() => void retry()}>
            {failed.length > 0 ? `Send ${formatPlural(failed.length, 'file')} again` : 'Try again'}
          </button>
        )}
        {isStuck && failed.length > 0 && failed.length < fit.length && (
          <button
            type="button"
            class={isHopeless ? 'button primary' : 'button'}
            onClick={() => void startWithout()}
          >
            Add the others
          </button>
        )}
        <button
          type="button"
          class="button"
          disabled={phase.value === 'cancelling'}
          onClick={() => void cancel()}
        >
          Cancel
        </button>
      </footer>
    </div>
  );
}

function FileOnItsWay({ file }: { file: SessionFile }) {
  return (
    <li class="import-on-its-way">
      <span class="mono cut grow" title={file.path}>
        {file.path}
      </span>
      <span class="import-size">
        {formatValue(file.sent, 'bytes')} of {formatValue(file.bytes, 'bytes')}
      </span>
      <Bar share={file.bytes > 0 ? file.sent / file.bytes : 1} label={file.path} />
    </li>
  );
}

/** Why it does not go on, in the service's words. */
export function Trouble() {
  const found = problem.value;
  if (!found) return null;
  const { message, hint } = found.body;
  return (
    <div class="import-trouble" role="alert">
      <p>
        <Prose text={message} />
      </p>
      {hint && (
        <p class="quiet">
          <Prose text={hint} />
        </p>
      )}
      <button type="button" class="link" onClick={() => copy(found.details)}>
        Copy details
      </button>
    </div>
  );
}

/** The job in the footer, when the panel is closed. */
export function JobStatus() {
  const { title, share } = now();
  return (
    <span class="import-job">
      <button type="button" class="link" onClick={openImport}>
        {title}
      </button>
      <span class="import-job-bar">
        <Bar share={phase.value === 'stuck' ? share : (share ?? undefined)} label={title} />
      </span>
      <button type="button" class="link" onClick={() => void cancel()}>
        cancel
      </button>
    </span>
  );
}
