/** The guide lists every key that a view of one run uses. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

/** Keys that the source of a view compares with, or has in a table of steps. */
function keysOf(...files: readonly string[]): readonly string[] {
  const forms = [
    /\bkey [!=]== '([^']+)'/g,
    /\bcase '([^']+)':/g,
    /^ +(?:'([^']+)'|([a-z])): \(\) =>/gm,
    /^ +(Arrow[A-Z]\w+|Enter): \(\) =>/gm,
    /[{,] '?(Arrow\w+|[,.])'?: -?1\b/g,
  ];
  const sources = files.map((file) => read(`frontend/views/src/${file}`));
  const found = sources.flatMap((source) =>
    forms.flatMap((form) => [...source.matchAll(form)].map(([, one, two]) => one ?? two ?? '')),
  );
  return [...new Set(found)].sort();
}

/** Text of the sections of the guide that list the keys of a view. */
function sectionsOf(page: string, ...titles: readonly string[]): string {
  const sections = read(`docs/${page}.md`).split(/^## /m);
  const wanted = sections.filter((text) => titles.some((title) => text.startsWith(`${title}\n`)));
  return wanted.join('\n');
}

/** Whether a text has a key in the form of the guide. */
function hasKey(text: string, key: string): boolean {
  if (key === ' ') return true; // The same as Enter everywhere.
  if (key.startsWith('Arrow')) return /[Aa]rrow keys|↑ ↓ ← →/.test(text);
  const name = /^[a-z]$/.test(key) ? key.toUpperCase() : key;
  return (
    text.includes(`\`${name}\``) || (name.length > 1 && new RegExp(`\\b${name}\\b`).test(text))
  );
}

const GRAPH = 'ui/graph-canvas.ts';
const TIME = ['ui/time-hands.ts', 'ui/time-view.ts'];
const STEPS = ['logic/nested-steps.ts', GRAPH];

test.each([
  [
    'Grain graph',
    keysOf('grain-graph/GrainGraphView.ts', 'grain-graph/steps.ts', GRAPH),
    sectionsOf('looking', 'Grain graph'),
    ['ArrowUp', 'j', 'k', ',', '.', 'n', 'Home', '0', 'h'],
  ],
  [
    'Groups',
    keysOf('groups/GroupsView.ts', 'groups/steps.ts', ...STEPS),
    sectionsOf('looking', 'Groups'),
    ['z', 'm', 'l', 'g', 'n', '+', 'Backspace', 'v'],
  ],
  [
    'Task graph',
    keysOf('dag/DagView.ts', ...STEPS),
    sectionsOf('inside', 'Task graph') + sectionsOf('looking', 'Groups'),
    ['x', 'c', '+', '-', 'ArrowLeft'],
  ],
  [
    'Time line',
    keysOf('timeline/TimelineView.ts', ...TIME),
    sectionsOf('inside', 'Time line'),
    ['w', 'm', 'p', ',', 'Enter', 'Escape'],
  ],
  [
    'Parallelism',
    keysOf('parallelism/ParallelismView.ts', ...TIME),
    sectionsOf('inside', 'Time line', 'Parallelism'),
    ['ArrowRight', '.', 'Enter', 'Escape'],
  ],
])('the guide lists the keys of %s', (_, keys, text, known) => {
  expect(keys).toEqual(expect.arrayContaining(known));
  expect(keys.filter((key) => !hasKey(text, key))).toEqual([]);
});
