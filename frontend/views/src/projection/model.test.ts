import { expect, test } from 'vitest';
import { categoriesOf, contrasts, type ProjectedRun } from './model.ts';

const run = (id: string, params: ProjectedRun['params'], cluster = 0): ProjectedRun => ({
  run: id,
  name: id,
  params,
  behaviour: { x: 0, y: 0, cluster },
  parameters: { x: 0, y: 0, cluster: 0 },
});

const RUNS = [
  run('a', { threads: 1, compiler: 'gcc', app: 'x' }, 1),
  run('b', { threads: 2, compiler: 'gcc', app: 'x' }, 1),
  run('c', { threads: 2, compiler: 'clang', app: 'x' }),
  run('d', { threads: 16, compiler: 'clang', app: 'x' }),
];

test('what distinguishes chosen runs comes first, what is equal is left out', () => {
  expect(contrasts(RUNS, new Set(['a', 'b']))).toEqual([
    { parameter: 'compiler', inside: 'gcc', outside: 'clang', difference: 1 },
    { parameter: 'threads', inside: '1, 2', outside: '2, 16', difference: 0.5 },
  ]);
  expect(contrasts(RUNS, new Set())).toEqual([]);
});

test('categories are clusters, or values of a parameter in order', () => {
  expect(categoriesOf(RUNS, 'behaviour', '').of).toEqual([1, 1, 0, 0]);
  expect(categoriesOf(RUNS, 'behaviour', 'threads')).toEqual({
    names: ['threads = 1', 'threads = 2', 'threads = 16'],
    of: [0, 1, 1, 2],
    isOrdered: true,
  });
  expect(categoriesOf(RUNS, 'behaviour', 'nothing').names).toEqual(['cluster 1', 'cluster 2']);
});
