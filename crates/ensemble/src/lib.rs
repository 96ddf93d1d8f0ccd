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
    GrainDiffAnswer, GrainDiffDefinition, GrainDiffQuestion, GrainDiffRow, GrainsQuestion,
    GroupsQuestion, PathScope, ThresholdSet, TreeChoice, TreeExtent, Window,
};
pub use ensemble::Ensemble;
pub use error::{Error, ErrorKind};
pub use export::{ExportFormat, csv_text, xml_text};
pub use history::{HistoryDiff, HistoryWithDiffs};
pub use import::{
    AddAnswer, AddOptions, Input, NamePattern, Origin, SIDECAR, Sidecar, SymbolFiles, free_memory,
    read_stoppable,
};
pub use mapping::{EditedMapping, MappingEdit, MappingEntry};
pub use paired::{FEWEST_PAIRS, PairedChange};
pub use runs::RunEntry;
pub use sheaf_analysis::scaling::ScaleQuestion;
pub use sheaf_analysis::{LayoutOptions, LocationsQuestion, did_you_mean};
pub use sheaf_answers::{GraphForm, Law, ScalingKind};
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
pub use sheaf_statistics::Interval;
pub use sheaf_store::{Checks, Compaction, Exposure, Verification, Workspace, Writers};
pub use similar::SimilarQuestion;
pub use view::View;
