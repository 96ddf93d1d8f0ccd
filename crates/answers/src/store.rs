//! The store as a whole.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sheaf_model::Unit;
use utoipa::ToSchema;

use crate::{ImportPolicy, ParamValue};

/// Answer of `store`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct StoreInfo {
    /// `store/1`
    pub schema: String,
    /// Name of the store's folder.
    pub name: String,
    /// Version of the program.
    pub version: String,
    /// Runs.
    pub runs: u64,
    /// Tasks and chunks over all runs.
    pub grains: u64,
    /// Segments.
    pub segments: u64,
    /// One sentence on what can be found in it, when the store has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Other stores that the service offers, by name; the one shown included.
    pub stores: Vec<String>,
    /// Whether files can be added over HTTP.
    pub imports: ImportPolicy,
}

/// Units of metrics whose source states none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct MetricUnits {
    /// `units/1`
    pub schema: String,
    /// Units by the name of their metric.
    pub units: BTreeMap<String, Unit>,
}

/// States the unit of a metric whose source states none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct MetricUnitRequest {
    /// Name of the store; the first when missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub store: Option<String>,
    /// Name of the metric.
    pub metric: String,
    /// Its unit; absent removes the statement.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<Unit>,
}

/// Answer of `verify`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Verify {
    /// `verify/1`
    pub schema: String,
    /// Runs.
    pub runs: u64,
    /// Segments.
    pub segments: u64,
    /// Whether nothing is damaged.
    pub ok: bool,
    /// Damaged files.
    pub damaged: Vec<DamagedFile>,
    /// Work of importers that ended before they published; harmless, removed by `compact`.
    pub leftovers: Vec<String>,
    /// What is in the store's folders and is not the store's; nothing touches it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub foreign: Vec<String>,
    /// Where a repair has put damaged segments.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub set_aside: Vec<String>,
}

/// A damaged file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct DamagedFile {
    /// Path within the store.
    pub path: String,
    /// What is wrong.
    pub reason: String,
}

/// Answer of `compact`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Compact {
    /// `compact/1`
    pub schema: String,
    /// Runs.
    pub runs: u64,
    /// Segments before.
    pub segments_before: u64,
    /// Segments now.
    pub segments: u64,
    /// Leftovers removed.
    pub removed_leftovers: u64,
    /// Paths that were removed, or would be: segments whose runs are in others, and leftovers.
    pub removed: Vec<String>,
    /// What is in the store's folders, is not the store's, and stays.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub foreign: Vec<String>,
    /// Whether this is a plan, and nothing was changed.
    pub is_dry_run: bool,
}

/// Answer of `set`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Corrected {
    /// `set/1`
    pub schema: String,
    /// Run id, if the selector names one run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    /// All parameters of that run after the correction.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub params: Option<BTreeMap<String, ParamValue>>,
    /// The runs, by name.
    pub runs: Vec<CorrectedRun>,
}

/// Corrected parameters of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct CorrectedRun {
    /// Run id.
    pub run: String,
    /// Its name.
    pub name: String,
    /// Parameters that were named.
    pub changes: BTreeMap<String, CorrectedParam>,
}

/// A parameter before and after its correction; a value is missing where the run has none.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct CorrectedParam {
    /// Value before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<ParamValue>,
    /// Value after.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<ParamValue>,
}

/// Answer of `set --name`: a run and its name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RunName {
    /// `run-name/1`
    pub schema: String,
    /// Run id.
    pub run: String,
    /// Its name before.
    pub before: String,
    /// Its name now.
    pub name: String,
}

/// Body of the request that gives a run another name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RunNameRequest {
    /// Name of the store; the first when missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub store: Option<String>,
    /// Run id, unique prefix of one, or name.
    pub run: String,
    /// The name; that of the import when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

/// Answer of `remarks`: the remarks of users on runs and grains.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Remarks {
    /// `remarks/1`
    pub schema: String,
    /// The remarks, by run; those on grains after that on their run.
    pub remarks: Vec<Remark>,
}

/// A remark of a user on a run or a grain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Remark {
    /// Run id.
    pub run: String,
    /// Key of the path of the grain; missing where the remark is on the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path_key: Option<String>,
    /// The remark.
    pub text: String,
}

/// Body of the request that sets a remark.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RemarkRequest {
    /// Name of the store; the first when missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub store: Option<String>,
    /// Run id, unique prefix of one, or name.
    pub run: String,
    /// Key of the path of a grain: 16 hexadecimal digits; the remark is on the run when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path_key: Option<String>,
    /// The remark; absent removes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// Body of the requests that remove runs and bring them back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RemovalRequest {
    /// Name of the store; the first when missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub store: Option<String>,
    /// Ids of the runs. The service changes all of them or none.
    pub runs: Vec<String>,
}

/// Answer of `set` without a run: the rules of the store about its parameters.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ParameterRules {
    /// `parameter-rules/1`
    pub schema: String,
    /// Patterns of parameters that say how a run came about: names, or beginnings of names with a `*`.
    pub incidental: Vec<String>,
    /// Patterns of parameters that are part of a configuration.
    pub configuration: Vec<String>,
}

/// Answer of `remove --undo`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Restore {
    /// `restore/1`
    pub schema: String,
    /// Ids of the runs that are back.
    pub restored: Vec<String>,
}

/// Answer of `remove`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Remove {
    /// `remove/1`
    pub schema: String,
    /// Ids of the removed runs.
    pub removed: Vec<String>,
}
