/** Views of the registry on recorded answers, in Chromium: `node run.mjs views.ts [VIEW …]`. */

import { join } from 'node:path';
import { check, conclude } from './check.ts';
import { Harness } from './views/harness.ts';
import { bins, distribution } from './views/distribution.ts';
import { functions, timeStrip, utilisation } from './views/overview.ts';
import { scatter } from './views/scatter.ts';
import { boxes, locations, source } from './views/values.ts';
import { explain, gate, history, noise, structure } from './views/compared.ts';
import { projection, similarity } from './views/runs.ts';
import { scaling } from './views/scaling.ts';
import { whatIf } from './views/what-if.ts';
import { grainGraph } from './views/grain-graph.ts';
import { contexts, dag, groups } from './views/inside.ts';
import { OWN } from './views/own.ts';
import { runTable } from './views/run-table.ts';
import { controls, edges, ensembles, moving } from './views/sankey.ts';
import { delays, parallelism, timeline } from './views/time.ts';
import { large } from './views/large.ts';
import { sizes } from './views/sizes.ts';

const SCENES: Readonly<Record<string, (harness: Harness) => Promise<void>>> = {
  distribution,
  bins,
  boxes,
  locations,
  source,
  functions,
  scatter,
  scaling,
  whatIf,
  utilisation,
  timeStrip,
  history,
  gate,
  explain,
  noise,
  structure,
  similarity,
  projection,
  groups,
  timeline,
  grainGraph,
  dag,
  parallelism,
  contexts,
  delays,
  ...OWN,
  runTable,
  ensembles,
  edges,
  moving,
  controls,
  large,
  sizes,
};

export async function main(words: string[]): Promise<number> {
  const names = words.length > 0 ? words : Object.keys(SCENES);
  const harness = await Harness.open(join(import.meta.dirname, 'shots/views'));
  try {
    for (const name of names) await SCENES[name]?.(harness);
    await check(() => harness.faults.length === 0, `no fault: ${harness.faults.join('\n')}`);
  } finally {
    await harness.close();
  }
  return conclude();
}
