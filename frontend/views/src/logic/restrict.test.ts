import { expect, test } from 'vitest';
import {
  environmentOf,
  hasValue,
  isRestricted,
  mixedParameters,
  restricted,
  withOnly,
} from './restrict.ts';

test.each([
  ['', 'where threads == 4'],
  ['level module', 'where threads == 4 | level module'],
  ['where version == 2', 'where version == 2 and threads == 4'],
  ['where a == 1 or b == 2', 'where (a == 1 or b == 2) and threads == 4'],
  ['where threads == 4', 'where threads == 4'],
  ['where version == 2 and threads == 4', 'where version == 2 and threads == 4'],
  [
    'where a == 1 or b == 2 and threads == 4',
    'where (a == 1 or b == 2 and threads == 4) and threads == 4',
  ],
])('%j restricted to four threads is %j', (text, expected) => {
  expect(restricted(text, hasValue('threads', 4))).toBe(expected);
});

test.each([
  ['by compiler | diff "a" to "b"', "where compiler == 'g++'"],
  ['by threads | target "r"', "where compiler == 'g++' | by threads"],
  ['by compiler, threads', "where compiler == 'g++' | by compiler, threads"],
])('only runs of one compiler of %j: %j', (text, expected) => {
  expect(withOnly(text, hasValue('compiler', 'g++'), ['compiler'])).toBe(expected);
});

test('a text that selects runs is known', () => {
  expect(isRestricted('by threads')).toBe(false);
  expect(isRestricted('where threads = 4 | by threads')).toBe(true);
});

test('what identifies a launch is no configuration', () => {
  const change = (parameter: string) => ({ parameter, a: ['x'], b: ['y'] });
  const parameters = [
    { name: 'launchdate', role: 'incidental' },
    { name: 'compiler' },
    { name: 'user', role: 'configuration' },
  ];
  const environment = ['compiler', 'launchdate', 'program', 'user'].map(change);
  const { configuration, launch } = environmentOf(environment, parameters as never);
  expect(configuration.map(({ parameter }) => parameter)).toEqual(['compiler', 'program', 'user']);
  expect(launch.map(({ parameter }) => parameter)).toEqual(['launchdate']);
});

test('parameters that a side mixes have values that both sides share', () => {
  const environment = [
    { parameter: 'compiler', a: ['clang'], b: ['gcc'] },
    { parameter: 'flags', a: ['-O3'], b: ['-O0', '-O3'] },
    { parameter: 'repeat', a: [1, 2], b: [1, 2, 3] },
    { parameter: 'command', a: ['x'], b: ['y', 'z'] },
  ];
  expect(mixedParameters(environment as never)).toEqual([
    { name: 'flags', sides: ['B'], shared: ['-O3'] },
  ]);
});
