import { expect, it } from 'vitest';
import type { Hierarchy, Sankey } from '../api.ts';
import { decodeSettings } from '../registry/settings.ts';
import type { Selection } from '../registry/selection.ts';
import { contexts, type Settings } from './definition.ts';
import { modelOf } from './model.ts';

const SETTINGS: Settings = decodeSettings(contexts.settings, {});

function selectionOf(patch: Partial<Selection>): Selection {
  return { shape: '', run: '', otherRun: '', ...patch } as Selection;
}

it('asks for the opened runs, also if the lens excludes them, without clauses about groups', () => {
  const shape = 'where threads == 4 | level module | metric work_ns | hide "main"';
  const lensOf = (patch: Partial<Selection>): unknown => {
    const asked = contexts.query(selectionOf({ shape, ...patch }), SETTINGS);
    return 'requests' in asked ? asked.requests.sankey?.query['lens'] : undefined;
  };
  expect(lensOf({})).toBe(shape);
  expect(lensOf({ run: 'x' })).toBe('where run == "x" | metric work_ns');
  expect(lensOf({ run: 'x', otherRun: 'y' })).toBe(
    'where run == "x" or run == "y" | metric work_ns',
  );
});

it('shows no values of other runs as those of the opened one', () => {
  const site = { id: 's', name: 'main', inclusive_by_run: [1, 3], exclusive_by_run: [1, 3] };
  const tree = { runs: ['x', 'y'], unit: 'ns', sites: [site] } as unknown as Hierarchy;
  const sizeIn = (run: string): number | undefined =>
    modelOf({ sankey: {} as Sankey, tree }, SETTINGS, selectionOf({ run }))?.size[0];
  expect([sizeIn(''), sizeIn('x'), sizeIn('y'), sizeIn('z')]).toEqual([2, 1, 3, undefined]);
});
