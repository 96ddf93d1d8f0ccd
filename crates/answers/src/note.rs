//! Notes of answers: facts that readers must know, as data that programs read, with a text for people.

mod diff;
mod explain;
mod group;
mod history;
mod metric;
mod rename;
mod run;
mod scale;
mod similar;
mod source;
mod what_if;

pub use diff::{ConstructPair, DiffFact, PartlyMeasured};
pub use explain::ExplainFact;
pub use group::GroupFact;
pub use history::HistoryFact;
pub use metric::MetricFact;
pub use rename::{JoinedNames, MappingFault, RenameConflict, RenameFact, StatedPair};
pub use run::{FirstNames, RunFact};
pub use scale::{CountOf, ScaleFact, SeriesPoint};
pub use similar::{DrawnBy, SimilarFact};
pub use source::SourceFact;
pub use what_if::{NoGain, WaitKind, WhatIfFact};

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::Why;

/// A fact that readers of an answer must know.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Note {
    /// The code, with its values.
    #[serde(flatten)]
    pub fact: Fact,
    /// The same in English, a sentence without a full stop.
    pub text: String,
}

impl<F: Into<Fact>> From<F> for Note {
    fn from(fact: F) -> Self {
        let fact = fact.into();
        let text = fact.to_string();
        Self { fact, text }
    }
}

impl std::fmt::Display for Note {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text)
    }
}

impl Note {
    /// Removes notes that occur before.
    pub fn dedup(notes: &mut Vec<Self>) {
        let mut seen = std::collections::BTreeSet::new();
        notes.retain(|note| seen.insert(note.text.clone()));
    }

    /// Texts of several notes.
    pub fn texts(notes: &[Self]) -> Vec<String> {
        notes.iter().map(|note| note.text.clone()).collect()
    }
}

/// Declares the enum of all facts, from an enum per topic.
macro_rules! facts {
    ($($(#[doc = $doc:literal])+ $topic:ident($facts:ident),)+) => {
        /// Code of a note, with its values. `text/note.rs` makes the sentence. Codes differ between topics.
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
        #[serde(untagged)]
        pub enum Fact {
            $($(#[doc = $doc])+ $topic($facts),)+
        }

        $(impl From<$facts> for Fact {
            fn from(fact: $facts) -> Self {
                Self::$topic(fact)
            }
        })+

        impl std::fmt::Display for Fact {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                match self {
                    $(Self::$topic(fact) => fact.fmt(f),)+
                }
            }
        }
    };
}

facts! {
    /// About the runs.
    Runs(RunFact),
    /// About the metric.
    Metric(MetricFact),
    /// About groups of contexts.
    Groups(GroupFact),
    /// About a source file.
    Source(SourceFact),
    /// About a scaling study.
    Scaling(ScaleFact),
    /// About definitions of several names.
    Renames(RenameFact),
    /// About a comparison.
    Comparison(DiffFact),
    /// About an explanation.
    Explanation(ExplainFact),
    /// About a history.
    History(HistoryFact),
    /// About the similarity of runs.
    Similarity(SimilarFact),
    /// About predictions.
    Prediction(WhatIfFact),
    /// A reason.
    Reason(Why),
}
