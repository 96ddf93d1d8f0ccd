/** Values over ranks of the nodes that are near, asked for one node at a time and kept. */

import { computed, effect, signal } from '@preact/signals';
import type { Distribution } from '@grainsheaf/views';
import { geometryLens } from '@grainsheaf/views/logic/lens.ts';
import { hasValuesByRank } from '@grainsheaf/views/logic/run-sets.ts';
import type { RankBars } from '@grainsheaf/views/sankey/model.ts';
import { addressOf, runs } from './data.ts';
import { ask } from './resource.ts';
import { page, say } from './state.ts';

/** Whether any run has values of several ranks to show. */
export const hasRanks = computed(() => runs.value.some(hasValuesByRank));

const question = computed(() => `${page.value.store} ${geometryLens(page.value.lens)}`);
const held = signal<ReadonlyMap<string, RankBars>>(new Map());

/** By id of the node; nothing while the bars are off. */
export const rankBars = computed(() => (page.value.isRanks ? held.value : undefined));

effect(() => {
  // Another question has other values.
  if (question.value) held.value = new Map();
});

export function askRanks(groups: readonly string[]): void {
  const asked = question.peek();
  const lens = geometryLens(page.peek().lens);
  for (const group of groups) {
    if (held.peek().has(group)) continue;
    ask<Distribution>(addressOf('distribution', { lens, group, mode: 'ranks' })).then(
      ({ bins, count }) => {
        if (question.peek() !== asked) return;
        const [first, last] = [bins[0], bins[bins.length - 1]];
        if (!first || !last) return;
        const counts = bins.map((bin) => bin.count);
        const own = { counts, low: first.lo, high: last.hi, count };
        held.value = new Map(held.peek()).set(group, own);
      },
      (error: unknown) => say(`No ranks: ${error instanceof Error ? error.message : ''}`),
    );
  }
}
