/** Names of metrics for people. The raw name stays in tooltips and in the lens. */

interface Named {
  readonly name: string;
  /** The name that the source used. */
  readonly source?: string | null | undefined;
}

/** Endings of names that state the unit, which is printed next to the value. */
const UNITS = /_(ns|us|ms|s|bytes|count|ratio|cycles|ticks)$/;
/** Names whose words say less than others do. */
const WORDS: Readonly<Record<string, string>> = {
  work_ns: 'work',
  elapsed_ns: 'elapsed time',
  lock_waiting_ns: 'waiting for locks',
  lock_held_ns: 'locks held',
  mpi_ns: 'time in MPI',
  mpi_bytes: 'bytes sent by MPI',
  off_cpu_ns: 'time off the processor',
  arc_children_s: 'time in callees',
};

/** `work` for `work_ns`; the source's own label if it is written for people. */
export function metricLabel(metric: Named): string {
  const known = WORDS[metric.name];
  if (known !== undefined) return known;
  // The exclusive form of a time is shown as the time: the scope is stated separately.
  if (/^cputime(_(exclusive|inclusive))?(_|$)/.test(metric.name)) return 'processor time';
  const { source } = metric;
  // A label for people has words, or a unit in words such as `Avg time/rank`.
  if (source && /[A-Z ]/.test(source) && /[a-z] |\/|^[A-Z][a-z]/.test(source)) return source;
  const words = metric.name
    .replace(UNITS, '')
    .replace(/[_#.]+/g, ' ')
    .trim();
  return words || metric.name;
}

/** A unit next to a title: nothing for numbers without one. */
export function unitLabel(unit: string | undefined): string {
  if (unit === undefined || unit === 'count') return '';
  return unit === 'unknown' ? 'unit unknown' : unit;
}
