//! Scaling studies.

use std::collections::BTreeMap;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::choice::choice;
use crate::{Format, Note, ParamValue, Reason};

choice! {
    /// The quantity that stays the same while workers are added.
    ScalingKind {
        /// The problem: total work is the same.
        Strong = "strong",
        /// The problem per worker: total work grows with the workers.
        Weak = "weak",
        /// Neither, or the work is unknown.
        Unclear = "unclear",
    }
}

impl FromStr for ScalingKind {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "strong" => Ok(Self::Strong),
            "weak" => Ok(Self::Weak),
            _ => Err(format!("no kind `{text}`; use strong or weak")),
        }
    }
}

choice! {
    /// A law that can be fitted.
    Law {
        /// T = a + b / p.
        Amdahl = "amdahl",
        /// The universal scalability law with λ = 1.
        Usl = "usl",
        /// The universal scalability law with λ free.
        UslFree = "usl_free",
        /// Scaled speedup p − s (p − 1).
        Gustafson = "gustafson",
        /// T = a + b log₂ p.
        Log2 = "log2",
        /// T = a p^b.
        Power = "power",
        /// Performance model normal form with one term.
        Pmnf = "pmnf",
    }
}

impl FromStr for Law {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|law| law.as_str() == text);
        found.ok_or_else(|| {
            let names = Self::ALL.map(Self::as_str).join(", ");
            format!("no law `{text}`; use {names}")
        })
    }
}

choice! {
    /// How an interval came about.
    IntervalBy {
        /// Exact, between order statistics or ratios of pairs of runs.
        Rank = "rank",
        /// Drawn: runs of each point with replacement.
        Bootstrap = "bootstrap",
    }
}

choice! {
    /// Position of a time relative to the bounds of greedy scheduling.
    WithinBounds {
        /// Below the lower bound: an error of data, or the reference is another problem.
        Below = "below",
        /// Between the bounds: as good as greedy scheduling gets.
        Greedy = "greedy",
        /// Above the upper bound and not above the inflated one: inflation explains it.
        Inflated = "inflated",
        /// Above both: overhead, or a scheduler that leaves workers idle.
        Above = "above",
    }
}

choice! {
    /// Caveats of a fitted law.
    ModelFlag {
        /// A parameter was moved to the end of its range.
        Clamped = "clamped",
        /// The serial part is not positive.
        Superlinear = "superlinear",
        /// The parallel part is not positive.
        NoSpeedup = "no_speedup",
        /// There are too few points to contradict the law.
        FewPoints = "few_points",
        /// The points fit whatever they are.
        Underdetermined = "underdetermined",
        /// Some points have more workers than processors.
        Oversubscribed = "oversubscribed",
        /// The law is for weak scaling, and the series is not.
        NotWeakScaling = "not_weak_scaling",
    }
}

/// Answer of `scale`. What is not known or means nothing is missing.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
pub struct Scale {
    /// `scale/1`
    pub schema: String,
    /// The lens that was answered, in text.
    pub lens: String,
    /// The parameter that grows, p.
    pub by: String,
    /// Metric of groups; of points too, unless `of_elapsed`.
    pub metric: String,
    /// Unit of every value and time.
    pub unit: String,
    /// Whether values of points are elapsed times of runs.
    pub of_elapsed: bool,
    /// Whether values of points are times at all, so that speedups mean something.
    pub of_time: bool,
    /// Parameters that divide the runs into series.
    pub divided_by: Vec<String>,
    /// Series, in order of their values.
    pub series: Vec<ScaleSeries>,
    /// Points, by series, then p.
    pub points: Vec<ScalePoint>,
    /// Fitted laws: of each series as a whole, then of its groups by descending value.
    pub models: Vec<ScaleModel>,
    /// Where workers × time went: for each point the whole, then its groups by what they lost. Parts add up.
    pub loss: Vec<ScaleLoss>,
    /// Neighbours whose values go against the trend of their series, and the groups that made it so.
    pub out_of_order: Vec<OutOfOrder>,
    /// Why the kind of scaling is not known and must be given, if it must.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unknown_kind: Option<Reason>,
    /// Points that some series have and others have not.
    pub missing: Vec<MissingPoint>,
    /// Seed of the intervals that are drawn.
    pub seed: u64,
    /// Draws of each of them.
    pub resamples: u64,
    /// Things a reader must know.
    pub notes: Vec<Note>,
}

/// Runs that differ in the parameter, and in nothing that divides.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ScaleSeries {
    /// Name for people; `all runs` where nothing divides.
    pub name: String,
    /// Values of the parameters that divide.
    pub values: BTreeMap<String, ParamValue>,
    /// The quantity that stays the same while p grows.
    pub kind: ScalingKind,
    /// x of total work ∝ p^x: near 0 for strong, near 1 for weak scaling.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub work_exponent: Option<f64>,
    /// Of weak scaling: whether work per worker stays within a tenth; only then is a constant time the ideal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub constant_work: Option<bool>,
    /// The smallest p, to which the others are related.
    pub reference: f64,
    /// p beyond which values go against the trend for good.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn: Option<f64>,
    /// Runs.
    pub runs: u64,
}

/// One value of the parameter in one series. `value` and what follows from it (speedups, efficiencies, serial fractions,
/// `utilisation`) are of the median over its runs; `workers`, `work`, `inflation`, `span`, `parallelism`, bounds and POP
/// factors are of the one run `run`, so that they add up and multiply.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ScalePoint {
    /// Place of its series.
    pub series: u32,
    /// Value of the parameter.
    pub p: f64,
    /// Its runs.
    pub runs: Vec<String>,
    /// The run nearest to the median, from which loss, bounds and efficiencies are computed.
    pub run: String,
    /// Workers of that run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workers: Option<i64>,
    /// Whether there are more workers than processors.
    pub oversubscribed: bool,
    /// Median over runs of the time, or of the metric.
    pub value: f64,
    /// Interval of the median between order statistics, error at most 0.05.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval: Option<[f64; 2]>,
    /// Runs of a point from which on there are intervals, where one is missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub needs_runs: Option<u64>,
    /// T(p₀) / T(p).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub speedup: Option<f64>,
    /// Its interval; of weak scaling that of `weak_efficiency`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub speedup_interval: Option<[f64; 2]>,
    /// How that interval came about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub speedup_interval_by: Option<IntervalBy>,
    /// Speedup · p₀ / p.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub efficiency: Option<f64>,
    /// Karp and Flatt's experimentally determined serial fraction.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub karp_flatt: Option<f64>,
    /// T(p₀) / T(p), of weak scaling.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weak_efficiency: Option<f64>,
    /// Weak efficiency · p / p₀, of weak scaling.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scaled_speedup: Option<f64>,
    /// Its interval: that of the speedup, times p / p₀.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scaled_speedup_interval: Option<[f64; 2]>,
    /// Gustafson's serial part, of weak scaling.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gustafson: Option<f64>,
    /// Best time of the fewest workers over p × time; of weak scaling, over the time. Best in any series that differs in
    /// runtime, compiler or build only: series that differ in another parameter may have other inputs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub utilisation: Option<f64>,
    /// Work of all workers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub work: Option<f64>,
    /// Work over that of the first point; of weak scaling, per worker.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inflation: Option<f64>,
    /// Length of the critical path, or the time for which a lock was held where that is longer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub span: Option<f64>,
    /// Work over the critical path.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parallelism: Option<f64>,
    /// max(T₁ / p, T∞): nothing is faster.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lower_bound: Option<f64>,
    /// T₁ / p + (p − 1) / p · T∞: a greedy scheduler without overhead is no slower.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub upper_bound: Option<f64>,
    /// The upper bound with the run's own work and critical path.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub upper_bound_inflated: Option<f64>,
    /// Position of the time relative to the bounds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bound: Option<WithinBounds>,
    /// Mean over greatest useful time of workers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub load_balance: Option<f64>,
    /// Greatest useful time of a worker over elapsed time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub communication_efficiency: Option<f64>,
    /// Greatest useful time over the time on a network without latency and with unlimited bandwidth; missing without
    /// recorded messages of MPI.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub serialisation_efficiency: Option<f64>,
    /// That time over the elapsed time; serialisation × transfer is the communication efficiency.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transfer_efficiency: Option<f64>,
    /// Load balance × communication efficiency.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parallel_efficiency: Option<f64>,
    /// Work of the first point over work.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub computation_scaling: Option<f64>,
    /// Parallel efficiency × computation scaling.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub global_efficiency: Option<f64>,
}

/// A parameter of a fitted law.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ScaleParameter {
    /// Name.
    pub name: String,
    /// Value; missing where there is none, as the peak of a program that scales for ever.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<f64>,
    /// Its interval, drawn; missing where a point has one run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval: Option<[f64; 2]>,
}

/// A fitted law.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ScaleModel {
    /// Place of its series.
    pub series: u32,
    /// Names of the group's path; empty for the whole.
    pub path: Vec<String>,
    /// Group id; missing for the whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// The law.
    pub law: Law,
    /// The fitted function of p.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub formula: Option<String>,
    /// Its parameters.
    pub parameters: Vec<ScaleParameter>,
    /// Points that it was fitted to.
    pub points: u64,
    /// Share of variance explained, adjusted for `pmnf`; high also for wrong laws, so look at the largest error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub r_squared: Option<f64>,
    /// Symmetric mean absolute percentage error, in per cent; of `pmnf` at points left out of the fit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub smape: Option<f64>,
    /// Sum of squares of residuals.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rss: Option<f64>,
    /// The same at points left out of the fit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rss_left_out: Option<f64>,
    /// Greatest relative error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub greatest_error: Option<f64>,
    /// p where it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub greatest_error_at: Option<f64>,
    /// Caveats.
    pub flags: Vec<ModelFlag>,
    /// Why there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Where workers × time went. `area` = `ideal` + `inflation` + `overhead` + `idle` + `unexplained`, exactly; divided by the workers, parts of the elapsed time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ScaleLoss {
    /// Place of its series.
    pub series: u32,
    /// Value of the parameter.
    pub p: f64,
    /// The run.
    pub run: String,
    /// The run that it is compared with.
    pub reference_run: String,
    /// Names of the group's path; empty for the whole.
    pub path: Vec<String>,
    /// Group id; missing for the whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// Workers.
    pub workers: i64,
    /// Of the whole, workers × time; of a group, its part of that.
    pub area: f64,
    /// Work of the reference run; of weak scaling, grown with p.
    pub ideal: f64,
    /// Work beyond it; negative where more workers made work cheaper.
    pub inflation: f64,
    /// Time of workers that ran nothing though something was ready; of call profiles, time in communication.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub overhead: Option<f64>,
    /// Time of workers for which nothing was ready.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub idle: Option<f64>,
    /// Time without work that is overhead or idleness, which the source does not separate; missing where it is 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unexplained: Option<f64>,
    /// Work over that of the reference run; of groups, a ratio of medians over runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inflation_ratio: Option<f64>,
    /// Its interval, exact between ratios of pairs of runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inflation_interval: Option<[f64; 2]>,
    /// How long fragments of the group were ready and waited, all together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ready: Option<f64>,
}

/// Neighbours of which one is on the wrong side of the other.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct OutOfOrder {
    /// Place of the series.
    pub series: u32,
    /// The two values of the parameter.
    pub p: [f64; 2],
    /// The runs that stand for them.
    pub runs: [String; 2],
    /// Their medians.
    pub values: [f64; 2],
    /// Whether values rise with p where they are in order.
    pub rising: bool,
    /// The run that is farther from the curve through its neighbours.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suspect: Option<String>,
    /// Whether the runs of the two points are apart beyond doubt; missing where there are too few runs to decide.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub certain: Option<bool>,
    /// Groups by their part in the inversion, those that made it first.
    pub culprits: Vec<Culprit>,
}

/// A group's part in an inversion.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Culprit {
    /// Names of the group's path; `(overhead)`, `(idle)` and `(not working)` are no group's.
    pub path: Vec<String>,
    /// Time per worker at the second point less that at the first.
    pub delta: f64,
    /// Share of the whole inversion; negative where the group went with the trend.
    pub share: f64,
}

/// A point without a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct MissingPoint {
    /// Place of the series.
    pub series: u32,
    /// Value of the parameter.
    pub p: f64,
}

/// A scaling study over HTTP.
#[derive(Debug, Clone, Default, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct ScaleQuery {
    /// Text form of the lens; its first `by` is the parameter when none is given.
    pub lens: Option<String>,
    /// Name of the store; the first when missing.
    pub store: Option<String>,
    /// The parameter that grows.
    pub by: Option<String>,
    /// Parameters that divide the runs into series, separated by commas; found by themselves when missing.
    pub series: Option<String>,
    /// Laws to fit, separated by commas; those that suit each series when missing.
    pub fit: Option<String>,
    /// `strong` or `weak`; decided by the work when missing.
    pub scaling: Option<String>,
    /// Which table, as CSV and Arrow have one: `points` when missing.
    pub table: Option<ScaleTable>,
    /// Form of the answer.
    pub format: Option<Format>,
}

/// A table of a scaling study.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ScaleTable {
    /// A row per series and p.
    #[default]
    Points,
    /// A row per law and group.
    Models,
    /// A row per point and group.
    Loss,
    /// A row per inversion and group.
    OutOfOrder,
}
