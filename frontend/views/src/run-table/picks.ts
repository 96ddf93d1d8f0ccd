/** Runs that the reader has picked, in the order of the table. */

/** All of `runs` are picked, or none if all were. */
export function toggled(picked: readonly string[], runs: readonly string[]): string[] {
  const before = new Set(picked);
  const own = new Set(runs);
  if (runs.every((run) => before.has(run))) return picked.filter((run) => !own.has(run));
  return [...picked, ...runs.filter((run) => !before.has(run))];
}

/** Runs from one line to another, both included, in either direction. Lines without a run are titles. */
export function between(
  lines: readonly (string | undefined)[],
  from: number,
  to: number,
): string[] {
  return lines.slice(Math.min(from, to), Math.max(from, to) + 1).filter((run) => run !== undefined);
}
