import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { defineConfig, type Plugin } from 'vite';

const OUT = join(import.meta.dirname, '../dist');

/** Compresses the files that the service sends, as well as it can, once. */
const compressed: Plugin = {
  name: 'compressed',
  apply: 'build',
  async closeBundle() {
    const folder = join(OUT, 'assets');
    for (const name of await readdir(folder)) {
      if (!/\.(js|css|svg)$/.test(name)) continue;
      const path = join(folder, name);
      await writeFile(`${path}.gz`, gzipSync(await readFile(path), { level: 9 }));
    }
  },
};

export default defineConfig({
  root: import.meta.dirname,
  // The page finds its files and the service below whatever path it is shown at.
  base: './',
  plugins: [compressed],
  worker: { format: 'es' },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: '../dist',
    emptyOutDir: true,
    target: 'es2022',
    modulePreload: { polyfill: false },
  },
  server: { proxy: { '/api': process.env['GRAINSHEAF_API'] ?? 'http://127.0.0.1:8765' } },
});
