/** Answers of the kernel by address: asked once, kept in memory, cancelled if nobody needs them any more. */

import { Problem, replyOf, type Transport } from '@grainsheaf/views/data/answer.ts';
import { AnswerCache } from '@grainsheaf/views/data/cache.ts';
import { decode } from '@grainsheaf/views/data/decode.ts';
import { unpack } from '@grainsheaf/views/data/unpack.ts';
import type { Request } from '@grainsheaf/views';

/** An answer, or what has become of the question. */
export interface Held {
  readonly data: unknown;
  readonly error: Problem | undefined;
  readonly isWaiting: boolean;
  /** What is computed, for the reader. */
  readonly what: string;
}

interface Going {
  readonly what: string;
  readonly abort: AbortController;
}

/** Bytes of answers in memory. */
const LIMIT = 64 * 1024 * 1024;

export class Answers {
  readonly #transport: Transport;
  readonly #changed: () => void;
  readonly #cache = new AnswerCache(LIMIT);
  /** Answers that somebody needs, however large they are. */
  readonly #kept = new Map<string, unknown>();
  readonly #going = new Map<string, Going>();
  readonly #failed = new Map<string, Problem>();
  readonly #needs = new Map<unknown, ReadonlySet<string>>();

  constructor(transport: Transport, changed: () => void) {
    this.#transport = transport;
    this.#changed = changed;
  }

  /** What somebody needs now, in the order of the requests; asks for what is not here. */
  need(owner: unknown, requests: readonly Request[]): Held[] {
    const addresses = requests.map(addressOf);
    this.#needs.set(owner, new Set(addresses));
    this.#drop();
    return this.held(requests);
  }

  /** The same without a decision on what else is needed: these are only some of the requests of somebody. */
  held(requests: readonly Request[]): Held[] {
    return requests.map((request) => this.#held(addressOf(request), request.what));
  }

  /** Forgets somebody, and cancels what only they were waiting for. */
  leave(owner: unknown): void {
    this.#needs.delete(owner);
    this.#drop();
  }

  /** Asks what has failed again. */
  retry(): void {
    this.#failed.clear();
    this.#changed();
  }

  /** Stops what is asked; the questions count as failed. */
  cancel(): void {
    for (const [address, { abort }] of this.#going) {
      abort.abort();
      const body = { code: 'busy', message: 'cancelled', hint: 'nothing was changed' } as const;
      this.#failed.set(address, new Problem(0, body, address));
    }
    this.#going.clear();
    this.#changed();
  }

  #drop(): void {
    const needed = new Set([...this.#needs.values()].flatMap((one) => [...one]));
    for (const [address, { abort }] of this.#going) {
      if (needed.has(address)) continue;
      this.#going.delete(address);
      abort.abort();
    }
    for (const known of [this.#failed, this.#kept])
      for (const address of known.keys()) if (!needed.has(address)) known.delete(address);
  }

  #held(address: string, what: string): Held {
    const data = this.#kept.get(address) ?? this.#cache.get(address)?.data;
    if (data !== undefined) this.#kept.set(address, data);
    const error = this.#failed.get(address);
    if (data === undefined && !error && !this.#going.has(address)) this.#ask(address, what);
    return { data, error, isWaiting: data === undefined && !error, what };
  }

  #ask(address: string, what: string): void {
    const abort = new AbortController();
    const going = { what, abort };
    this.#going.set(address, going);
    this.#transport
      .send(address, abort.signal)
      .then((carried) => replyOf(carried, address, read))
      .then(
        (reply) => {
          this.#cache.put(address, reply);
          if (!abort.signal.aborted) this.#kept.set(address, reply.data);
        },
        (error: unknown) => {
          if (abort.signal.aborted) return;
          const body = { code: 'internal', message: String(error) } as const;
          const problem = error instanceof Problem ? error : new Problem(0, body, address);
          this.#failed.set(address, problem);
        },
      )
      .finally(() => {
        if (this.#going.get(address) === going) this.#going.delete(address);
        if (!abort.signal.aborted) this.#changed();
      });
  }
}

/** Path and query of a question, as the service has them. */
export function addressOf({ route, query, format }: Request): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    if (value !== '') search.set(name, String(value));
  if (format === 'arrow') search.set('format', 'arrow');
  const text = search.toString();
  return `/api/v1/${route}${text === '' ? '' : `?${text}`}`;
}

/** Reads a stream. Not in a worker: policies of notebooks may not allow one. */
function read(bytes: ArrayBuffer): Promise<unknown> {
  return Promise.resolve().then(() => {
    const { rest, values } = decode(bytes);
    return unpack(rest, values);
  });
}
