/**
 * The built page on recorded answers of real ensembles, in Chromium: `node run.mjs pages.ts [SCENE …]`.
 *
 * `RECORD=URL` asks the service at URL instead and records its answers anew; see `fixture/recorded.ts`.
 */

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { check, conclude } from './check.ts';
import { Pages } from './pages/harness.ts';
import { accessibility } from './pages/accessibility.ts';
import { numbers } from './pages/numbers.ts';
import { chips, choices } from './pages/choices.ts';
import { changes } from './pages/changes.ts';
import { names } from './pages/names.ts';
import { windows } from './pages/windows.ts';
import { links } from './pages/links.ts';
import { inside } from './pages/inside.ts';
import { openings } from './pages/openings.ts';
import { stories } from './pages/stories.ts';
import { keyboard } from './pages/keyboard.ts';
import { questions } from './pages/questions.ts';
import { editor } from './pages/editor.ts';
import { states } from './pages/states.ts';
import { subsets } from './pages/subsets.ts';
import { runs } from './pages/runs.ts';
import { grainFacts, remarks } from './pages/grain-facts.ts';
import { formats } from './pages/formats.ts';
import { fragments } from './pages/fragments.ts';
import { leaks } from './pages/leaks.ts';
import { ways } from './pages/ways.ts';
import { moving } from './pages/moving.ts';
import { saved } from './pages/saved.ts';
import { grainSearch } from './pages/grain-search.ts';

const SCENES: Readonly<Record<string, (pages: Pages) => Promise<void>>> = {
  numbers,
  changes,
  choices,
  chips,
  names,
  windows,
  links,
  keyboard,
  questions,
  editor,
  runs,
  subsets,
  states,
  accessibility,
  inside,
  openings,
  grainSearch,
  fragments,
  formats,
  saved,
  moving,
  ways,
  leaks,
  grainFacts,
  remarks,
  stories,
};

/** The named scenes, all without a name, or with `2/3` every third from the second on. */
function namesOf(words: readonly string[]): readonly string[] {
  const all = Object.keys(SCENES);
  const [, part, parts] = /^(\d+)\/(\d+)$/.exec(words[0] ?? '') ?? [];
  if (part !== undefined) return all.filter((_, at) => at % Number(parts) === Number(part) - 1);
  return words.length > 0 ? words : all;
}

export async function main(words: string[]): Promise<number> {
  const shots = join(import.meta.dirname, 'shots/pages');
  await mkdir(shots, { recursive: true });
  const pages = await Pages.open(shots);
  try {
    for (const name of namesOf(words)) await SCENES[name]?.(pages);
    const { missing } = pages.service;
    await check(() => missing.length === 0, `every answer is recorded ${missing.join('\n')}`);
    await check(() => pages.faults.length === 0, `no faults ${pages.faults.join('\n')}`);
  } finally {
    await pages.close();
  }
  return conclude();
}
