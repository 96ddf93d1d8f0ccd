/**
 * Writes profiles of a large program from a seed: `node run.mjs large.ts FOLDER RUNS [PATHS]`.
 *
 * Each is a Caliper profile in JSON: paths 12 calls deep, one metric, parameters `size` and `version`. The same
 * arguments give the same bytes.
 */

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { random } from './fixture/world.ts';

const DEPTH = 12;

export async function main([folder = '', runs = '1000', paths = '600']: string[]): Promise<number> {
  await mkdir(folder, { recursive: true });
  const shape = random(7);
  const depths = [0];
  const nodes: { label: string; column: string; parent?: number }[] = [
    { label: 'main', column: 'path' },
  ];
  while (nodes.length < Number(paths)) {
    // Later calls are likelier to be deep, so that some chains reach the bottom.
    const parent = Math.floor((1 - shape() ** 2 * 0.6) * (nodes.length - 1));
    const depth = (depths[parent] ?? 0) + 1;
    if (depth >= DEPTH) continue;
    depths.push(depth);
    nodes.push({ label: `solve_${nodes.length}`, column: 'path', parent });
  }
  const base = nodes.map(() => Math.round(1000 + 100_000 * shape() ** 4));
  for (let run = 0; run < Number(runs); run += 1) {
    const chance = random(run + 1);
    const factor = 0.8 + 0.4 * chance() + (run % 8) * 0.05;
    const data = base.flatMap((value, node) =>
      chance() < 0.02 && node > 0
        ? []
        : [[Math.round(value * factor * (0.9 + 0.2 * chance())), node]],
    );
    const profile = {
      data,
      columns: ['time (us)', 'path'],
      column_metadata: [{ is_value: true }, { is_value: false }],
      nodes,
      size: String(1 + (run % 8)),
      version: String(Math.floor(run / 100)),
    };
    await writeFile(
      join(folder, `run-${String(run).padStart(4, '0')}.json`),
      JSON.stringify(profile),
    );
  }
  console.log('all well');
  return 0;
}
