/** Names and kinds of groups in words. */

import type { Group } from '../api.ts';
import { formatCount, formatPlural } from './format.ts';
import { partsOf } from './labels.ts';

/** A name for a group: its definition, and the grain that it is or begins with. */
export function nameOf(group: Group): string {
  const grain = group.grain === null || group.grain === undefined ? '' : ` #${group.grain}`;
  const name = group.definition ? partsOf(group.definition).text : '';
  if (name) return `${name}${grain}`;
  return group.kind === 'sibling'
    ? 'without problem'
    : group.kind === 'unstructured'
      ? 'not nested'
      : `fork of ${formatCount(group.children)}`;
}

/** What kind of group it is, in words. */
export function kindOf(group: Group): string {
  const count = formatCount(group.children);
  switch (group.kind) {
    case 'grain':
      return 'grain';
    case 'linear':
      return `${count} in sequence`;
    case 'fork_join':
      return `fork of ${count}`;
    case 'sibling':
      return `${formatPlural(group.children, 'sibling')} without the problem`;
    case 'unstructured':
      return `${count} that depend on each other without nesting`;
  }
}
