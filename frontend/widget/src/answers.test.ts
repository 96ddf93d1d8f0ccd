import type { Carried } from '@grainsheaf/views/data/answer.ts';
import { expect, test } from 'vitest';
import { Answers } from './answers.ts';

function carried(status: number, content: unknown): Carried {
  const body = new TextEncoder().encode(JSON.stringify(content)).buffer;
  return { status, type: 'application/json', revision: undefined, body };
}

test('what failed is asked again on demand only', async () => {
  const asked: string[] = [];
  const transport = {
    send: (address: string) => {
      asked.push(address);
      const isPart = address.endsWith('part');
      return Promise.resolve(isPart ? carried(400, { message: 'no such grain' }) : carried(200, 1));
    },
  };
  const requests = ['whole', 'part'].map((route) => ({ route, query: {}, what: route }));
  // As a pane asks: for the question first, then for all with the parts that follow from it.
  const ask = (): (string | undefined)[] => {
    answers.held(requests.slice(0, 1));
    return answers.need('pane', requests).map(({ error }) => error?.message);
  };
  const answers: Answers = new Answers(transport, () => void ask());
  ask();
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(ask()).toEqual([undefined, 'no such grain']);
  expect(asked).toEqual(['/api/v1/whole', '/api/v1/part']);
  answers.retry();
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(asked.slice(2)).toEqual(['/api/v1/part']);
});
