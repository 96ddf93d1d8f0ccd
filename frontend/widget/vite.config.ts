/** Builds the widget: one module with all views and their styles, in the folder of the Python sources. */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { defineConfig, type Plugin } from 'vite';

const HERE = import.meta.dirname;
/** Text of the module that the styles take the place of. */
const PLACE = /(["'`])STYLES-OF-THE-WIDGET\1/;

/** Version of the workspace, which the Python package has too. */
async function version(): Promise<string> {
  const cargo = await readFile(join(HERE, '../../Cargo.toml'), 'utf8');
  const found = /^version = "([^"]+)"/m.exec(cargo)?.[1];
  if (found === undefined) throw new Error('Cargo.toml states no version');
  return found;
}

/** Styles of a page as styles of a shadow root: its root is the host, its body the widget. */
export function shadowStyles(style: string): string {
  return style
    .replace(/:root\[data-theme=(["']?)dark\1\]/g, ':host([data-theme=dark])')
    .replace(/:root\b/g, ':host')
    .replace(/(^|[\s,}])body(?=\s*[{,])/g, '$1.gs-widget');
}

const styles: Plugin = {
  name: 'styles-in-module',
  // After the styles are put together.
  enforce: 'post',
  generateBundle(_, bundle) {
    let style = '';
    for (const [name, part] of Object.entries(bundle)) {
      if (!name.endsWith('.css') || part.type !== 'asset') continue;
      style += String(part.source);
      Reflect.deleteProperty(bundle, name);
    }
    if (style === '') throw new Error('the widget has no styles');
    for (const part of Object.values(bundle)) {
      if (part.type !== 'chunk') continue;
      if (!PLACE.test(part.code)) throw new Error('the module has no place for styles');
      // By a function: a `$` of a style means nothing to it.
      part.code = part.code.replace(PLACE, () => JSON.stringify(shadowStyles(style.trim())));
    }
  },
};

export default defineConfig(async () => ({
  root: HERE,
  plugins: [styles],
  define: { __VERSION__: JSON.stringify(await version()) },
  build: {
    outDir: '../../crates/python/python/grainsheaf/static',
    emptyOutDir: true,
    target: 'es2022',
    cssCodeSplit: false,
    lib: { entry: join(HERE, 'src/main.ts'), formats: ['es'], fileName: () => 'widget.js' },
    // Modules of libraries keep their spaces otherwise.
    rolldownOptions: { output: { codeSplitting: false, minify: true } },
  },
}));
