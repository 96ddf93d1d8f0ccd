//! What of the tables a metric is computed from.

use arrow::array::Array;
use sheaf_model::RunTables;
use sheaf_model::table::CompactColumn;

use super::{AbsenceReason, Evaluation};

/// What a metric needs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Need {
    /// Which grain created each.
    Parents,
    /// Time spent computing.
    Work,
    /// Cost of creation.
    Creation,
    /// Time in waits.
    Waiting,
    /// Times of creation.
    Created,
    /// Times of begin.
    Start,
    /// Times of end.
    End,
    /// Workers that finished grains.
    Locations,
    /// Processors of workers.
    Cores,
    /// NUMA nodes of workers.
    NumaNodes,
    /// Chunks of loops.
    Chunks,
    /// Times of fragments.
    Fragments,
    /// A measure by one of these names.
    Measure(&'static [&'static str]),
    /// A run or cohort to compare with.
    Reference,
}

impl Need {
    /// Whether the run has it.
    ///
    /// # Errors
    /// Why not, in the words of the source where it has any.
    pub(super) fn check(self, evaluation: &Evaluation<'_>) -> Result<(), AbsenceReason> {
        let run = evaluation.run();
        let (grains, locations) = (&run.grains, &run.summary.locations);
        let has = |column: &CompactColumn<i64>| column.null_count() < column.len();
        let has_any = |column: &dyn Array| column.null_count() < column.len();
        let (is_there, key, what) = match self {
            Self::Parents => {
                let lacks = run.summary.meta.lacks.contains_key("parent");
                (!lacks, "parent", "which grain created which")
            }
            Self::Work => (has(&grains.work), "work", "times of work"),
            Self::Creation => (has(&grains.creation), "creation", "costs of creation"),
            Self::Waiting => (has(&grains.waiting), "waiting", "times of waiting"),
            Self::Created => (has(&grains.created), "created", "times of creation"),
            Self::Start => (has(&grains.start), "start", "times of begin"),
            Self::End => (has(&grains.end), "end", "times of end"),
            Self::Locations => (
                grains.location.null_count() < grains.len(),
                "location",
                "workers of grains",
            ),
            Self::Cores => (has_any(&locations.core), "core", "processors of workers"),
            Self::NumaNodes => (has_any(&locations.numa_node), "numa_node", "NUMA nodes"),
            Self::Chunks => (
                evaluation.loops().num_chunks() > 0,
                "chunks",
                "chunks of loops",
            ),
            Self::Fragments => (!run.fragments.is_empty(), "fragments", "times of fragments"),
            Self::Measure(names) => {
                return evaluation.measures().find(names).map(drop);
            }
            Self::Reference => {
                let references = evaluation.references();
                let unit = run.summary.meta.time_unit;
                let is_other = |other: &&RunTables| other.summary.meta.time_unit != unit;
                return if references.is_empty() {
                    Err(AbsenceReason::because("there is no run to compare with"))
                } else if references.iter().any(is_other) {
                    Err(AbsenceReason::because(
                        "a run to compare with counts time in another unit",
                    ))
                } else {
                    Ok(())
                };
            }
        };
        if is_there {
            return Ok(());
        }
        let lacks = run.summary.meta.lacks.get(key);
        Err(lacks.map_or_else(
            || AbsenceReason::because(format!("the run has no {what}")),
            AbsenceReason::because,
        ))
    }
}
