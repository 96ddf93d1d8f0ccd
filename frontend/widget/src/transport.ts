/** Carries questions to the kernel as messages, and answers back as binary buffers. */

import type { Carried, Options, Transport } from '@grainsheaf/views/data/answer.ts';
import type { Model } from './model.ts';

/** A message of the kernel. */
interface Message {
  readonly kind: string;
  readonly id?: number;
  readonly status?: number;
  readonly type?: string;
  readonly revision?: string | null;
}

interface Waiting {
  readonly path: string;
  readonly query: string;
  /** Whether the kernel has said that it works on it. */
  isHeard: boolean;
  resolve(carried: Carried): void;
}

export class MessageTransport implements Transport {
  readonly #model: Model;
  readonly #patience: number;
  readonly #silent: (isSilent: boolean) => void;
  readonly #waiting = new Map<number, Waiting>();
  #last = 0;
  #timer = 0;

  /** `silent` learns whether the kernel has not reacted to a question for `patience` milliseconds. */
  constructor(model: Model, patience: number, silent: (isSilent: boolean) => void) {
    this.#model = model;
    this.#patience = patience;
    this.#silent = silent;
    model.on('msg:custom', ((message: Message, buffers: readonly DataView[] = []) =>
      this.#receive(message, buffers)) as (...given: never[]) => void);
  }

  send(address: string, abort?: AbortSignal, options?: Options): Promise<Carried> {
    if (options?.method !== undefined && options.method !== 'GET')
      return Promise.reject(new Error('a widget changes nothing in the store'));
    const [path = '', query = ''] = address.split('?', 2);
    const id = (this.#last += 1);
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { path, query, isHeard: false, resolve });
      abort?.addEventListener('abort', () => {
        if (!this.#waiting.delete(id)) return;
        this.#cancel(id);
        this.#watch();
        reject(new DOMException('cancelled', 'AbortError'));
      });
      this.#ask(id);
      this.#watch();
    });
  }

  /** Asks everything again that has no answer: the kernel has been restarted, or was busy. */
  again(): void {
    for (const [id, question] of this.#waiting) {
      question.isHeard = false;
      this.#ask(id);
    }
    this.#watch();
  }

  destroy(): void {
    clearTimeout(this.#timer);
    this.#waiting.clear();
  }

  #ask(id: number): void {
    const question = this.#waiting.get(id);
    if (!question) return;
    const { path, query } = question;
    try {
      this.#model.send({ kind: 'ask', id, path, query, accept: 'application/json' });
    } catch {
      // Notebooks refuse messages to a kernel that is gone. Its answer may still be asked of another one.
      this.#silent(true);
    }
  }

  #cancel(id: number): void {
    try {
      this.#model.send({ kind: 'cancel', id });
    } catch {
      // A kernel that is gone computes nothing.
    }
  }

  /** Waits for a reaction to what the kernel has not heard. */
  #watch(): void {
    clearTimeout(this.#timer);
    if ([...this.#waiting.values()].every(({ isHeard }) => isHeard)) return;
    this.#timer = window.setTimeout(() => this.#silent(true), this.#patience);
  }

  #receive(message: Message, buffers: readonly DataView[]): void {
    if (message.kind !== 'heard' && message.kind !== 'answer') return;
    const id = message.id ?? -1;
    const question = this.#waiting.get(id);
    if (message.kind === 'heard') {
      if (question) question.isHeard = true;
    } else {
      this.#waiting.delete(id);
      question?.resolve({
        status: message.status ?? 0,
        type: message.type ?? '',
        revision: message.revision ?? undefined,
        body: bytesOf(buffers[0]),
      });
    }
    this.#silent(false);
    this.#watch();
  }
}

/** Bytes of their own: a buffer of a message may be a part of a larger one. */
function bytesOf(view: DataView | ArrayBuffer | undefined): ArrayBuffer {
  if (view === undefined) return new ArrayBuffer(0);
  if (view instanceof ArrayBuffer) return view;
  const { buffer, byteOffset, byteLength } = view;
  return (buffer as ArrayBuffer).slice(byteOffset, byteOffset + byteLength);
}
