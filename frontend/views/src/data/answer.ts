/** Questions to the service and its answers, whatever carries them: HTTP in the page, messages in a notebook. */

import type { ErrorBody } from '../api.ts';

const ARROW = 'application/vnd.apache.arrow.stream';

/** An answer as it arrives. */
export interface Carried {
  /** Status of HTTP. */
  readonly status: number;
  /** Content type; empty if none is stated. */
  readonly type: string;
  /** Revision of the store; unknown if none is stated. */
  readonly revision: string | undefined;
  readonly body: ArrayBuffer;
}

/** What else a question has, in the words of HTTP. */
export interface Options {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Carries questions to the service. */
export interface Transport {
  /** Rejects if there is no answer at all; an error that the service states is an answer. */
  send(address: string, abort?: AbortSignal, options?: Options): Promise<Carried>;
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

export interface Reply<T> {
  readonly data: T;
  /** Bytes that it takes in memory, roughly. */
  readonly bytes: number;
  readonly revision: string | undefined;
}

/** The content of an answer, or the problem that it states. `decode` reads Arrow streams. */
export async function replyOf<T>(
  carried: Carried,
  address: string,
  decode: (bytes: ArrayBuffer) => Promise<unknown>,
): Promise<Reply<T>> {
  const { status, revision, body: bytes } = carried;
  const isGood = status >= 200 && status < 300;
  if (isGood && carried.type.startsWith(ARROW)) {
    const size = bytes.byteLength;
    const fail = (error: unknown): never => {
      const message = `the answer cannot be read: ${String(error)}`;
      throw new Problem(200, { code: 'internal', message }, address);
    };
    return { data: (await decode(bytes).catch(fail)) as T, bytes: 2 * size, revision };
  }
  const text = new TextDecoder().decode(bytes);
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw new Problem(status, { code: 'internal', message: 'the answer is not JSON' }, address);
  }
  if (isGood) return { data: body as T, bytes: 3 * text.length, revision };
  throw new Problem(status, bodyOf(body, status), address);
}

/** The error that an answer states; a proxy on the way may state none. */
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
