#![doc = include_str!("../README.md")]

mod error;
mod expression;
mod id;
pub mod instant;
mod launch;
mod lens;
mod metric;
mod part;
mod path;
mod progress;
mod report;
mod run;
pub mod sketch;
mod source;
pub mod table;
mod tables;
mod visible;

pub use error::Error;
pub use expression::{Attributes, Comparison, Expression, ParseError};
pub use id::{
    ContextId, DefinitionId, PathKey, RunId, StructureForm, StructureHasher, StructureId,
};
pub use launch::{
    LAUNCH_ENDINGS, LAUNCH_PARAMETERS, ParameterRole, ParameterRules, identifies_launch,
};
pub use lens::{Clause, Compare, Lens, Level, LocationAggregate, Operation, RunSelector, Scope};
pub use metric::{Direction, MetricKind, Unit, names};
pub use part::{PartRules, ProgramPart};
pub use path::PathStep;
pub use progress::{Cancelled, Progress, Step};
pub use report::{Finding, Report};
pub use run::{MessagePair, Messages, ParamValue, RunMeta, TimeUnit};
pub use source::{RECORDED, RunSource};
pub use tables::{RunSummary, RunTables};
pub use visible::{is_invisible, visible, visible_json};
