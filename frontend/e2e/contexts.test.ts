/** Roots of the calling-context tree, on the recorded answer of an ensemble of four programs. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import type { Sankey } from '@grainsheaf/views';
import { decodeSettings } from '@grainsheaf/views/registry/settings.ts';
import type { Selection } from '@grainsheaf/views/registry/selection.ts';
import { contexts, type Settings } from '@grainsheaf/views/contexts/definition.ts';
import { partsOf, rootOf, rootsOf } from '@grainsheaf/views/contexts/model.ts';
import { module } from '@grainsheaf/views/contexts/module.ts';

const RECORDED = join(import.meta.dirname, 'recorded/sankey-dag4.json.gz');
const SANKEY = JSON.parse(gunzipSync(readFileSync(RECORDED)).toString()) as Sankey;
const SETTINGS: Settings = decodeSettings(contexts.settings, {});

function selectionOf(patch: Partial<Selection>): Selection {
  return { shape: '', run: '', otherRun: '', ...patch } as Selection;
}

/** Id of a run that a root has a value in. */
function runOf(program: string): string {
  const node = SANKEY.nodes.find(({ name }) => name === program);
  const at = Array.from(node?.inclusive_by_run ?? []).findIndex((value) => value !== null);
  return SANKEY.runs[at] ?? '';
}

it.each(['strassen', 'sparselu', 'fib', 'uts'])('shows the tree of a run of %s', (program) => {
  const selection = selectionOf({ run: runOf(program) });
  expect(rootsOf(SANKEY, selection).map(({ node }) => node.name)).toEqual([program]);
  const { tree } = partsOf({ sankey: SANKEY }, SETTINGS, selection);
  expect(tree?.query).toEqual({
    lens: `where run == "${selection.run}"`,
    group: rootOf(SANKEY, SETTINGS, selection)?.id,
  });
});

it('lists the roots of an ensemble of programs, and notes those that are not shown', () => {
  const selection = selectionOf({});
  const names = rootsOf(SANKEY, selection).map(({ node }) => node.name);
  expect(names).toEqual(['strassen', 'fib', 'sparselu', 'uts']);
  const fib = SANKEY.nodes.find(({ name }) => name === 'fib')?.id ?? '';
  const notesOf = (settings: Settings): readonly string[] =>
    module.notes?.({ sankey: SANKEY }, { selection, settings } as never) ?? [];
  expect(notesOf(SETTINGS)).toEqual([
    'the tree of strassen is shown; 3 other roots left out: fib, sparselu, uts',
  ]);
  expect(notesOf({ ...SETTINGS, root: fib })).toEqual([
    'the tree of fib is shown; 3 other roots left out: strassen, sparselu, uts',
  ]);
});
