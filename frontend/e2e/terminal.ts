/**
 * Numbers on the page read as they do in the terminal: `node run.mjs terminal.ts BINARY STORE …`.
 *
 * Each answer is asked for as JSON and as text. Tables of `stats` and `diff` are compared cell by cell with what the
 * page makes of the JSON; in the text of every answer, each value must be what the page prints for some number of it.
 */

import { execFileSync } from 'node:child_process';
import { basename } from 'node:path';
import type { Diff } from '@grainsheaf/views';
import {
  ABSENT,
  columnUnit,
  formatChange,
  formatCount,
  formatNumber,
  formatShare,
  formatShort,
  formatValue,
} from '@grainsheaf/views/logic/format.ts';
import { verdictText } from '@grainsheaf/views/logic/verdicts.ts';
import { check, conclude } from './check.ts';

type Json = number | string | boolean | null | readonly Json[] | { readonly [key: string]: Json };

type StatsRow = { readonly unit: string } & Readonly<Record<string, number | null>>;

interface Stats {
  readonly rows: readonly StatsRow[];
}

/** Values of a text: a number with its unit, or a number that is a cell of its own. */
const VALUE =
  /(?<![\w.:=/-])[+−×]?\d[\d\u202f]*(?:\.\d+)?(?:\s(?:ns|µs|ms|s|%|B|kB|MB|GB|M|G))(?![\w/])/g;

/** A cell that is a number with decimals. */
const CELL = /^[+−×]?\d[\d\u202f]*\.\d+$/;

function ask(binary: string, store: string, words: readonly string[]): string {
  try {
    return execFileSync(binary, ['--store', store, '--quiet', ...words], {
      encoding: 'utf8',
      maxBuffer: 64 << 20,
      stdio: ['ignore', 'pipe', 'ignore'],
      env: { ...process.env, COLUMNS: '400' },
    });
  } catch (error) {
    // A gate that fails has an answer, too.
    return (error as { stdout?: string }).stdout ?? '';
  }
}

/** Everything that the page may print for a number of an answer. */
function textsOf(value: number): string[] {
  const scaled = [1, 1e3, 1e6, 1e9, 1e-3, 1e-6].map((factor) => value / factor);
  const signed = (text: string): string[] => [text, `+${text}`, text.replace('−', '')];
  return [
    ...scaled.flatMap((one) => [formatNumber(one), formatShort(one), formatCount(one)]),
    formatShare(value),
    formatShare(value - 1),
    formatShare(1 - value),
    formatChange(value),
    ...['ns', 'us', 's', 'bytes', 'count', 'ratio'].map((unit) => formatValue(value, unit)),
  ].flatMap(signed);
}

/** Numbers of an answer, and relative changes between two of one object, which both compute. */
function numbersOf(value: Json, found: Set<number>): Set<number> {
  if (typeof value === 'number') found.add(value);
  else if (value !== null && typeof value === 'object') {
    const parts: readonly Json[] = Array.isArray(value) ? value : Object.values(value);
    const own = parts.filter((part) => typeof part === 'number');
    if (!Array.isArray(value))
      for (const before of own) for (const after of own) if (before) found.add(after / before - 1);
    for (const part of parts) numbersOf(part, found);
  }
  return found;
}

/** Shares that texts name as limits: a confidence, an efficiency, a significance. */
const LIMITS = [0.95, 0.8, 0.05];

/** With one kind of space. */
const plain = (text: string): string => text.replace(/\s/g, ' ');

/** Each value of the text is what the page prints for a number of the answer. */
async function everyValue(
  what: string,
  text: string,
  answer: Json,
  isScale = false,
): Promise<void> {
  const numbers = [...numbersOf(answer, new Set(LIMITS))];
  // Losses of `scale` are printed per worker.
  const workers = isScale ? [1, 2, 4, 8, 16] : [1];
  const all = workers.flatMap((count) => numbers.map((number) => number / count));
  const known = new Set(all.flatMap(textsOf).map(plain));
  const cells = text
    .split('\n')
    .flatMap(cellsOf)
    .filter((cell) => CELL.test(cell));
  const inText = [...text.matchAll(VALUE)].map(([value]) => value);
  const values = [...inText, ...cells];
  const unlike = values.filter(
    (value) => !known.has(plain(value)) && !known.has(plain(value).replace(/ [^ ]+$/, '')),
  );
  await check(
    () => unlike.length === 0,
    `${what}: ${values.length} values read as on the page ${[...new Set(unlike)].slice(0, 12).join('; ')}`,
  );
}

const cellsOf = (line: string): string[] => line.trim().split(/\s{2,}/);

/** Lines of the table below a head that begins with `group`. */
function tableOf(text: string): { head: string[]; rows: string[][] } {
  const lines = text.split('\n');
  const at = lines.findIndex((line) => /^\s*group\s{2,}/.test(line));
  const rest = lines.slice(at + 1);
  const end = rest.findIndex((line) => !/^\s{2}\S.*\s{2,}\S/.test(line));
  return {
    head: cellsOf(lines[at] ?? ''),
    rows: (end < 0 ? rest : rest.slice(0, end)).map(cellsOf),
  };
}

/** The table of `stats`, cell by cell. */
async function statsCells(what: string, text: string, stats: Stats): Promise<void> {
  const { head, rows } = tableOf(text);
  const wrong: string[] = [];
  let cells = 0;
  for (const name of ['mean', 'std', 'min', 'q1', 'median', 'q3', 'max']) {
    const at = head.findIndex((title) => title.startsWith(`${name} (`));
    const unitOfTerminal = /\((.+)\)/.exec(head[at] ?? '')?.[1];
    // All columns of the terminal's table share one unit.
    const largest = Math.max(...stats.rows.map((row) => row['max'] ?? 0));
    const column = columnUnit(largest, stats.rows[0]?.unit ?? '');
    if (column.unit !== (unitOfTerminal ?? ''))
      wrong.push(`${name} in ${column.unit}, not ${unitOfTerminal}`);
    rows.forEach((row, index) => {
      const value = stats.rows[index]?.[name];
      const cell = row[at];
      if (cell === undefined) return;
      cells += 1;
      const own = column.format(value);
      if (own !== cell && !(own === ABSENT && cell === '–'))
        wrong.push(`${row[0]}, ${name}: ${own}, not ${cell}`);
    });
  }
  await check(
    () => cells > 0 && wrong.length === 0,
    `${what}: ${cells} cells are equal ${wrong.slice(0, 8).join('; ')}`,
  );
}

/** Verdicts of the table of `diff`. */
async function verdictCells(what: string, text: string, diff: Diff): Promise<void> {
  const words = new Set(diff.rows.map((row) => verdictText(row.verdict)));
  const printed = tableOf(text).rows.map((row) => row.at(-1) ?? '');
  const unlike = printed.filter((word) => !words.has(word));
  await check(
    () => printed.length > 0 && unlike.length === 0,
    `${what}: ${printed.length} verdicts read as on the page ${[...new Set(unlike)].join('; ')}`,
  );
}

/** Questions to a store, by the parameter that its runs differ in. */
function questionsOf(store: string): readonly (readonly string[])[] {
  const [by, a, b] = {
    threads: ['threads', 'threads = 1', 'threads = 8'] as const,
    runtimes: ['threads', 'runtime = llvm', 'runtime = intel'] as const,
    versions: ['version', 'version = 1', 'version = 2'] as const,
  }[basename(store)] ?? ['ranks', 'ranks = 1', 'ranks = 8'];
  return [
    ['runs'],
    ['stats'],
    ['stats', '--scope', 'exclusive'],
    // The causes at their end are those of `explain`.
    ['diff', a, b, '--no-why'],
    ['explain', a, b],
    ['noise'],
    ['scale', '--by', by, '--no-why'],
    ['history', '--by', by],
    ['gate', '--baseline', a, '--candidate', b],
  ];
}

export async function main([binary = '', ...stores]: string[]): Promise<number> {
  for (const store of stores)
    for (const words of questionsOf(store)) {
      const json = ask(binary, store, [...words, '--json']);
      const text = ask(binary, store, words);
      const what = `${basename(store)}, ${words.join(' ')}`;
      if (!json) {
        console.log(`     ${what}: no answer`);
        continue;
      }
      const answer = JSON.parse(json) as Json;
      await everyValue(what, text, answer, words[0] === 'scale');
      if (words[0] === 'stats') await statsCells(what, text, answer as unknown as Stats);
      if (words[0] === 'diff') await verdictCells(what, text, answer as unknown as Diff);
    }
  return conclude();
}
