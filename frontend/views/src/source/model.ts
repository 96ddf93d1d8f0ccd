/** Lines of a source file with their values. Pure. */

import type { Answers } from './definition.ts';

export type Source = NonNullable<Answers['source']>;
export type Value = Source['values'][number];

export interface SourceLine {
  readonly number: number;
  /** Absent if the file is not shown. */
  readonly text: string | undefined;
  readonly values: readonly Value[];
  /** Sum over the definitions of the line; absent if none has a value. */
  readonly total: number | undefined;
  readonly a: number | undefined;
  readonly b: number | undefined;
  readonly isOwn: boolean;
}

/** The source that is shown; nothing while only the grain is known. */
export function sourceOf({ source, followed }: Answers): Source | undefined {
  return source ?? followed;
}

/** The lines of the answer, or the lines with values if it has no text. */
export function linesOf(source: Source): SourceLine[] {
  const byLine = new Map<number, Value[]>();
  for (const value of source.values)
    byLine.set(value.line, [...(byLine.get(value.line) ?? []), value]);
  const numbers =
    source.lines.length > 0
      ? source.lines.map((_, at) => source.first_line + at)
      : [...byLine.keys()].sort((a, b) => a - b);
  return numbers.map((number, at) => {
    const values = byLine.get(number) ?? [];
    return {
      number,
      text: source.lines[at],
      values,
      total: sumOf(values, ({ value }) => value),
      a: sumOf(values, ({ a }) => a),
      b: sumOf(values, ({ b }) => b),
      isOwn: number === source.line,
    };
  });
}

function sumOf(
  values: readonly Value[],
  of: (value: Value) => number | null | undefined,
): number | undefined {
  let sum: number | undefined;
  for (const value of values) {
    const part = of(value);
    if (typeof part === 'number') sum = (sum ?? 0) + part;
  }
  return sum;
}

/** Whether the lens compares two sides of which one has a value. */
export function isCompared(source: Source): boolean {
  return source.values.some(({ a, b }) => typeof a === 'number' || typeof b === 'number');
}
