/** Picture and table of the calling-context tree, loaded when it is first shown. */

import { noteTexts } from '../logic/notes.ts';
import type { ViewModule } from '../registry/definition.ts';
import { ContextsView } from './ContextsView.ts';
import type { Answers, Settings } from './definition.ts';
import { modelOf, partsOf, rootOf } from './model.ts';

export const module: ViewModule<Answers, Settings> = {
  create: () => new ContextsView(),
  parts: (answers, { selection, settings }) => partsOf(answers, settings, selection),
  table(answers, { selection, settings }) {
    const model = modelOf(answers, settings, selection);
    return {
      caption: 'Calling contexts that are shown',
      columns: [
        { id: 'context', label: 'context', kind: 'text' },
        { id: 'depth', label: 'depth', kind: 'number' },
        { id: 'size', label: settings.size, kind: 'number', unit: model?.sizeUnit ?? '' },
        {
          id: 'colour',
          label: `colour, ${settings.colour}`,
          kind: 'number',
          unit: model?.colourUnit ?? '',
        },
        { id: 'hidden', label: 'hidden contexts', kind: 'number' },
      ],
      rows: (model?.pruned.rows ?? []).map((row) => [
        row.isSurrogate
          ? `hidden below ${model?.sites[row.node]?.name ?? ''}`
          : model?.sites[row.node]?.name,
        row.depth,
        row.isSurrogate ? row.sum : model?.size[row.node],
        row.isSurrogate ? undefined : model?.colour[row.node],
        row.isSurrogate ? row.hidden : undefined,
      ]),
    };
  },
  empty({ sankey }) {
    if (rootOf(sankey) !== undefined) return undefined;
    return { title: 'No call tree', text: 'No group of these runs is called by no other.' };
  },
  notes(answers) {
    const tree = answers['tree'];
    const notes: string[] = tree && 'sites' in tree ? noteTexts(tree.notes) : [];
    if (tree && 'sites' in tree && tree.omitted > 0)
      notes.push(`${tree.omitted} contexts are left out: the tree is larger than an answer`);
    return notes;
  },
};
