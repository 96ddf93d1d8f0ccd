/** What is known of an upload before and while it goes: limits, parameters, speed, outcome. */

import type { FileReport, Finding, ImportLimits, ParamValue } from '../api.ts';
import { formatCount, formatPlural, formatValue } from './format.ts';

/** A file that its user picked, as far as the logic looks at it. */
export interface Picked {
  /** Names joined by `/`; the first is that of a folder when it was picked with one. */
  readonly path: string;
  readonly bytes: number;
}

export interface Refused {
  readonly path: string;
  readonly reason: string;
}

/** Files by path; of two with the same path the later one counts. Sorted by path. */
export function withMore<T extends Picked>(before: readonly T[], more: readonly T[]): T[] {
  const byPath = new Map<string, T>();
  for (const file of [...before, ...more]) byPath.set(file.path, file);
  return [...byPath.values()].sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
}

// This pattern looks for control characters, which the rule forbids by default.
// eslint-disable-next-line no-control-regex
const UNFIT = /[\u0000-\u001f\u007f-\u009f\\]/;

/** Why the service will not take a file, as far as that is known before it is sent. */
export function faultOf(file: Picked, limits: ImportLimits): string | undefined {
  const names = file.path.split('/');
  if (names.some((name) => name === '' || name === '.' || name === '..'))
    return 'has no usable path';
  if (UNFIT.test(file.path)) return 'has a control character or backslash in its name';
  if (names.length > limits.depth) return `lies more than ${limits.depth} folders deep`;
  const length = new TextEncoder().encode(file.path).length;
  if (length > limits.path_bytes) return `has a path of more than ${limits.path_bytes} bytes`;
  if (file.bytes > limits.file_bytes)
    return `is larger than the ${formatValue(limits.file_bytes, 'bytes')} that a file may have`;
  return undefined;
}

/** Parts files into those that can be sent and those that cannot; says what bars them all. */
export function checkFiles<T extends Picked>(
  files: readonly T[],
  limits: ImportLimits,
): { fit: T[]; refused: Refused[]; bar: string | undefined } {
  const fit: T[] = [];
  const refused: Refused[] = [];
  for (const file of files) {
    const reason = faultOf(file, limits);
    if (reason === undefined) fit.push(file);
    else refused.push({ path: file.path, reason });
  }
  const bytes = totalBytes(fit);
  let bar: string | undefined;
  if (fit.length > limits.files)
    bar = `${formatCount(fit.length)} files are more than the ${formatCount(limits.files)} that fit into one import.`;
  else if (bytes > limits.bytes)
    bar = `${formatValue(bytes, 'bytes')} are more than the ${formatValue(limits.bytes, 'bytes')} that fit into one import.`;
  return { fit, refused, bar };
}

export function totalBytes(files: readonly Picked[]): number {
  return files.reduce((sum, file) => sum + file.bytes, 0);
}

/** A parameter as it is typed in. */
export interface ParamRow {
  readonly name: string;
  readonly text: string;
}

/** Types a text as the command line does: only numbers that print back the same are numbers. */
export function inferParam(text: string): ParamValue {
  if (text === 'true') return true;
  if (text === 'false') return false;
  if (!/^-?(0|[1-9]\d*)(\.\d+)?$/.test(text)) return text;
  const number = Number(text);
  return Number.isFinite(number) && plainDecimal(number) === text ? number : text;
}

/** The shortest decimal that reads back as the number, without an exponent. */
function plainDecimal(number: number): string {
  const [digits = '', power] = String(Math.abs(number)).split('e');
  const sign = number < 0 || Object.is(number, -0) ? '-' : '';
  if (power === undefined) return sign + digits;
  const [whole = '', fraction = ''] = digits.split('.');
  const shift = Number(power);
  if (shift < 0) return `${sign}0.${'0'.repeat(-shift - 1)}${whole}${fraction}`;
  return sign + whole + fraction.padEnd(shift, '0');
}

/** Name of the type of a parameter's value. */
export function typeOfParam(value: ParamValue): 'number' | 'truth value' | 'text' {
  if (typeof value === 'number') return 'number';
  return typeof value === 'boolean' ? 'truth value' : 'text';
}

/** Parameters of rows, and what is wrong with a row, by index. Rows without anything are left out. */
export function paramsOf(rows: readonly ParamRow[]): {
  params: Record<string, ParamValue>;
  faults: Map<number, string>;
} {
  const params = new Map<string, ParamValue>();
  const faults = new Map<number, string>();
  rows.forEach((row, index) => {
    const name = row.name.trim();
    const text = row.text.trim();
    if (name === '' && text === '') return;
    if (name === '') faults.set(index, 'name missing');
    else if (params.has(name)) faults.set(index, 'named twice');
    else if (text === '') faults.set(index, 'value missing');
    else params.set(name, inferParam(text));
  });
  return { params: Object.fromEntries(params), faults };
}

/** Speed over the last seconds. */
export class SpeedMeter {
  #samples: [time: number, bytes: number][] = [];

  /** Notes that `bytes` have gone in all at a time in milliseconds. */
  note(time: number, bytes: number): void {
    this.#samples.push([time, bytes]);
    const isOld = ([then]: [number, number]): boolean => time - then > 4000;
    while (this.#samples.length > 2 && this.#samples[1] && isOld(this.#samples[1]))
      this.#samples.shift();
  }

  /** Bytes per second; unknown in the first half second. */
  get rate(): number | undefined {
    const first = this.#samples[0];
    const last = this.#samples[this.#samples.length - 1];
    if (!first || !last || last[0] - first[0] < 500) return undefined;
    return Math.max(0, ((last[1] - first[1]) * 1000) / (last[0] - first[0]));
  }

  /** Seconds until `left` more bytes have gone. */
  secondsFor(left: number): number | undefined {
    const { rate } = this;
    return rate === undefined || rate === 0 ? undefined : left / rate;
  }
}

/** A stretch of time that is only guessed, in words. */
export function formatLeft(seconds: number): string {
  if (seconds < 5) return 'a few seconds left';
  if (seconds < 55) return `about ${Math.round(seconds / 5) * 5} s left`;
  if (seconds < 55 * 60) return `about ${Math.max(1, Math.round(seconds / 60))} min left`;
  return `about ${Math.max(1, Math.round(seconds / 3600))} h left`;
}

/** How a report ends up in one line. */
export interface Summary {
  readonly added: number;
  readonly present: number;
  readonly refused: number;
  /** Ids of the runs that are new, in the order of the report. */
  readonly runs: readonly string[];
}

export function summaryOf(files: readonly FileReport[]): Summary {
  const count = (status: FileReport['status']): number =>
    files.filter((file) => file.status === status).length;
  const runs = files.filter((file) => file.status === 'added').flatMap((file) => file.runs);
  return {
    added: count('added'),
    present: count('present'),
    refused: count('refused'),
    runs: [...new Set(runs)],
  };
}

export function summaryText({ added, present, refused, runs }: Summary): string {
  const parts: string[] = [];
  if (added > 0) parts.push(`${formatPlural(runs.length, 'run')} added`);
  if (present > 0) parts.push(`${formatCount(present)} already present`);
  if (refused > 0) parts.push(`${formatCount(refused)} refused`);
  return parts.join(', ') || 'nothing to add';
}

/** What a reader met, in words: the kind's verb comes first, `skipped_lost_events`. */
export function findingText({ kind, count, first }: Finding): string {
  const [verb = '', ...rest] = kind.split('_');
  const what = rest.join(' ');
  const isCounted = ['read', 'skipped', 'repaired', 'refused'].includes(verb);
  const text = isCounted
    ? `${verb} ${formatCount(count)} ${what}`
    : `${[verb, what].filter(Boolean).join(' ')}: ${formatCount(count)}`;
  return first ? `${text}; first: ${first}` : text;
}

/** The clause that selects runs by id. */
export function clauseOfRuns(runs: readonly string[]): string {
  if (runs.length === 1) return `where run == '${runs[0] ?? ''}'`;
  return `where run in (${runs.map((run) => `'${run}'`).join(', ')})`;
}
