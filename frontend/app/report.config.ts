/** Builds the template of reports: one HTML file with script and styles in it, allowed by their hashes alone. */

import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { defineConfig, type Plugin } from 'vite';

const HERE = import.meta.dirname;
const PLACES = ['title', 'summary', 'tables', 'content'].map((name) => `<!--report:${name}-->`);

/** Source of a content-security policy that allows exactly this text. */
function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}

/** Puts the texts of a bundle into the template. */
export function fill(template: string, script: string, style: string): string {
  for (const ending of ['</script', '<!--', '</style'])
    if (script.includes(ending) || style.includes(ending))
      throw new Error(`the bundle of the report has ${ending}, which ends its element`);
  if (script === '' || style === '') throw new Error('the bundle of the report is not complete');
  const parts: readonly (readonly [string, string])[] = [
    ['SCRIPT-HASH', hashOf(script)],
    ['STYLE-HASH', hashOf(style)],
    ['<!--report:style-->', `<style>${style}</style>`],
    ['<!--report:script-->', `<script>${script}</script>`],
  ];
  let page = template;
  for (const [place, part] of parts) {
    if (page.split(place).length !== 2) throw new Error(`the template needs one ${place}`);
    // By a function: a `$` of a script means nothing to it.
    page = page.replace(place, () => part);
  }
  for (const place of PLACES)
    if (page.split(place).length !== 2) throw new Error(`the template needs one ${place}`);
  return page;
}

const template: Plugin = {
  name: 'report-template',
  // After the styles are put together.
  enforce: 'post',
  async generateBundle(_, bundle) {
    let [script, style] = ['', ''];
    for (const [name, part] of Object.entries(bundle)) {
      if (part.type === 'chunk') script += part.code;
      else if (name.endsWith('.css')) style += String(part.source);
      Reflect.deleteProperty(bundle, name);
    }
    const text = await readFile(join(HERE, 'src/report/template.html'), 'utf8');
    const source = fill(text, script.trim(), style.trim());
    this.emitFile({ type: 'asset', fileName: 'report.html', source });
    // The page fetches it compressed.
    this.emitFile({
      type: 'asset',
      fileName: 'report.html.gz',
      source: gzipSync(source, { level: 9 }),
    });
  },
};

export default defineConfig({
  root: HERE,
  plugins: [template],
  build: {
    outDir: '../dist',
    emptyOutDir: false,
    target: 'es2022',
    cssCodeSplit: false,
    lib: {
      entry: join(HERE, 'src/report/main.ts'),
      formats: ['iife'],
      name: 'report',
      fileName: 'report',
    },
    rolldownOptions: { output: { codeSplitting: false } },
  },
});
