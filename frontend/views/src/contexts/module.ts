/** Picture and table of the calling-context tree, loaded when it is first shown. */

import type { Sankey } from '../api.ts';
import { formatPlural } from '../logic/format.ts';
import { noteTexts } from '../logic/notes.ts';
import type { Shown, ViewModule } from '../registry/definition.ts';
import { ContextsView } from './ContextsView.ts';
import type { Answers, Settings } from './definition.ts';
import { modelOf, partsOf, placesOf, rootOf, rootsOf } from './model.ts';

/** Roots that a note names. */
const NAMED = 6;

/** States the roots whose trees are not shown. */
function rootNotes(sankey: Sankey, { selection, settings }: Shown<Settings>): readonly string[] {
  const shown = rootOf(sankey, settings, selection);
  const rest = rootsOf(sankey, selection).filter(({ node }) => node !== shown);
  if (!shown || rest.length === 0) return [];
  const names = rest.slice(0, NAMED).map(({ node }) => node.name);
  const more = rest.length > NAMED ? `, + ${rest.length - NAMED} more` : '';
  const count = formatPlural(rest.length, 'other root');
  return [`the tree of ${shown.name} is shown; ${count} left out: ${names.join(', ')}${more}`];
}

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
  empty({ sankey }, { selection, settings }) {
    // An answer about other runs is about to be replaced.
    if (placesOf(sankey, selection).length === 0 && selection.run !== '') return undefined;
    if (rootOf(sankey, settings, selection)) return undefined;
    const whose = selection.run === '' ? 'these runs' : 'this run';
    return {
      title: 'No call tree',
      text: `Every group of ${whose} is called by another one, so the tree has no root.`,
    };
  },
  notes(answers, shown) {
    const tree = answers['tree'];
    const notes: string[] = tree && 'sites' in tree ? noteTexts(tree.notes) : [];
    notes.push(...rootNotes(answers.sankey, shown));
    if (tree && 'sites' in tree && tree.omitted > 0)
      notes.push(`${tree.omitted} contexts are left out: the tree is larger than an answer`);
    return notes;
  },
};
