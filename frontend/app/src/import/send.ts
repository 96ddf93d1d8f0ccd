/** Sends one file as the body of one request; only XMLHttpRequest reports how far it is. */

import type { ErrorBody } from '@grainsheaf/views';
import { Problem } from '../resource.ts';

/** Resolves when the service has the file. */
export function sendFile(
  address: string,
  file: File,
  abort: AbortSignal,
  onProgress: (bytes: number) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const stop = (): void => request.abort();
    const fail = (status: number, body: ErrorBody): void =>
      reject(new Problem(status, body, `PUT ${address}`));
    abort.addEventListener('abort', stop, { once: true });
    request.addEventListener('loadend', () => abort.removeEventListener('abort', stop));
    request.upload.addEventListener('progress', (event) => onProgress(event.loaded));
    request.addEventListener('load', () => {
      if (request.status >= 200 && request.status < 300) resolve();
      else fail(request.status, bodyOf(request.responseText));
    });
    request.addEventListener('error', () =>
      fail(0, {
        code: 'internal',
        message: 'the service does not answer',
        hint: 'is `grainsheaf serve` still running?',
      }),
    );
    request.addEventListener('abort', () => fail(0, { code: 'conflict', message: 'cancelled' }));
    request.open('PUT', address);
    request.setRequestHeader('Content-Type', 'application/octet-stream');
    request.setRequestHeader('Accept', 'application/json');
    request.send(file);
  });
}

function bodyOf(text: string): ErrorBody {
  try {
    return JSON.parse(text) as ErrorBody;
  } catch {
    return { code: 'internal', message: 'the answer is not JSON' };
  }
}
