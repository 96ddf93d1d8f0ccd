/** Wire types under their own names, from the service's OpenAPI document. */

import type { components } from './generated/api.ts';

type Schemas = components['schemas'];

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
export type Geometry = Schemas['Geometry'];
export type Hierarchy = Schemas['Hierarchy'];
export type Histogram = Schemas['Histogram'];
export type LensAnswer = Schemas['LensAnswer'];
export type LensClause = Schemas['LensClause'];
export type LensFault = Schemas['LensFault'];
export type Metric = Schemas['Metric'];
export type NodeKind = Schemas['NodeKind'];
export type ParamValue = Schemas['ParamValue'];
export type Parameter = Schemas['Parameter'];
export type Point = Schemas['Point'];
export type Run = Schemas['Run'];
export type RunInfo = Schemas['RunInfo'];
export type Runs = Schemas['Runs'];
export type Sankey = Schemas['Sankey'];
export type SankeyEdge = Schemas['SankeyEdge'];
export type SankeyNode = Schemas['SankeyNode'];
export type Side = Schemas['Side'];
export type Site = Schemas['Site'];
export type Stats = Schemas['Stats'];
export type StatsRow = Schemas['StatsRow'];
export type StoreInfo = Schemas['StoreInfo'];
export type Verdict = Schemas['Verdict'];
