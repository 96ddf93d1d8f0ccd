/** Source pane, as the registry knows it. */

import type { components } from '../generated/api.ts';
import { defineView } from '../registry/definition.ts';
import { routeOf } from '../registry/one-run.ts';

const settings = {};

/** Of a group or definition, `source`; of a grain its row, and then `followed`, the source of its definition. */
export type Answers = {
  readonly source: components['schemas']['Source'] | undefined;
  readonly grain: components['schemas']['Grains'] | undefined;
  readonly followed?: components['schemas']['Source'] | undefined;
};
export type Settings = Readonly<Record<never, never>>;

export const source = defineView<Answers, typeof settings>({
  id: 'source',
  title: 'Source',
  about: 'The source file of the selected group, with the values of its lines',
  place: 'either',
  settings,
  query({ lens, shape, isDiff, group, groupName, run, grain, definition }) {
    if (run && grain)
      return {
        requests: {
          source: undefined,
          grain: {
            route: routeOf(run, 'grains'),
            query: { where: `grain == ${grain}`, all: 'true', brief: 'true' },
            what: 'Reading the source',
          },
        },
      };
    const wanted = (run && definition) || group;
    if (wanted === '')
      return {
        empty: {
          title: 'Select a group to see its source',
          text: 'The source file is shown with the values of its definitions.',
        },
      };
    return {
      requests: {
        grain: undefined,
        source: {
          route: 'source',
          query: { lens: isDiff ? lens : shape, group: wanted },
          what: `Reading the source of ${groupName || 'the group'}`,
        },
      },
    };
  },
  quantity: (selection) =>
    ['exclusive', selection.metric?.label, 'of each definition, mean over runs']
      .filter(Boolean)
      .join(' '),
  load: () => import('./module.ts').then(({ module }) => module),
});
