//! Reports of imports and recordings.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::Verdict;
use crate::choice::choice;

/// Answer of `add`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Add {
    /// `add/1`
    pub schema: String,
    /// One entry per input, in the order given.
    pub files: Vec<FileReport>,
    /// Id of the import: `run = @ID` selects its runs. Absent where every input was refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub batch: Option<String>,
    /// What went wrong after the runs were in the store.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

choice! {
    /// Outcome of an import for one input.
    FileStatus {
        /// Its runs are in the store now.
        Added = "added",
        /// Its runs were there before.
        Present = "present",
        /// Nothing of it is in the store.
        Refused = "refused",
    }
}

/// One input.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct FileReport {
    /// As the user named it.
    pub path: String,
    /// Recognised format.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
    /// What became of it.
    pub status: FileStatus,
    /// Ids of its runs.
    pub runs: Vec<String>,
    /// What the reader met.
    pub report: Vec<Finding>,
    /// Why it was refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

impl FileReport {
    /// How often the reader met `kind`.
    pub fn count(&self, kind: &str) -> u64 {
        let found = self.report.iter().find(|finding| finding.kind == kind);
        found.map_or(0, |finding| finding.count)
    }
}

/// One kind of thing that a reader met.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Finding {
    /// Stable name; the verb comes first: `read_…`, `skipped_…`, `repaired_…`.
    pub kind: String,
    /// How often.
    pub count: u64,
    /// Where first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first: Option<String>,
}

/// Answer of `record`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Record {
    /// `record/1`
    pub schema: String,
    /// Recorded runs, in order.
    pub runs: Vec<RecordedRun>,
    /// Id of the import of all of them: `run = @ID` selects them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub batch: Option<String>,
    /// Costs of recording, by thread count, if the program ran without the recorder too.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub costs: Vec<RecordingCost>,
}

/// Recorded launches against launches without the recorder, one pair after the other and in alternating order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct RecordingCost {
    /// Threads asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub threads: Option<u32>,
    /// Elapsed time.
    pub elapsed: RelativeCost,
    /// Processor time, of the kernel for the program included.
    pub cpu: RelativeCost,
}

/// A relative change over pairs: 0.1 is a tenth more with the recorder.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct RelativeCost {
    /// Pairs in which both launches ended with status 0.
    pub pairs: u64,
    /// Median over the pairs.
    pub median: f64,
    /// Lower end of the 95 % interval of the median; missing below six pairs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub low: Option<f64>,
    /// Its upper end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub high: Option<f64>,
    /// `slower`, `faster`, or `inconclusive` if the interval is missing or contains zero.
    pub verdict: Verdict,
}

/// One recorded run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct RecordedRun {
    /// Run id.
    pub run: String,
    /// Threads asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub threads: Option<u32>,
    /// Which repeat, from 1.
    pub repeat: u32,
    /// Tasks and chunks.
    pub grains: u64,
    /// Wall time of the whole process. The elapsed time of the run is shorter: it is that of the recorded events.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub elapsed_ns: Option<i64>,
    /// The same of a launch without the recorder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reference_elapsed_ns: Option<i64>,
    /// Whether the program ended by itself.
    pub is_complete: bool,
    /// What a user should know of it.
    pub warnings: Vec<String>,
}
