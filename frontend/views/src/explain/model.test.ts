import { expect, test } from 'vitest';
import {
  type Cause,
  chosenStep,
  type Explanation,
  insideOf,
  rangeOf,
  type Step,
  stepsOf,
  viewOf,
} from './model.ts';

function answer(deltas: readonly number[]): Explanation {
  return {
    views: [
      { by: 'workers', a: 100, b: 100 + deltas.reduce((sum, delta) => sum + delta, 0), delta: 0 },
    ],
    causes: deltas.map((delta, at) => ({
      by: 'workers',
      kind: 'inflation',
      path: [`d${at}`],
      delta,
      verdict: 'slower',
    })),
  } as unknown as Explanation;
}

/** Steps of the first view, which stands for one that the answer does not have. */
function stepsOfFirst(one: Explanation): readonly Step[] {
  const view = viewOf(one, 'path');
  if (!view) throw new Error('no view');
  return stepsOf(one, view);
}

test('steps lead from the baseline to the candidate', () => {
  const one = answer([20, -5, 3]);
  const steps = stepsOfFirst(one);
  expect(steps.map(({ from, to }) => [from, to])).toEqual([
    [0, 100],
    [100, 120],
    [120, 115],
    [115, 118],
    [0, 118],
  ]);
});

test('small causes share a row and the steps still meet the candidate', () => {
  const one = answer([20, ...Array.from({ length: 40 }, () => 1)]);
  const steps = stepsOfFirst(one);
  expect(steps).toHaveLength(33);
  expect(steps[31]?.name).toBe('11 smaller causes');
  expect(steps[31]?.to).toBe(160);
});

test('the axis leaves out what all steps have in common', () => {
  const close = answer([2, -1]);
  const [low, high] = rangeOf(stepsOfFirst(close));
  expect([low, high]).toEqual([99.5, 102]);
  const far = answer([90]);
  expect(rangeOf(stepsOfFirst(far))).toEqual([0, 190]);
});

test('the first cause is chosen until another one is', () => {
  const steps = stepsOfFirst(answer([20, -5]));
  expect(chosenStep(steps, '')?.cause?.path).toEqual(['d0']);
  expect(chosenStep(steps, 'inflation d1')?.cause?.path).toEqual(['d1']);
  expect(chosenStep(steps, 'b')?.cause?.path).toEqual(['d0']);
});

test.each<[string, string[], object | undefined]>([
  ['inflation', ['f → x', 'g'], { run: 'a', otherRun: 'b', definition: 'f → x' }],
  ['new', ['f → x', 'g'], { run: 'b', otherRun: 'a', definition: 'g' }],
  ['vanished', ['f (task)'], { run: 'a', otherRun: 'b', definition: 'f (task)' }],
  ['delay', [], { run: 'a', otherRun: 'b', definition: '' }],
])('a cause %s of the names %j is looked at in %j', (kind, names, expected) => {
  const renamed = { code: 'other_names', values: { names }, text: '' };
  const structure = names.length > 1 ? [renamed] : undefined;
  const path = names.length > 0 ? [names.join(' → ')] : [];
  const cause = { kind, path, structure } as unknown as Cause;
  expect(insideOf(cause, 'a', 'b')).toEqual(expected);
  expect(insideOf(cause, 'a', undefined)).toBeUndefined();
});
