/**
 * Names of metrics for people. The raw name stays in tooltips and in the lens. `crates/answers/src/text/metric_name.rs`
 * names operations by the same rule; tests of both read `tests/metric-names.json`.
 */

interface Named {
  readonly name: string;
  /** The name that the source used. */
  readonly source?: string | null | undefined;
  /** The label that the source shows people. */
  readonly label?: string | null | undefined;
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

/** Operations in raw names of Caliper as people call them; others keep their name. */
const OPERATIONS: Readonly<Record<string, string>> = {
  avg: 'mean',
  min: 'minimum',
  max: 'maximum',
};

/**
 * `time, inclusive (mean over ranks)` for `avg#inclusive#sum#time.duration`: the last operation is that of one rank, and
 * a sum there needs no word. Nothing for names that are not operations and a quantity.
 */
function operationsLabel(raw: string): string | undefined {
  const [, operations = '', quantity = ''] = /^((?:[a-z_]+#)+)([^#]+)$/.exec(raw) ?? [];
  if (quantity === '') return undefined;
  const all = operations.split('#').filter(Boolean);
  const words = all.filter((one) => one !== 'inclusive').map((one) => OPERATIONS[one] ?? one);
  const inner = words.pop() ?? 'sum';
  const outer = words.filter((one) => one !== 'any').map((one) => `${one} over ranks`);
  const how = inner === 'sum' || inner === 'any' ? outer : [...outer, inner];
  const what = quantity
    .replace(/^time[._]duration([._](ns|us|s))?$/, 'time')
    .replace(/[_.]+/g, ' ')
    .trim();
  if (what === '') return undefined;
  const scope = all.includes('inclusive') ? ', inclusive' : '';
  return what + scope + (how.length > 0 ? ` (${how.join(' of ').replace(/_/g, ' ')})` : '');
}

/** `work` for `work_ns`; the source's own label if it is written for people. */
export function metricLabel(metric: Named): string {
  const known = WORDS[metric.name];
  if (known !== undefined) return known;
  // The exclusive form of a time is shown as the time: the scope is stated separately.
  if (/^cputime(_(exclusive|inclusive))?(_|$)/.test(metric.name)) return 'processor time';
  const { source } = metric;
  if (metric.label) return metric.label;
  // Answers that state no source have our name only, in which the same operations come first.
  const raw =
    source ??
    metric.name.replace(/^(?:(?:sum|avg|min|max|any|inclusive)_)+(?=time_duration)/, (all) =>
      all.replaceAll('_', '#'),
    );
  const label = operationsLabel(raw);
  if (label !== undefined) return label;
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
