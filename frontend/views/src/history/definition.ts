/** The history page, as the registry knows it. */

import type { components } from '../generated/api.ts';
import { clauseValue, words } from '../logic/lens.ts';
import { defineView, type EmptyState } from '../registry/definition.ts';
import { allParameters } from '../registry/options.ts';
import { numeric, text } from '../registry/settings.ts';

const settings = {
  by: text('versions by', 'version', allParameters),
  series: numeric(0, [0, 10_000]),
  group: text(),
  sort: text(),
};

export type Answers = { readonly history: components['schemas']['History'] };
export type Settings = {
  readonly by: string;
  readonly series: number;
  readonly group: string;
  readonly sort: string;
};

/** Parameters that name versions of a program. */
const VERSIONS = ['version', 'commit', 'revision'];
/** Parameters that are offered at most. */
const OFFERED = 4;

function chooseParameter(varying: readonly string[]): EmptyState {
  if (varying.length === 0)
    return {
      title: 'No parameter distinguishes versions',
      text: 'A history needs runs of several versions. `grainsheaf add --param version=2` states one.',
    };
  return {
    title: 'Which parameter distinguishes versions?',
    text: 'Choose one in which the runs differ, or another next to `versions by`.',
    steps: varying
      .slice(0, OFFERED)
      .map((name) => ({ label: `by ${name}`, action: { set: { by: name } } })),
  };
}

export const history = defineView<Answers, typeof settings>({
  id: 'history',
  title: 'History',
  about: 'What changed in which version, in time and in structure, and whether the newest is worse',
  place: 'main',
  settings,
  query(selection, settings) {
    const by =
      settings.by.trim() ||
      words(clauseValue(selection.shape, 'by') ?? '')[0] ||
      VERSIONS.find((name) => selection.varying.includes(name));
    if (!by) return { empty: chooseParameter(selection.varying) };
    return {
      requests: {
        history: {
          route: 'history',
          query: { lens: selection.shape, by },
          what: `Following groups over ${by}`,
        },
      },
    };
  },
  quantity: (selection) =>
    ['exclusive', selection.metric?.label, 'median over runs'].filter(Boolean).join(' '),
  load: () => import('./module.ts').then(({ module }) => module),
});
