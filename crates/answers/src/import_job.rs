//! Imports over HTTP: files are sent one by one, then added together as a job.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::{Add, ErrorBody, ParamValue};

/// What to add to, and what is known of the runs; every field may be missing.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ImportRequest {
    /// Name of the store; the first when missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub store: Option<String>,
    /// Parameters of the runs; they win over those that the files hold.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub params: BTreeMap<String, ParamValue>,
    /// Name of the runs, instead of the one that the files suggest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Format that every file must have.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
}

/// What an import may hold at most.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ImportLimits {
    /// Bytes of a file.
    pub file_bytes: u64,
    /// Bytes of all files.
    pub bytes: u64,
    /// Files.
    pub files: u64,
    /// Bytes of a file's path in UTF-8.
    pub path_bytes: u64,
    /// Names in a file's path.
    pub depth: u64,
}

/// Whether imports are accepted, and how large they may be.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ImportPolicy {
    /// Whether files can be added.
    pub is_allowed: bool,
    /// Why not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What an import may hold at most.
    pub limits: ImportLimits,
}

/// Path of a file that is sent.
#[derive(Debug, Clone, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct FileQuery {
    /// Names joined by `/`, relative, without `.` and `..`. A path of one name is a file that was
    /// named; of one in a folder only what is recognised is added.
    pub path: String,
}

/// How far an import is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ImportState {
    /// Files can be sent.
    Receiving,
    /// Another import of the store comes first.
    Waiting,
    /// The files are read.
    Running,
    /// It stops at its next check.
    Cancelling,
    /// The report is there.
    Done,
    /// It failed as a whole; nothing was added.
    Failed,
    /// Nothing was added.
    Cancelled,
}

/// What is being done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ImportStep {
    /// In words: `reading`, whose unit is the byte, or `publishing`.
    pub name: String,
    /// Units done.
    pub done: u64,
    /// Units in all, when known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total: Option<u64>,
}

/// How far an import is; also the data of every event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ImportProgress {
    /// State.
    pub state: ImportState,
    /// Files that arrived whole.
    pub files: u64,
    /// Bytes that arrived, those of files that are still being sent included.
    pub bytes: u64,
    /// Imports that come before, while it waits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ahead: Option<u64>,
    /// What is being done, while it runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<ImportStep>,
}

/// An import.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Import {
    /// `import/1`
    pub schema: String,
    /// Id of the import: 32 hexadecimal digits.
    pub import: String,
    /// Name of the store.
    pub store: String,
    /// What it may hold at most.
    pub limits: ImportLimits,
    /// How far it is.
    pub progress: ImportProgress,
    /// Files that arrived whole, by path.
    pub files: Vec<ReceivedFile>,
    /// What became of each file or database, under the paths they were sent with; once done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub report: Option<Add>,
    /// Why it failed or was given up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<ErrorBody>,
}

/// A file that arrived whole.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ReceivedFile {
    /// As it was sent.
    pub path: String,
    /// Its length.
    pub bytes: u64,
}
