//! The question of a scaling study, and its figures of runs.

use std::collections::BTreeMap;

use sheaf_answers::{Law, ScalingKind};
use sheaf_model::{DefinitionId, ParameterRules, PartRules};

/// A scaling study.
#[derive(Debug, Clone, PartialEq)]
pub struct ScaleQuestion {
    /// The parameter that grows: `threads`, `ranks`, a problem's size.
    pub by: String,
    /// Parameters that divide runs into series; found by themselves when absent.
    pub series: Option<Vec<String>>,
    /// Laws to fit; those that suit each series when empty.
    pub fit: Vec<Law>,
    /// Kind of study, where the runs should not decide it.
    pub kind: Option<ScalingKind>,
    /// Rules of the store about its parameters.
    pub rules: ParameterRules,
    /// Rules of the store about parts of programs: which functions communicate.
    pub parts: PartRules,
}

impl ScaleQuestion {
    /// The study by one parameter, everything else found by itself.
    pub fn new(by: impl Into<String>) -> Self {
        Self {
            by: by.into(),
            series: None,
            fit: Vec::new(),
            kind: None,
            rules: ParameterRules::default(),
            parts: PartRules::default(),
        }
    }
}

/// The time of a run's workers by its use, and the number of its tasks and iterations. Times are in the run's unit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TimeBreakdown {
    /// Workers.
    pub workers: i64,
    /// Time from begin to end.
    pub elapsed: i64,
    /// The same on a network without latency and with unlimited bandwidth, if the messages of its ranks are known.
    pub ideal_elapsed: Option<i64>,
    /// Time spent computing.
    pub work: i64,
    /// Time of workers that ran nothing although something was ready.
    pub overhead: Option<i64>,
    /// Time of workers for which nothing was ready.
    pub idle: Option<i64>,
    /// Explicit tasks.
    pub tasks: i64,
    /// Iterations of loops, by their definitions, of loops whose chunks have ranges.
    pub iterations: BTreeMap<DefinitionId, i64>,
    /// Length of the critical path, or the time for which a lock was held where that is longer.
    pub span: Option<i64>,
    /// How long fragments of each context were ready and waited for a worker, by row of the run's contexts.
    pub ready_by_context: Option<Vec<i64>>,
    /// What is wrong with the times, in sentences.
    pub faults: Vec<String>,
}

impl TimeBreakdown {
    /// Bytes in memory, approximately.
    pub fn bytes(&self) -> usize {
        let ready = self.ready_by_context.as_ref().map_or(0, Vec::len);
        let faults: usize = self.faults.iter().map(String::len).sum();
        256 + 48 * self.iterations.len() + 8 * ready + faults
    }
}
