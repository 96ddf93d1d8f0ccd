import { expect, test } from 'vitest';
import type { Selection } from '../registry/selection.ts';
import { decodeSettings } from '../registry/settings.ts';
import { history } from './definition.ts';

/** What the view asks or offers for runs that differ in parameters. */
function check(varying: readonly string[], shape = ''): unknown {
  const settings = decodeSettings(history.settings, {});
  const asked = history.query({ shape, varying } as unknown as Selection, settings as never);
  return 'empty' in asked
    ? asked.empty.steps?.map(({ label }) => label)
    : asked.requests.history?.query['by'];
}

test.each<[string, readonly string[], string, unknown]>([
  ['a version', ['threads', 'version'], '', 'version'],
  ['what the lens groups by', ['version'], 'by commit', 'commit'],
  ['other parameters', ['threads', 'build'], '', ['by threads', 'by build']],
  ['nothing', [], '', undefined],
])('runs that differ in %s', (_, varying, shape, expected) => {
  expect(check(varying, shape)).toEqual(expected);
});
