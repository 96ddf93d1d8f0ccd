//! Thresholds: a metric and the limit beyond which its value is a problem.

use std::fmt;
use std::str::FromStr;

use sheaf_model::ParseError;

use super::gain::is_of_loops;
use super::limit::{Limit, Reader};

/// On which side of the limit the problem is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
}

impl Relation {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Less => "<",
            Self::LessOrEqual => "<=",
            Self::Greater => ">",
            Self::GreaterOrEqual => ">=",
        }
    }

    /// Whether a value is a problem.
    pub fn holds(self, value: f64, limit: f64) -> bool {
        match self {
            Self::Less => value < limit,
            Self::LessOrEqual => value <= limit,
            Self::Greater => value > limit,
            Self::GreaterOrEqual => value >= limit,
        }
    }

    /// Whether lower values are worse.
    pub fn is_below(self) -> bool {
        matches!(self, Self::Less | Self::LessOrEqual)
    }
}

/// A condition under which a grain is a problem: `METRIC < LIMIT`, with `<`, `<=`, `>` or `>=`.
///
/// The metric is named by its id, by the name that sources use, or is a measure of the source, in
/// backquotes where it is no word. The limit is an expression of numbers, `cores` (those of the
/// machine, at most the workers), `workers`, `cores_per_socket`, `+ - * /` and parentheses; nothing else is ever evaluated.
///
/// ```
/// use sheaf_grains::problem::Threshold;
/// let threshold: Threshold = "sibling_scatter >cores/4".parse().unwrap();
/// assert_eq!(threshold.to_string(), "sibling_scatter > cores/4");
/// let error = "work_deviation > twice".parse::<Threshold>().unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "expected `cores`, `workers`, `cores_per_socket` or a number at character 18 of `work_deviation > twice`"
/// );
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Threshold {
    /// Id of the metric, or the name of a measure.
    pub metric: String,
    /// On which side of the limit the problem is.
    pub relation: Relation,
    /// The limit.
    pub limit: Limit,
    /// Whether chunks beyond it count only if the imbalance of their loop costs at least
    /// [`MIN_IMBALANCE`](super::MIN_IMBALANCE) of its time: the last chunks of any loop are beyond thresholds of
    /// balance and parallelism. So of those that come with us, never of one's own.
    pub is_by_loop: bool,
}

impl FromStr for Threshold {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let mut reader = Reader::new(text);
        reader.skip_blanks();
        let metric = if reader.take('`') {
            let name = reader.take_while(|c| c != '`');
            if !reader.take('`') {
                return Err(reader.error("expected a backquote"));
            }
            name
        } else {
            reader.take_while(|c| c.is_alphanumeric() || "_.:".contains(c))
        };
        if metric.is_empty() {
            return Err(reader.error("expected the name of a metric"));
        }
        reader.skip_blanks();
        let is_less = reader.take('<');
        if !is_less && !reader.take('>') {
            return Err(reader.error("expected `<`, `<=`, `>` or `>=`"));
        }
        let relation = match (is_less, reader.take('=')) {
            (true, false) => Relation::Less,
            (true, true) => Relation::LessOrEqual,
            (false, false) => Relation::Greater,
            (false, true) => Relation::GreaterOrEqual,
        };
        Ok(Self {
            metric,
            relation,
            limit: reader.limit()?,
            is_by_loop: false,
        })
    }
}

impl fmt::Display for Threshold {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_word = |c: char| c.is_alphanumeric() || "_.:".contains(c);
        let mark = if self.metric.chars().all(is_word) {
            ""
        } else {
            "`"
        };
        let relation = self.relation.as_str();
        write!(f, "{mark}{}{mark} {relation} {}", self.metric, self.limit)
    }
}

/// A threshold that comes with us.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Preset {
    /// Name of the problem.
    pub problem: &'static str,
    /// The condition.
    pub condition: &'static str,
    /// Where it comes from.
    pub citation: &'static str,
}

impl Preset {
    /// The condition as a threshold.
    ///
    /// # Errors
    /// Never for [`PAPER`] and [`TOOL`].
    pub fn threshold(&self) -> Result<Threshold, ParseError> {
        let threshold: Threshold = self.condition.parse()?;
        let is_by_loop = is_of_loops(&threshold.metric);
        Ok(Threshold {
            is_by_loop,
            ..threshold
        })
    }
}

macro_rules! presets {
    ($citation:literal: $($problem:literal => $condition:literal),+ $(,)?) => {
        &[$(Preset { problem: $problem, condition: $condition, citation: $citation }),+]
    };
}

/// Thresholds of the paper, for its forms of the metrics.
pub const PAPER: &[Preset] = presets!("Grain Graphs (PPoPP 2016), section 3.2":
    "parallel_benefit" => "parallel_benefit_of_execution < 1",
    "parallel_benefit_of_creation" => "parallel_benefit_of_creation < 1",
    "work_deviation" => "work_deviation > 2",
    "load_balance" => "sibling_chain_balance > 1",
    "loop_load_balance" => "chunk_chain_balance > 1",
    "instantaneous_parallelism" => "inst_par_real_optimistic_median_min < cores",
    "scatter" => "sibling_scatter > cores_per_socket",
    "memory_hierarchy_utilisation" => "memory_hierarchy_utilisation < 2",
);

/// Thresholds of the prototype (`grain-problems.cfg`), for its forms of the metrics.
pub const TOOL: &[Preset] = presets!("grain-graphs prototype, grain-problems.cfg":
    "memory_hierarchy_utilization" => "mem_hier_util > 0.5",
    "memory_footprint" => "mem_fp_bytes > 512000",
    "compute_intensity" => "compute_int < 2",
    "work_deviation" => "work_deviation > 2",
    "parallel_benefit" => "parallel_benefit < 1",
    "instantaneous_parallelism_median" => "inst_par_logical_optimistic_median_median < cores",
    "instantaneous_parallelism_min" => "inst_par_logical_optimistic_median_min < cores",
    "instantaneous_parallelism_max" => "inst_par_logical_optimistic_median_max < cores",
    "sibling_work_balance" => "sibling_work_balance > 2",
    "sibling_scatter" => "sibling_scatter > cores / 4",
    "chunk_work_balance" => "chunk_work_balance > 2",
    "chunk_work_CPU_balance" => "chunk_work_cpu_balance > 2",
);

/// Thresholds on waiting for locks, of runs whose source records it.
pub const LOCKS: &[Preset] = presets!("a tenth of the lifetime: below, no change of the lock is worth its while":
    "lock_waiting" => "lock_waiting_share > 0.1",
);
