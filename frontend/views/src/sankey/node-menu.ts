/** What can be done with a node. */

import { valueAt } from '../logic/values.ts';
import type { SankeyNode } from '../api.ts';
import { quote } from '../logic/lens.ts';
import { openMenu } from '../ui/menu.ts';
import type { ViewContext } from '../ui/view.ts';
import { handleOf, type SankeyData } from './model.ts';

export function openNodeMenu(
  node: SankeyNode,
  data: SankeyData,
  context: ViewContext,
  x: number,
  y: number,
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
            clause('Split by entry functions', `split ${id} entries`, 'Shift E'),
            clause('Split by callees', `split ${id} callees`, 'Shift C'),
            clause('Focus: only paths through it', `focus ${id}`, 'Shift F'),
            clause('Hide', `hide ${id}`, 'Del'),
          ]),
      null,
      ...(slowest
        ? [
            {
              label: `Target: its greatest run, ${slowest.name}`,
              run: () => context.emit({ type: 'set-target', run: slowest.id }),
            },
          ]
        : []),
      { label: 'Copy name', keys: 'Y', run: () => context.emit({ type: 'copy', text: node.name }) },
    ],
    x,
    y,
    node.name,
  );
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
