/** Answers of the service: one request at a time each; old answers stay until the new one is there. */

import { type ReadonlySignal, signal } from '@preact/signals';
import type { ErrorBody } from '@grainsheaf/views';
import { AnswerCache } from '@grainsheaf/views/data/cache.ts';
import { ask, Problem, request, revisionOf } from './service.ts';

export { ask, Problem };

/** What a resource holds. `slow` from 150 ms on, `very` from one second on. */
export interface Answer<T> {
  /** The latest answer, also next to an error of a later question. */
  readonly data: T | undefined;
  readonly error: Problem | undefined;
  readonly wait: 'no' | 'short' | 'slow' | 'very';
  /** What is being computed. */
  readonly what: string;
}

const NOTHING = { data: undefined, error: undefined, wait: 'no', what: '' } as const;

/** All answers of the page: 64 MiB. */
export const cache = new AnswerCache(64 * 1024 * 1024);

const all = new Set<WeakRef<Resource<unknown>>>();

/** Asks what is shown again, unless it is of the present revision. */
export function refreshAll(isForced = false): void {
  for (const reference of all) {
    const resource = reference.deref();
    if (resource) resource.refresh(isForced);
    else all.delete(reference);
  }
}

export class Resource<T> {
  readonly #answer = signal<Answer<T>>(NOTHING);
  #address = '';
  #whole: string | undefined;
  #what = '';
  #revision: string | undefined;
  #abort: AbortController | undefined;
  #timers: number[] = [];

  constructor() {
    all.add(new WeakRef(this as Resource<unknown>));
  }

  get answer(): ReadonlySignal<Answer<T>> {
    return this.#answer;
  }

  /**
   * Asks for an address unless it is the present one; supersedes a request that is under way. An answer of the
   * store's present revision that is in memory is taken from there. If the answer is a part, `whole` is asked next.
   */
  load(address: string, what: string, whole?: string): void {
    if (address === this.#address) return;
    this.#address = address;
    this.#whole = whole;
    this.#what = what;
    this.#start();
  }

  /** Asks again. */
  retry(): void {
    if (this.#address) void this.#fetch(this.#address);
  }

  /** Asks again if the answer failed or the store has changed. */
  refresh(isForced: boolean): void {
    if (!this.#address) return;
    const { error } = this.#answer.peek();
    if (isForced || error || this.#revision !== revisionOf(this.#address)) this.retry();
  }

  /** Stops waiting; the old answer stays. */
  cancel(): void {
    if (!this.#abort) return;
    this.#stop();
    const body: ErrorBody = { code: 'busy', message: 'cancelled', hint: 'nothing was changed' };
    const { data } = this.#answer.peek();
    this.#answer.value = { data, error: new Problem(0, body, this.#address), wait: 'no', what: '' };
  }

  /** Forgets everything. */
  clear(): void {
    if (!this.#address) return;
    this.#stop();
    this.#address = '';
    this.#answer.value = NOTHING;
  }

  #start(): void {
    this.#stop();
    const whole = this.#whole === undefined ? undefined : cache.get(this.#whole);
    const held = whole ?? cache.get(this.#address);
    if (!held) return void this.#fetch(this.#address);
    this.#revision = held.revision;
    const data = held.data as T;
    this.#answer.value = { data, error: undefined, wait: 'no', what: '' };
    if (held.revision !== revisionOf(this.#address)) void this.#fetch(this.#address);
    else if (!whole) this.#complete(data);
  }

  #stop(): void {
    this.#abort?.abort();
    this.#abort = undefined;
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers = [];
  }

  /** Asks for the whole of an answer that is a part. */
  #complete(data: T): void {
    const isPart =
      typeof data === 'object' && data !== null && 'isPartial' in data && data.isPartial === true;
    if (isPart && this.#whole !== undefined) void this.#fetch(this.#whole);
  }

  async #fetch(address: string): Promise<void> {
    this.#stop();
    const abort = new AbortController();
    this.#abort = abort;
    const { data } = this.#answer.peek();
    this.#answer.value = { data, error: undefined, wait: 'short', what: this.#what };
    const later = (wait: 'slow' | 'very', after: number): void => {
      this.#timers.push(
        window.setTimeout(() => (this.#answer.value = { ...this.#answer.peek(), wait }), after),
      );
    };
    // Values that follow a picture are not waited for.
    if (address === this.#address) {
      later('slow', 150);
      later('very', 1000);
    }
    try {
      const reply = await request<T>(address, abort.signal);
      if (abort.signal.aborted) return;
      this.#stop();
      cache.put(address, reply);
      this.#revision = reply.revision;
      this.#answer.value = { data: reply.data, error: undefined, wait: 'no', what: '' };
      if (address === this.#address) this.#complete(reply.data);
    } catch (error) {
      if (abort.signal.aborted) return;
      this.#stop();
      const problem =
        error instanceof Problem
          ? error
          : new Problem(0, { code: 'internal', message: String(error) }, address);
      this.#answer.value = {
        data: this.#answer.peek().data,
        error: problem,
        wait: 'no',
        what: '',
      };
    }
  }
}
