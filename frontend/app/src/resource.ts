/** Answers of the service: one request at a time each, the old answer kept until the new one is there. */

import { type ReadonlySignal, signal } from '@preact/signals';
import type { ErrorBody } from '@grainsheaf/views';

/** What a resource holds. `slow` from 150 ms on, `very` from one second on. */
export interface Answer<T> {
  readonly data: T | undefined;
  readonly error: Problem | undefined;
  readonly wait: 'no' | 'short' | 'slow' | 'very';
  /** What is being computed. */
  readonly what: string;
}

/** Why there is no answer. */
export class Problem extends Error {
  constructor(
    readonly status: number,
    readonly body: ErrorBody,
    readonly address: string,
  ) {
    super(body.message);
  }

  /** Everything that someone who helps would ask for. */
  get details(): string {
    const lines = [`${this.status} ${this.body.code}: ${this.body.message}`];
    if (this.body.hint) lines.push(`hint: ${this.body.hint}`);
    lines.push(`request: ${this.address}`);
    return lines.join('\n');
  }
}

/** Asks the service once. */
export async function ask<T>(
  address: string,
  abort?: AbortSignal,
  request: RequestInit = {},
): Promise<T> {
  let response: Response;
  try {
    response = await fetch(address, {
      headers: { Accept: 'application/json' },
      ...request,
      ...(abort ? { signal: abort } : {}),
    });
  } catch (error) {
    if (abort?.aborted) throw error;
    const body: ErrorBody = {
      code: 'internal',
      message: 'the service does not answer',
      hint: 'is `grainsheaf serve` still running?',
    };
    throw new Problem(0, body, address);
  }
  const text = await response.text();
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw new Problem(
      response.status,
      { code: 'internal', message: 'the answer is not JSON' },
      address,
    );
  }
  if (response.ok) return body as T;
  throw new Problem(response.status, body as ErrorBody, address);
}

const NOTHING = { data: undefined, error: undefined, wait: 'no', what: '' } as const;

export class Resource<T> {
  readonly #answer = signal<Answer<T>>(NOTHING);
  #address = '';
  #what = '';
  #abort: AbortController | undefined;
  #timers: number[] = [];

  get answer(): ReadonlySignal<Answer<T>> {
    return this.#answer;
  }

  /** Asks for an address unless it is the present one; supersedes a request that is under way. */
  load(address: string, what: string): void {
    if (address === this.#address) return;
    this.#address = address;
    this.#what = what;
    void this.#fetch();
  }

  /** Asks again. */
  retry(): void {
    if (this.#address) void this.#fetch();
  }

  /** Stops waiting; the old answer stays. */
  cancel(): void {
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

  #stop(): void {
    this.#abort?.abort();
    this.#abort = undefined;
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers = [];
  }

  async #fetch(): Promise<void> {
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
    later('slow', 150);
    later('very', 1000);
    try {
      const body = await ask<T>(this.#address, abort.signal);
      if (abort.signal.aborted) return;
      this.#stop();
      this.#answer.value = { data: body, error: undefined, wait: 'no', what: '' };
    } catch (error) {
      if (abort.signal.aborted) return;
      this.#stop();
      const problem =
        error instanceof Problem
          ? error
          : new Problem(0, { code: 'internal', message: String(error) }, this.#address);
      // A picture of another question beside an error would mislead.
      this.#answer.value = { data: undefined, error: problem, wait: 'no', what: '' };
    }
  }
}
