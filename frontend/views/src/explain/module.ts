/** Picture and table of causes, loaded when they are first shown. */

import { noteTexts } from '../logic/notes.ts';
import type { ViewModule } from '../registry/definition.ts';
import type { Answers, Settings } from './definition.ts';
import { ExplainView } from './ExplainView.ts';
import { causesOf, viewOf } from './model.ts';

export const module: ViewModule<Answers, Settings> = {
  create: () => new ExplainView(),
  table: ({ explain }, { settings }) => {
    const view = viewOf(explain, settings.by);
    const unit = explain.unit;
    return {
      caption: `Causes of the difference, by ${view?.by ?? 'nothing'}`,
      columns: [
        { id: 'kind', label: 'cause', kind: 'text' },
        { id: 'of', label: 'of', kind: 'text' },
        { id: 'delta', label: 'part of the difference', kind: 'number', unit },
        { id: 'share', label: 'share', kind: 'number', unit: 'ratio' },
        { id: 'low', label: 'from', kind: 'number', unit },
        { id: 'high', label: 'to', kind: 'number', unit },
        { id: 'q', label: 'q', kind: 'number' },
        { id: 'verdict', label: 'verdict', kind: 'text' },
        { id: 'site', label: 'source', kind: 'text' },
        { id: 'text', label: 'in words', kind: 'text' },
      ],
      rows: causesOf(explain, view).map((cause) => [
        cause.kind,
        cause.path.join(' › '),
        cause.delta,
        cause.share,
        cause.interval?.[0],
        cause.interval?.[1],
        cause.q,
        cause.verdict,
        cause.site,
        cause.text,
      ]),
    };
  },
  empty: ({ explain }) =>
    explain.views.length > 0
      ? undefined
      : {
          title: 'The runs do not permit an explanation',
          text:
            noteTexts(explain.notes).join('; ') || 'They have neither grains nor values by rank.',
        },
  notes: ({ explain }) => noteTexts(explain.notes),
};
