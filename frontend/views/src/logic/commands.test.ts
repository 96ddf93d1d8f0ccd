import { expect, test } from 'vitest';
import {
  COMMANDS,
  commandOf,
  type CommandSpec,
  findCommands,
  keyLabel,
  type KeyPress,
} from './commands.ts';

const press = (key: string, more: Partial<KeyPress> = {}): KeyPress => ({
  key,
  ctrlKey: false,
  metaKey: false,
  shiftKey: false,
  altKey: false,
  ...more,
});

test('no two commands of one place share a key, and ids are unique', () => {
  const specs: readonly CommandSpec[] = COMMANDS;
  const keys = specs.flatMap((spec) => spec.keys.map((key) => `${spec.scope} ${key}`));
  expect(new Set(keys).size).toBe(keys.length);
  expect(new Set(specs.map((spec) => spec.id)).size).toBe(specs.length);
});

test('every key of the page leads to its command', () => {
  for (const spec of COMMANDS.filter((one) => one.scope === 'page')) {
    for (const name of spec.keys as readonly string[]) {
      const parts = name === '+' ? ['+'] : name.split('+');
      const key = parts[parts.length - 1] ?? '';
      const event = press(key, {
        ctrlKey: parts.includes('Ctrl'),
        shiftKey: parts.includes('Shift'),
      });
      expect(commandOf(event)).toBe(spec.id);
    }
  }
});

test('presses', () => {
  expect(commandOf(press('k', { metaKey: true }))).toBe('palette');
  expect(commandOf(press('?', { shiftKey: true }))).toBe('help');
  expect(commandOf(press('b'))).toBe('diff');
  expect(commandOf(press('b'), false)).toBeUndefined();
  expect(commandOf(press('b', { altKey: true }))).toBeUndefined();
  expect(commandOf(press('Escape'), false)).toBe('clear');
});

test('commands are found by words of their title', () => {
  expect(findCommands('png')[0]?.id).toBe('export-png');
  expect(findCommands('target prev')[0]?.id).toBe('target-previous');
  expect(findCommands('xyzzy')).toEqual([]);
  expect(keyLabel('Ctrl+Shift+Z', false)).toBe('Ctrl Shift Z');
});

test('W A S D move the picture and nothing else', () => {
  expect(['w', 'a', 's', 'd'].map((key) => commandOf(press(key)))).toEqual([
    'zoom-in',
    'pan-left',
    'zoom-out',
    'pan-right',
  ]);
});
