#![doc = include_str!("../README.md")]

mod batches;
mod cache;
mod complete;
mod corrections;
mod depth;
mod disturbed;
mod ensemble;
mod error;
mod export;
mod gate;
mod history;
mod import;
mod info;
mod mapping;
mod noise;
mod notes;
mod once;
mod orders;
mod paired;
mod parameter_rules;
mod questions;
mod runs;
mod scale;
mod select;
mod similar;
mod transfer;
mod view;

pub use batches::Caller;
pub use corrections::CorrectedRun;
pub use depth::{
    EdgeRow, ElapsedRow, GrainComparison, GrainDiffAnswer, GrainDiffDefinition, GrainDiffQuestion,
    GrainDiffRow, GrainMetricEntry, GrainRow, GrainValue, GrainsAnswer, GrainsQuestion,
    GraphFigures, GraphForm, GroupRow, GroupsAnswer, GroupsQuestion, HeldLock, IntervalRow,
    LoopRow, LoopsAnswer, NotCheckedRow, ParallelismAnswer, PathRow, PathScope, PathStep,
    PathsAnswer, ProblemDefinition, ProblemRow, ProblemsAnswer, SchedulingAnswer, ThresholdSet,
    TimelineAnswer, TreeAnswer, TreeChoice, TreeExtent, Window, WorkerRow,
};
pub use ensemble::Ensemble;
pub use error::{Error, ErrorKind};
pub use export::{ExportFormat, csv_text, xml_text};
pub use history::{HistoryDiff, HistoryWithDiffs};
pub use import::{
    AddAnswer, AddOptions, Input, NamePattern, Origin, SIDECAR, Sidecar, SymbolFiles, free_memory,
    read_stoppable,
};
pub use info::InfoAnswer;
pub use mapping::{MappingEdit, MappingEntry};
pub use paired::{FEWEST_PAIRS, PairedChange};
pub use runs::{CohortEntry, MetricEntry, ParameterEntry, RunEntry, RunRow, RunsAnswer};
pub use sheaf_analysis::layout::{BandPoint, LayoutOptions, Rect};
pub use sheaf_analysis::scaling::{
    Culprit, IntervalBy, Law, LossRow, OutOfOrder, Parameter, ScaleAnswer, ScaleModel, ScalePoint,
    ScaleQuestion, ScaleSeries, ScalingKind,
};
pub use sheaf_analysis::{
    Bin, BoxPlot, DistributionAnswer, DistributionMode, EdgeKind, EntryFunction, HierarchyAnswer,
    Histogram, Mode, Modes, NodeKind, Outlier, SankeyAnswer, SankeyEdge, SankeyNode, SharedBins,
    Site, SiteId, StatsAnswer, StatsRow, did_you_mean,
};
pub use sheaf_compare::diff::{
    ChangeKind, DiffAnswer, DiffRow, DiffTotals, EnvironmentChange, MatchedBy, MatchedWork,
    PossibleMatch, StructuralChange, StructureChange, StructureVerdict, Verdict, both_names,
};
pub use sheaf_compare::gate::{
    GateAnswer, GateCheck, GateOptions, GateOutcome, GateState, GateTotal,
};
pub use sheaf_compare::grain_diff::{GrainDelta, GrainGroup, GrainSelection};
pub use sheaf_compare::history::{
    HistoryAnswer, HistoryChange, HistoryEvent, HistoryLast, HistoryName, HistoryOptions,
    HistoryOrder, HistoryPoint, HistoryRow, HistorySeries, HistoryValue,
};
pub use sheaf_compare::noise::{
    NOISE_RUNS, NoiseAnswer, NoiseCohort, NoiseOptions, NoiseRow, SplitCheck,
};
pub use sheaf_compare::renaming::RenamedName;
pub use sheaf_compare::similarity::{
    Arrow, Basis, Cluster, Coordinates, Importance, Measure, Picture, ProjectedRun,
    ProjectionAnswer, SimilarAnswer, SimilarRun, Trait, TraitKind,
};
pub use sheaf_grains::problem::{Gain, GainBasis};
pub use sheaf_grains::timeline::Balance;
pub use sheaf_statistics::Interval;
pub use sheaf_store::{Checks, Compaction, Exposure, TableSize, Verification, Workspace, Writers};
pub use similar::SimilarQuestion;
pub use view::View;
