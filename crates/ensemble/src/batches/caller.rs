//! Who imports and asks: a job of a CI system, as its environment identifies it.

use std::fmt;
use std::sync::Arc;

/// Variables that identify a job, the most specific first.
const VARIABLES: [&str; 10] = [
    EXPLICIT,
    "CI_JOB_ID",
    "BUILD_TAG",
    "SLURM_JOB_ID",
    "PBS_JOBID",
    "LSB_JOBID",
    "GITHUB_RUN_ID",
    "CI_PIPELINE_ID",
    "BUILDKITE_BUILD_ID",
    "CIRCLE_WORKFLOW_ID",
];

/// The variable that users set themselves.
const EXPLICIT: &str = "GRAINSHEAF_BATCH";

/// Longer values are cut.
const MAX_VALUE: usize = 200;

/// Receives a sentence for the user.
type Notice = dyn Fn(&str) + Send + Sync;

/// Who imports runs and asks for them: the name that separates its imports from those of others.
///
/// ```
/// let caller = sheaf_ensemble::Caller::of_environment(|name| {
///     (name == "GITHUB_RUN_ID").then(|| "42".to_owned())
/// });
/// assert_eq!(caller.identities(), ["GITHUB_RUN_ID=42"]);
/// ```
#[derive(Clone, Default)]
pub struct Caller {
    identities: Vec<String>,
    notice: Option<Arc<Notice>>,
}

impl Caller {
    /// The caller whose environment has the variables that `value_of` returns.
    pub fn of_environment(value_of: impl Fn(&str) -> Option<String>) -> Self {
        let identity = |name: &&str| {
            let value = value_of(name)?;
            let visible: String = value
                .chars()
                .filter(|c| !c.is_control())
                .take(MAX_VALUE)
                .collect();
            (!visible.is_empty()).then(|| format!("{name}={visible}"))
        };
        let identities = VARIABLES.iter().filter_map(identity).collect();
        let notice = None;
        Self { identities, notice }
    }

    /// The same caller, which is informed which import `@new` means.
    #[must_use]
    pub fn informed_by(mut self, notice: impl Fn(&str) + Send + Sync + 'static) -> Self {
        self.notice = Some(Arc::new(notice));
        self
    }

    /// What identifies the caller, as `NAME=VALUE`, the most specific first.
    pub fn identities(&self) -> &[String] {
        &self.identities
    }

    /// Informs the caller what `@new` means.
    pub(crate) fn inform(&self, meaning: &str) {
        if let Some(notice) = &self.notice {
            notice(&format!("`@new` is {meaning}"));
        }
    }
}

impl fmt::Debug for Caller {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Caller")
            .field("identities", &self.identities)
            .finish_non_exhaustive()
    }
}

/// Whether the user chose this identity: then no other import will do.
pub(super) fn is_explicit(identity: &str) -> bool {
    identity
        .strip_prefix(EXPLICIT)
        .is_some_and(|rest| rest.starts_with('='))
}
