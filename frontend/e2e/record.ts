/**
 * Records the answers that a view of one run asks for, with those of its parts:
 * `node run.mjs record.ts http://127.0.0.1:8765 STORE RUN VIEW NAME [SETTING=VALUE …] [+ SETTING=VALUE …]`.
 * Each `+` begins another state of the view, whose answers are added. RUN may be two runs, joined by a comma.
 */

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Request, Selection, Shown, ViewModule } from '@grainsheaf/views';
import type { Columns } from '@grainsheaf/views/data/columns.ts';
import { decode } from '@grainsheaf/views/data/decode.ts';
import { decodeSettings } from '@grainsheaf/views/registry/settings.ts';
import { viewOf } from '@grainsheaf/views/registry/views.ts';

type Answers = Record<string, unknown>;

async function ask(
  service: string,
  store: string,
  { route, query, format }: Request,
): Promise<unknown> {
  const words = new URLSearchParams({ store });
  for (const [name, value] of Object.entries(query)) words.set(name, String(value));
  if (format === 'arrow') words.set('format', 'arrow');
  const response = await fetch(`${service}/api/v1/${route}?${words}`);
  if (response.ok && format === 'arrow') {
    const columns = decode(await response.arrayBuffer()).rest as Columns;
    // Absent numbers are null in the file.
    return JSON.parse(
      JSON.stringify(columns, (_, value: unknown) =>
        value instanceof Float64Array ? Array.from(value) : value,
      ),
    ) as unknown;
  }
  const answer: unknown = await response.json();
  if (!response.ok) throw new Error(`${route}?${words}: ${JSON.stringify(answer)}`);
  return answer;
}

async function gather(
  [service, store, run, view]: readonly [string, string, string, string],
  texts: Readonly<Record<string, string>>,
  answers: Answers,
): Promise<void> {
  const definition = viewOf(view);
  if (!definition) throw new Error(`no view ${view}`);
  const settings = decodeSettings(definition.settings, texts);
  const module = (await definition.load()) as unknown as ViewModule<Answers, unknown>;
  const [first = '', otherRun = ''] = run.split(',');
  const selection = { store, run: first, otherRun, grain: '', definition: '', lens: '', shape: '' };
  const shown = { selection: selection as unknown as Selection, settings } as Shown<unknown>;
  const asked = definition.query(shown.selection, settings);
  if (!('requests' in asked)) throw new Error(`${view} asks nothing`);
  const known = new Set<string>();
  let open: [string, Request][] = Object.entries(asked.requests).flatMap(([name, request]) =>
    request ? [[name, request]] : [],
  );
  while (open.length > 0) {
    for (const [name, request] of open) {
      known.add(JSON.stringify([name, request.route, request.query]));
      answers[name] = await ask(service, store, request);
    }
    const parts = Object.entries(module.parts?.(answers, shown) ?? {});
    open = parts.filter(
      ([name, request]) => !known.has(JSON.stringify([name, request.route, request.query])),
    );
  }
}

export async function main(words: string[]): Promise<number> {
  const [service = '', store = '', run = '', view = '', name = '', ...rest] = words;
  const answers: Answers = {};
  const states: Record<string, string>[] = [{}];
  for (const word of rest) {
    if (word === '+') states.push({});
    else {
      const at = word.indexOf('=');
      (states[states.length - 1] as Record<string, string>)[word.slice(0, at)] = word.slice(at + 1);
    }
  }
  const info = await ask(service, store, { route: 'runs', query: {}, what: '' });
  const { runs } = info as { readonly runs: readonly { run: string; name: string }[] };
  const id = run
    .split(',')
    .map((wanted) => runs.find((one) => one.name === wanted)?.run ?? wanted)
    .join(',');
  for (const texts of states) await gather([service, store, id, view], texts, answers);
  const packed = gzipSync(JSON.stringify(answers), { level: 9 });
  await writeFile(join(import.meta.dirname, 'recorded', `${name}.json.gz`), packed);
  console.log(`${name}: ${Object.keys(answers).length} answers, ${packed.length} bytes`);
  return 0;
}
