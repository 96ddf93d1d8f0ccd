/**
 * Numbers on the page read as they do in the terminal: `node run.mjs terminal.ts BINARY STORE …`.
 *
 * Each answer is asked for as JSON and as text. Tables of `stats` and `diff` are compared cell by cell with what the
 * page makes of the JSON; in the text of every answer, each value must be what the page prints for some number of it.
 */

import { execFileSync } from 'node:child_process';
import { basename } from 'node:path';
import type { Diff, Runs } from '@grainsheaf/views';
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
import { limitText, verdictText } from '@grainsheaf/views/logic/verdicts.ts';
import { check, conclude } from './check.ts';

type Json = number | string | boolean | null | readonly Json[] | { readonly [key: string]: Json };

type StatsRow = {
  readonly unit: string;
  readonly path: readonly string[];
  readonly [column: string]: unknown;
};

interface Stats {
  readonly rows: readonly StatsRow[];
}

/** The row of work outside of all groups. */
const OUTSIDE = '(no path)';

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

/** Numbers of an object whose quotients are computed. */
const MOST_OF_AN_OBJECT = 16;

/** All numbers of an answer. */
function numbersOf(value: Json, found: Set<number>): Set<number> {
  if (typeof value === 'number') found.add(value);
  else if (value !== null && typeof value === 'object')
    for (const part of Object.values(value)) numbersOf(part, found);
  return found;
}

/** What page and terminal compute from numbers of one object: quotients, relative changes, the sum of ready layers. */
function derivedOf(value: Json, found: Set<number>): Set<number> {
  if (value === null || typeof value !== 'object') return found;
  for (const part of Object.values(value)) derivedOf(part as Json, found);
  if (Array.isArray(value)) return found;
  const own = Object.values(value).filter((part) => typeof part === 'number');
  if (own.length <= MOST_OF_AN_OBJECT)
    for (const before of own)
      for (const after of own) if (before) found.add(after / before - 1).add(after / before);
  const means = Object.entries(value).filter(([name]) => /^ready.*_mean$/.test(name));
  return found.add(means.reduce((sum, [, mean]) => sum + Number(mean), 0));
}

/** Wholes of which an answer about one run prints shares: its own times, and the time of all workers. */
function wholesOf(answer: Json): number[] {
  if (answer === null || typeof answer !== 'object' || Array.isArray(answer)) return [];
  const of = answer as Readonly<Record<string, Json>>;
  const last = of['last_finishers'] as Readonly<Record<string, Json>> | undefined;
  const all = Number(of['workers']) * Number(of['elapsed']);
  return [of['elapsed'], of['work'], last?.['elapsed'], last?.['delay'], all]
    .map(Number)
    .filter((whole) => whole > 0);
}

/** Texts of an answer, such as versions, that look like numbers, and values in notes and warnings, which the page prints as they are. */
function textsIn(answer: Json): string[] {
  const all = [...JSON.stringify(answer).matchAll(/"([^"]*)"|-?[\d.e+-]+/g)];
  const { notes = [], warnings = [] } = answer as {
    readonly notes?: readonly { readonly text: string }[];
    readonly warnings?: readonly string[];
  };
  const inNotes = [...notes.map(({ text }) => text), ...warnings].flatMap((text) =>
    [...text.matchAll(VALUE)].map(([value]) => value),
  );
  return [...all.map(([whole, text]) => text ?? whole), ...inNotes];
}

/** Shares that texts name as limits: a confidence, an efficiency, a significance. */
const LIMITS = [0.95, 0.8, 0.05];

/** With one kind of space. */
const plain = (text: string): string => text.replace(/\s/g, ' ');

/** Texts that the page has for an answer, the likeliest first. */
function* textsOfAnswer(answer: Json, isScale: boolean): Generator<readonly string[]> {
  yield textsIn(answer);
  const numbers = [...numbersOf(answer, new Set(LIMITS))];
  yield numbers.flatMap(textsOf);
  const wholes = wholesOf(answer);
  yield wholes.flatMap(textsOf);
  yield wholes.flatMap((whole) => numbers.map((number) => formatShare(number / whole)));
  // Losses of `scale` are printed per worker.
  if (isScale)
    for (const count of [2, 4, 8, 16]) yield numbers.flatMap((number) => textsOf(number / count));
  yield [...derivedOf(answer, new Set())].flatMap(textsOf);
}

/** Each value of the text is what the page prints for a number of the answer. */
async function everyValue(
  what: string,
  text: string,
  answer: Json,
  isScale = false,
): Promise<void> {
  const cells = text
    .split('\n')
    .flatMap(cellsOf)
    .filter((cell) => CELL.test(cell));
  const inText = [...text.matchAll(VALUE)].map(([value]) => value);
  const values = [...inText, ...cells];
  let unlike = [...new Set(values.map(plain))];
  for (const texts of textsOfAnswer(answer, isScale)) {
    const known = new Set(texts.map(plain));
    unlike = unlike.filter(
      (value) => !known.has(value) && !known.has(value.replace(/ [^ ]+$/, '')),
    );
    if (unlike.length === 0) break;
  }
  await check(
    () => unlike.length === 0,
    `${what}: ${values.length} values read as on the page ${unlike.slice(0, 12).join('; ')}`,
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
    const unitOfTerminal = /\((.+)\)/.exec(head[at] ?? '')?.[1]?.replace('unknown', '');
    // All columns of the terminal's table share one unit.
    const largest = Math.max(...stats.rows.map((row) => Number(row['max'] ?? 0)));
    const column = columnUnit(largest, stats.rows[0]?.unit ?? '');
    if (column.unit !== (unitOfTerminal ?? ''))
      wrong.push(`${name} in ${column.unit}, not ${unitOfTerminal}`);
    rows.forEach((row, index) => {
      // The terminal keeps this row where it cuts the table.
      const isOutside = row[0] === OUTSIDE;
      const own = isOutside ? stats.rows.find(({ path }) => path.at(-1) === OUTSIDE) : undefined;
      const value = (own ?? stats.rows[index])?.[name] as number | null | undefined;
      const cell = row[at];
      if (cell === undefined) return;
      cells += 1;
      const onPage = column.format(value);
      if (onPage !== cell && !(onPage === ABSENT && cell === '–'))
        wrong.push(`${row[0]}, ${name}: ${onPage}, not ${cell}`);
    });
  }
  await check(
    () => cells > 0 && wrong.length === 0,
    `${what}: ${cells} cells are equal ${wrong.slice(0, 8).join('; ')}`,
  );
}

/** Verdicts of the table of `diff`. */
async function verdictCells(what: string, text: string, diff: Diff): Promise<void> {
  const words = new Set(
    diff.rows.map(({ verdict, reason }) =>
      [verdictText(verdict), limitText(reason)].filter(Boolean).join(', '),
    ),
  );
  const printed = tableOf(text).rows.map((row) => row.at(-1) ?? '');
  const unlike = printed.filter((word) => !words.has(word));
  await check(
    () => printed.length > 0 && unlike.length === 0,
    `${what}: ${printed.length} verdicts read as on the page ${[...new Set(unlike)].join('; ')}`,
  );
}

/** How to ask about a store: the number that its runs differ in, if there is one, and two sets of runs. */
interface Sides {
  readonly by: string | null;
  readonly a: string;
  readonly b: string;
  /** Whether its runs have grains. */
  readonly grains?: boolean;
}

const STORES: Readonly<Record<string, Sides>> = {
  threads: { by: 'threads', a: 'threads = 1', b: 'threads = 8', grains: true },
  runtimes: { by: 'threads', a: 'runtime = llvm', b: 'runtime = intel', grains: true },
  versions: { by: 'version', a: 'version = 1', b: 'version = 2', grains: true },
  planted: { by: 'repeat', a: 'change = cache', b: 'change = faster_50', grains: true },
  'lulesh-weak-scaling8': { by: 'ranks', a: 'ranks = 27', b: 'ranks = 343' },
  'rajaperf-quartz50': {
    by: null,
    a: 'program = gcc10.3.1_O0.exe',
    b: 'program = gcc10.3.1_O3.exe',
  },
  'hpctoolkit-v3': { by: 'ranks', a: 'ranks = 4', b: 'ranks = 10' },
  'dag-recorder': {
    by: 'threads',
    a: 'program = sort and threads = 1',
    b: 'program = sort and threads = 4',
    grains: true,
  },
};

/** Questions about all runs of a store. */
function questionsOf({ by, a, b }: Sides): readonly (readonly string[])[] {
  return [
    ['runs'],
    ['stats'],
    ['stats', '--scope', 'exclusive'],
    ['similar'],
    // The causes at their end are those of `explain`.
    ['diff', a, b, '--no-why'],
    ['explain', a, b],
    ['noise'],
    ...(by
      ? [
          ['scale', '--by', by, '--no-why'],
          ['history', '--by', by],
        ]
      : []),
    ['gate', '--baseline', a, '--candidate', b],
  ];
}

/** Questions about one run with grains. */
const QUESTIONS_OF_A_RUN = [
  'info',
  'grains',
  'problems',
  'tree',
  'paths',
  'loops',
  'scheduling',
  'parallelism',
  'what-if',
];

export async function main([binary = '', ...stores]: string[]): Promise<number> {
  for (const store of stores) {
    const sides = STORES[basename(store)];
    await check(() => sides !== undefined, `${store} is known`);
    if (!sides) continue;
    const { runs } = JSON.parse(ask(binary, store, ['runs', '--json'])) as Runs;
    const ofRun = sides.grains ? QUESTIONS_OF_A_RUN : ['info'];
    const questions = ofRun.map((question) => [question, runs.at(-1)?.run ?? '']);
    for (const words of [...questionsOf(sides), ...questions]) {
      const json = ask(binary, store, [...words, '--json']);
      const text = ask(binary, store, words);
      const what = `${basename(store)}, ${words.join(' ')}`;
      await check(() => json !== '', `${what}: there is an answer`);
      if (!json) continue;
      const answer = JSON.parse(json) as Json;
      await everyValue(what, text, answer, words[0] === 'scale');
      if (words[0] === 'stats') await statsCells(what, text, answer as unknown as Stats);
      if (words[0] === 'diff') await verdictCells(what, text, answer as unknown as Diff);
    }
  }
  return conclude();
}
