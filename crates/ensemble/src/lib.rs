#![doc = include_str!("../README.md")]

mod batches;
mod bounded_cache;
mod cache;
mod complete;
mod corrections;
mod disturbed;
mod ensemble;
mod error;
mod export;
mod gate;
mod history;
mod import;
mod info;
mod mapping;
mod metric_units;
mod noise;
mod notes;
mod once;
mod orders;
mod paired;
mod parameter_rules;
mod part_rules;
mod patterns;
mod questions;
mod run_detail;
mod run_notes;
mod runs;
mod scale;
mod select;
mod similar;
mod source;
mod source_files;
mod transfer;
mod view;

pub use batches::Caller;
pub use corrections::CorrectedRun;
pub use ensemble::Ensemble;
pub use error::{Error, ErrorKind, Hint};
pub use export::{ExportFormat, csv, csv_text, xml_text};
pub use import::{
    AddOptions, Input, NamePattern, Origin, SIDECAR, Sidecar, SymbolFiles, free_memory,
    read_stoppable,
};
pub use mapping::{EditedMapping, MappingEdit};
pub use paired::{FEWEST_PAIRS, compare_pairs};
pub use run_detail::{
    BriefExplanation, Faster, GrainDiffQuestion, GrainsQuestion, GroupsQuestion, PathScope,
    ThresholdSet, TreeChoice, TreeExtent, WhatIfQuestion, Window,
};
pub use run_notes::RenamedRun;
pub use runs::RunEntry;
pub use scale::scale_ends;
pub use sheaf_analysis::scaling::ScaleQuestion;
pub use sheaf_analysis::{LayoutOptions, LocationsQuestion, did_you_mean};
pub use sheaf_answers::{
    GrainMatch, GraphForm, Law, Measure, ScalingKind, SchedulePolicy, StructureForm,
};
pub use sheaf_compare::diff::both_names;
pub use sheaf_compare::gate::GateOptions;
pub use sheaf_compare::history::{HistoryOptions, HistoryOrder};
pub use sheaf_compare::noise::NoiseOptions;
pub use sheaf_ingest::trace::is_noted_variable;
pub use sheaf_statistics::Interval;
pub use sheaf_store::{Checks, Exposure, Workspace, Writers};
pub use similar::SimilarQuestion;
pub use source_files::{SourceFolders, SourceText};
pub use view::View;
