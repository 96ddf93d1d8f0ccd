/** The one import of this page: files are picked, sent, read by the service, reported. */

import { computed, signal } from '@preact/signals';
import type { ErrorBody, FileReport, Import, ImportProgress } from '@grainsheaf/views';
import {
  checkFiles,
  type ParamRow,
  paramsOf,
  type Refused,
  SpeedMeter,
  summaryOf,
  summaryText,
  withMore,
} from '@grainsheaf/views/logic/upload.ts';
import type { Options } from '@grainsheaf/views/data/answer.ts';
import { formatPlural } from '@grainsheaf/views/logic/format.ts';
import { askAgain } from '../data.ts';
import { ask, Problem } from '../resource.ts';
import { API } from '../service.ts';
import { page, say } from '../state.ts';
import { isBusy, openImport, phase, policy } from './phase.ts';
import { sendFile } from './send.ts';
import type { Found, FoundFile } from './walk.ts';

export interface SessionFile extends FoundFile {
  state: 'ready' | 'sending' | 'sent' | 'failed';
  sent: number;
  reason?: string;
  /** Whether sending it again would fail in the same way. */
  isHopeless?: boolean;
}

export const picked = signal<readonly SessionFile[]>([]);
export const unreadable = signal<readonly Refused[]>([]);
export const rows = signal<readonly ParamRow[]>([]);
export const problem = signal<Problem | undefined>(undefined);
export const progress = signal<ImportProgress | undefined>(undefined);
export const report = signal<readonly FileReport[] | undefined>(undefined);
/** Whether a drop is still being walked. */
export const isWalking = signal(false);
/** Why it goes slowly at the moment. */
export const notice = signal('');
/** Grows when files have changed. */
export const sentVersion = signal(0);

export const checked = computed(() => checkFiles(picked.value, policy.value.limits));
const OVER: readonly string[] = ['done', 'failed', 'cancelled'];

export const meter = { of: new SpeedMeter() };
let id = '';
let abort = new AbortController();

/** Takes what was dropped or chosen. */
export async function pick(found: Promise<Found> | Found): Promise<void> {
  if (isBusy.peek()) {
    openImport();
    say('An import is under way; add more when it has ended');
    return;
  }
  if (OVER.includes(phase.peek())) startOver();
  openImport();
  isWalking.value = true;
  try {
    const { files, unreadable: lost, isCut } = await found;
    const fresh = files.map((file): SessionFile => ({ ...file, state: 'ready', sent: 0 }));
    picked.value = withMore(picked.peek(), fresh);
    unreadable.value = [
      ...unreadable.peek(),
      ...lost.map((path) => ({ path, reason: 'cannot be read by the browser' })),
    ];
    if (isCut) say('There are more files than fit into one import');
    else say(`${formatPlural(picked.peek().length, 'file')} to add`);
  } finally {
    isWalking.value = false;
  }
}

export function unpick(path: string): void {
  picked.value = picked.peek().filter((file) => file.path !== path);
}

/** Forgets files and report; parameters stay, since the next files often share them. */
export function startOver(): void {
  phase.value = 'picking';
  picked.value = [];
  unreadable.value = [];
  problem.value = undefined;
  progress.value = undefined;
  report.value = undefined;
  notice.value = '';
  id = '';
}

/** Picks the files of which nothing was added again. */
export function pickRefused(): void {
  const refused = new Set(
    (report.peek() ?? []).filter((file) => file.status === 'refused').map((file) => file.path),
  );
  const again = picked
    .peek()
    .filter((file) => report.peek() === undefined || isOrIsIn(file.path, refused))
    .map((file): SessionFile => ({ ...file, state: 'ready', sent: 0 }));
  startOver();
  picked.value = again;
}

/** Whether one of the paths is that of the file, or of a database that it is part of. */
function isOrIsIn(file: string, paths: ReadonlySet<string>): boolean {
  for (let end = file.length; end > 0; end = file.lastIndexOf('/', end - 1))
    if (paths.has(file.slice(0, end))) return true;
  return false;
}

/** Sends what is not there yet, then lets the service read it. Also the way on when stuck. */
export async function start(): Promise<void> {
  abort = new AbortController();
  const { signal: aborted } = abort;
  problem.value = undefined;
  notice.value = '';
  phase.value = 'sending';
  meter.of = new SpeedMeter();
  say(`Sending ${formatPlural(checked.peek().fit.length, 'file')}`);
  try {
    if (!id) {
      const { params } = paramsOf(rows.peek());
      const store = page.peek().store || undefined;
      const begun = await patiently(aborted, () =>
        ask<Import>(`${API}/imports`, aborted, json('POST', { store, params })),
      );
      id = begun.import;
    }
    await sendAll(aborted);
    if (checked.peek().fit.some((file) => file.state === 'failed')) {
      phase.value = 'stuck';
      say('Some files could not be sent');
      return;
    }
    await launch();
  } catch (error) {
    if (aborted.aborted) return;
    stop(problemOf(error));
  }
}

/** Goes on without the files that could not be sent. */
export async function startWithout(): Promise<void> {
  picked.value = picked.peek().filter((file) => file.state !== 'failed');
  await start();
}

/** Sends failed files again. */
export async function retry(): Promise<void> {
  if (phase.peek() === 'running' || phase.peek() === 'waiting') {
    problem.value = undefined;
    follow();
    return;
  }
  for (const file of picked.peek()) if (file.state === 'failed') reset(file);
  await start();
}

/** Stops the import; nothing of it is added. */
export async function cancel(): Promise<void> {
  const before = phase.peek();
  abort.abort();
  const wasRead = before === 'waiting' || before === 'running';
  phase.value = wasRead ? 'cancelling' : 'cancelled';
  say('Cancelling');
  if (!id) return;
  try {
    const answer = await ask<Import>(`${API}/imports/${id}`, undefined, { method: 'DELETE' });
    if (!wasRead) say('Cancelled; nothing was added');
    else if (OVER.includes(answer.progress.state)) finish(answer);
  } catch (error) {
    // A service that is gone adds nothing either; one that comes back gives the import up.
    if (wasRead) stop(problemOf(error));
  }
}

function stop(found: Problem): void {
  const { status, body } = found;
  // The service was restarted, or gave the import up: everything has to be sent again.
  if (status === 404 || (status === 409 && body.code === 'conflict')) {
    id = '';
    picked.peek().forEach(reset);
  }
  problem.value = found;
  const isFinal = status === 403 || status === 400 || status === 413;
  phase.value = isFinal ? 'failed' : 'stuck';
  say(body.message);
}

function reset(file: SessionFile): void {
  file.state = 'ready';
  file.sent = 0;
  delete file.reason;
  delete file.isHopeless;
}

function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error;
  const body: ErrorBody = { code: 'internal', message: String(error) };
  return new Problem(0, body, `${API}/imports`);
}

function json(method: string, body: unknown): Options {
  return {
    method,
    body: JSON.stringify(body),
    headers: { 'Content-Type': 'application/json', Accept: 'application/json' },
  };
}

/** Tries again for a while when the service is at its limit. */
async function patiently<T>(aborted: AbortSignal, work: () => Promise<T>): Promise<T> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      const done = await work();
      notice.value = '';
      return done;
    } catch (error) {
      const isBusyThere =
        error instanceof Problem && (error.status === 429 || error.status === 503);
      if (!isBusyThere || attempt >= 40 || aborted.aborted) throw error;
      notice.value = 'The service has many imports at the moment; trying again.';
      await new Promise((done) => setTimeout(done, 3000));
      if (aborted.aborted) throw error;
    }
  }
}

/** Requests that go at once: small files are many, and a browser opens six at most. */
const LANES = 3;

async function sendAll(aborted: AbortSignal): Promise<void> {
  const left = checked
    .peek()
    .fit.filter((file) => file.state === 'ready')
    .reverse();
  // One lane that fails stops the others, which is not the same as being cancelled.
  const own = new AbortController();
  const stopOwn = (): void => own.abort();
  aborted.addEventListener('abort', stopOwn);
  const lane = async (): Promise<void> => {
    for (let file = left.pop(); file && !own.signal.aborted; file = left.pop()) {
      await sendOne(file, own.signal);
    }
  };
  const lanes = Array.from({ length: LANES }, lane);
  try {
    await Promise.all(lanes);
  } finally {
    own.abort();
    await Promise.allSettled(lanes);
    aborted.removeEventListener('abort', stopOwn);
    sentVersion.value += 1;
  }
}

let lastShown = 0;

function show(): void {
  const now = performance.now();
  const sent = checked.peek().fit.reduce((sum, file) => sum + file.sent, 0);
  meter.of.note(now, sent);
  if (now - lastShown < 120) return;
  lastShown = now;
  sentVersion.value += 1;
}

async function sendOne(file: SessionFile, aborted: AbortSignal): Promise<void> {
  file.state = 'sending';
  const address = `${API}/imports/${id}/files?path=${encodeURIComponent(file.path)}`;
  try {
    await patiently(aborted, () =>
      sendFile(address, file.file, aborted, (bytes) => {
        file.sent = Math.min(bytes, file.bytes);
        show();
      }),
    );
    file.state = 'sent';
    file.sent = file.bytes;
  } catch (error) {
    reset(file);
    if (aborted.aborted || !(error instanceof Problem)) throw error;
    const { status, body } = error;
    const isFileAtFault =
      status === 413 || status === 400 || (status === 0 && (await isServiceThere()));
    if (!isFileAtFault) throw error;
    file.state = 'failed';
    file.isHopeless = status !== 0;
    file.reason =
      status === 0 ? 'cannot be read; was it changed or moved since it was picked?' : body.message;
  } finally {
    show();
  }
}

/** A browser says no more of a file that it cannot read than of a service that is gone. */
async function isServiceThere(): Promise<boolean> {
  try {
    await ask<Import>(`${API}/imports/${id}`);
    return true;
  } catch {
    return false;
  }
}

async function launch(): Promise<void> {
  const started = await ask<Import>(`${API}/imports/${id}/start`, undefined, { method: 'POST' });
  take(started.progress);
  follow();
}

function take(now: ImportProgress): void {
  const { state } = now;
  progress.value = now;
  if (state === 'receiving' || OVER.includes(state)) return;
  if (phase.peek() !== state && !(phase.peek() === 'cancelling')) {
    phase.value = state;
    say(state === 'waiting' ? 'Waiting for another import' : 'Reading the files');
  }
}

/** Follows the import by its events, or by asking where events do not come through. */
function follow(): void {
  const followed = id;
  const source = new EventSource(`${API}/imports/${id}/events`);
  source.addEventListener('progress', (event) => {
    if (followed !== id) return source.close();
    const now = JSON.parse(String(event.data)) as ImportProgress;
    take(now);
    if (!OVER.includes(now.state)) return;
    source.close();
    void poll(followed);
  });
  source.addEventListener('error', () => {
    source.close();
    void poll(followed);
  });
}

async function poll(followed: string): Promise<void> {
  for (let misses = 0; followed === id;) {
    try {
      const answer = await ask<Import>(`${API}/imports/${followed}`);
      misses = 0;
      take(answer.progress);
      if (OVER.includes(answer.progress.state)) return finish(answer);
    } catch (error) {
      const found = problemOf(error);
      if (found.status !== 0) return stop(found);
      misses += 1;
      if (misses >= 5) {
        problem.value = found;
        return say(found.body.message);
      }
    }
    await new Promise((done) => setTimeout(done, 1000));
  }
}

function finish(answer: Import): void {
  const { state } = answer.progress;
  progress.value = answer.progress;
  report.value = answer.report?.files;
  if (answer.error) problem.value = new Problem(0, answer.error, `${API}/imports/${answer.import}`);
  phase.value = state === 'done' || state === 'failed' ? state : 'cancelled';
  if (state === 'done') {
    say(`Import: ${summaryText(summaryOf(report.peek() ?? []))}`);
    askAgain();
  } else say(state === 'failed' ? 'The import failed' : 'Cancelled; nothing was added');
}

window.addEventListener('beforeunload', (event) => {
  if (phase.peek() === 'sending') event.preventDefault();
});
