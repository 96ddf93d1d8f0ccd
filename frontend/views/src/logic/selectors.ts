/** Expressions of the lens that select runs by id. */

/** Selects runs by id, for a `where` or one side of a `diff`. */
export function runsExpression(runs: readonly string[]): string {
  return `run in (${runs.map((run) => `'${run}'`).join(', ')})`;
}
