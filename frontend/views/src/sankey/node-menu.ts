/** What can be done with a node. */

import { valueAt } from '../logic/values.ts';
import type { SankeyNode } from '../api.ts';
import { quote } from '../logic/lens.ts';
import { openMenu } from '../ui/menu.ts';
import type { ViewContext } from '../ui/view.ts';
import { handleOf, type SankeyData, type SankeySelection } from './model.ts';
import { encodeMoved } from './place.ts';

export function openNodeMenu(
  node: SankeyNode,
  { data, selection }: { readonly data: SankeyData; readonly selection: SankeySelection },
  context: ViewContext,
  x: number,
  y: number,
  near: Node,
): void {
  const clause = (
    label: string,
    text: string,
    keys?: string,
  ): Parameters<typeof openMenu>[0][number] => ({
    label,
    ...(keys ? { keys } : {}),
    run: () => context.emit({ type: 'add-clause', clause: text }),
  });
  const id = quote(handleOf(node, data.sankey.nodes));
  const isOthers = node.kind === 'others';
  const slowest = greatest(node, data);
  openMenu(
    [
      {
        label: 'Select',
        keys: 'Enter',
        run: () => context.emit({ type: 'select-group', group: node.id }),
      },
      {
        label: 'Text guides',
        keys: 'G',
        run: () => context.emit({ type: 'toggle-guides', group: node.id }),
      },
      null,
      ...(isOthers
        ? [clause('Show collected groups', 'below 0%')]
        : [
            ...splits(data.sankey.grouped_by).map(([label, by, keys]) =>
              clause(label, `split ${id} ${by}`, keys),
            ),
            clause('Focus: only paths through it', `focus ${id}`, 'Shift F'),
            clause('Hide', `hide ${id}`, 'Del'),
          ]),
      ...(selection.moved?.has(node.id)
        ? [
            {
              label: 'Back to its own place',
              run: () => {
                const left = new Map(selection.moved);
                left.delete(node.id);
                context.emit({ type: 'set', values: { moved: encodeMoved(left) } });
              },
            },
          ]
        : []),
      null,
      ...(slowest
        ? [
            {
              label: `Target: its largest run, ${slowest.name}`,
              run: () => context.emit({ type: 'set-target', run: slowest.id }),
            },
          ]
        : []),
      { label: 'Copy name', keys: 'Y', run: () => context.emit({ type: 'copy', text: node.name }) },
    ],
    x,
    y,
    node.name,
    near,
  );
}

/** Splits that a level has. What calls a module and what it calls are groups of the level below it. */
function splits(
  level: SankeyData['sankey']['grouped_by'],
): readonly (readonly [label: string, by: 'entries' | 'callees', keys: string])[] {
  if (level === 'context') return [['Call tree of this context', 'entries', 'X']];
  if (level === 'definition') return [['Split by calling contexts', 'entries', 'X']];
  return [
    ['Split by entry functions', 'entries', 'X'],
    ['Split by callees', 'callees', 'Shift C'],
  ];
}

function greatest(node: SankeyNode, data: SankeyData): { id: string; name: string } | undefined {
  const values = data.scope === 'inclusive' ? node.inclusive_by_run : node.exclusive_by_run;
  let best = -1;
  for (let index = 0; index < values.length; index += 1) {
    const value = valueAt(values, index);
    if (value !== null && (best < 0 || value > (values[best] ?? 0))) best = index;
  }
  const id = data.sankey.runs[best];
  return id === undefined ? undefined : { id, name: data.runNames.get(id) ?? id.slice(0, 8) };
}
