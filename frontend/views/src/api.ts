/** Wire types under their own names, from the service's OpenAPI document. */

import type { components } from './generated/api.ts';
import type { Series } from './logic/values.ts';

type Schemas = components['schemas'];

/** Whether the values of runs are still missing, which follow in a second answer. */
interface Staged {
  readonly isPartial?: boolean;
}

export type Bin = Schemas['Bin'];
export type Cohort = Schemas['Cohort'];
export type Diff = Schemas['Diff'];
export type DiffRow = Schemas['DiffRow'];
export type DiffTotals = Schemas['DiffTotals'];
export type Distribution = Schemas['Distribution'];
export type DistributionMode = Schemas['DistributionMode'];
export type EdgeKind = Schemas['EdgeKind'];
export type EntryFunction = Schemas['EntryFunction'];
export type EnvironmentChange = Schemas['EnvironmentChange'];
export type ErrorBody = Schemas['ErrorBody'];
export type ErrorCode = Schemas['ErrorCode'];
export type FileReport = Schemas['FileReport'];
export type FileStatus = Schemas['FileStatus'];
export type Finding = Schemas['Finding'];
export type Geometry = Schemas['Geometry'];
/** Answers in which the values of runs may be columns of an Arrow stream. */
interface ByRun {
  readonly inclusive_by_run: Series;
  readonly exclusive_by_run: Series;
}
export type Fragments = Schemas['Fragments'];
export type GrainDiff = Schemas['GrainDiff'];
export type GrainMetric = Schemas['GrainMetric'];
export type GrainRow = Schemas['GrainRow'];
export type Grains = Schemas['Grains'];
export type Group = Schemas['Group'];
export type Groups = Schemas['Groups'];
export type Hierarchy = Omit<Schemas['Hierarchy'], 'sites'> & { readonly sites: Site[] } & Staged;
export type Histogram = Schemas['Histogram'];
export type Import = Schemas['Import'];
export type ImportLimits = Schemas['ImportLimits'];
export type ImportPolicy = Schemas['ImportPolicy'];
export type ImportProgress = Schemas['ImportProgress'];
export type ImportRequest = Schemas['ImportRequest'];
export type ImportState = Schemas['ImportState'];
export type LensAnswer = Schemas['LensAnswer'];
export type LensClause = Schemas['LensClause'];
export type LensFault = Schemas['LensFault'];
export type Metric = Schemas['Metric'];
export type NodeKind = Schemas['NodeKind'];
export type Note = Schemas['Note'];
export type ParamValue = Schemas['ParamValue'];
export type Parameter = Schemas['Parameter'];
export type Point = Schemas['Point'];
export type Run = Schemas['Run'];
export type RunInfo = Schemas['RunInfo'];
export type Runs = Schemas['Runs'];
export type Sankey = Omit<Schemas['Sankey'], 'nodes' | 'edges'> & {
  readonly nodes: SankeyNode[];
  readonly edges: SankeyEdge[];
} & Staged;
export type SankeyEdge = Omit<Schemas['SankeyEdge'], 'inclusive_by_run'> &
  Pick<ByRun, 'inclusive_by_run'>;
export type SankeyNode = Omit<Schemas['SankeyNode'], keyof ByRun> & ByRun;
export type Scheduling = Schemas['Scheduling'];
export type Side = Schemas['Side'];
export type Remarks = Schemas['Remarks'];
export type SimilarGroups = Schemas['SimilarGroups'];
export type Site = Omit<Schemas['Site'], keyof ByRun> & ByRun;
export type Stats = Schemas['Stats'];
export type StatsRow = Schemas['StatsRow'];
export type Paths = Schemas['Paths'];
export type Problem = Schemas['Problem'];
export type Problems = Schemas['Problems'];
export type StoreInfo = Schemas['StoreInfo'];
export type Tree = Schemas['Tree'];
export type Timeline = Schemas['Timeline'];
export type Verdict = Schemas['Verdict'];
