import { expect, test } from 'vitest';
import { type Carried, Problem, replyOf } from './answer.ts';

function carried(status: number, type: string, text: string): Carried {
  return { status, type, revision: '7', body: new TextEncoder().encode(text).buffer };
}

async function outcome(answer: Carried, isReadable = true): Promise<unknown> {
  const decode = (bytes: ArrayBuffer): Promise<unknown> =>
    isReadable ? Promise.resolve(bytes.byteLength) : Promise.reject(new Error('no schema'));
  return replyOf(answer, '/runs', decode).then(
    ({ data, revision }) => ({ data, revision }),
    (problem: unknown) => (problem instanceof Problem ? problem.details : problem),
  );
}

test('JSON and streams are read, whatever carries them', async () => {
  expect(await outcome(carried(200, 'application/json', '{"a":1}'))).toEqual({
    data: { a: 1 },
    revision: '7',
  });
  const arrow = 'application/vnd.apache.arrow.stream';
  expect(await outcome(carried(200, arrow, 'four'))).toEqual({ data: 4, revision: '7' });
  expect(await outcome(carried(200, arrow, 'four'), false)).toBe(
    '200 internal: the answer cannot be read: Error: no schema\nrequest: /runs',
  );
});

test('an error is the one that the service states', async () => {
  const stated = '{"code":"unknown","message":"no run `x`","hint":"look at the runs"}';
  expect(await outcome(carried(404, 'application/json', stated))).toBe(
    '404 unknown: no run `x`\nhint: look at the runs\nrequest: /runs',
  );
  expect(await outcome(carried(502, 'text/html', '<html>'))).toBe(
    '502 internal: the answer is not JSON\nrequest: /runs',
  );
  expect(await outcome(carried(500, 'application/json', '{}'))).toBe(
    '500 internal: the answer has status 500 and states no reason\nrequest: /runs',
  );
});
