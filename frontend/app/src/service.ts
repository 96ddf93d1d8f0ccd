/** The service: one request, what its answers are made of, and which revision of a store they are from. */

import { signal } from '@preact/signals';
import type { ErrorBody } from '@grainsheaf/views';
import { unpack } from '@grainsheaf/views/data/unpack.ts';

const ARROW = 'application/vnd.apache.arrow.stream';

/** Path below which the service is shown, with a slash at its end. */
const here = import.meta.url;
export const BASE = import.meta.env.DEV ? '/' : new URL('..', here).pathname;
/** Where the service answers. */
export const API = `${BASE}api/v1`;

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

export interface Reply<T> {
  readonly data: T;
  /** Bytes that it takes in memory, roughly. */
  readonly bytes: number;
  readonly revision: string | undefined;
}

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

/** Asks the service once. */
export async function request<T>(
  address: string,
  abort?: AbortSignal,
  options: RequestInit = {},
): Promise<Reply<T>> {
  let response: Response;
  try {
    response = await fetch(address, {
      // The address states the form; `Accept` would decide where it does not.
      headers: { Accept: 'application/json' },
      ...options,
      ...(abort ? { signal: abort } : {}),
    });
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
  connection.value = response.status === 401 ? 'refused' : 'good';
  const revision = response.headers.get('grainsheaf-revision') ?? undefined;
  if (response.ok) note(address, revision);
  const isArrow = response.headers.get('content-type')?.startsWith(ARROW) ?? false;
  if (response.ok && isArrow) {
    const bytes = await response.arrayBuffer();
    const size = bytes.byteLength;
    return { data: (await decode(bytes, address)) as T, bytes: 2 * size, revision };
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
  if (response.ok) return { data: body as T, bytes: 3 * text.length, revision };
  throw new Problem(response.status, bodyOf(body, response.status), address);
}

/** The error that an answer states; a proxy between page and service may state none. */
function bodyOf(body: unknown, status: number): ErrorBody {
  const isStated =
    typeof body === 'object' &&
    body !== null &&
    'message' in body &&
    typeof body.message === 'string';
  return isStated
    ? (body as ErrorBody)
    : { code: 'internal', message: `the answer has status ${status} and states no reason` };
}

/** The content of an answer, asked for once. */
export async function ask<T>(
  address: string,
  abort?: AbortSignal,
  options: RequestInit = {},
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

function decode(bytes: ArrayBuffer, address: string): Promise<unknown> {
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
  return answer.catch((error: unknown) => {
    const message = `the answer cannot be read: ${String(error)}`;
    throw new Problem(200, { code: 'internal', message }, address);
  });
}
