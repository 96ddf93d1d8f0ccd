/** How many bytes a view costs when it is first shown. */

import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'vite';
import { check } from '../check.ts';

const VIEWS = join(import.meta.dirname, '../../views/src');
/** Bytes (gzip) of a view's own code and styles, and of what views share. */
const OWN = 25_000;
const SHARED = 40_000;
/** What only views of the inside of one run share. */
const INSIDE = 18_000;
const INSIDE_PARTS =
  /views\/src\/(ui\/(graph-|pen)|registry\/group-pages|logic\/(series-parallel|group-|nested|open|problems|two-runs))/;

/** Builds all lazy modules together, and weighs each. */
export async function sizes(): Promise<void> {
  const folders = await readdir(VIEWS, { recursive: true });
  const modules = folders.filter((name) => basename(name) === 'module.ts').sort();
  const built = await build({
    root: VIEWS,
    configFile: false,
    logLevel: 'error',
    build: {
      write: false,
      target: 'es2022',
      rolldownOptions: {
        input: Object.fromEntries(modules.map((name) => [dirname(name), join(VIEWS, name)])),
        preserveEntrySignatures: 'strict',
        output: {
          codeSplitting: {
            groups: [
              { name: 'inside', test: INSIDE_PARTS, priority: 2 },
              {
                name: 'shared',
                test: /node_modules|views\/src\/(ui|logic|registry)\//,
                priority: 1,
              },
            ],
          },
        },
      },
    },
  });
  const outputs = (Array.isArray(built) ? built : [built]).flatMap((one) =>
    'output' in one ? one.output : [],
  );
  const weigh = (content: string | Uint8Array): number => gzipSync(content, { level: 9 }).length;
  let shared = 0;
  for (const one of outputs) {
    const size = weigh(one.type === 'chunk' ? one.code : one.source);
    const isOwn = one.type === 'chunk' && one.isEntry;
    if (one.type === 'chunk' && one.name === 'inside')
      await check(() => size <= INSIDE, `views of one run share ${size} bytes`);
    else if (isOwn) await check(() => size <= OWN, `view ${one.name} has ${size} bytes`);
    else shared += size;
  }
  await check(() => shared <= SHARED, `views share ${shared} bytes, styles included`);
}
