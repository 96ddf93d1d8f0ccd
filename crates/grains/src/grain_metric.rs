//! Metrics of the grains of one run: what each is, what it needs, and its value for every grain.
//!
//! The metrics are those of the papers ("Grain Graphs: OpenMP Performance Analysis Made Easy", 2016,
//! section 3.2; "Towards Aggregated Grain Graphs", 2017) and of their tools; where the two differ, both
//! are here under names of their own. All are computed from the tables of a run, whatever its source;
//! what a source cannot give is [`AbsenceReason`] with the reason.

mod balance;
mod benefit;
mod column;
mod creation;
mod deviation;
mod evaluation;
mod imbalance;
mod inst_par;
mod loops;
mod measures;
mod memory;
mod need;
mod registry;
mod scatter;
mod siblings;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
mod time;

use sheaf_model::{Direction, Unit};

use crate::aggregation::Propagation;

pub use column::integer_at;
pub use column::{AbsenceReason, Column, Origin, Values};
pub use deviation::{Unmatched, WorkDeviation, work_deviation};
pub use evaluation::Evaluation;
pub(crate) use imbalance::LoopImbalance;
pub use inst_par::{Basis, Overlap, Parallelism, Step, Width};
pub use need::Need;
pub use registry::{COMPUTED, by_name, computed_by_name, is_instantaneous_parallelism, metrics};
pub use scatter::NodeDistances;
pub use time::delays;

/// A metric that every grain of a run can have.
#[derive(Debug, Clone, Copy)]
pub struct GrainMetric {
    /// Lower snake case, with the unit as suffix where it has one; `_ns` stands for the time unit of
    /// the run, and is `_ticks` where the clock rate is not known.
    pub id: &'static str,
    /// Unit of the values; nanoseconds stand for the time unit of the run.
    pub unit: Unit,
    /// Which way is worse.
    pub direction: Direction,
    /// What it is, in one sentence.
    pub definition: &'static str,
    /// Where it comes from.
    pub citation: &'static str,
    /// What of the tables it is computed from.
    pub needs: &'static [Need],
    /// How a group's value follows from those of its grains.
    pub propagation: Propagation,
    /// Names by which sources give it themselves: taken where it cannot be computed.
    pub given_as: &'static [&'static str],
    compute: Compute,
}

/// Computes the values of a metric, a row per grain.
type Compute = fn(&Evaluation<'_>) -> Result<Values, AbsenceReason>;

/// What most metrics share; each states what is its own.
const RATIO: GrainMetric = GrainMetric {
    id: "",
    unit: Unit::Ratio,
    direction: Direction::HigherIsWorse,
    definition: "",
    citation: "",
    needs: &[],
    propagation: Propagation::Maximum,
    given_as: &[],
    compute: |_| Err(AbsenceReason::because("nothing computes it")),
};

/// A metric in the time unit of the run.
const TIME: GrainMetric = GrainMetric {
    unit: Unit::Nanoseconds,
    propagation: Propagation::Sum,
    ..RATIO
};

const PAPER: &str = "Grain Graphs (PPoPP 2016), section 3.2";
const TOOL: &str = "grain-graphs prototype, task-stats.processed";

impl GrainMetric {
    /// Whether `name` means this metric only as long as the source does not state values under that name: sources measure
    /// it in other ways. Times mean the same in every source.
    pub fn is_foreign(&self, name: &str) -> bool {
        self.id != name && self.unit != Unit::Nanoseconds && self.given_as.contains(&name)
    }

    /// Whether `name` means this metric: its id, the id in ticks, or a name that sources use.
    pub fn is_named(&self, name: &str) -> bool {
        let stem = self.id.strip_suffix("_ns");
        self.id == name
            || self.given_as.contains(&name)
            || (stem.is_some() && stem == name.strip_suffix("_ticks"))
    }
}
