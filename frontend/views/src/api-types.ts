/** Wire types, as the service sends them. */

/** What went wrong, for programs. */
export type ErrorCode =
  | 'bad_request'
  | 'bad_lens'
  | 'unauthorised'
  | 'forbidden'
  | 'not_found'
  | 'unknown'
  | 'empty_ensemble'
  | 'nothing_in_common'
  | 'busy'
  | 'store'
  | 'internal';

/** Body of every answer that is an error. */
export interface ErrorBody {
  /** For programs. */
  code: ErrorCode;
  /** For people. */
  message: string;
  /** What could be done about it. */
  hint?: string;
  /** Character of the lens, from 1, where it is malformed. */
  position?: number;
}

/** Answer of `store`. */
export interface StoreInfo {
  /** `store/1` */
  schema: string;
  /** Name of the store's folder. */
  name: string;
  /** Version of the program. */
  version: string;
  /** Runs. */
  runs: number;
  /** Tasks and chunks over all runs. */
  grains: number;
  /** Segments. */
  segments: number;
  /** One sentence on what can be found in it, when the store has one. */
  description?: string;
  /** Other stores that the service offers, by name; the one shown included. */
  stores: string[];
}

/** A typed parameter. Times are text in RFC 3339. */
export type ParamValue = boolean | number | string;

/** Answer of `runs`: the runs that the lens's `where` selects, in order of name, then id. */
export interface Runs {
  /** `runs/1` */
  schema: string;
  /** The runs. */
  runs: Run[];
  /** Every parameter of any of the runs, those that vary first. */
  parameters: Parameter[];
  /** Every metric of any of the runs. */
  metrics: Metric[];
  /** The cohorts that the lens's `by` forms, in order of their values. */
  cohorts: Cohort[];
}

/** One run. */
export interface Run {
  /** Run id: 32 hexadecimal digits. */
  run: string;
  /** Short name. */
  name: string;
  /** Program without folders. */
  program: string;
  /** Format it was read from. */
  format: string;
  /** Parameters by name. */
  params: Record<string, ParamValue>;
  /** Tasks and chunks; 0 for call profiles. */
  grains: number;
  /** Contexts. */
  contexts: number;
  /** Elapsed time in ns; absent without times or without a known clock rate. */
  elapsed_ns?: number;
  /** Elapsed time of the uninstrumented reference in ns. */
  reference_elapsed_ns?: number;
  /** Workers over all ranks. */
  workers?: number;
  /** Ranks. */
  ranks: number;
  /** Whether the source was complete. */
  is_complete: boolean;
  /** Names of its metrics. */
  metrics: string[];
  /** Inclusive value of the lens's metric at the root, as one value per run. */
  total?: number;
  /** What its reader had to skip or repair. */
  warnings: string[];
}

/** One run in full. */
export interface RunInfo extends Run {
  /** `info/1` */
  schema: string;
  /** Definitions. */
  definitions: number;
  /** Fragments of grains. */
  fragments: number;
  /** Edges of the grain graph. */
  edges?: Edges;
  /** Stored tables. */
  tables: TableSize[];
  /** Total work, in `unit`. */
  work?: number;
  /** Length of the critical path, in `unit`. */
  span?: number;
  /** Work divided by span. */
  parallelism?: number;
  /** Time that ready grains waited for a worker, in `unit`. */
  delay?: number;
  /** Time that workers had nothing to run, in `unit`. */
  no_work?: number;
  /** `ns` when the clock rate is known, else `ticks`. */
  unit: string;
}

/** Edge counts of a grain graph. */
export interface Edges {
  /** Fork to child. */
  creation: number;
  /** Child to join. */
  synchronisation: number;
  /** Fragment to next fragment. */
  continuation: number;
}

/** One stored table of a run. */
export interface TableSize {
  /** Table. */
  name: string;
  /** Rows of the run. */
  rows: number;
  /** Bytes on disk of the run's rows; the run's share of a file that several runs share. */
  bytes: number;
}

/** A parameter over the runs of an answer. */
export interface Parameter {
  /** Name. */
  name: string;
  /** `number`, `text`, `boolean` or `time`; `mixed` when runs disagree. */
  type: string;
  /** Distinct values in order, at most 50. */
  values: ParamValue[];
  /** Number of distinct values. */
  distinct: number;
  /** Runs that have it. */
  runs: number;
  /** Whether it takes more than one value, or is absent in some runs. */
  varies: boolean;
}

/** A metric over the runs of an answer. */
export interface Metric {
  /** Name. */
  name: string;
  /** `ns`, `s`, `ticks`, `cycles`, `bytes`, `count` or `ratio`. */
  unit: string;
  /** `additive`, `inclusive` or `intensive`. */
  kind: string;
  /** `higher_is_worse`, `higher_is_better` or `neutral`. */
  direction: string;
  /** The name that the source used. */
  source?: string;
  /** Runs that have it. */
  runs: number;
  /** What it measures, in one sentence. */
  definition: string;
}

/** A cohort. */
export interface Cohort {
  /** The shared parameter values; a parameter that its runs do not have is missing. */
  values: Record<string, ParamValue>;
  /** Name for people: `threads=8`. */
  name: string;
  /** Ids of its runs. */
  runs: string[];
}

/** Answer of `stats`. */
export interface Stats {
  /** `stats/1` */
  schema: string;
  /** The lens that was answered, in text. */
  lens: string;
  /** One row per group, cohort, metric and scope. */
  rows: StatsRow[];
}

/** The distribution of one group's values over the runs of one cohort. The unit of statistics is the run: one value per run. Quartiles are of type 7; `std` divides by n − 1. */
export interface StatsRow {
  /** Names from the outermost group; one element except at context level. */
  path: string[];
  /** Group id, stable over runs and stores. */
  group: string;
  /** Parameter values of the cohort. */
  cohort: Record<string, ParamValue>;
  /** Metric. */
  metric: string;
  /** The name that the source used. */
  source_metric?: string;
  /** `exclusive` or `inclusive`. */
  scope: string;
  /** Unit. */
  unit: string;
  /** Runs in which the group has a value. */
  runs: number;
  /** Runs of the cohort in which the group does not occur. */
  absent: number;
  /** Runs of the cohort in which the group occurs but the metric was not measured. */
  not_measured: number;
  /** Observations (grains, samples) behind the values, over all runs. */
  count: number;
  /** Mean over runs. */
  mean?: number;
  /** Median over runs. */
  median?: number;
  /** Standard deviation over runs; absent below two runs. */
  std?: number;
  /** Least run. */
  min?: number;
  /** Greatest run. */
  max?: number;
  /** First quartile. */
  q1?: number;
  /** Third quartile. */
  q3?: number;
  /** Mean worker divided by greatest worker, mean over runs: 1 is balanced. */
  load_balance?: number;
  /** Mean share of the run's total. */
  share?: number;
}

/** Answer of `sankey`. */
export interface Sankey {
  /** `sankey/1` */
  schema: string;
  /** The lens that was answered, in text. */
  lens: string;
  /** Ids of the runs, in order of name, then id. */
  runs: string[];
  /** Metric. */
  metric: string;
  /** Unit of every value. */
  unit: string;
  /** `higher_is_worse`, `higher_is_better` or `neutral`. */
  direction: string;
  /** How locations became one value per run: `ranks=mean`, …. */
  over: string;
  /** What the groups stand for: `module`, `file`, `definition`, `context`; `file` when `module` was asked for and every group is in one module. */
  grouped_by: string;
  /** Nodes, by level, then from top to bottom. */
  nodes: SankeyNode[];
  /** Edges; indices into `nodes`. */
  edges: SankeyEdge[];
  /** Number of levels. */
  levels: number;
  /** Greatest histogram count of any node: the domain of the gradient's colours. */
  max_bin_count: number;
  /** Greatest exclusive value of any node and run: the domain of the borders' colours. */
  max_exclusive: number;
  /** Extent of the picture, in the units of the geometry. */
  width: number;
  /** Extent of the picture, in the units of the geometry. */
  height: number;
  /** Share of the weight that all runs have in common, 0..1; below 0.5 the runs look like different programs. */
  common_share: number;
  /** Groups left out because they were below the lens's share. */
  hidden: number;
  /** Things a reader of the picture must know. */
  notes: string[];
}

/** What a node stands for. */
export type NodeKind = 'module' | 'file' | 'definition' | 'context' | 'others';

/** A supernode. */
export interface SankeyNode {
  /** Group id, stable over runs and stores; what lens operations and other routes take. */
  id: string;
  /** Name for people. */
  name: string;
  /** What it stands for. */
  kind: NodeKind;
  /** Kind of construct, at definition and context level. */
  definition_kind?: string;
  /** Module. */
  module?: string;
  /** `file:line`. */
  source?: string;
  /** Column. */
  level: number;
  /** Inclusive value per run. */
  inclusive_by_run: (number | null)[];
  /** Exclusive value per run. */
  exclusive_by_run: (number | null)[];
  /** Greatest inclusive value over runs. */
  max_inclusive: number;
  /** Greatest exclusive value over runs. */
  max_exclusive: number;
  /** Runs in which the group occurs. */
  present: number;
  /** Grains, or calls where the profile has them, over all runs. */
  count: number;
  /** Histogram of the lens's metric and scope over runs. */
  histogram: Histogram;
  /** Entry functions by inclusive value, at most 20. */
  entry_functions: EntryFunction[];
  /** Entry functions in all. */
  entry_function_count: number;
  /** Whether the group calls itself. */
  is_recursive: boolean;
  /** Groups collected in an others-node, by name. */
  members: string[];
  /** Rectangle. */
  geometry: Geometry;
}

/** A function through which a group is entered. */
export interface EntryFunction {
  /** Name. */
  name: string;
  /** Greatest inclusive value over runs. */
  max_inclusive: number;
}

/** Histogram with equal bins. */
export interface Histogram {
  /** Lower end of the first bin. */
  min: number;
  /** Upper end of the last bin, which includes it. */
  max: number;
  /** Values per bin; empty when there are no values, one bin when all are equal. */
  counts: number[];
  /** Bin of each value, parallel to the runs (or to the answer's members); `null` is absent. */
  bin_of: (number | null)[];
}

/** A rectangle; y grows downwards. */
export interface Geometry {
  /** Left. */
  x: number;
  /** Top. */
  y: number;
  /** Width. */
  width: number;
  /** Height. */
  height: number;
}

/** Direction of an edge. */
export type EdgeKind = 'forward' | 'back';

/** A superedge. */
export interface SankeyEdge {
  /** Index of the caller's node. */
  source: number;
  /** Index of the callee's node. */
  target: number;
  /** Direction. */
  kind: EdgeKind;
  /** Inclusive value that flows along it, per run. */
  inclusive_by_run: (number | null)[];
  /** Greatest of them. */
  max_inclusive: number;
  /** Runs in which it occurs. */
  present: number;
  /** The band from source to target: one point per crossed column, both ends included; empty for back edges. */
  band: Point[];
}

/** A cross-section of a band. */
export interface Point {
  /** Position. */
  x: number;
  /** Upper border. */
  y: number;
  /** Height of the band here. */
  height: number;
}

/** Answer of `hierarchy`: contexts in pre-order. */
export interface Hierarchy {
  /** `hierarchy/1` */
  schema: string;
  /** The lens that was answered, in text. */
  lens: string;
  /** The group whose inside this is. */
  group: string;
  /** Its name. */
  name: string;
  /** Ids of the runs that the arrays run parallel to. */
  runs: string[];
  /** Unit of every value. */
  unit: string;
  /** Contexts, parents first. The first is an artificial root with the group's name when several contexts enter the group. */
  sites: Site[];
  /** Contexts left out because the tree is larger than the answer's bound. */
  omitted: number;
  /** Contexts of the same definition below one another that were cut to make a tree. */
  recursive_edges_cut: number;
  /** Greatest histogram count of any site. */
  max_bin_count: number;
  /** Greatest exclusive value of any site and run. */
  max_exclusive: number;
}

/** A call site: one context of the ensemble. */
export interface Site {
  /** Context id; the group's id for an artificial root. */
  id: string;
  /** Index of the parent in the answer; absent for the first. */
  parent?: number;
  /** Name of its definition. */
  name: string;
  /** Kind of its definition. */
  kind: string;
  /** `file:line`. */
  source?: string;
  /** Rows below the top, from 0. */
  depth: number;
  /** Inclusive value per run. */
  inclusive_by_run: (number | null)[];
  /** Exclusive value per run. */
  exclusive_by_run: (number | null)[];
  /** Greatest inclusive value over runs. */
  max_inclusive: number;
  /** Greatest exclusive value over runs. */
  max_exclusive: number;
  /** Runs in which it occurs. */
  present: number;
  /** Histogram of the lens's metric and scope over runs. */
  histogram: Histogram;
}

/** What is counted. */
export type DistributionMode = 'runs' | 'call_sites' | 'ranks' | 'workers';

/** Answer of `distribution`. */
export interface Distribution {
  /** `distribution/1` */
  schema: string;
  /** The lens that was answered, in text. */
  lens: string;
  /** Group id. */
  group: string;
  /** Its name. */
  name: string;
  /** Metric. */
  metric: string;
  /** `exclusive` or `inclusive`. */
  scope: string;
  /** Unit of every value. */
  unit: string;
  /** What is counted. */
  mode: DistributionMode;
  /** Bins in ascending order; one when all values are equal. */
  bins: Bin[];
  /** Values in all. */
  count: number;
  /** Runs in which the group does not occur. */
  absent: number;
  /** The values themselves when there are at most 50, ascending. */
  values: number[];
}

/** One bin; the last includes its upper end. */
export interface Bin {
  /** Lower end. */
  lo: number;
  /** Upper end. */
  hi: number;
  /** Values in it. */
  count: number;
  /** Values in it that belong to the target or to side B of a diff. */
  target_count: number;
  /** Values in it that belong to side A of a diff. */
  baseline_count: number;
  /** Who is in it: run names, call-site names, or compacted ranges of ranks (`0-15, 18`); the first 20. */
  members: string[];
  /** Ids of the runs in it, in mode `runs`. */
  runs: string[];
}

/** Answer of `diff`. Differences are candidate minus baseline, B − A. */
export interface Diff {
  /** `diff/1` */
  schema: string;
  /** The lens that was answered, in text. */
  lens: string;
  /** Baseline. */
  a: Side;
  /** Candidate. */
  b: Side;
  /** Metric. */
  metric: string;
  /** `exclusive` or `inclusive`. */
  scope: string;
  /** Unit of every value. */
  unit: string;
  /** `higher_is_worse`, `higher_is_better` or `neutral`. */
  direction: string;
  /** Parameters that differ between the sides. */
  environment: EnvironmentChange[];
  /** What appeared and vanished, and how much of the work was matched how. */
  structure: StructureChange;
  /** Groups, greatest practical impact first. */
  rows: DiffRow[];
  /** Totals; `delta` is the exact sum of the exclusive deltas. */
  totals: DiffTotals;
  /** Why times are not tested, when they are not; what the design cannot show. */
  notes: string[];
  /** Smallest p that the two sides' numbers of runs can reach. */
  smallest_p?: number;
  /** Groups that were tested. */
  tested: number;
}

/** One side of a diff. */
export interface Side {
  /** As the user named it. */
  name: string;
  /** Ids of its runs. */
  runs: string[];
}

/** A parameter that differs. */
export interface EnvironmentChange {
  /** Parameter. */
  parameter: string;
  /** Distinct values of the baseline's runs; empty when none has it. */
  a: ParamValue[];
  /** Distinct values of the candidate's runs; empty when none has it. */
  b: ParamValue[];
}

/** Differences of structure. */
export interface StructureChange {
  /** Groups only in the candidate. */
  appeared: number;
  /** Groups only in the baseline. */
  vanished: number;
  /** Groups in both. */
  common: number;
  /** Share of the exclusive work of both sides, by how its groups were matched. */
  matched_work: MatchedBy;
}

/** Share of work per way of matching, 0..1; the parts add up to 1 unless there is no work at all. */
export interface MatchedBy {
  /** Same context. */
  context: number;
  /** Same definition, in other contexts. */
  definition: number;
  /** Not matched. */
  unmatched: number;
}

/** What can be said of a group. */
export type Verdict =
  'appeared' | 'vanished' | 'faster' | 'slower' | 'unchanged' | 'inconclusive' | 'untestable';

/** One group of a diff. */
export interface DiffRow {
  /** Names from the outermost group; one element except at context level. */
  path: string[];
  /** Group id. */
  group: string;
  /** Metric. */
  metric: string;
  /** Mean over the baseline's runs, absent groups counting as zero for additive metrics; absent when the group occurs in none. */
  a?: number;
  /** The same of the candidate. */
  b?: number;
  /** b − a, an absent side counting as zero. */
  delta: number;
  /** Delta divided by the baseline's total. */
  impact?: number;
  /** Typical ratio B/A (Hodges-Lehmann on logarithms). */
  ratio?: number;
  /** Distribution-free interval of the ratio. */
  ci?: [number, number];
  /** Two-sided p of the exact, tie-aware rank-sum test. */
  p?: number;
  /** Benjamini-Hochberg q over the tested groups. */
  q?: number;
  /** Cliff's delta, −1..1. */
  cliffs_delta?: number;
  /** What can be said. */
  verdict: Verdict;
  /** Why, in one sentence, with numbers. */
  reason: string;
  /** `context` or `definition`; absent when it occurs on one side only. */
  matched_by?: string;
  /** Runs of the baseline in which it occurs. */
  runs_a: number;
  /** Runs of the candidate in which it occurs. */
  runs_b: number;
  /** Inclusive mean of the baseline, for pictures. */
  inclusive_a?: number;
  /** Inclusive mean of the candidate, for pictures. */
  inclusive_b?: number;
}

/** Totals of a diff. */
export interface DiffTotals {
  /** Mean total of the baseline's runs. */
  a: number;
  /** Mean total of the candidate's runs. */
  b: number;
  /** b − a. */
  delta: number;
}

/** Answer of `lens`: a text form, checked and in canonical form. */
export interface LensAnswer {
  /** `lens/1` */
  schema: string;
  /** Canonical text. */
  text: string;
  /** Its clauses, in order. */
  clauses: LensClause[];
  /** Expression that chooses runs. */
  where?: string;
  /** Parameters that form cohorts. */
  by: string[];
  /** `module`, `definition` or `context`. */
  level: string;
  /** Metric. */
  metric: string;
  /** `exclusive` or `inclusive`. */
  scope: string;
  /** How locations become one value per run. */
  over: string;
  /** Share of the root below which groups are collected, 0..1. */
  below: number;
  /** Bins of histograms. */
  bins: number;
  /** Changes to the super graph, as clauses. */
  operations: string[];
  /** Target run. */
  target?: string;
  /** Baseline and candidate of a diff. */
  diff?: [string, string];
  /** What is wrong, when the text is not a lens; the rest is then the default lens. */
  fault?: LensFault;
}

/** One clause. */
export interface LensClause {
  /** First word. */
  keyword: string;
  /** Whole clause. */
  text: string;
}

/** Where and why a text is not a lens. */
export interface LensFault {
  /** Character, from 1. */
  position: number;
  /** What was expected or is wrong. */
  message: string;
}
