/** Designed states: loading, empty, failed. */

import type { ComponentChildren } from 'preact';
import type { Answer, Problem, Resource } from './resource.ts';
import { copy } from './actions.ts';
import { runs, storeInfo } from './data.ts';
import { openImport } from './import/phase.ts';
import { BASE } from './service.ts';
import { navigate, overlay, page } from './state.ts';
import { splitClauses, without } from '@grainsheaf/views/logic/lens.ts';
import { proseParts } from '@grainsheaf/views/logic/prose.ts';
import { INITIAL } from '@grainsheaf/views/logic/url.ts';

/** Text in which what stands between backquotes is code. */
export function Prose({ text }: { text: string }) {
  return (
    <>
      {proseParts(text).map((part, index) =>
        part.isCode ? <code key={index}>{part.text}</code> : part.text,
      )}
    </>
  );
}

interface Step {
  readonly label: string;
  readonly isPrimary?: boolean;
  run(): void;
}

export function Empty({
  title,
  text,
  steps = [],
}: {
  title: string;
  text?: string;
  steps?: readonly Step[];
}) {
  return (
    <div class="state">
      <h2>{title}</h2>
      {text && (
        <p>
          <Prose text={text} />
        </p>
      )}
      {steps.length > 0 && (
        <p class="state-steps">
          {steps.map((step) => (
            <button
              type="button"
              class={step.isPrimary ? 'button primary' : 'button'}
              key={step.label}
              onClick={() => step.run()}
            >
              {step.label}
            </button>
          ))}
        </p>
      )}
    </div>
  );
}

/** Whether the store has no runs, rather than a lens that selects none. */
export function isStoreEmpty(): boolean {
  return runs.value.length === 0 && !page.value.lens.includes('where');
}

/** How runs come into an empty store. */
export function NoRuns() {
  const { imports, stores } = storeInfo.answer.value.data ?? {};
  const isClosed = imports?.is_allowed === false;
  const record =
    'ecord a program with `grainsheaf record --threads 1,2,4,8 --repeat 5 -- ./program`';
  return (
    <Empty
      title="This store has no runs yet"
      text={
        isClosed
          ? `R${record}, or add files with \`grainsheaf add\`. This service itself takes none: it is read-only.`
          : `Drop files or folders anywhere on this page. Or r${record}.`
      }
      steps={[
        ...(isClosed ? [] : [{ label: 'Add files…', run: openImport, isPrimary: true }]),
        { label: 'Look again', run: () => location.reload() },
        ...((stores?.length ?? 0) > 1
          ? [{ label: 'Open another store', run: () => void (overlay.value = 'stores') }]
          : []),
      ]}
    />
  );
}

export function Failure({ problem, retry }: { problem: Problem; retry(): void }) {
  const { code, message, hint, position } = problem.body;
  const { lens } = page.value;
  if (code === 'empty_ensemble' && isStoreEmpty()) return <NoRuns />;
  if (problem.status === 401) {
    return (
      <div class="state" role="alert">
        <h2>This page needs the link that the command printed</h2>
        <p>
          Look for the line that starts with <code>http://</code> in the terminal where{' '}
          <code>grainsheaf serve</code> runs, and open it, or paste it here: this view stays. The
          link holds a token that keeps others out; it changes with every start.
        </p>
        <form
          class="field"
          onSubmit={(event) => {
            event.preventDefault();
            const given = new FormData(event.currentTarget).get('link');
            enterWith(typeof given === 'string' ? given : '');
          }}
        >
          <label class="field grow">
            link
            <input
              name="link"
              class="mono grow"
              autocomplete="off"
              placeholder="http://…/?token=…"
            />
          </label>
          <button type="submit" class="button primary">
            Open
          </button>
        </form>
        <p class="state-steps">
          <button type="button" class="button" onClick={retry}>
            Try again
          </button>
        </p>
      </div>
    );
  }
  const titles: Readonly<Record<string, string>> = {
    bad_lens: 'The lens cannot be read',
    empty_ensemble: 'No runs to show',
    nothing_in_common: 'The runs have nothing in common',
    busy: problem.status === 0 ? 'Cancelled' : 'The service is busy',
    store: 'The store cannot be read',
    unknown: 'There is no such thing',
  };
  return (
    <div class="state" role="alert">
      <h2>{titles[code] ?? 'This could not be answered'}</h2>
      <p>
        <Prose text={message} />
      </p>
      {position !== undefined && position !== null && (
        <pre class="lens-fault">
          {lens}
          {'\n'}
          {' '.repeat(Math.max(0, position - 1))}^
        </pre>
      )}
      {hint && (
        <p class="quiet">
          <Prose text={hint} />
        </p>
      )}
      <p class="state-steps">
        <button type="button" class="button" onClick={retry}>
          Retry
        </button>
        {code !== 'bad_lens' &&
          code !== 'busy' &&
          splitClauses(lens).map((clause) => (
            <button
              type="button"
              class="button"
              key={clause.text}
              onClick={() => navigate({ lens: without(lens, clause.keyword) })}
            >
              Remove the {clause.keyword} clause
            </button>
          ))}
        {page.value.store !== '' && /store/.test(message) && (
          <button type="button" class="button" onClick={() => navigate({ ...INITIAL })}>
            Open the first store
          </button>
        )}
        {page.value.group !== '' && /group/.test(message) && (
          <button
            type="button"
            class="button"
            onClick={() => navigate({ group: '', site: '', zoom: '' })}
          >
            Clear the selection
          </button>
        )}
        {code === 'bad_lens' && (
          <button type="button" class="button" onClick={() => navigate({ lens: '' })}>
            Reset the lens
          </button>
        )}
        <button type="button" class="button" onClick={() => copy(problem.details)}>
          Copy details
        </button>
      </p>
    </div>
  );
}

/** Opens this view with the token of a link, or with a token alone. */
function enterWith(link: string): void {
  const token = /[?&]token=([^&#\s]+)/.exec(link)?.[1] ?? encodeURIComponent(link.trim());
  const query = location.search.replace(/^\?/, '');
  if (token) location.assign(`${BASE}?token=${token}${query ? `&${query}` : ''}`);
}

/** What is computed, once that takes long enough to be noticed. */
export function Waiting({ answer, cancel }: { answer: Answer<unknown>; cancel(): void }) {
  if (answer.wait !== 'slow' && answer.wait !== 'very') return null;
  return (
    <div class="waiting" role="status">
      <span class="waiting-bar" aria-hidden="true" />
      {answer.what}…
      {answer.wait === 'very' && (
        <button type="button" class="button" onClick={cancel}>
          Cancel
        </button>
      )}
    </div>
  );
}

/** A failure over the answer of an earlier question, which stays. */
export function FailureOver(props: { problem: Problem; retry(): void }) {
  return (
    <div class="over">
      <p class="quiet over-note">The latest answer stays below; it is not for this question.</p>
      <Failure {...props} />
    </div>
  );
}

interface BodyProps<T> {
  readonly resource: Resource<T>;
  readonly skeleton: 'picture' | 'rows';
  readonly empty?: ComponentChildren;
  children(data: T, isDim: boolean): ComponentChildren;
}

/** One of the states of a resource; while a new answer is computed the old one stays, dimmed. */
export function Body<T>({ resource, skeleton, empty, children }: BodyProps<T>) {
  const answer = resource.answer.value;
  const { data, error, wait } = answer;
  const isDim = data !== undefined && (wait === 'slow' || wait === 'very');
  return (
    <>
      {error && data === undefined && <Failure problem={error} retry={() => resource.retry()} />}
      {data !== undefined && children(data, isDim || error !== undefined)}
      {error && data !== undefined && (
        <FailureOver problem={error} retry={() => resource.retry()} />
      )}
      {!error &&
        data === undefined &&
        (wait === 'no'
          ? empty
          : wait !== 'short' && <div class={`skeleton skeleton-${skeleton}`} aria-hidden="true" />)}
      <Waiting answer={answer} cancel={() => resource.cancel()} />
    </>
  );
}
