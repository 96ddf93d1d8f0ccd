import { expect, test } from 'vitest';
import { AnswerCache } from './cache.ts';

const entry = (bytes: number) => ({ data: {}, bytes, revision: 'r' });

test('the answer used longest ago goes first', () => {
  const cache = new AnswerCache(10);
  cache.put('a', entry(4));
  cache.put('b', entry(4));
  cache.get('a');
  cache.put('c', entry(4));
  expect([cache.get('a'), cache.get('b'), cache.get('c')].map((one) => one !== undefined)).toEqual([
    true,
    false,
    true,
  ]);
  expect(cache.bytes).toBe(8);
});

test('an answer larger than the bound is not kept, and replaces nothing else', () => {
  const cache = new AnswerCache(10);
  cache.put('a', entry(4));
  cache.put('b', entry(11));
  expect(cache.get('a')).toBeDefined();
  expect(cache.get('b')).toBeUndefined();
  cache.put('a', entry(6));
  expect(cache.bytes).toBe(6);
  cache.clear();
  expect(cache.bytes).toBe(0);
});
