/** How many bytes the page costs when it is first shown, and a view when it is. */

import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build, type InlineConfig, type Rolldown } from 'vite';
import page from '../../app/vite.config.ts';
import { check } from '../check.ts';

const VIEWS = join(import.meta.dirname, '../../views/src');
/** Bytes (gzip) of the scripts and styles that the page loads first. */
const FIRST_LOAD = 90_000;
/** Bytes (gzip) of a view's own code and styles, and of what views share. */
const OWN = 25_000;
const SHARED = 40_000;
/** What only views of the inside of one run share. */
const INSIDE = 19_000;
const INSIDE_PARTS =
  /views\/src\/(ui\/(graph-|pen)|registry\/group-pages|logic\/(series-parallel|group-|nested|open|problems|two-runs))/;

type Outputs = Rolldown.RolldownOutput['output'];

async function outputsOf(config: InlineConfig): Promise<Outputs[number][]> {
  // The server that runs this file has set it to `development`.
  process.env['NODE_ENV'] = 'production';
  const built = await build({ ...config, configFile: false, logLevel: 'error' });
  return (Array.isArray(built) ? built : [built]).flatMap((one) =>
    'output' in one ? one.output : [],
  );
}

function weigh(content: string | Uint8Array): number {
  return gzipSync(content, { level: 9 }).length;
}

export async function sizes(): Promise<void> {
  await pageSizes();
  await viewSizes();
}

/** Builds the page, and weighs what its document names and what each of its parts adds. */
async function pageSizes(): Promise<void> {
  const outputs = await outputsOf({ ...page, plugins: [], build: { ...page.build, write: false } });
  const byName = new Map(outputs.map((one) => [one.fileName, one]));
  const sizeOf = (name: string): number => {
    const one = byName.get(name);
    return one ? weigh(one.type === 'chunk' ? one.code : one.source) : 0;
  };
  const html = String((byName.get('index.html') as Rolldown.OutputAsset | undefined)?.source);
  const named = [...html.matchAll(/(?:src|href)="\.\/([^"]+)"/g)].map((found) => found[1] ?? '');
  const sum = (ending: string): number =>
    named.filter((name) => name.endsWith(ending)).reduce((total, name) => total + sizeOf(name), 0);
  const [scripts, styles] = [sum('.js'), sum('.css')];
  await check(
    () => scripts > 0 && styles > 0 && scripts + styles <= FIRST_LOAD,
    `the first load has ${scripts} bytes of scripts and ${styles} bytes of styles`,
  );
  for (const one of outputs) {
    if (one.type !== 'chunk' || !one.isDynamicEntry) continue;
    const own = [one.fileName, ...(one.viteMetadata?.importedCss ?? [])];
    const size = own.reduce((total, name) => total + sizeOf(name), 0);
    const source = one.facadeModuleId?.split('/').slice(-2).join('/') ?? one.name;
    await check(() => size <= OWN, `part ${source} of the page has ${size} bytes`);
  }
}

/** Builds all lazy modules together, and weighs each. */
async function viewSizes(): Promise<void> {
  const folders = await readdir(VIEWS, { recursive: true });
  const modules = folders.filter((name) => basename(name) === 'module.ts').sort();
  const outputs = await outputsOf({
    root: VIEWS,
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
