/** First stage: the files, and what is known of them. */

import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import {
  formatCount,
  formatParameter,
  formatPlural,
  formatValue,
} from '@grainsheaf/views/logic/format.ts';
import {
  inferParam,
  type ParamRow,
  paramsOf,
  totalBytes,
  typeOfParam,
} from '@grainsheaf/views/logic/upload.ts';
import { choose } from './drop.tsx';
import { policy } from './phase.ts';
import {
  checked,
  isWalking,
  picked,
  rows,
  start,
  startOver,
  unpick,
  unreadable,
} from './session.ts';

/** Rows of a list that are drawn; the others are counted. */
const MOST = 100;

export function Pick() {
  const { fit, refused, bar } = checked.value;
  const unfit = [...refused, ...unreadable.value];
  const { faults } = paramsOf(rows.value);
  const isEmpty = picked.value.length === 0;
  const go = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (fit.length > 0) go.current?.focus();
  }, [fit.length > 0]);
  return (
    <form
      class="import-stage"
      onSubmit={(event) => {
        event.preventDefault();
        if (fit.length > 0 && bar === undefined && faults.size === 0) void start();
      }}
    >
      <div class={isEmpty ? 'import-target is-empty' : 'import-target'}>
        {isEmpty && (
          <p>{isWalking.value ? 'Looking into the folders…' : 'Drop files or folders here, or'}</p>
        )}
        <p class="state-steps">
          <button type="button" class="button" autoFocus={isEmpty} onClick={() => choose('files')}>
            Choose files…
          </button>
          <button type="button" class="button" onClick={() => choose('folder')}>
            Choose a folder…
          </button>
          {!isEmpty && (
            <button type="button" class="link" onClick={startOver}>
              Clear
            </button>
          )}
          {!isEmpty && isWalking.value && <span class="quiet">Looking into the folders…</span>}
        </p>
        {isEmpty && (
          <p class="quiet">
            Up to {formatValue(policy.value.limits.file_bytes, 'bytes')} a file,{' '}
            {formatValue(policy.value.limits.bytes, 'bytes')} and{' '}
            {formatCount(policy.value.limits.files)} files in all. Formats are recognised by
            content; of a folder, only runs are added.
          </p>
        )}
      </div>
      {!isEmpty && (
        <>
          <ul class="import-files" aria-label="Files to add">
            {fit.slice(0, MOST).map((file) => (
              <li key={file.path}>
                <span class="mono cut grow" title={file.path}>
                  {file.path}
                </span>
                <span class="import-size">{formatValue(file.bytes, 'bytes')}</span>
                <button
                  type="button"
                  class="chip-remove"
                  aria-label={`Leave out ${file.path}`}
                  title="Leave out"
                  onClick={() => unpick(file.path)}
                >
                  ×
                </button>
              </li>
            ))}
            {fit.length > MOST && (
              <li class="quiet">+ {formatCount(fit.length - MOST)} more files</li>
            )}
          </ul>
          <Unfit count={unfit.length}>
            {unfit.slice(0, MOST).map((file) => (
              <li key={file.path}>
                <span class="mono">{file.path}</span> {file.reason}
              </li>
            ))}
          </Unfit>
          <Params faults={faults} />
        </>
      )}
      {bar !== undefined && (
        <p class="import-bar-text" role="alert">
          {bar} Leave some out, or use <code>grainsheaf add</code> where the store is.
        </p>
      )}
      {!isEmpty && (
        <footer class="import-foot">
          <span class="grow quiet">
            {formatPlural(fit.length, 'file')}, {formatValue(totalBytes(fit), 'bytes')}
          </span>
          <button
            type="submit"
            ref={go}
            autoFocus={!isEmpty}
            class="button primary"
            disabled={fit.length === 0 || bar !== undefined || faults.size > 0 || isWalking.value}
          >
            Add {formatPlural(fit.length, 'file')}
          </button>
        </footer>
      )}
    </form>
  );
}

function Unfit({ count, children }: { count: number; children: ComponentChildren }) {
  if (count === 0) return null;
  return (
    <details class="import-unfit" open={count <= 3}>
      <summary>
        <span aria-hidden="true">△ </span>
        {formatPlural(count, 'file')} will not be sent
      </summary>
      <ul>{children}</ul>
    </details>
  );
}

function Params({ faults }: { faults: ReadonlyMap<number, string> }) {
  const set = (index: number, change: Partial<ParamRow>): void =>
    void (rows.value = rows.peek().map((row, at) => (at === index ? { ...row, ...change } : row)));
  const list = useRef<HTMLUListElement>(null);
  const add = (): void => {
    rows.value = [...rows.peek(), { name: '', text: '' }];
    setTimeout(() => list.current?.querySelector<HTMLInputElement>('li:last-child input')?.focus());
  };
  return (
    <section class="import-params" aria-label="Parameters">
      <div class="import-params-head">
        <h3>parameters</h3>
        <span class="quiet">
          of all these runs, such as version = 1.3; they win over the files’
        </span>
        <span class="grow" />
        <button type="button" class="link" onClick={add}>
          + parameter
        </button>
      </div>
      <ul ref={list}>
        {rows.value.map((row, index) => {
          const text = row.text.trim();
          const value = inferParam(text);
          const fault = faults.get(index);
          return (
            <li key={index}>
              <input
                aria-label="Name of the parameter"
                placeholder="name"
                spellcheck={false}
                autocomplete="off"
                value={row.name}
                aria-invalid={fault !== undefined}
                onInput={(event) => set(index, { name: event.currentTarget.value })}
              />
              <span aria-hidden="true">=</span>
              <input
                aria-label="Value of the parameter"
                placeholder="value"
                spellcheck={false}
                autocomplete="off"
                value={row.text}
                aria-invalid={fault !== undefined}
                onInput={(event) => set(index, { text: event.currentTarget.value })}
              />
              <span class={fault ? 'import-type warn' : 'import-type quiet'}>
                {fault ?? (text === '' ? '' : `${typeOfParam(value)} ${formatParameter(value)}`)}
              </span>
              <button
                type="button"
                class="chip-remove"
                aria-label="Remove the parameter"
                onClick={() => (rows.value = rows.peek().filter((_, at) => at !== index))}
              >
                ×
              </button>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
