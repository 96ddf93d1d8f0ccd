/** The service: one request, what its answers are made of, and which revision of a store they are from. */

import { signal } from '@preact/signals';
import type { ErrorBody } from '@grainsheaf/views';
import {
  type Carried,
  type Options,
  Problem,
  type Reply,
  replyOf,
  type Transport,
} from '@grainsheaf/views/data/answer.ts';
import { unpack } from '@grainsheaf/views/data/unpack.ts';

export { Problem };

/** Path below which the service is shown, with a slash at its end. */
const here = import.meta.url;
export const BASE = import.meta.env.DEV ? '/' : new URL('..', here).pathname;
/** Where the service answers. */
export const API = `${BASE}api/v1`;

/** `lost` from an answer that shows that the service is gone or wants another token, until the next good one. */
export const connection = signal<'good' | 'gone' | 'refused'>('good');

/** Latest revision of each store that an answer stated. */
const revisions = signal<ReadonlyMap<string, string>>(new Map());

/** Store that an address asks; empty for the default one. */
function storeOf(address: string): string {
  return new URL(address, location.href).searchParams.get('store') ?? '';
}

/** Latest known revision of the store of an address. */
export function revisionOf(address: string): string | undefined {
  return revisions.peek().get(storeOf(address));
}

/** Counts changes of stores while the page is open. */
export const changes = signal(0);

function note(address: string, revision: string | undefined): void {
  if (revision === undefined) return;
  const store = storeOf(address);
  const before = revisions.peek().get(store);
  if (before === revision) return;
  revisions.value = new Map(revisions.peek()).set(store, revision);
  if (before !== undefined) changes.value += 1;
}

/** Carries questions over HTTP. */
const http: Transport = {
  async send(address, abort, options = {}) {
    const response = await fetch(address, {
      // The address states the form; `Accept` would decide where it does not.
      headers: { Accept: 'application/json' },
      ...options,
      ...(abort ? { signal: abort } : {}),
    });
    return {
      status: response.status,
      type: response.headers.get('content-type') ?? '',
      revision: response.headers.get('grainsheaf-revision') ?? undefined,
      body: await response.arrayBuffer(),
    };
  },
};

/** Asks the service once. */
export async function request<T>(
  address: string,
  abort?: AbortSignal,
  options: Options = {},
): Promise<Reply<T>> {
  let carried: Carried;
  try {
    carried = await http.send(address, abort, options);
  } catch (error) {
    if (abort?.aborted) throw error;
    connection.value = 'gone';
    const body: ErrorBody = {
      code: 'internal',
      message: 'the service does not answer',
      hint: 'is `grainsheaf serve` still running? The page asks again when it does',
    };
    throw new Problem(0, body, address);
  }
  connection.value = carried.status === 401 ? 'refused' : 'good';
  if (carried.status < 300) note(address, carried.revision);
  return replyOf<T>(carried, address, decode);
}

/** The content of an answer, asked for once. */
export async function ask<T>(
  address: string,
  abort?: AbortSignal,
  options: Options = {},
): Promise<T> {
  return (await request<T>(address, abort, options)).data;
}

interface Decoding {
  resolve(answer: unknown): void;
  reject(error: unknown): void;
}

let worker: Worker | undefined;
let last = 0;
const waiting = new Map<number, Decoding>();

interface FromWorker {
  readonly id: number;
  readonly rest?: unknown;
  readonly values?: Float32Array;
  readonly error?: string;
}

function decode(bytes: ArrayBuffer): Promise<unknown> {
  if (!worker) {
    worker = new Worker(new URL('./decode-worker.ts', import.meta.url), {
      type: 'module',
    });
    worker.onmessage = ({ data }: MessageEvent<FromWorker>) => {
      const decoding = waiting.get(data.id);
      waiting.delete(data.id);
      if (data.values) decoding?.resolve(unpack(data.rest, data.values));
      else decoding?.reject(data.error);
    };
    worker.onerror = () => {
      for (const decoding of waiting.values()) decoding.reject('the decoder did not start');
      waiting.clear();
      worker = undefined;
    };
  }
  const id = (last += 1);
  const answer = new Promise<unknown>((resolve, reject) => waiting.set(id, { resolve, reject }));
  worker.postMessage({ id, bytes }, [bytes]);
  return answer;
}
