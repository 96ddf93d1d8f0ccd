//! The answer of a scaling study as plain data. `None` is not known or not meant, never zero.

use std::collections::BTreeMap;

use sheaf_model::{Lens, ParamValue, RunId};
use sheaf_statistics::Interval;
use sheaf_statistics::scaling::{Bounds, Communication, Pop, Scaled, WithinBounds};

use super::question::{Law, ScalingKind};
use crate::groups::GroupId;

/// Answer of a scaling study.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ScaleAnswer {
    /// The lens that was answered.
    pub lens: Lens,
    /// The parameter that grows.
    pub by: String,
    /// The runs, in order of name, then id.
    pub runs: Vec<RunId>,
    /// The metric of groups; that of points too, unless they are of elapsed times.
    pub metric: String,
    /// Unit of every time and value.
    pub unit: String,
    /// Whether points are of elapsed times.
    pub is_elapsed: bool,
    /// Whether the values of points are times, so that speedups mean something.
    pub is_time: bool,
    /// Parameters that divide the runs into series.
    pub divided_by: Vec<String>,
    /// The series, in order of their values.
    pub series: Vec<ScaleSeries>,
    /// Points, by series, then p.
    pub points: Vec<ScalePoint>,
    /// Fitted laws: of each series as a whole, then of its groups by descending value.
    pub models: Vec<ScaleModel>,
    /// Where the time went: for each point the whole, then its groups by descending loss.
    pub loss: Vec<LossRow>,
    /// Neighbours whose values go against the trend of their series.
    pub out_of_order: Vec<OutOfOrder>,
    /// Series and values of the parameter without a run, though other series have them.
    pub missing: Vec<(u32, f64)>,
    /// Seed of intervals that are drawn.
    pub seed: u64,
    /// Draws of each of them.
    pub resamples: u64,
    /// Things that a reader must know.
    pub notes: Vec<String>,
}

/// Runs that differ in the parameter, and in nothing that divides.
#[derive(Debug, Clone, PartialEq)]
pub struct ScaleSeries {
    /// Name for people; `all runs` where nothing divides.
    pub name: String,
    /// Values of the parameters that divide.
    pub values: BTreeMap<String, ParamValue>,
    /// Kind of the study.
    pub kind: ScalingKind,
    /// x of total work ∝ p^x: near 0 for strong, near 1 for weak scaling.
    pub work_exponent: Option<f64>,
    /// Of weak scaling: whether work per worker stays within a tenth, so that a constant time is the ideal.
    pub has_constant_work: Option<bool>,
    /// The smallest p, to which the others are related.
    pub reference: f64,
    /// p beyond which values go against the trend for good.
    pub turn: Option<f64>,
    /// Runs.
    pub runs: u64,
}

/// How an interval came about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum IntervalBy {
    /// Exact, between order statistics or ratios of pairs.
    Rank,
    /// Drawn: runs of each point with replacement.
    Bootstrap,
}

/// One value of the parameter in one series. Its value and what follows from it are of the median over its
/// runs; work, critical path, bounds and POP factors are of `run`.
#[derive(Debug, Clone, PartialEq)]
pub struct ScalePoint {
    /// Place of its series.
    pub series: u32,
    /// Value of the parameter.
    pub p: f64,
    /// Its runs, in order of name, then id.
    pub runs: Vec<RunId>,
    /// The run nearest to the median, which stands for the others where parts must add up.
    pub run: RunId,
    /// Workers of that run.
    pub workers: Option<i64>,
    /// Whether there are more workers than processors.
    pub is_oversubscribed: bool,
    /// Median over runs of the time, or of the metric.
    pub value: f64,
    /// Interval of that median, error 0.05.
    pub interval: Option<Interval>,
    /// Runs of a point from which on medians and speedups have intervals; absent where this one has both.
    pub needs_runs: Option<u64>,
    /// In relation to the series' first point.
    pub scaled: Option<Scaled>,
    /// Interval of the speedup.
    pub speedup_interval: Option<(Interval, IntervalBy)>,
    /// Of weak scaling, the interval of the scaled speedup: that of the speedup, times p over the first p.
    pub scaled_speedup_interval: Option<Interval>,
    /// Best time of the fewest workers, in any series that differs in runtime, compiler or build only, over
    /// p × time; of weak scaling, over the time.
    pub utilisation: Option<f64>,
    /// Work of all workers.
    pub work: Option<f64>,
    /// Work over that of the first point; of weak scaling, per worker.
    pub inflation: Option<f64>,
    /// Length of the critical path.
    pub span: Option<f64>,
    /// Work over the critical path.
    pub parallelism: Option<f64>,
    /// What greedy scheduling allows, and where the time lies.
    pub bounds: Option<(Bounds, WithinBounds)>,
    /// Efficiencies of the POP model.
    pub pop: Option<Pop>,
    /// Parts of its communication efficiency, if the messages of the run's ranks are known.
    pub communication: Option<Communication>,
}

/// A parameter of a fitted law.
#[derive(Debug, Clone, PartialEq)]
pub struct Parameter {
    /// Name.
    pub name: &'static str,
    /// Value; absent where there is none, as for the peak of a program that scales for ever.
    pub value: Option<f64>,
    /// Its interval, drawn.
    pub interval: Option<Interval>,
}

/// A fitted law.
#[derive(Debug, Clone, PartialEq)]
pub struct ScaleModel {
    /// Place of its series.
    pub series: u32,
    /// Names of the group's path; empty for the whole.
    pub path: Vec<String>,
    /// The group.
    pub group: Option<GroupId>,
    /// The law.
    pub law: Law,
    /// The fitted function; absent where there are too few points.
    pub formula: Option<String>,
    /// Its parameters.
    pub parameters: Vec<Parameter>,
    /// Points that it was fitted to.
    pub points: u64,
    /// Share of variance that it explains; misleading for times, look at the greatest error.
    pub r_squared: Option<f64>,
    /// Symmetric mean absolute percentage error; at points left out for the normal form.
    pub smape: Option<f64>,
    /// Squares of residuals.
    pub rss: Option<f64>,
    /// Squares of residuals at points left out; of the normal form.
    pub rss_left_out: Option<f64>,
    /// Greatest relative error, and p where it is.
    pub greatest_error: Option<(f64, f64)>,
    /// What to know of it: `clamped`, `underdetermined`, ….
    pub flags: Vec<&'static str>,
    /// Why there is none.
    pub reason: Option<String>,
}

/// Where workers × time of a point went, exactly: the parts add up to `area`.
#[derive(Debug, Clone, PartialEq)]
pub struct LossRow {
    /// Place of its series.
    pub series: u32,
    /// Value of the parameter.
    pub p: f64,
    /// The run.
    pub run: RunId,
    /// The run that it is compared with.
    pub reference_run: RunId,
    /// Names of the group's path; empty for the whole.
    pub path: Vec<String>,
    /// The group.
    pub group: Option<GroupId>,
    /// Workers.
    pub workers: i64,
    /// The whole: workers × time. A group: its share of it.
    pub area: f64,
    /// Work of the reference run.
    pub ideal: f64,
    /// Work beyond it.
    pub inflation: f64,
    /// Time in the runtime, or in communication; of groups only where it belongs to groups.
    pub overhead: Option<f64>,
    /// Time with nothing to do.
    pub idle: Option<f64>,
    /// What is neither work nor explained: overhead and idleness where nothing tells them apart.
    pub unexplained: Option<f64>,
    /// Of the whole: work over that of the reference run. Of a group: median over runs of its work, over that
    /// of the first point.
    pub inflation_ratio: Option<f64>,
    /// Its interval.
    pub inflation_interval: Option<Interval>,
    /// How long fragments of the group were ready and waited.
    pub ready: Option<f64>,
}

/// Neighbours of which one is on the wrong side of the other.
#[derive(Debug, Clone, PartialEq)]
pub struct OutOfOrder {
    /// Place of the series.
    pub series: u32,
    /// The two values of the parameter.
    pub p: [f64; 2],
    /// The runs that stand for them.
    pub runs: [RunId; 2],
    /// Their medians.
    pub values: [f64; 2],
    /// Whether values rise with p where they are in order.
    pub is_rising: bool,
    /// Which of the two is farther from its neighbours' curve.
    pub suspect: Option<usize>,
    /// Whether the runs of the two are apart beyond doubt; absent where too few runs tell.
    pub is_certain: Option<bool>,
    /// Groups by their part in the inversion, those that made it first.
    pub culprits: Vec<Culprit>,
}

/// A group's part in an inversion.
#[derive(Debug, Clone, PartialEq)]
pub struct Culprit {
    /// Names of the group's path, or `(overhead)` and its like.
    pub path: Vec<String>,
    /// Time per worker at the second point less that at the first.
    pub delta: f64,
    /// Share of the whole inversion; negative where the group went with the trend.
    pub share: f64,
}
