#![doc = include_str!("../README.md")]

mod choice;
mod diff;
mod distribution;
mod error;
mod explain;
mod gate;
mod grain_diff;
mod grain_rows;
mod grains;
mod hierarchy;
mod history;
mod import;
mod import_job;
mod lens;
mod locations;
mod name_path;
mod noise;
mod note;
mod paths;
mod query;
mod reason;
mod runs;
mod sankey;
mod scale;
mod similar;
mod similar_groups;
mod source;
mod stats;
mod store;
mod table;
pub mod text;
mod timeline;
mod tree;
mod what_if;

pub use diff::{
    CandidateMatch, ChangeKind, Diff, DiffRow, DiffTotals, EnvironmentChange, MappedPair, Mapping,
    MappingChange, MappingRequest, MatchedBy, MatchedWork, ShareOf, Side, StructuralChange,
    StructureChange, StructureVerdict, TotalChange, Verdict,
};
pub use distribution::{Bin, Distribution, DistributionMode};
pub use error::{ErrorBody, ErrorCode};
pub use explain::{Association, Cause, CauseKind, ExplainedBy, ExplainedView, Explanation};
pub use gate::{
    Gate, GateCause, GateElapsed, GateGroup, GateLimits, GateOutcome, GateQuery, GateState,
    GateTotal,
};
pub use grain_diff::{
    GrainDiff, GrainDiffDefinition, GrainDiffGroup, GrainDiffQuery, GrainDiffRow, GrainMatch,
};
pub use grain_rows::{GrainRows, MetricColumn, path_key_text};
pub use grains::{
    Gain, GainBasis, GrainKind, GrainMetric, GrainReference, GrainRow, Grains, GrainsQuery,
    MetricValue, NotChecked, Preset, Problem, ProblemDefinition, Problems, ProblemsQuery,
    ReferenceRun, WorstGrain,
};
pub use hierarchy::{Hierarchy, Site};
pub use history::{
    History, HistoryChange, HistoryDiff, HistoryEvent, HistoryGroup, HistoryLast, HistoryLink,
    HistoryPoint, HistoryQuery, HistorySeries, HistoryValue, Renamed, RenamedName,
};
pub use import::{
    Add, FileReport, FileStatus, Finding, Record, RecordedRun, RecordingCost, RelativeCost,
};
pub use import_job::{
    FileQuery, Import, ImportLimits, ImportPolicy, ImportProgress, ImportRequest, ImportState,
    ImportStep, ReceivedFile,
};
pub use lens::{LensAnswer, LensClause, LensFault};
pub use locations::{
    LocatedGroup, LocatedRun, LocatedValues, Location, LocationColumn, LocationKind, LocationOrder,
    LocationSpread, Locations, LocationsQuery,
};
pub use name_path::{NamePath, NamePaths};
pub use noise::{Noise, NoiseCohort, NoiseGroup, NoiseQuery, SplitCheck};
pub use note::{
    ConstructPair, CountOf, DiffFact, DrawnBy, ExplainFact, Fact, FirstNames, GroupFact,
    HistoryFact, JoinedNames, MappingFault, MetricFact, NoGain, Note, PartlyMeasured,
    RenameConflict, RenameFact, RunFact, ScaleFact, SeriesPoint, SimilarFact, SourceFact,
    StatedPair, WaitKind, WhatIfFact,
};
pub use paths::{
    GraphForm, LastFinishers, LockBound, LoopRow, Loops, Makespan, PathRow, PathStep, Paths,
    PathsQuery, Proof, TableQuery,
};
pub use query::{
    Format, GroupQuery, LensQuery, LensTextQuery, SankeyQuery, StatsQuery, StoreQuery,
};
pub use reason::{ChangeCount, CountedGrains, Reason, TypicalChange, WhichSide, Why, WidthChange};
pub use runs::{
    Cohort, Edges, MessagePair, Metric, Parameter, ParameterType, Run, RunInfo, RunMessages,
    RunSource, Runs, TableSize,
};
pub use sankey::{
    EdgeKind, EntryFunction, Geometry, GroupedBy, Histogram, NodeKind, Point, Sankey, SankeyEdge,
    SankeyNode,
};
pub use scale::{
    Culprit, IntervalBy, Law, MissingPoint, ModelFlag, OutOfOrder, Scale, ScaleLoss, ScaleModel,
    ScaleParameter, ScalePoint, ScaleQuery, ScaleSeries, ScaleTable, ScalingKind, WithinBounds,
};
pub use sheaf_model::ParamValue;
pub use similar::{
    Arrow, ClusterTrait, Measure, ParameterImportance, Picture, Place, ProjectedRun, Projection,
    RunCluster, Similar, SimilarQuery, SimilarRun, StructureBasis, StructureForm, TraitKind,
};
pub use similar_groups::{SimilarGroup, SimilarGroups, SimilarGroupsQuery};
pub use source::{Source, SourceQuery, SourceState, SourceValue};
pub use stats::{BoxPlot, Mode, Modes, Outlier, SharedBins, Stats, StatsRow};
pub use store::{
    Compact, Corrected, CorrectedParam, CorrectedRun, DamagedFile, MetricUnitRequest, MetricUnits,
    ParameterRules, Remark, RemarkRequest, Remarks, RemovalRequest, Remove, Restore, RunName,
    RunNameRequest, StoreInfo, Verify,
};
pub use table::{
    Cells, Column, ColumnReference, ColumnUnit, GateLine, NoiseLine, NumberedRows, ProblemLine,
    Table, TableColumn, TableReference, TableRows, Tabular, Text, TextCells, Value, Values,
    columns_document, table_references,
};
pub use timeline::{
    FragmentEnd, Fragments, FragmentsQuery, GrainFragment, Parallelism, ParallelismRow, Policy,
    ReadyBy, Scheduling, SchedulingEdge, Timeline, TimelineQuery, TimelineRow, TimelineWorker,
};
pub use tree::{Group, GroupKind, GroupMetrics, Groups, GroupsQuery, Tree, TreeQuery};
pub use what_if::{
    CheckedPrediction, MeasuredCost, PolicySource, Prediction, PredictionReference,
    PredictionTrust, Priority, RecordedTimes, ScheduleCost, SchedulePolicy, ScheduledRun,
    WhatFirst, WhatIf, WhatIfCheck, WhatIfQuery,
};
