//! What a scaling study is asked, and what it is told of runs.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use sheaf_model::{DefinitionId, ParameterRules};

/// A scaling study.
#[derive(Debug, Clone, PartialEq)]
pub struct ScaleQuestion {
    /// The parameter that grows: `threads`, `ranks`, a problem's size.
    pub by: String,
    /// Parameters that divide runs into series; found by themselves when absent.
    pub series: Option<Vec<String>>,
    /// Laws to fit; those that suit each series when empty.
    pub fit: Vec<Law>,
    /// What kind of study it is, where the runs should not tell.
    pub kind: Option<ScalingKind>,
    /// Rules of the store about its parameters.
    pub rules: ParameterRules,
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
        }
    }
}

/// What stays the same while workers are added.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ScalingKind {
    /// The problem: total work is the same.
    Strong,
    /// The problem per worker: total work grows with the workers.
    Weak,
    /// Neither, or nothing tells.
    Unclear,
}

/// A law that can be fitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Law {
    /// T = a + b / p.
    Amdahl,
    /// The universal scalability law with λ = 1.
    Usl,
    /// The universal scalability law with λ free.
    UslFree,
    /// Scaled speedup p − s (p − 1).
    Gustafson,
    /// T = a + b log₂ p.
    Log2,
    /// T = a p^b.
    Power,
    /// Performance model normal form with one term.
    Pmnf,
}

impl Law {
    /// Every law.
    pub const ALL: [Self; 7] = [
        Self::Amdahl,
        Self::Usl,
        Self::UslFree,
        Self::Gustafson,
        Self::Log2,
        Self::Power,
        Self::Pmnf,
    ];

    /// What users write.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Amdahl => "amdahl",
            Self::Usl => "usl",
            Self::UslFree => "usl_free",
            Self::Gustafson => "gustafson",
            Self::Log2 => "log2",
            Self::Power => "power",
            Self::Pmnf => "pmnf",
        }
    }
}

impl fmt::Display for Law {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
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

impl ScalingKind {
    /// What users write.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Strong => "strong",
            Self::Weak => "weak",
            Self::Unclear => "unclear",
        }
    }
}

impl fmt::Display for ScalingKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
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

/// The time of a run's workers by its use, and the number of its tasks and iterations. Times are in the run's unit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunAccount {
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
    /// Length of the critical path.
    pub span: Option<i64>,
    /// How long fragments of each context were ready and waited for a worker, by row of the run's contexts.
    pub ready_by_context: Option<Vec<i64>>,
    /// What is wrong with the times, in sentences.
    pub faults: Vec<String>,
}
