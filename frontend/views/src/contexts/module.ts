/** Picture and table of the calling-context tree, loaded when it is first shown. */

import type { Sankey } from '../api.ts';
import { formatPlural } from '../logic/format.ts';
import { noteTexts } from '../logic/notes.ts';
import type { Cell } from '../logic/table.ts';
import type { Facts, Shown, TableColumn, ViewModule } from '../registry/definition.ts';
import { ContextsView } from './ContextsView.ts';
import type { Answers, Settings } from './definition.ts';
import { type Model, modelOf, partsOf, placesOf, rootOf, rootsOf } from './model.ts';
import type { Row } from './prune.ts';

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

/** Column of what the colour shows; of two sides, their values and the difference. */
function colourColumns(
  model: Model | undefined,
  { colour }: Settings,
  { runLabels }: Facts,
): readonly TableColumn[] {
  const unit = model?.colourUnit ?? '';
  const compared = model?.compared;
  if (!compared) return [{ id: 'colour', label: `colour, ${colour}`, kind: 'number', unit }];
  const sides = compared.sides.map(({ name }) => runLabels.get(name) ?? name);
  return [
    { id: 'a', label: `A, ${sides[0] ?? ''}`, kind: 'number', unit },
    { id: 'b', label: `B, ${sides[1] ?? ''}`, kind: 'number', unit },
    {
      id: 'difference',
      label: compared.quantity,
      kind: 'number',
      ...(compared.mode === 'absolute' ? { unit } : {}),
    },
  ];
}

function colourCells(model: Model | undefined, { node, isSurrogate }: Row): readonly Cell[] {
  const compared = model?.compared;
  const colour = isSurrogate ? undefined : model?.colour[node];
  if (!compared) return [colour];
  const pair = isSurrogate ? undefined : compared.pairs[node];
  return [pair?.a ?? undefined, pair?.b ?? undefined, colour];
}

export const module: ViewModule<Answers, Settings> = {
  create: () => new ContextsView(),
  parts: (answers, { selection, settings }) => partsOf(answers, settings, selection),
  table(answers, { selection, settings, facts }) {
    const model = modelOf(answers, settings, selection);
    return {
      caption: 'Calling contexts that are shown',
      columns: [
        { id: 'context', label: 'context', kind: 'text' },
        { id: 'depth', label: 'depth', kind: 'number' },
        { id: 'size', label: settings.size, kind: 'number', unit: model?.sizeUnit ?? '' },
        ...colourColumns(model, settings, facts),
        { id: 'hidden', label: 'hidden contexts', kind: 'number' },
      ],
      rows: (model?.pruned.rows ?? []).map((row) => [
        row.isSurrogate
          ? `hidden below ${model?.sites[row.node]?.name ?? ''}`
          : model?.sites[row.node]?.name,
        row.depth,
        // The sum of differences of what is hidden is no size.
        ...(row.isSurrogate ? [model?.compared ? undefined : row.sum] : [model?.size[row.node]]),
        ...colourCells(model, row),
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
