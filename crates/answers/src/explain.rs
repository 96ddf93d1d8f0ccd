//! Causes of the difference of two elapsed times.

use serde::{Deserialize, Serialize};
use sheaf_model::ProgramPart;
use utoipa::ToSchema;

use crate::choice::choice;
use crate::{EnvironmentChange, ExplainFact, Note, Reason, Renamed, Side, Verdict};

choice! {
    /// A way to divide the difference of two elapsed times. The causes of each view add up to the difference.
    ExplainedBy {
        /// Workers times elapsed time: work, waiting and idle time of all workers, divided by the workers.
        Workers = "workers",
        /// The path of last finishers: what ran on it, and why it waited.
        Path = "path",
        /// The slowest rank of a call profile: the mean rank, and what the slowest has beyond it.
        Ranks = "ranks",
    }
}

choice! {
    /// Kind of a cause.
    CauseKind {
        /// Grains that both sides have take longer or shorter.
        Inflation = "inflation",
        /// More or fewer grains of a definition, or others of them.
        Grains = "grains",
        /// Grains that only the candidate has, less the work that moved to them from their parents of the same definition.
        New = "new",
        /// Grains that only the baseline had, less the work that moved from them to their parents of the same definition.
        Vanished = "vanished",
        /// Threads had no processor: other programs or threads ran, or they were blocked.
        OffCpu = "off_cpu",
        /// Time in waits for a lock, a critical or ordered section, an atomic construct, or another iteration.
        Lock = "lock",
        /// Time in MPI.
        Mpi = "mpi",
        /// Between a creation and the begin of the created grain.
        Creation = "creation",
        /// Between the end of a grain, or the last arrival at a barrier, and what continues there.
        Synchronisation = "synchronisation",
        /// Between two fragments of a grain, with nothing to wait for.
        Continuation = "continuation",
        /// Between the end of a task and the begin of one that depends on it.
        Dependence = "dependence",
        /// Between two fragments of a grain whose worker ran something else.
        Scheduling = "scheduling",
        /// Workers were idle although something was ready.
        Delay = "delay",
        /// Workers were idle and nothing was ready.
        NoWork = "no_work",
        /// Workers were idle; the source does not say whether something was ready, or locks and MPI are separate causes.
        Idle = "idle",
        /// Another number of workers, if everything were divided ideally.
        Workers = "workers",
        /// Before the first fragment of the path.
        Before = "before",
        /// From the end of the path to the end of the run.
        After = "after",
        /// The mean over ranks changed.
        Mean = "mean",
        /// The slowest rank has more or less than the mean.
        Imbalance = "imbalance",
        /// Not explained by the causes above.
        NotExplained = "not_explained",
    }
}

/// Answer of `explain`. Differences are candidate minus baseline, B − A.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Explanation {
    /// `explain/1`
    pub schema: String,
    /// The lens that was answered, in text.
    pub lens: String,
    /// Baseline.
    pub a: Side,
    /// Candidate.
    pub b: Side,
    /// Unit of every time.
    pub unit: String,
    /// The views that the runs permit; the first is the one of `sentences`.
    pub views: Vec<ExplainedView>,
    /// Causes, view by view, the largest first.
    pub causes: Vec<Cause>,
    /// The causes of the first view that exceed the noise of the runs, the largest first, in words. One sentence says
    /// so where none does.
    pub sentences: Vec<String>,
    /// Parameters that differ between the sides: associated with the difference, not shown to cause it.
    pub environment: Vec<EnvironmentChange>,
    /// Definitions with other names on either side that were followed as one.
    pub renames: Vec<Renamed>,
    /// Seed of the resampling of runs.
    pub seed: u64,
    /// Resamples of each interval.
    pub resamples: u64,
    /// Things a reader must know.
    pub notes: Vec<Note>,
}

impl Explanation {
    /// Keeps the first `limit` causes of each view, all if it is 0. Returns the note on the others, which it adds.
    pub fn keep_first(&mut self, limit: usize) -> Option<&Note> {
        let of = self.causes.len();
        if limit == 0 {
            return None;
        }
        let mut kept = [0; ExplainedBy::ALL.len()];
        self.causes.retain(|cause| {
            let count = &mut kept[cause.by as usize];
            *count += 1;
            *count <= limit
        });
        let left_out = of - self.causes.len();
        if left_out == 0 {
            return None;
        }
        let (causes, of) = (left_out as u64, of as u64);
        let note = Note::from(ExplainFact::CausesNotShown { causes, of });
        self.notes.push(note);
        self.notes.last()
    }
}

/// A view with the difference that its causes add up to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ExplainedView {
    /// The view.
    pub by: ExplainedBy,
    /// Mean of the baseline: of the elapsed time, or of the time of the slowest rank.
    pub a: f64,
    /// Mean of the candidate.
    pub b: f64,
    /// b − a.
    pub delta: f64,
    /// `exact` of the causes of this view is `delta` multiplied by this whole number; absent where values are not whole
    /// numbers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub divisor: Option<String>,
}

/// One cause.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Cause {
    /// The view that it belongs to.
    pub by: ExplainedBy,
    /// Kind of cause.
    pub kind: CauseKind,
    /// Names from the outermost group: one definition, or the path of a context with 64 names at most; empty if it
    /// concerns the whole run. If names are left out, the first element has their number.
    pub path: Vec<String>,
    /// Id of the group; absent where it concerns the whole run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// Source file and line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub site: Option<String>,
    /// Part of the program; absent where the view is not `ranks`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<ProgramPart>,
    /// Its part of the difference. Those of a view add up to the difference.
    pub delta: f64,
    /// `delta` times the divisor of the view, a whole number in text; absent where values are not whole numbers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exact: Option<String>,
    /// `delta` by the difference; absent where there is no difference.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub share: Option<f64>,
    /// Interval of `delta` with 95 % coverage, from resampling of runs; absent if a side has one run, or if the part is
    /// below 0.1 % of the longer elapsed time in every run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval: Option<[f64; 2]>,
    /// Two-sided p of the exact rank-sum test.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p: Option<f64>,
    /// Benjamini-Hochberg q over the causes of the view.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub q: Option<f64>,
    /// `slower` or `faster` if the cause is real.
    pub verdict: Verdict,
    /// Reason of the verdict.
    pub reason: Reason,
    /// The lens that shows the cause.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lens: Option<String>,
    /// Metrics of the group that became significantly worse where the cause is slower, or better where it is faster: those
    /// that changed most. They are associated with the cause, not shown to be one. Only sentences' causes have them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub associated: Vec<Association>,
    /// Differences between the structures of the sides that concern its definition. They are associated with the cause too.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub structure: Vec<Note>,
    /// The cause in a sentence.
    pub text: String,
}

/// A metric that moved with a cause.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Association {
    /// Label, else name, of the metric.
    pub metric: String,
    /// Unit of `a` and `b`.
    pub unit: String,
    /// Mean of the baseline.
    pub a: f64,
    /// Mean of the candidate.
    pub b: f64,
    /// Typical ratio B / A (Hodges-Lehmann).
    pub ratio: f64,
    /// Its interval.
    pub ci: [f64; 2],
    /// Benjamini-Hochberg q over the groups of the metric.
    pub q: f64,
}
