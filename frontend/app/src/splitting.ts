/** Splits a group of the picture one level further, whatever the level, and takes splits back. */

import type { Hierarchy, SankeyNode, Site } from '@grainsheaf/views';
import {
  geometryLens,
  quote,
  joinClauses,
  splitClauses,
  withClause,
} from '@grainsheaf/views/logic/lens.ts';
import { handleOf } from '@grainsheaf/views/sankey/model.ts';
import { addressOf, picture, selectedNode } from './data.ts';
import { show } from './layouts.ts';
import { ask } from './resource.ts';
import { navigate, page, say } from './state.ts';

/** Contexts that a split reveals at most. */
const MOST_CONTEXTS = 8;

/** The first level at which the paths inside a group part. */
export function partingLevel(sites: readonly Site[]): readonly Site[] {
  let level = sites.filter((site) => site.parent === undefined || site.parent === null);
  const index = new Map(sites.map((site, at) => [site.id, at]));
  while (level.length === 1) {
    const only = index.get(level[0]?.id ?? '');
    const next = sites.filter((site) => site.parent === only);
    if (next.length === 0) break;
    level = next;
  }
  return level;
}

/** Splits a module by its entry functions, and a definition by the contexts that it is called in. */
export async function splitSelected(
  group: SankeyNode | undefined = selectedNode.peek(),
  by: 'entries' | 'callees' = 'entries',
): Promise<void> {
  const data = picture.answer.peek().data;
  if (!group || !data) return say('Select a group first');
  const { lens } = page.peek();
  if (group.kind === 'others') return navigate({ lens: withClause(lens, 'below 0%') });
  if (!['definition', 'context'].includes(data.grouped_by)) {
    const clause = `split ${quote(handleOf(group, data.nodes))} ${by}`;
    if (splitClauses(lens).some((present) => present.text === clause))
      return leadOn(group, 'is split already');
    return navigate({ lens: withClause(lens, clause) });
  }
  let level: readonly Site[] = [];
  if (data.grouped_by !== 'context') {
    try {
      const query = { lens: geometryLens(lens), group: group.id };
      level = partingLevel((await ask<Hierarchy>(addressOf('hierarchy', query))).sites);
    } catch (error) {
      return say(`Cannot split: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  if (level.length < 2)
    return leadOn(group, 'is called in one context, so there is nothing to split');
  const heaviest = [...level].sort((a, b) => b.max_inclusive - a.max_inclusive);
  const revealed = heaviest.slice(0, MOST_CONTEXTS);
  navigate({
    lens: revealed.reduce((text, site) => withClause(text, `reveal ${quote(site.id)}`), lens),
  });
  const left = heaviest.length - revealed.length;
  const more = left > 0 ? `; ${left} smaller ones stay together` : '';
  say(`${group.name} is split by ${revealed.length} calling contexts${more}`);
}

/** Where there is nothing to split: why, the call tree, and a further step. */
function leadOn(group: SankeyNode, why: string): void {
  navigate({ group: group.id });
  show('tree');
  const clause = `focus ${quote(handleOf(group, picture.answer.peek().data?.nodes ?? []))}`;
  say(`${group.name} ${why}; its call tree is shown.`, {
    label: 'Show only paths through it',
    run: () => navigate({ lens: withClause(page.peek().lens, clause) }),
  });
}

/** Takes back the last split of the picture: one clause, or all contexts that were revealed together. */
export function collapseLast(): void {
  const { lens } = page.peek();
  const clauses = splitClauses(lens);
  const last = clauses.findLastIndex(({ keyword }) => keyword === 'split' || keyword === 'reveal');
  if (last < 0) return say('Nothing is split');
  let first = last;
  while (clauses[last]?.keyword === 'reveal' && clauses[first - 1]?.keyword === 'reveal')
    first -= 1;
  navigate({ lens: joinClauses(clauses.filter((_, at) => at < first || at > last)) });
}
