//! Figures that a run lacks, and why.

use std::fmt;

use sheaf_model::RunTables;

use super::logical::has_instants;
use crate::absent::AbsenceReason;

/// Something that is computed from a run's grain graph.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Figure {
    /// Which grains are created and collected together: the graph in any form.
    Structure,
    /// Work, span and critical path of the reduced graph.
    Span,
    /// The unreduced graph, with its span, earliest starts and logical parallelism.
    Unreduced,
    /// The critical path by elapsed time and its delays; the actual parallelism over time.
    ElapsedPath,
    /// Which wait collects each task: without it, all children of a task are taken to be collected at its end.
    Joins,
    /// Cost of creating grains, and with it parallel benefit.
    Creation,
}

/// All figures, in the order in which they are named.
pub const FIGURES: [Figure; 6] = [
    Figure::Structure,
    Figure::Span,
    Figure::Unreduced,
    Figure::ElapsedPath,
    Figure::Joins,
    Figure::Creation,
];

impl fmt::Display for Figure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Structure => "structure",
            Self::Span => "span",
            Self::Unreduced => "unreduced graph",
            Self::ElapsedPath => "critical path by elapsed time",
            Self::Joins => "waits",
            Self::Creation => "cost of creation",
        })
    }
}

/// That a figure cannot be had from a run, and why.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{figure} is absent: {reason}")]
pub struct Absence {
    /// What is absent.
    pub figure: Figure,
    /// Why, in words for people: the reader's where it gave any.
    pub reason: String,
}

impl Absence {
    /// Why a figure of a run is absent; `None` where it is not. Linear in the grains at most.
    pub fn of(run: &RunTables, figure: Figure) -> Option<Self> {
        let (key, otherwise) = missing(run, figure)?;
        let stated = run.summary.meta.lacks.get(key);
        let reason = stated.cloned().unwrap_or_else(|| otherwise.to_owned());
        Some(Self { figure, reason })
    }

    /// Everything that is absent, in the order of [`FIGURES`].
    pub fn all(run: &RunTables) -> Vec<Self> {
        let figures = FIGURES.iter();
        figures
            .filter_map(|&figure| Self::of(run, figure))
            .collect()
    }
}

impl From<Absence> for AbsenceReason {
    fn from(absence: Absence) -> Self {
        Self::because(absence.to_string())
    }
}

/// What a figure needs and the run has not: the key of [`sheaf_model::RunMeta::lacks`], and words for where that says
/// nothing.
fn missing(run: &RunTables, figure: Figure) -> Option<(&'static str, &'static str)> {
    let grains = &run.grains;
    if grains.is_empty() {
        return Some((
            "grains",
            "the run is a profile of calls and holds no grains",
        ));
    }
    let is_unknown = |key: &str| run.summary.meta.lacks.contains_key(key);
    let has_parents = grains.parent.null_count() < grains.len() || !is_unknown("parent");
    if !has_parents && figure != Figure::Creation {
        return Some((
            "parent",
            "the source does not say which grain created which",
        ));
    }
    let has_fragments = !run.fragments.is_empty();
    match figure {
        Figure::Structure => None,
        Figure::Span => (grains.work.null_count() == grains.len())
            .then_some(("work", "the source does not say how long grains ran")),
        Figure::Unreduced => (!has_fragments && !has_instants(run)).then_some((
            "fragments",
            "the source says neither when fragments ran nor where executions were cut",
        )),
        Figure::ElapsedPath => {
            (!has_fragments).then_some(("fragments", "the source does not say when fragments ran"))
        }
        Figure::Joins => (grains.joined_by.null_count() == grains.len() && run.waits.is_empty())
            .then_some(("waits", "the source does not say when grains waited")),
        Figure::Creation => (grains.creation.null_count() == grains.len())
            .then_some(("creation", "the source does not say what creations cost")),
    }
}
